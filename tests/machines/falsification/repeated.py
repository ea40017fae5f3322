"""Repetitions of one run are independent experiments too: the attack on Laplace noise over many repetitions, and the
signs of the noise of successive repetitions and of successive owners, which agree as often as two coins."""
from bounds import certified, lower, upper
from laws import laplace
from paths import FAR, Path, answer, sync
from program import Program

EPSILON = 2
OWNERS = 4_000


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


def counted(given, side, repetitions):
    """Of one data set: releases that show the event; what it certifies at least; of successive repetitions and of
    successive owners (name, pairs whose noises have the same sign, pairs)."""
    law, sent, stated = releases(given, side, repetitions)
    assert stated == {EPSILON}, f"the ledger states {sorted(stated)}, not {EPSILON}"
    cut, least = law.event(repetitions * OWNERS, 0)
    # Whether two noises have the same sign is a fair coin, independent of all others.
    signs = [[x > (0.5, -0.5)[side] for x in row] for row in sent]
    pairs = [("repetitions", sum(a == b for x, y in zip(signs, signs[1:]) for a, b in zip(x, y)),
              (repetitions - 1) * OWNERS),
             ("owners", sum(a == b for x in signs for a, b in zip(x, x[1:])), repetitions * (OWNERS - 1))]
    return sum(law.score(x) >= cut for row in sent for x in row), least, pairs


def check(given, pool):
    repetitions = 25 if given.quick else 250
    n, shares = repetitions * OWNERS, []
    sides = [f.result() for f in [pool.submit(counted, given, side, repetitions) for side in (0, 1)]]
    for _, _, pairs in sides:
        for name, same, of in pairs:
            assert lower(same, of) <= 0.5 <= upper(same, of), \
                f"noise of successive {name} has the same sign in {same} of {of} pairs"
            shares.append(same / of)
    shown, least = certified(*(hits for hits, _, _ in sides), n, 0), sides[0][1]
    assert least * 0.999 <= shown <= EPSILON, f"certified {shown} of {EPSILON}, expected at least {least}"
    return (f"{shown / EPSILON:.4f} of epsilon {EPSILON} certified by {repetitions} repetitions of {OWNERS} owners; "
            f"equal signs of successive noises {min(shares):.4f} to {max(shares):.4f}")
