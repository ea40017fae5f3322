"""Repetitions of one run are independent experiments too: the attack on Laplace noise over many repetitions, and the
signs of the noise of successive repetitions and of successive owners, which agree as often as two coins."""
from bounds import certified, lower, upper
from laws import laplace
from paths import FAR, Path, answer, sync
from program import Program

EPSILON = 2
OWNERS = 2_000


def releases(given, side, repetitions):
    """[repetition][owner] -> number sent, and the ledger's statements."""
    law = laplace(EPSILON, 0.5, -0.5)
    path = Path("repetitions", "laplace", "clip", "", "", "", sync({"mechanism": "laplace", "epsilon": 2 * EPSILON}),
                FAR, law, answer)
    scenario = path.scenario_of(OWNERS, given.seed + side)
    program = Program(given.executable, given.place)
    folder = program.write(f"repetitions-{side}", scenario, path.tables(side, OWNERS))
    sent, stated = [], set()
    for k in range(repetitions):
        trace = program.trace(folder, k, "send,release")
        sent.append([answer(trace, agent) for agent in range(1, OWNERS + 1)])
        stated |= {float(charge[-1][1]) for charge in trace.charges.values()}
    return law, sent, stated


def check(given):
    repetitions = 50 if given.quick else 500
    n, hits, text = repetitions * OWNERS, [], []
    for side, centre in ((0, 0.5), (1, -0.5)):
        law, sent, stated = releases(given, side, repetitions)
        assert stated == {EPSILON}, f"the ledger states {sorted(stated)}, not {EPSILON}"
        cut, least = law.event(n, 0)
        hits.append(sum(law.score(x) >= cut for row in sent for x in row))
        # Whether two noises have the same sign is a fair coin, independent of all others.
        signs = [[x > centre for x in row] for row in sent]
        for name, same, pairs in (
                ("repetitions", sum(a == b for x, y in zip(signs, signs[1:]) for a, b in zip(x, y)),
                 (repetitions - 1) * OWNERS),
                ("owners", sum(a == b for x in signs for a, b in zip(x, x[1:])), repetitions * (OWNERS - 1))):
            assert lower(same, pairs) <= 0.5 <= upper(same, pairs), \
                f"noise of successive {name} has the same sign in {same} of {pairs} pairs"
            text.append(same / pairs)
    shown = certified(*hits, n, 0)
    assert least * 0.999 <= shown <= EPSILON, f"certified {shown} of {EPSILON}, expected at least {least}"
    return (f"{shown / EPSILON:.4f} of epsilon {EPSILON} certified by {repetitions} repetitions of {OWNERS} owners; "
            f"equal signs of successive noises {min(text):.4f} to {max(text):.4f}")
