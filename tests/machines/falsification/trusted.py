"""Paths of a trusted aggregator: what the hub gives out of the updates of whole owners, without noise of their own.

A run has one hub, so that each repetition of a run is one experiment. Its last model x_T is all that is seen: the sum
of all releases, or the last of the running sums. There are two owners; the first is the one in which the neighbours
differ. The data are those of other paths: a record whose update has length 2000, cut to S = 1 wherever the model is,
or one without a gradient. The number of owners N is public and the same for neighbours. An absent owner adds to a sum
what an update of 0 does; one that does not answer has a path for itself, because the divisor must not follow the
answers.
"""
from dataclasses import dataclass
from math import sqrt

from laws import analytic, exchanged, gaussian, rdp, sampled_analytic, sampled_gaussian, sampled_rdp, zcdp
from paths import FAR, GONE, HOUR, Path
from program import Results

BOTH = (["1,-1000", "1,-1000"], ["0,0", "0,0"])
SIZE = 2  # owners
ATTAINED = "an owner's update of length S, or 0"
SUMMED = "the sum of all releases says as much as all of them"
RATE = 0.75


@dataclass
class Trusted(Path):
    seen: str = "models"
    absent: bool = False  # on the neighbour the first owner, agent 1, is down; its data are the same
    owners: int = 100_000  # repetitions of one run, at most

    def scenario_of(self, owners, seed, part=0):
        scenario = super().scenario_of(SIZE, seed + 2 * part)
        scenario["record"]["models"] = "final"
        scenario["repeat"] = owners
        if self.absent:
            scenario["network"]["availability"] = {"type": "trace", "path": "up.csv"}
        return scenario

    def tables(self, side, owners):
        up = {"up.csv": f"agent,time,state\n1,0,{('up', 'down')[side]}\n"} if self.absent else {}
        return {**super().tables(0 if self.absent else side, 1), **up}

    def accounts(self, owners):
        return (0,)

    def observed(self, program, place, owners, part):
        program.call("run", "scenario.json", "-o", "results", "-j", "1", "--no-progress", place=place)
        return [self.see(x, 0) for x in Results(place).models()]


def trusted(name, accounting, why, protocol, privacy, rounds, data, law, unit, **more):
    """`unit`: what x_T is divided by before the law scores it."""
    privacy = {"mechanism": "gaussian", "unit": "owner", "trust": "aggregator", "adjacency": "add_remove", "clip": 1,
               "accountant": accounting.partition(",")[0], **privacy}
    scenario = {"model": {"loss": "squared", "l2": 0}, "clocks": {"type": "periodic", "period": 1000 * HOUR},
                "privacy": privacy,
                "protocol": {"rounds": rounds, "step": 1, **protocol}, "stop": {"iterations": rounds}}
    return Trusted(f"{protocol['type']}, {name}", "gaussian", "clip of an owner's update, L2",
                   "a release" if rounds == 1 else f"the last model of {rounds} rounds",
                   accounting + ", " + privacy["adjacency"], why, scenario, data, law,
                   lambda x, _: x / unit, **{"million": 0.05, **more})


def average(name, accounting, why, privacy, law, rounds=1, data=GONE, rate=1, **more):
    """x_T is the sum of (sum of the updates + noise z)/(q N) of all rounds."""
    return trusted(name, accounting, why, {"type": "dp_fedavg", "participation": rate, "round_timeout": 1},
                   privacy, rounds, data, law, rounds / (rate * SIZE), **more)


# --- Running sums ---
#
# The nodes of the tree have noise z; all of them together are one release of noise z/D. x_T is a sum of prefixes: the
# first owner contributes m times, the noise has the variance v z^2. So alone it has the noise z sqrt(v)/m, f times
# that of all nodes together, f^2 = D^2 v/m^2. Nodes are listed from the leaves up, with the number of the first
# owner's rounds in each.
#
#                                              D^2                          v                       f
#   one round                                  1                            1                       1
#   4 rounds, the owner in each                4 1 + 2 4 + 16 = 28
#     honaker: a root of height 2                                           1/(2 - 1/4) = 4/7       1
#     plain: the root alone                                                 1                       sqrt(28)/4
#   4 rounds, the owner in one; honaker        1 + 1 + 1 = 3                4/7                     sqrt(12/7)
#   two trees of 3 rounds, the owner in each
#     the first, completed to 4 leaves         3 1 + (4 + 1) + 9 = 17       4/7
#     the second: a node of height 1, a leaf   3 1 + 4 = 7                  1/(2 - 1/2) + 1 = 5/3
#     x_T: both                                24                           47/21                   sqrt(24 47/21)/6
#
# With honaker and an owner in every round the weights of the nodes are those of the likelihood ratio: nothing is lost.


def running(name, accounting, why, f, rounds, protocol=None, m=None, **more):
    """x_T is P_T/w, w = N/R, or a sum of such."""
    own = {"type": "dp_ftrl", "epoch_rounds": 1, **(protocol or {})}
    tight = accounting == "pld"
    privacy, z = (SMALL, Z_SMALL) if tight else (LARGE, Z_LARGE[accounting])
    return trusted(name, accounting, why, own, privacy, rounds, GONE, gaussian(f * z, -1, 0),
                   (m or rounds) * own["epoch_rounds"] / SIZE, tight=tight, **more)


SMALL, LARGE = {"epsilon": 2, "delta": 0.25}, {"epsilon": 4, "delta": 0.02}
SAMPLED = {"epsilon": 2, "delta": 0.2}
Z_SMALL, Z_SAMPLED = analytic(2, 0.25), sampled_analytic(2, 0.2, RATE)
Z_LARGE = {"rdp": rdp(4, 0.02, 1), "zcdp": zcdp(4, 0.02, 1)}
TAILS = "a bound on the tails of a sum"
PREFIX = "the last prefix is seen alone"

PATHS = [
    average("one round, pld", "pld", ATTAINED, SMALL, gaussian(Z_SMALL, -1, 0), million=0.15, quick=True),
    average("absent owner, pld", "pld", "an owner's update of length S, or no answer", SMALL,
            gaussian(Z_SMALL, -1, 0), absent=True),
    average("replace_one, pld", "pld", "updates of length S of opposite signs", {**SMALL, "adjacency": "replace_one"},
            gaussian(Z_SMALL, -1, 1), data=FAR),
    average("two rounds, pld", "pld", ATTAINED + "; " + SUMMED, SMALL,
            gaussian(Z_SMALL * sqrt(2), -1, 0, releases=2), rounds=2),
    average("two rounds, rdp", "rdp", TAILS, LARGE, gaussian(Z_LARGE["rdp"] * sqrt(2), -1, 0, releases=2), rounds=2,
            tight=False),
    average("random owners, pld, removed", "pld, Poisson", ATTAINED, SAMPLED, sampled_gaussian(Z_SAMPLED, RATE, -1, 0),
            rate=RATE, quick=True, million=0.1),
    average("random owners, pld, added", "pld, Poisson", "the other direction costs more", SAMPLED,
            exchanged(sampled_gaussian(Z_SAMPLED, RATE, -1, 0)), rate=RATE, data=GONE[::-1], tight=False),
    average("random owners, rdp, removed", "rdp, Poisson", TAILS, LARGE,
            sampled_gaussian(sampled_rdp(4, 0.02, RATE), RATE, -1, 0), rate=RATE, tight=False),
    running("one round, zcdp", "zcdp", TAILS, 1, 1),
    running("one round, rdp", "rdp", TAILS, 1, 1, million=0.03),
    running("4 rounds, rdp", "rdp", TAILS + "; the last prefix says as much as all nodes", 1, 4, million=0.04),
    running("4 rounds, pld", "pld", ATTAINED + "; the last prefix says as much as all nodes", 1, 4, million=0.15),
    running("4 rounds, plain, zcdp", "zcdp", TAILS + "; " + PREFIX, sqrt(28) / 4, 4, {"estimate": "plain"}),
    running("an epoch of 4 rounds, rdp", "rdp", TAILS + "; " + PREFIX, sqrt(12 / 7), 4, {"epoch_rounds": 4}, 1,
            million=0.03),
    running("restart after 3 of 6 rounds, zcdp", "zcdp", TAILS + "; " + PREFIX, sqrt(24 * 47 / 21) / 6, 6,
            {"restart_epochs": 3}, quick=True),
    average("two owners differ", "pld", "", SMALL, gaussian(Z_SMALL / 2, -1, 0), data=BOTH, million=0.03,
            fault="the guarantee is for one owner: two of them move a sum by 2 S"),
]
