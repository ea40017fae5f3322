"""The paths by which private numbers leave an owner, with the worst pair of neighbouring data sets for each.

A path is a scenario of many owners with the same records, so that one run holds many independent releases. Most have
two records: the first is the one in which the neighbours differ, the second has a zero gradient. All numbers of this
page are derived by hand from docs/; none is read from a run.
"""
from dataclasses import dataclass
from typing import Any, Callable

from program import numbers

HOUR = 3600


@dataclass
class Path:
    name: str
    mechanism: str
    bound: str
    releases: str         # what is seen of an owner
    accounting: str
    why: str              # why the worst case is attained, or why not
    scenario: dict
    data: tuple           # the rows of an owner on the first data set, and on its neighbour
    law: Any              # a Law, or the function that gives it from the stated epsilon of one release
    see: Callable[[Any, int], Any]  # (trace, agent) -> what the law scores
    seen: str = "send,publish"  # events of the trace that show it
    tight: bool = True    # an event attains the stated epsilon
    together: int = 1     # owners whose releases are seen as one
    each: bool = False    # see() gives a list: one experiment for each record of an owner
    hub: tuple = ()       # rows of owner 0 where agent 0 is an owner, the hub of the star
    fault: str = ""       # a claim that is known to be false, and why
    warned: str = ""      # words of the manifest that say so
    million: float = 1    # millions of releases a side
    owners: int = 50_000  # of one run, at most
    quick: bool = False

    def tables(self, side, owners):
        block = self.data[side]
        columns = ["x", "z"][: block[0].count(",")] + ["y"]
        return {"records.csv": "\n".join([",".join(columns), *self.hub, *block * owners]) + "\n"}

    def scenario_of(self, owners, seed, part=0):
        """Of a part of the experiments: repetition `part` of the same scenario."""
        kinds = ["send", "publish", "release"]
        return {
            "name": self.name, "seed": seed,
            "data": {"type": "csv", "path": "records.csv", "target": "y", **self.scenario.get("data", {}),
                     "owner": {"type": "blocks", "blocks": owners + (1 if self.hub else 0)}},
            "network": {"topology": "star", **self.scenario.get("network", {})},
            "record": {"metrics": ["epsilon_spent"], "trace": {"kinds": kinds, "payload": True}},
            "stop": self.stop_of(owners),
            **{key: self.scenario[key] for key in ("model", "protocol", "privacy", "clocks") if key in self.scenario},
        }

    def accounts(self, owners):
        """Agents whose releases are charged."""
        return range(1, owners + 1)

    def observed(self, program, place, owners, part):
        """What the law scores of each experiment of a part."""
        trace = program.trace(place, part, self.seen)
        return [seen for agent in range(1, owners + 1, self.together)
                for seen in (self.see(trace, agent) if self.each else [self.see(trace, agent)])]

    def stop_of(self, owners):
        stop = self.scenario.get("stop", {})
        return {key: owners if value == "owners" else value for key, value in stop.items()}


# --- What is seen of an owner ---


def answer(trace, agent):
    """The number of its only message."""
    return float(trace.sent[agent][0])


def answers(trace, agent):
    return [float(x) for x in trace.sent[agent]]


def vector(trace, agent):
    return numbers(trace.sent[agent][0])


def given(trace, agent):
    return [float(x) for x in trace.given[agent]]


# --- Scenarios ---

SQUARED = {"loss": "squared", "theta_max": 0.01}
# The gradient of y = -+1000 at x = 1 is +-2000, clipped to +-clip. The mean over two records is half of that.
FAR = (["1,-1000", "0,0"], ["1,1000", "0,0"])
GONE = (["1,-1000", "0,0"], ["0,0", "0,0"])  # add_remove: the divisor is public and the same
# The hinge has slope 1 exactly: gradient -y x.
CLASS = (["-1,1", "0,-1"], ["1,1", "0,-1"])
HINGE = {"loss": "hinge", "theta_max": 0.01}
SMOOTH = {"loss": {"type": "smoothed_hinge", "width": 0.5}}


def sync(privacy, rounds=1, model=None, protocol=None):
    """A learner that asks all owners in `rounds` rounds. It plans for rounds + 1 answers: the last is never asked
    for."""
    return {"model": model or SQUARED, "privacy": {"clip": 1, **privacy},
            "protocol": {"type": "central_sync", "algorithm": "averaged", "c1": 1e-9, **(protocol or {})},
            "stop": {"iterations": rounds + 1}}


def one_by_one(privacy, model=None, protocol=None):
    """An asynchronous learner that asks every owner once. Budgets are planned for 1 + 3 answers."""
    return {"model": model or SQUARED, "privacy": privacy,
            "protocol": {"type": "central_async", "rho": 1e-6, "initiative": "learner", "interval": HOUR,
                         "budget_for": "expected_share", **(protocol or {})},
            "stop": {"iterations": "owners"}}


def peers(privacy, ticks=1, protocol=None, model=None, kind="p2p_coordinate_descent"):
    """Leaves of a star that tick at 0.5 s, 1.5 s, ...; their hub never ticks. With mu = 1, lambda = 0.5, R = 1 and
    kappa = 2: Lloc = 3, alpha = 1/4."""
    own = {"mu": 1, "lambda": 0.5, "lipschitz": "public", "feature_bound": 1}
    phase = {"default": 0.5, "agents": {"0": 5}}
    return {"model": model or {"loss": "squared"}, "privacy": {"clip": 1, **privacy},
            "protocol": {"type": kind, **own, **(protocol or {})},
            "clocks": {"type": "periodic", "period": 1, "phase": phase},
            "stop": {"time": ticks}}


def tasks(kind, privacy, protocol=None, model=None):
    """Tasks that make one turn, or `turns`. In block form a task sends p - alpha_2 g, with p = 0 in the first."""
    own = {"alpha_1": 0.1, "alpha_2": 0.1, "tau": 0.5, "regulariser": "none", "start": "zero", "turns": 1}
    if kind == "async_mtl":
        own["column_update"] = "block"
    return {"model": model or {"loss": "squared"}, "stop": {"iterations": 10_000_000},
            "privacy": {"mechanism": "exponential_norm", "clip": 1, **privacy},
            "protocol": {"type": kind, **own, **(protocol or {})}}
