"""Paths of multi-task learning: gradients of tasks, their own parts, columns of a trusted server."""
from math import exp

from laws import beyond, laplace, product, subsampled_laplace
from paths import CLASS, FAR, GONE, SMOOTH, Path, answer, given, tasks

# With clip 1 and two records g = +-1/2, S_2 = 1; alpha_1 = 0.1, so that q = -+0.05 after a turn, S_1 = 0.1. In block
# form a task sends -alpha_2 g.
SENT, OWN, GRADIENT = (-0.05, 0.05), (-0.05, 0.05), (0.5, -0.5)
AS_FAR = "the neighbours' gradients are as far apart as the sensitivity"
PLAIN = {"q_noise": False}
RATE = 0.5  # of subsamples: a gradient that takes part is +-1 = +-1/2/RATE


def column(trace, agent):
    return float(trace.received[agent][0])


def task_path(name, bound, shown, accounting, why, scenario, data, law, see, **more):
    # A run of async_mtl takes time quadratic in the number of tasks; with few, most of it is the program's start.
    return Path(name, "exponential_norm", bound, shown, accounting, why, scenario, data, law, see,
                seen="release" if "release" in shown else "send",
                owners=8_000 if name.startswith("async") else 50_000, **more)


def unclipped(scenario):
    del scenario["privacy"]["clip"]
    return scenario


def turns(law, sensitivity, **more):
    """Both releases of two turns. q_2 = 0.95 q_1 -+ 0.05 = -+0.0975."""
    scenario = tasks("sync_mtl", {"epsilon_1": 1.3, "epsilon_2": 0.01}, {"turns": 2, "sensitivity": sensitivity})
    return task_path("sync_mtl, two turns, sensitivity " + sensitivity, "clip, L2", "4 releases of 2 turns", "basic",
                     "constant gradients: q_t moves apart as far as the bound on it",
                     scenario, FAR, law, given, **more)


def two_turns(second):
    gradient = laplace(0.01, *GRADIENT)
    return product(laplace(1.3, *OWN), gradient, laplace(second, -0.0975, 0.0975), gradient)


def sampled_turn(e):
    """q_t + z_1 and g_t from one subsample, epsilon e in all: both lie beyond the centres of the first data set."""
    away = (1 - RATE) * exp(-e / 2) / 4
    return beyond(away + RATE / 4, away + RATE * exp(-e) / 4, lambda x: x[0] <= -0.1 + 1e-9 and x[1] >= 1 - 1e-9)


PATHS = [
    task_path("async_mtl, gradient alone", "clip, L2", "1 message", "basic", AS_FAR,
              tasks("async_mtl", {"epsilon_2": 2}, PLAIN), FAR, laplace(2, *SENT), answer, quick=True),
    task_path("sync_mtl, gradient alone", "clip, L2", "1 message", "basic", AS_FAR,
              tasks("sync_mtl", {"epsilon_2": 2}, PLAIN), FAR, laplace(2, *SENT), answer),
    task_path("sync_mtl, gradient of a turn", "clip, L2", "1 message", "basic",
              "clipped gradients do not show z_1: epsilon_2 of epsilon_1 + epsilon_2",
              tasks("sync_mtl", {"epsilon_1": 0.5, "epsilon_2": 2}), FAR, laplace(2, *SENT), answer, tight=False),
    task_path("sync_mtl, both releases of a turn", "clip, L2", "2 releases", "basic", AS_FAR + ", and so is q_t",
              tasks("sync_mtl", {"epsilon_1": 1.3, "epsilon_2": 1.3}), FAR,
              product(laplace(1.3, *OWN), laplace(1.3, *GRADIENT)), given),
    task_path("sync_mtl, bound of the data", "derived: slope 1, unit ball", "1 message", "basic",
              "smoothed hinge: slopes of length 1",
              {**unclipped(tasks("sync_mtl", {"epsilon_2": 2}, PLAIN, {"loss": SMOOTH["loss"]})),
               "data": {"unit_ball": True}}, CLASS, laplace(2, *SENT), answer),
    task_path("sync_mtl, declared c_3, c_4", "derived: 2 C_1 (C_1 c_4 + 1)", "1 message", "basic",
              "gradients 2 (s - y) of scores s = -+0.001 where the bound has c_4 = 0.01",
              {**unclipped(tasks("sync_mtl", {"epsilon_2": 2}, {**PLAIN, "alpha_1": 0.001, "c_3": 0.01, "c_4": 0.01})),
               "data": {"unit_ball": True}}, (["1,-1", "0,0"], ["1,1", "0,0"]),
              laplace(2 * 0.999 / 1.01, -0.0999, 0.0999), answer, tight=False),
    task_path("sync_mtl, sensitivity released", "given constants", "1 message", "basic",
              "the constant is the proof's: slopes of length 1",
              unclipped(tasks("sync_mtl", {"epsilon_2": 2}, {**PLAIN, "sensitivity": "released", "released_2": 1},
                              SMOOTH)), CLASS, laplace(2, *SENT), answer),
    task_path("sync_mtl, q_update exact", "gradient_bound", "q_t + z_1 (release)", "basic",
              "constant slopes: minimisers are 2 B/(n tau) apart, the sensitivity",
              unclipped(tasks("sync_mtl", {"epsilon_1": 2, "epsilon_2": 0.005, "gradient_bound": 1},
                              {"q_update": "exact", "tau": 2}, SMOOTH)),
              CLASS, laplace(2, -0.25, 0.25), lambda trace, agent: given(trace, agent)[0]),
    task_path("async_mtl, trusted_server", "clip, L2", "1 column from the server", "basic", AS_FAR,
              tasks("async_mtl", {"epsilon_2": 2}, {"trusted_server": True}), FAR, laplace(2, *SENT), column),
    task_path("async_mtl, subsample, add_remove", "clip, L2", "1 message", "basic, Poisson subsample, add_remove",
              "ratio 1 - q + q e^epsilon beyond the record's centre",
              tasks("async_mtl", {"epsilon_2": 2, "adjacency": "add_remove"}, {**PLAIN, "batch_fraction": RATE}), GONE,
              subsampled_laplace(2, RATE, -0.1, 0), answer, quick=True),
    task_path("sync_mtl, subsample, replace_one", "clip, L2", "1 message", "basic, Poisson subsample, replace_one",
              "(1 - q + q e^(epsilon/2))/(1 - q + q e^(-epsilon/2)) beyond the record's centre",
              tasks("sync_mtl", {"epsilon_2": 4}, {**PLAIN, "batch_fraction": RATE}), FAR,
              subsampled_laplace(4, RATE, -0.1, 0.1, 0), answer),
    task_path("sync_mtl, subsample, both releases", "clip, L2", "2 releases", "basic, Poisson subsample, replace_one",
              "one subsample for both releases", tasks("sync_mtl", {"epsilon_1": 2, "epsilon_2": 2},
                                                       {"batch_fraction": RATE}), FAR, sampled_turn(4), given),
    turns(two_turns(1.3), "accumulated"),
    turns(two_turns(2 * 1.3 * 0.975), "paper", fault="Lemma 1 takes q_t before the turn as the same on both data sets",
          warned="Lemma 1 holds q_t before the turn fixed"),
]
