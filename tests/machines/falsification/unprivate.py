"""Claims that the program itself calls unproven, and what has no private form."""
from math import exp

from laws import beyond, laplace
from paths import HINGE, Path, answer, one_by_one
from program import Program, Refused

PATHS = [
    Path("central_async, gradient_bound too small", "laplace", "gradient_bound", "1 of 4 answers", "basic", "",
         one_by_one({"mechanism": "laplace", "epsilon": 4, "gradient_bound": 1}), (["1,-1.5", "0,0"], ["1,1.5", "0,0"]),
         laplace(3, 1.5, -1.5), answer, fault="the bound is not enforced: gradients have length 3", quick=True),
    Path("central_async, bound_from_data", "laplace", "bound_from_data", "1 of 4 answers", "basic", "",
         one_by_one({"mechanism": "laplace", "epsilon": 4, "bound_from_data": True}, HINGE),
         (["-1,1", "0.5,-1"], ["0.5,1", "0.5,-1"]),  # means 0.75 and 0, noise of scale 1 and 0.5
         beyond(exp(-2.25) / 2, exp(-6) / 2, lambda x: x >= 3), answer,
         fault="the scale of the noise follows the data", warned="bound_from_data"),
]

REFUSED = ("p2p_admm", "amtl")
TABLE = [(name, "refused with a mechanism (exit code 2)") for name in REFUSED] + [
    ("local_only, pooled; baselines isolated and pooled", "nothing is sent: references for comparison"),
    ("central, learner_is_owner", "that owner's gradient stays within the learner; listed as unaccounted"),
    ("central_async: groups, reweight_by_frequency, interleave, initiative owner", "the same answers"),
    ("model_propagation, propagation exact; local_dp, learn together", "the same releases, not sent"),
    ("proposition_2_corrected, expected_schedule, lemma_3", "the same releases as the two schedules tried"),
    ("dp_ftrl: server_momentum", "sums of the same prefixes"),
    ("exponential_norm in more than two dimensions", "noise laws are tested in tests/models/privacy"),
    ("multi-task: gradient_at old_q, start single_task, own_regulariser l1 and l21", "sensitivities are tested in "
     "tests/models; the same two releases"),
]


def check(given, _):
    program = Program(given.executable, given.place)
    scenario = {"data": {"type": "linear_separators", "owners": 4, "features": 2, "records": 10, "test_records": 0},
                "model": {"loss": "logistic"}, "stop": {"iterations": 5},
                "network": {"topology": "star"}}
    for name, budget in zip(REFUSED, ({"mechanism": "laplace", "epsilon": 1}, {"mechanism": "exponential_norm",
                                                                              "epsilon_2": 1})):
        scenario["privacy"] = {"gradient_bound": 1, **budget}
        try:
            program.run("refused", {**scenario, "protocol": {"type": name}}, {})
        except Refused as refusal:
            code, message = refusal.args
            assert code == 2 and "no private form" in message, f"{name}: exit code {code}: {message}"
        else:
            raise AssertionError(f"{name} ran with a mechanism")
    return ", ".join(REFUSED) + " refused with a mechanism"
