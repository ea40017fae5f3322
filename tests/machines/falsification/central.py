"""Paths of the central learners: private gradients, sent as answers."""
from math import sqrt

from laws import analytic, classic, gaussian, laplace, norm_plane, product, rdp, zcdp
from paths import CLASS, FAR, GONE, HINGE, Path, answer, answers, one_by_one, sync, vector

ATTAINED = "the neighbours' gradients are as far apart as the sensitivity"
ONE_AXIS = ATTAINED + ", on one axis"
LAPLACE = {"mechanism": "laplace"}
CENTRES = (0.5, -0.5)  # clip 1, two records
NO_BETTER = "of so few releases it states no less than the sum of their epsilons, and delta is left over"

# Gaussian noise: with these numbers a million releases certify 94 % of epsilon; with a small delta they can not,
# because the event that attains epsilon is as rare as delta. The formulas are the same for all delta.
EPSILON, DELTA = 2, 0.25


def accountant(name, delta=1e-3):
    return {"accountant": name, "delta": delta}


def pair(trace, agent):
    return trace.sent[agent][0], trace.sent[agent + 1][0]


def gaussian_path(name, why, z, privacy, rounds=1, tight=True, **more):
    """The mean of all answers of an owner is all that they say together."""
    def mean(trace, agent):
        return sum(answers(trace, agent)) / rounds
    calibration = privacy.pop("calibration", None)
    mechanism = {"type": "gaussian", "calibration": calibration} if calibration else "gaussian"
    return Path("central_sync, gaussian, " + name, "gaussian", "clip, L2", f"{rounds} of {rounds + 1} answers",
                name, why, sync({"mechanism": mechanism, **privacy}, rounds), FAR,
                gaussian(z, *CENTRES, releases=rounds), mean, tight=tight, **more)


def composed(name, why, tight):
    """Two of three planned answers of the epsilon that the accountant allots to each."""
    return Path(f"central_sync, laplace, {name}, two answers", "laplace", "clip, L1", "2 of 3 answers", name, why,
                sync({**LAPLACE, **accountant(name), "epsilon": 3}, 2), FAR,
                lambda epsilon: product(laplace(epsilon, *CENTRES), laplace(epsilon, *CENTRES)), answers,
                tight=tight)


PATHS = [
    Path("central_sync, laplace, clip", "laplace", "clip, L1", "1 of 2 answers", "basic", ONE_AXIS,
         sync({**LAPLACE, "epsilon": 4}), FAR, laplace(2, *CENTRES), answer, quick=True),
    Path("central_sync, laplace, clip, add_remove", "laplace", "clip, L1", "1 of 2 answers", "basic, add_remove",
         "a record of largest gradient, or none", sync({**LAPLACE, "epsilon": 4, "adjacency": "add_remove"}),
         GONE, laplace(2, 0.5, 0), answer),
    Path("central_sync, laplace, clip, two axes", "laplace", "clip, L1", "1 of 2 answers", "basic",
         ATTAINED + " in L1, half on either axis", sync({**LAPLACE, "epsilon": 6}),
         (["1,1,-1000", "0,0,0"], ["1,1,1000", "0,0,0"]),
         product(laplace(1.5, 0.25, -0.25), laplace(1.5, 0.25, -0.25)), vector),
    Path("central_async, laplace, clip", "laplace", "clip, L1", "1 of 4 answers", "basic", ONE_AXIS,
         one_by_one({**LAPLACE, "epsilon": 8, "clip": 1}), FAR, laplace(2, *CENTRES), answer, quick=True),
    Path("central_async, laplace, gradient_bound", "laplace", "gradient_bound", "1 of 4 answers", "basic",
         "hinge: every slope has the bound's length", one_by_one({**LAPLACE, "epsilon": 8, "gradient_bound": 1}, HINGE),
         CLASS, laplace(2, *CENTRES), answer),
    Path("central_async, laplace, derived, hinge", "laplace", "derived: R1", "1 of 4 answers", "basic",
         "hinge: every slope has the bound's length",
         {**one_by_one({**LAPLACE, "epsilon": 8}, HINGE), "data": {"bounds": {"features": 1}}},
         CLASS, laplace(2, *CENTRES), answer),
    Path("central_async, laplace, derived, squared", "laplace", "derived: 2 (theta_max R1 + Y) R1", "1 of 4 answers",
         "basic", "on one axis the difference is 4 R1 Y: Y/(theta_max R1 + Y) = 1/1.01 of the sensitivity",
         {**one_by_one({**LAPLACE, "epsilon": 8}), "data": {"bounds": {"features": 1, "target": 1}}},
         (["1,-1", "0,0"], ["1,1", "0,0"]), laplace(2 / 1.01, 1, -1), answer, tight=False),
    Path("central_async, laplace, overlap", "laplace", "clip, L1", "1 of 4 answers of 2 owners", "basic, overlap 2",
         "both owners hold the record; together they spend epsilon",
         one_by_one({**LAPLACE, "epsilon": 12, "clip": 1}, protocol={"overlap": 2}), FAR,
         product(laplace(1.5, *CENTRES), laplace(1.5, *CENTRES)),
         lambda trace, agent: [float(x) for x in pair(trace, agent)], together=2),
    Path("central_sync, laplace, basic, two answers", "laplace", "clip, L1", "2 of 3 answers", "basic", ONE_AXIS,
         sync({**LAPLACE, "epsilon": 3}, 2), FAR, product(laplace(1, *CENTRES), laplace(1, *CENTRES)), answers,
         quick=True),
    Path("central_sync, exponential_norm", "exponential_norm", "clip, L2", "1 of 2 answers", "basic",
         "in one dimension it is Laplace noise", sync({"mechanism": "exponential_norm", "epsilon": 4}), FAR,
         laplace(2, *CENTRES), answer, quick=True),
    Path("central_sync, exponential_norm, plane", "exponential_norm", "clip, L2", "1 of 2 answers", "basic",
         "attained only on a ray: cones around it come near", sync({"mechanism": "exponential_norm", "epsilon": 6}),
         (["3,4,-1000", "0,0,0"], ["3,4,1000", "0,0,0"]), norm_plane(3, (0.3, 0.4), (-0.3, -0.4)), vector,
         tight=False, million=2),
    gaussian_path("basic, analytic", "the smallest noise for (epsilon, delta)", analytic(EPSILON, DELTA),
                  {"epsilon": 2 * EPSILON, "delta": 2 * DELTA}, quick=True),
    gaussian_path("basic, classic", "sufficient noise, not the smallest", classic(1, 0.01),
                  {"epsilon": 2, "delta": 0.02, "calibration": "classic"}, tight=False),
    gaussian_path("basic, paper", "sufficient noise, not the smallest", classic(1, 0.01, 2),
                  {"epsilon": 2, "delta": 0.02, "calibration": "paper"}, tight=False),
    gaussian_path("zcdp", "a bound on the tails of a sum", zcdp(4, 0.02, 3),
                  {"epsilon": 4, **accountant("zcdp", 0.02)}, 2, tight=False),
    gaussian_path("rdp", "a bound on the tails of a sum", rdp(4, 0.02, 3),
                  {"epsilon": 4, **accountant("rdp", 0.02)}, 2, tight=False),
    gaussian_path("pld", "the exact law of the loss, rounded up by at most 1e-3", analytic(2.6, DELTA) * sqrt(3),
                  {"epsilon": 2.6, **accountant("pld", DELTA)}, 2),
    composed("kairouz", NO_BETTER, False),
    composed("kairouz_exact", "exact for the worst mechanism of this epsilon, which has two outcomes", False),
    composed("zcdp", NO_BETTER, False),
    composed("rdp", NO_BETTER, False),
    composed("pld", "the exact law of the loss, rounded up by at most 1e-3", True),
]
