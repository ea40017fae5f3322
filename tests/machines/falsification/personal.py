"""Paths of personal models: published models, private warm starts, records with noise."""
from math import exp, log1p

from laws import analytic, beyond, gaussian, laplace, product
from paths import CLASS, FAR, SMOOTH, Path, answers, numbers, peers, vector

LAPLACE = {"mechanism": "laplace"}
CENTRES = (0.5, -0.5)
HUB = ("0,0", "0,0")


def gradients(models, hub=0.0):
    """The gradients Q in Theta' = (1 - a) Theta + a (Theta_hub - Q - 2 lambda Theta) of models from a start, a = 1/4
    and lambda = 1/2. So Q = Theta_hub + 2 Theta - 4 Theta'."""
    return [hub + 2 * here - 4 * there for here, there in zip(models, models[1:])]


def ticks(trace, agent):
    return gradients([0.0] + answers(trace, agent))


def tick(trace, agent):
    return ticks(trace, agent)[0]


def tick_of_classes(trace, agent):
    """Theta' = -a Q from 0; kappa = 1/2, so that Lloc = 3/2 and a = 1/(1 + 3/2)."""
    return [-2.5 * x for x in vector(trace, agent)]


def both_beyond(total):
    """Both of two Laplace releases lie beyond the first centre, whatever their shares of the total."""
    return beyond(1 / 4, exp(-total) / 4, lambda xs: min(xs) >= 0.5 - 1e-9)


def warm_and_tick(trace, agent):
    """The start is propagated and published at time 0: Theta_i = (Theta_hub + local_i)/2, local_i = -Q/3. The tick
    follows from it and from the hub's start, which has been heard."""
    start, after = answers(trace, agent)
    hub = float(trace.sent[0][0])
    return [-3 * (2 * start - hub), *gradients([start, after], hub)]


def propagated(trace, agent):
    """The first update of model_propagation is (Theta_hub + local_i)/2. The hub's noise is 1e-9 of an owner's."""
    return 2 * answers(trace, agent)[0]


def local_gradient(trace, agent):
    return -3 * propagated(trace, agent)


def descent(name, why, privacy, law, see=tick, steps=1, protocol=None, **more):
    return Path("p2p_coordinate_descent, " + name, privacy["mechanism"], "clip", f"{steps} published models", "basic",
                why, peers({"steps": steps, **privacy}, steps, protocol), FAR, law, see, hub=HUB, **more)


def of_classes():
    """At 0 the gradient of x of class 0 is (-2/3, 1/3, 1/3) x, scaled to (-1/2, 1/4, 1/4) for x = 1000 and to the opposite
    for -1000. The mean over two records is half of that."""
    scenario = peers({**LAPLACE, "steps": 1, "epsilon": 2}, model={"loss": "softmax"})
    axes = (laplace(1, -0.25, 0.25), laplace(0.5, 0.125, -0.125), laplace(0.5, 0.125, -0.125))
    return Path("p2p_coordinate_descent, three classes", "laplace", "clip", "1 published model", "basic",
                "the neighbours' gradients are as far apart as the sensitivity in L1, on three axes",
                {**scenario, "data": {"classes": ["0", "1", "2"]}}, (["1000,0", "0,0"], ["-1000,0", "0,0"]),
                product(*axes), tick_of_classes, hub=HUB)


def propagation(local, why, law, see, privacy, model, data, **more):
    """One release of epsilon 2; the hub's is free."""
    budget = {"default": 2, "agents": {"0": 1e9}}
    own = {"local": local, **({"lambda": 1} if local == "output" else {})}
    scenario = peers({"epsilon": budget, **privacy}, 1, own, model, "model_propagation")
    if "gradient_bound" in privacy:
        del scenario["privacy"]["clip"]
    return Path("model_propagation, " + local, privacy["mechanism"],
                "gradient_bound" if "gradient_bound" in privacy else "clip", "1 published model", "basic", why,
                scenario, data, law, see, hub=HUB if "gradient_bound" not in privacy else ("0,1", "0,-1"), **more)


def tilt(epsilon, curvature=0.25, records=2, strong=1.0):
    """Objective perturbation in one dimension (Chaudhuri, Monteleoni, Sarwate 2011): the released minimiser tells b,
    which differs by 1 between the neighbours: 1/(1 + e^s) + 1/(1 + e^-s), where the proof has 2."""
    left = epsilon - 2 * log1p(curvature / (records * strong))
    def see(trace, agent):
        theta = propagated(trace, agent)
        return 1 / (1 + exp(theta)) - records * strong * theta
    return beyond(1 / 2, exp(-left / 2) / 2, lambda b: b <= 0), see


TILT, SEE_TILT = tilt(2)


def noisy_records(trace, agent):
    """(feature, label) of every record."""
    values = numbers(trace.given[agent][0])
    return list(zip(values[::2], values[1::2]))


def local_dp(label, law, why):
    """Ten records: each is an experiment of its own, as each has its own noise."""
    scenario = {"model": {"loss": "logistic"}, "privacy": {**LAPLACE, "epsilon": 2, "gradient_bound": 1},
                "protocol": {"type": "local_dp", "clip": 1, "epsilon_label": label}, "stop": {"time": 1e-3}}
    name, mechanism = ("label protected", "laplace and flips") if label else ("features only", "laplace")
    return Path("local_dp, " + name, mechanism, "clip of features, L1", "a record (release)", "basic", why, scenario,
                (["5,1"] * 10, ["-5,-1" if label else "-5,1"] * 10), law, noisy_records, each=True,
                hub=("0,1", "0,-1") * 5, seen="release")


PATHS = [
    descent("laplace", "the neighbours' gradients are as far apart as the sensitivity", {**LAPLACE, "epsilon": 2},
            laplace(2, *CENTRES), quick=True),
    descent("exponential_norm", "in one dimension it is Laplace noise",
            {"mechanism": "exponential_norm", "epsilon": 2}, laplace(2, *CENTRES)),
    descent("gaussian", "the smallest noise for (epsilon, delta)",
            {"mechanism": "gaussian", "epsilon": 2, "delta": 0.25}, gaussian(analytic(2, 0.25), *CENTRES)),
    descent("laplace, two ticks", "the neighbours' gradients are as far apart as the sensitivity",
            {**LAPLACE, "epsilon": 2.6}, product(laplace(1.3, *CENTRES), laplace(1.3, *CENTRES)), ticks, 2),
    descent("laplace, proposition_2", "releases of unequal epsilon: their sum", {**LAPLACE, "epsilon": 2.6,
            "schedule": "proposition_2"}, both_beyond(2.6), ticks, 2),
    descent("laplace, expected_schedule_corrected", "releases of unequal epsilon: their sum",
            {**LAPLACE, "epsilon": 2.6, "schedule": "expected_schedule_corrected"}, both_beyond(2.6), ticks, 2),
    descent("private_warm_start", "epsilon_warm 1.1 and one tick of 1.5", {**LAPLACE, "epsilon": 2.6,
            "epsilon_warm": 1.1}, both_beyond(2.6), warm_and_tick,
            protocol={"initial": "private_warm_start", "initial_exchange": "sent"}),
    of_classes(),
    propagation("noisy_gradient", "the neighbours' gradients are as far apart as the sensitivity",
                laplace(2, *CENTRES), local_gradient, LAPLACE, {"loss": "squared"}, FAR),
    propagation("output", "constant slopes: minimisers are 1/(n lambda) apart, the sensitivity",
                laplace(2, -0.25, 0.25),
                propagated, {"mechanism": "exponential_norm", "gradient_bound": 1}, SMOOTH, CLASS),
    propagation("objective", "in one dimension the two slopes add up to 1, not 2, and the Hessian's part is not lost",
                TILT, SEE_TILT, {"mechanism": "exponential_norm", "gradient_bound": 1}, {"loss": "logistic"},
                (["1,1", "0,-1"], ["-1,1", "0,-1"]), tight=False),
    local_dp(0.5, beyond(exp(0.5) / (1 + exp(0.5)) / 2, exp(-1.5) / (1 + exp(0.5)) / 2,
                         lambda r: r[0] >= 1 - 1e-9 and r[1] > 0),
             "features at opposite ends of the ball, labels differ"),
    local_dp(0, beyond(1 / 2, exp(-2) / 2, lambda r: r[0] >= 1 - 1e-9),
             "features at opposite ends of the ball"),
]
