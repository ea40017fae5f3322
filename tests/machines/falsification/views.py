"""Audits: what `hearsay audit` certifies of small networks, and what it states of their views.

Agents make a gradient step with noise and push parts of their models to all neighbours (push_sum), in rounds of 1 s.
Every agent has the same noise. In units of (Delta/sigma)^2, by hand:

path, a release each   1 - 0 - 2 with two rounds. Agent 1 receives y_0, then a sum of y_0, y_1 and y_2: it knows all three.
path, two releases     The second message of agent 0 to agent 1 has 3/8 of the first noise of agent 2 (weights 1/2, 1/2 and
                       1/3 give 3/8 of 4/3), times 1 - step * H = 1/2 if its gradient reacts to it.
hostile agent 0        Minus its own messages: signs change nothing. Copies of agent 2's: agent 1 gets y_2 alone, of the first
                       round. One that knows the messages of all: every release.
ring, four releases    Mixing weights 1/3, H_i = diag(1 + i/10, 1/2): a neighbour, by a program of its own.

Each certificate is recomputed from the printed counts, by other code.
"""
import json
from dataclasses import dataclass
from math import exp, log, sqrt

from bounds import ALPHA, bisect, upper
from laws import gaussian_delta, phi
from program import Program

RUNS, QUICK = 50_000, 10_000
DELTA = 1e-5


@dataclass
class View:
    name: str
    scenario: dict
    table: str
    adversary: str
    owner: int
    releases: int
    stated: float    # mu^2 of the view
    attained: float  # by the planted record
    exact: bool = True


def pushed(topology, releases, bound, epsilon, time, **protocol):
    return {
        "name": "audited", "model": {"loss": "squared", "l2": 0},
        "privacy": {"mechanism": "gaussian", "delta": DELTA, "accountant": "pld", "epsilon": epsilon,
                    "steps": releases, "gradient_bound": bound},
        "network": {"topology": topology, "latency": "100 ms"},
        "clocks": {"type": "periodic", "period": "1 s", "phase": "500 ms"},
        "protocol": {"type": "push_sum", "step": 0.5, "fan_out": 2, **protocol}, "stop": {"time": time},
    }


def path(releases, **hostile):
    scenario = pushed("star", releases, sqrt(2), 6, 1.7, weighted_update=True)
    if hostile:
        scenario["adversaries"] = {"agents": [0], **hostile}
    return scenario, "a,y\n" + f"{sqrt(0.5)!r},0\n" * 3


RING = (pushed("ring", 4, 2 * sqrt(1.4), 9.94, 4.2),
        "a,b,y\n" + "".join(f"{sqrt(1 + i / 10)!r},0,0\n0,{sqrt(0.5)!r},0\n" for i in range(5)))
VIEWS = [
    View("path, a release each, the middle", *path(1), "agent:1", 0, 1, 1, 1),
    View("path, a release each, the other end", *path(1), "agent:1", 2, 1, 1, 1),
    View("path, two releases, the middle", *path(2), "agent:1", 0, 2, 1 + 64 / 73, 1 + 256 / 265, exact=False),
    View("path, two releases, the other end", *path(2), "agent:1", 2, 2, 9 / 73, 9 / 265, exact=False),
    View("path, two releases, both ends", *path(2), "agents:1+2", 0, 2, 2, 2),
    View("path, two releases, everybody", *path(2), "everybody", 2, 2, 2, 2),
    View("path, two releases, the middle sends minus its own", *path(2, behaviour={"type": "sign_flip", "own": True}),
         "agent:1", 0, 2, 1 + 64 / 73, 1 + 256 / 265, exact=False),
    View("path, two releases, the middle copies the other end", *path(2, behaviour={"type": "mimic", "of": 2}),
         "agent:1", 2, 2, 1, 1),
    View("path, two releases, the middle knows all", *path(2, behaviour="a_little", omniscient=True), "hostile", 2, 2, 2, 2),
    View("ring of five, a neighbour", *RING, "agent:0", 4, 4, 3.829927, 3.964510, exact=False),
]


def quantile(p):
    """Of the standard normal law."""
    return bisect(lambda x: phi(x) < p, -40.0, 40.0)[0]


def mu_of(fpr, fnr):
    return max(0.0, -quantile(fpr) - quantile(fnr)) if max(fpr, fnr) < 1 else 0.0


def epsilon_of(fpr, fnr):
    ratios = [log((1 - miss - DELTA) / false) for miss, false in ((fnr, fpr), (fpr, fnr)) if 1 - miss > DELTA]
    return max(0.0, *ratios) if max(fpr, fnr) < 1 else 0.0


def near(what, found, expected, tolerance):
    assert abs(found - expected) <= tolerance * max(abs(expected), 1e-3), f"{what}: {found}, expected {expected}"


def rates(certificate, alpha):
    return (upper(certificate["false_positives"], certificate["runs_without"], alpha),
            upper(certificate["false_negatives"], certificate["runs_with"], alpha))


def audit(executable, folder, seed, number, runs):
    view = VIEWS[number]
    blocks = {"type": "blocks", "blocks": 5 if view.scenario["network"]["topology"] == "ring" else 3}
    scenario = {**view.scenario, "seed": seed,
                "data": {"type": "csv", "path": "records.csv", "target": "y", "bias": False, "owner": blocks}}
    program = Program(executable, folder)
    place = program.write(f"audit-{number}", scenario, {"records.csv": view.table})
    return json.loads(program.call("audit", "scenario.json", "--adversary", view.adversary, "--owner", str(view.owner),
                                   "--runs", str(runs), "--json", "--no-progress", "-j", "1", place=place))


def judge(view, found, runs):
    q = found["ledger"]["mu"] / sqrt(view.releases)
    near("delta of the ledger's epsilon", gaussian_delta(found["ledger"]["epsilon"], 1 / found["ledger"]["mu"]), DELTA, 1e-2)
    near("mu^2 of the view", found["view"]["mu"]**2 / q**2, view.stated, 1e-6)
    assert found["view"]["label"] == ("exact" if view.exact else "fixed_gradients"), found["view"]
    assert not found["refuted"], found["refuted"]
    attained = q * sqrt(view.attained)
    if not view.exact:
        near("mu of a changed label", found["one_label_mu"], attained, 1e-6)
    level = found["level"]
    certificates = found["any"], found["gaussian"]
    for certificate in certificates:
        assert certificate["runs_without"] == certificate["runs_with"] == runs // 2, certificate
        for bound, expected in zip((certificate["fpr"], certificate["fnr"]), rates(certificate, level / 2)):
            near("bound of a rate", bound, expected, 1e-8)
    general, gaussian = certificates
    near("epsilon, any mechanism", general["epsilon"], epsilon_of(*rates(general, level / 2)), 1e-7)
    near("mu", gaussian["mu"], mu_of(*rates(gaussian, level / 2)), 1e-7)
    near("delta, if Gaussian", gaussian_delta(gaussian["epsilon"], 1 / gaussian["mu"]) if gaussian["mu"] > 0 else DELTA,
         DELTA, 1e-6)
    assert epsilon_of(*rates(general, ALPHA)) <= found["ledger"]["epsilon"], "more is certified than the ledger states"
    assert mu_of(*rates(gaussian, ALPHA)) <= attained, f"more is certified than is true: mu {gaussian['mu']}, {attained}"
    # Both rates are near Phi(-mu/2); a quantile of each, at the level of its bound and six deviations away.
    rate = phi(-attained / 2)
    deviation = sqrt(rate * (1 - rate) / (runs // 2)) / exp(-attained**2 / 8) * sqrt(6.2832)
    assert gaussian["mu"] >= attained - (2 * 2.5 + 6 * 1.5) * deviation, f"mu {gaussian['mu']} of {attained}"
    return gaussian["mu"] / attained


def check(given, pool):
    runs = QUICK if given.quick else RUNS
    made = [pool.submit(audit, given.executable, given.place, given.seed + k, k, runs) for k in range(len(VIEWS))]
    shares = []
    for view, future in zip(VIEWS, made):
        try:
            shares.append(judge(view, future.result(), runs))
        except AssertionError as error:
            raise AssertionError(f"{view.name}: {error}") from error
    return f"{len(VIEWS)} views; certified shares of mu: " + ", ".join(f"{share:.3f}" for share in shares)
