"""Models of PyTorch: their gradients, runs, digests, and what is refused."""
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("functorch")
ROOT = Path(__file__).resolve().parents[2]
F, nn = torch.nn.functional, torch.nn


def logistic_loss(output, target):
    return -F.logsigmoid(target * output)


def wrong_side(output, target):
    return target * output <= 0


@pytest.fixture(scope="session")
def logistic(hearsay):
    import hearsay.torch
    return hearsay.torch.Model(nn.Linear(4, 1, bias=False), logistic_loss, wrong_side)


def records(features, n=30):
    draw = np.random.default_rng(1)
    X, y = draw.normal(size=(n, features)), np.sign(draw.normal(size=n))
    X.flags.writeable = y.flags.writeable = False
    return X, y, draw


@pytest.mark.filterwarnings("error")
def test_gradients_of_the_logistic_loss_are_its_formula(logistic):
    X, y, draw = records(4)
    theta, weights, model = draw.normal(size=4), draw.normal(size=30), logistic()
    expected = (-y / (1 + np.exp(y * (X @ theta))))[:, None] * X
    close = {"rtol": 1e-12, "atol": 1e-12}
    assert model.size(4) == 4
    np.testing.assert_allclose(model.loss(theta, X, y), np.logaddexp(0, -y * (X @ theta)), **close)
    np.testing.assert_allclose(model.gradients(theta, X, y), expected, **close)
    np.testing.assert_allclose(model.sum_gradients(theta, X, y, weights), weights @ expected, **close)
    for order in (1, 2):
        norms = np.linalg.norm(expected, order, axis=1)
        np.testing.assert_allclose(model.gradient_norms(theta, X, y, order), norms, **close)
    np.testing.assert_array_equal(model.errors(theta, X, y), y * (X @ theta) <= 0)


def test_chunks_of_records_are_those_of_one_call(hearsay, logistic, monkeypatch):
    X, y, draw = records(4)
    theta = draw.normal(size=4)
    at_once = logistic().gradients(theta, X, y), logistic().gradient_norms(theta, X, y, 2)
    monkeypatch.setattr(hearsay.torch, "_CHUNK", 28)  # seven records
    np.testing.assert_allclose(logistic().gradients(theta, X, y), at_once[0], rtol=1e-13)
    np.testing.assert_allclose(logistic().gradient_norms(theta, X, y, 2), at_once[1], rtol=1e-13)


@pytest.mark.parametrize("make, loss", [
    (lambda d: nn.Sequential(nn.Linear(d, 7), nn.Tanh(), nn.Linear(7, 1)), F.mse_loss),
    (lambda d: nn.Sequential(nn.Linear(d, 7), nn.Tanh(), nn.Linear(7, 3)),
     lambda output, target: F.cross_entropy(output, target.long().clamp(0))),
    (lambda d: nn.Sequential(nn.Unflatten(1, (1, d)), nn.Conv1d(1, 2, 3), nn.GELU(), nn.Flatten(), nn.LayerNorm(2 * d - 4),
                             nn.Linear(2 * d - 4, 1)), nn.MSELoss()),
    (lambda d: nn.Sequential(nn.Linear(d, 7), nn.BatchNorm1d(7), nn.Dropout(0.5), nn.Tanh(), nn.Linear(7, 1)).eval(),
     logistic_loss),
])
def test_gradients_of_networks_are_those_of_their_losses(hearsay, make, loss):
    X, y, draw = records(5)
    model = hearsay.torch.Model(make, loss)()
    p = model.size(5)
    assert p == sum(one.numel() for one in make(5).parameters())
    # As in test_protocols: the error of a central difference is some 1e-10, from rounding.
    assert hearsay.check_gradients(model, draw.normal(size=p) / 2, X, y) < 1e-8


def test_parameters_that_learn_nothing_stay(hearsay):
    net = nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1))
    net[0].requires_grad_(False)
    X, y, draw = records(3)
    theta, model = draw.normal(size=3), hearsay.torch.Model(net, F.mse_loss)()
    assert model.size(3) == 3
    inner = X @ net[0].weight.double().numpy().T + net[0].bias.double().numpy()
    np.testing.assert_allclose(model.loss(theta, X, y), (inner @ theta[:2] + theta[2] - y) ** 2, rtol=1e-12)
    assert net[0].weight.dtype == torch.float32 and net[1].weight.abs().sum() > 0, "the module given is not changed"


def test_what_a_module_draws_is_the_same_each_time(hearsay):
    def net(features):
        made = nn.Sequential(nn.Linear(features, 2), nn.Linear(2, 1))
        made[0].requires_grad_(False)
        return made

    X, y, draw = records(3)
    state = torch.random.get_rng_state()
    one, other = (hearsay.torch.Model(net, F.mse_loss)().loss(np.ones(3), X, y) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert torch.equal(state, torch.random.get_rng_state())


def study(network, privacy, **more):
    return {"version": 1, "data": {"type": "linear_separators", "owners": 5, "records": 40, "features": 4},
            "model": {"loss": "logistic", "l2": 0.01, "start": "zero", **network}, "network": {"topology": "star"},
            "protocol": {"type": "fedavg", "step": 0.5, "local_steps": 3}, "privacy": privacy,
            "stop": {"iterations": 20}, "record": {"metrics": ["objective", "test_error"], "models": "final"}, **more}


def made(hearsay, folder, given, **more):
    study = hearsay.run(given, output=folder, progress=False, **more)
    assert (study.runs["status"] == "done").all(), list(study.runs["message"])
    models = study.models()
    return study, models[[c for c in models.columns if c not in ("repetition", "agent")]].to_numpy()


@pytest.mark.parametrize("privacy", [
    {"mechanism": "none"},
    {"mechanism": "laplace", "epsilon": 100, "clip": 0.3, "steps": 60},
    {"mechanism": "gaussian", "epsilon": 100, "delta": 1e-5, "clip": 0.3, "steps": 60},
])
def test_a_torch_model_is_the_built_in_one(hearsay, logistic, tmp_path, privacy):
    own, models = made(hearsay, tmp_path / "own", study({"network": {"type": logistic}}, privacy))
    built_in, expected = made(hearsay, tmp_path / "built-in", study({}, privacy))
    np.testing.assert_allclose(models, expected, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(own.final()[["objective", "test_error"]], built_in.final()[["objective", "test_error"]],
                               rtol=1e-9)


FILE = '''import hearsay.torch
import torch

class Net(hearsay.torch.Model):
    """A small network."""
    hidden = hearsay.option(3, min=1)

    def module(self, features):
        return torch.nn.Sequential(torch.nn.Linear(features, self.hidden), torch.nn.Tanh(), torch.nn.Linear(self.hidden, 1))

    def record_loss(self, output, target):
        return -torch.nn.functional.logsigmoid(target * output)

    def record_error(self, output, target):
        return target * output <= 0
'''


def in_file(folder, change=("", "")):
    (folder / "net.py").write_text(FILE.replace(*change))
    given = study({"network": {"type": "python", "file": "net.py", "class": "Net"}}, {"mechanism": "none"})
    given["model"]["start"] = "uniform"
    (folder / "net.json").write_text(json.dumps(given))
    return folder / "net.json"


def test_a_file_has_a_model_with_options(hearsay, tmp_path):
    given = in_file(tmp_path)
    found, models = made(hearsay, tmp_path / "out", given, allow_code=tmp_path, sweep={"model.network.hidden": [2, 3]})
    assert found.final()["test_error"].max() < 0.5
    with pytest.raises(hearsay.InputError, match="below a folder of --allow-code"):
        hearsay.run(given, output=tmp_path / "refused", progress=False)


def test_threads_and_processes_make_the_same_runs(hearsay, logistic, tmp_path):
    code = ("import sys, torch, hearsay\ntorch.set_num_threads(2)\ntorch.randn(500, 500) @ torch.randn(500, 500)\n"
            "torch.randn(10**6).exp().sum()\n"  # threads of OpenMP, which processes do not have
            f"hearsay.run({str(in_file(tmp_path))!r}, output=sys.argv[1], jobs=int(sys.argv[2]), repeat=3, progress=False, "
            f"set={{'data.records': 20000}}, allow_code={str(tmp_path)!r})\nassert torch.get_num_threads() == 2\n")
    prints = []
    for jobs in ("1", "2"):
        with subprocess.Popen([sys.executable, "-c", code, tmp_path / jobs, jobs], start_new_session=True, env={
                **os.environ, "PYTHONPATH": str(Path(hearsay.__file__).parents[1])}) as process:
            try:
                assert process.wait(timeout=100) == 0
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, 9)
        prints.append(list(hearsay.load(tmp_path / jobs).runs["fingerprint"]))
    assert prints[0] == prints[1] and len(prints[0]) == 3


class Scaled(nn.Module):
    """A layer of the user."""

    def __init__(self, factor, function=torch.tanh):
        super().__init__()
        self.linear, self.factor, self.function = nn.Linear(4, 1), factor, function
        self.register_buffer("shift", torch.tensor(2.0))

    def forward(self, x):
        return self.function(self.factor * self.linear(x)) + self.shift


def test_a_digest_covers_the_module(hearsay):
    def digest(module, loss=F.mse_loss, error=None):
        return hearsay.digests.digest_of(hearsay.torch.Model(module, loss, error))

    def net(*hidden):
        return nn.Sequential(nn.Linear(4, 8), *hidden, nn.Linear(8, 1))

    def shifted(by):
        made = Scaled(1)
        made.shift += by
        return made

    def frozen(by):
        made = nn.Linear(4, 1)
        for one in made.requires_grad_(False).parameters():
            nn.init.constant_(one, by)
        return nn.Sequential(made, nn.Linear(1, 1))

    other = torch.tensor(1.0)
    cases = [lambda: digest(net(nn.Tanh())), lambda: digest(net(nn.ReLU())), lambda: digest(net(nn.Tanh(), nn.Linear(8, 8))),
             lambda: digest(nn.Linear(4, 8)), lambda: digest(nn.Linear(4, 9)), lambda: digest(nn.Linear(4, 8, bias=False)),
             lambda: digest(nn.Linear(4, 1)), lambda: digest(nn.Linear(4, 1), F.l1_loss),
             lambda: digest(nn.Linear(4, 1), nn.MSELoss()), lambda: digest(nn.Linear(4, 1), nn.SmoothL1Loss(beta=2.0)),
             lambda: digest(nn.Linear(4, 1), nn.SmoothL1Loss(beta=3.0)),
             lambda: digest(nn.Linear(4, 1), lambda output, target: F.mse_loss(output, target) * other),
             lambda: digest(nn.Linear(4, 1), F.mse_loss, F.l1_loss), lambda: digest(nn.Linear(4, 1), logistic_loss),
             lambda: digest(Scaled(1)), lambda: digest(Scaled(2)), lambda: digest(Scaled(1, torch.sin)),
             lambda: digest(Scaled(1, lambda x: 2 * x)), lambda: digest(Scaled(1, lambda x: 3 * x)),
             lambda: digest(shifted(1)), lambda: digest(frozen(1)), lambda: digest(frozen(2)),
             lambda: digest(lambda d: nn.Linear(d, 1)), lambda: digest(lambda d: nn.Linear(d, 2))]
    digests = [case() for case in cases]
    assert len(set(digests)) == len(digests)
    # Initial parameters that are learned do not matter, since learning starts elsewhere, and nor does memory.
    held = [torch.zeros(1000) for _ in range(5)]
    assert [case() for case in cases] == digests and len(held) == 5


def test_a_digest_covers_forward_and_modules_of_a_program(hearsay, tmp_path):
    text = ("import torch, hearsay, hearsay.torch\nNET = torch.nn.Linear(4, 1)\ntorch.nn.init.ones_(NET.weight)\n"
            "torch.nn.init.zeros_(NET.bias)\nclass Own(torch.nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n        self.inner = torch.nn.Linear(4, 1)\n"
            "    def forward(self, x):\n        return self.inner(x).tanh()\n"
            "class Net(hearsay.torch.Model):\n    def module(self, features):\n        return NET\n"
            "    def record_loss(self, output, target):\n        return (output - target) ** 2\n"
            "print(hearsay.digests.digest_of(hearsay.torch.Model(Own(), torch.nn.functional.mse_loss)), "
            "hearsay.digests.digest_of(Net))\n")

    def digests(*change):
        (tmp_path / "main.py").write_text(text.replace(*change))
        done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(Path(hearsay.__file__).parents[1])})
        return done.stdout.split()

    first = digests("x", "x")
    assert digests("x", "x") == first
    assert (digests("tanh", "sin")[0] != first[0]) and (digests("ones_", "zeros_")[1] != first[1])


@pytest.mark.parametrize("module, message", [
    (nn.Sequential(nn.Linear(4, 2), nn.Dropout(0.5)), "TorchSequential: Dropout '1' draws at random"),
    (nn.Sequential(nn.Linear(4, 2), nn.RReLU()), "TorchSequential: RReLU '1' draws at random"),
    (nn.BatchNorm1d(4), "TorchBatchNorm1d: BatchNorm1d makes a record's gradient depend on other records; use GroupNorm"),
    (nn.Sequential(nn.BatchNorm1d(4, track_running_stats=False), nn.Linear(4, 1)).eval(), "depend on other records"),
    ("linear", "expected a torch.nn.Module, or a function that makes it, and a loss, found str"),
])
def test_what_is_not_of_one_record_is_refused(hearsay, module, message):
    with pytest.raises(TypeError, match=message.replace(".", r"\.")) as refused:
        hearsay.torch.Model(module, F.mse_loss)
    assert "\n" not in str(refused.value)


class Noisy(nn.Linear):
    def forward(self, x):
        return super().forward(F.dropout(x))


@pytest.mark.parametrize("module, loss, message", [
    (nn.Linear(5, 1), F.mse_loss, "TorchLinear: the module does not take 4 features"),
    (lambda d: nn.Dropout(), F.mse_loss, "Dropout draws at random"),
    (lambda d: d, F.mse_loss, "module: expected a torch.nn.Module, found int"),
    (nn.Tanh(), F.mse_loss, "the module has no parameters to learn"),
    (Noisy(4, 1), F.mse_loss, "called random operation"),
    (nn.Sequential(nn.Linear(4, 3), nn.Flatten(0)), F.mse_loss, "expected n x C outputs of n records, found (3,) of one"),
    (nn.Linear(4, 1), lambda output, target: 1 / 0, ": ZeroDivisionError: division by zero"),
    (nn.Linear(4, 3), lambda output, target: output - target, "loss: expected one number for a record, found shape (3,)"),
])
def test_what_a_model_does_wrong_is_one_line(hearsay, tmp_path, module, loss, message):
    given = study({"network": {"type": hearsay.torch.Model(module, loss)}}, {"mechanism": "none"})
    try:
        with pytest.warns(hearsay.HearsayWarning):
            found = hearsay.run(given, output=tmp_path / "out", progress=False).runs["message"].iloc[0]
    except hearsay.InputError as error:
        found = str(error)
    assert message in found and "\n" not in found, found


def test_the_package_does_not_import_torch(hearsay):
    environment = {**os.environ, "PYTHONPATH": str(Path(hearsay.__file__).parents[1])}
    code = "import sys, hearsay; assert 'torch' not in sys.modules; hearsay.torch.Model; assert 'torch' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    code = "import sys, hearsay; sys.modules['torch'] = None; hearsay.torch"
    absent = subprocess.run([sys.executable, "-c", code], check=False, env=environment, capture_output=True, text=True)
    assert "ImportError: hearsay.torch needs torch and functorch (apt install python3-torch): " in absent.stderr


def test_accuracy_needs_an_error_of_the_model(hearsay):
    def has_errors(**error):
        return hearsay.code.describe_as("model", hearsay.torch.Model(torch.nn.Linear(2, 1), torch.nn.functional.mse_loss,
                                                                     **error))["has_errors"]

    assert not has_errors()
    assert has_errors(error=lambda output, target: (output * target < 0).double())
