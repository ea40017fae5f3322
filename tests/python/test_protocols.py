"""Protocols written in Python: as the built-in ones, event by event and number by number; and what is wrong with them."""
import functools
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def protocols(hearsay):
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs" / "example-python")]
    import gossip
    import protocols as classes
    classes.Gossip = gossip.Gossip
    return classes


def network(seed, star=False):
    """A network with delays, loss, crashes and computations, as a seed draws it."""
    draw = random.Random(seed)
    latency = draw.choice([{"type": "uniform", "min": "0 ms", "max": "15 ms"}, {"type": "exponential", "mean": "0.2 s"},
                           {"type": "lognormal", "median": "40 ms", "sigma": 1}, "0 s"])
    availability = draw.choice(["always", {"type": "crash", "up": "20 s", "down": "3 s"},
                                {"type": "on_off", "up": {"type": "exponential", "mean": "10 s"},
                                 "down": {"type": "exponential", "mean": "2 s"}}])
    topology = "star" if star else draw.choice(["ring", "complete", {"type": "random_regular", "degree": 4}])
    return {"topology": topology, "latency": latency, "loss": draw.choice([0, 0.1, 0.3]), "availability": availability,
            "compute_time": draw.choice(["0 s", "50 ms", {"type": "exponential", "mean": "0.3 s"}])}


def scenario(seed, protocol, **more):
    return {"version": 1, "seed": seed, "data": {"type": "lending_like", "owners": 7, "records": 30, "features": 3},
            "model": {"theta_max": 10}, "privacy": {"mechanism": "none"}, "network": network(seed, more.pop("star", False)), "protocol": protocol,
            "record": {"every": {"iterations": 50}, "metrics": ["objective"], "models": "final"}, **more}


def made(hearsay, folder, given, program=None):
    """Fingerprints and models of a scenario, run here or by another program."""
    if program is None:
        study = hearsay.run(given, output=folder, progress=False)
    else:
        (folder.parent / "given.json").write_text(json.dumps(given))
        subprocess.run([program, "run", folder.parent / "given.json", "-o", folder], check=True, capture_output=True)
        study = hearsay.load(folder)
    assert (study.runs["status"] == "done").all(), list(study.runs["message"])
    return list(study.runs["fingerprint"]), study.models()


def same(hearsay, tmp_path, one, other, program=None):
    prints, models = made(hearsay, tmp_path / "python", one)
    expected, built_in = made(hearsay, tmp_path / "built-in", other, program)
    columns = [c for c in models.columns if c not in ("repetition", "agent")]
    np.testing.assert_allclose(models[columns], built_in[columns], rtol=1e-12, atol=1e-12)
    # The fingerprint is of the bits of the models, too.
    assert prints == expected


@pytest.mark.parametrize("seed", range(20))
def test_gossip_averaging_is_that_of_the_example(hearsay, protocols, tmp_path, seed):
    program = Path(hearsay.program()).with_name("gossip")
    if not program.exists():
        pytest.skip(f"no program {program}")
    step = random.Random(seed).choice([0.25, 0.5, 1.0])
    more = {"stop": {"iterations": 400}}
    same(hearsay, tmp_path, scenario(seed, {"type": protocols.Gossip, "step": step}, **more),
         scenario(seed, {"type": "gossip_average", "step": step}, **more), program)


@pytest.mark.parametrize("seed", range(20))
def test_ad_psgd_is_the_built_in_one(hearsay, protocols, tmp_path, seed):
    more = {"stop": {"iterations": 300}}
    own, built_in = {"step": 0.05}, {"type": "ad_psgd", "step": 0.05}
    if seed % 2:
        more["privacy"] = {"mechanism": "gaussian", "epsilon": 5, "delta": 1e-5, "clip": 10, "steps": 60}
        own["releases"] = 60
    same(hearsay, tmp_path, scenario(seed, {"type": protocols.AdPsgd, **own}, **more),
         scenario(seed, built_in, **more))


@pytest.mark.parametrize("seed", range(20))
def test_the_central_learner_is_the_built_in_one(hearsay, protocols, tmp_path, seed):
    mechanism = [{"mechanism": "laplace"}, {"mechanism": "gaussian", "delta": 1e-5}][seed % 2]
    more = {"stop": {"iterations": 200}, "star": True, "privacy": {"epsilon": 10, "clip": 100, **mechanism}}
    same(hearsay, tmp_path, scenario(seed, {"type": protocols.CentralAsync, "rho": 0.02}, **more),
         scenario(seed, {"type": "central_async", "rho": 0.02}, **more))


def small(protocol, **more):
    return {"version": 1, "data": {"type": "lending_like", "owners": 4, "records": 20, "features": 2},
            "model": {"theta_max": 10}, "privacy": {"mechanism": "none"}, "network": {"topology": "ring"},
            "protocol": protocol, "stop": {"iterations": 20},
            "record": {"every": {"iterations": 5}, "metrics": ["objective"]}, **more}


def failure(hearsay, tmp_path, protocol, **more):
    """The message of the one run of a protocol, which fails."""
    with pytest.warns(hearsay.HearsayWarning):
        study = hearsay.run(small(protocol, **more), output=tmp_path / "out", progress=False)
    assert list(study.runs["status"]) == ["failed"]
    return study.runs["message"].iloc[0]


def test_a_handler_that_raises_fails_its_run_alone(hearsay, tmp_path):
    class Fragile(hearsay.Protocol):
        breaks = hearsay.option(False)

        def on_tick(self, i, run):
            if self.breaks and run.iterations == 7:
                raise RuntimeError("no\nmore")

    with pytest.warns(hearsay.HearsayWarning, match="1 of 2 runs diverged or failed"):
        study = hearsay.run(small({"type": Fragile}), sweep={"protocol.breaks": [True, False]}, progress=False,
                            output=tmp_path / "out")
    assert list(study.runs["status"]) == ["failed", "done"]
    message = study.runs["message"].iloc[0]
    assert "Fragile: test_protocols.py:" in message and "RuntimeError: no more in on_tick of agent" in message
    assert " s" in message and "\n" not in message


class Textless(Exception):
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize("error, message", [
    (Textless(), "Textless: without a text, because its __str__ raises RuntimeError in on_tick of agent"),
    (ValueError("a\udc80b"), r"ValueError: a\udc80b in on_tick of agent"),
    (ValueError("a\0b"), r"ValueError: a\0b in on_tick of agent"),
])
def test_any_text_of_an_exception_is_one_line(hearsay, tmp_path, error, message):
    def body(self, i, run):
        raise error

    assert message in failure(hearsay, tmp_path, {"type": handler(hearsay, body)})


def generator(self, run):
    yield


async def coroutine(self, run):
    pass


def handler(hearsay, body, **members):
    """A protocol whose on_tick is a function of agent and run."""
    return type("Made", (hearsay.Protocol,), {"on_tick": lambda self, i, run: body(self, i, run), **members})


@pytest.mark.parametrize("body, message", [
    (lambda self, i, run: run.publish(i, run.gradient(i)), "publish: what was not released cannot leave its owner"),
    (lambda self, i, run: run.send(i, run.neighbours(i)[0], 0, 0, run.keep_local(run.gradient(i))),
     "send: what was not released cannot leave its owner"),
    (lambda self, i, run: run.publish(i, np.zeros(3)), "publish: expected 2 numbers, found an array of shape (3,)"),
    (lambda self, i, run: run.publish(i, "three"), "publish: expected an array of numbers, found str"),
    (lambda self, i, run: run.send(i, i, 0), "is no neighbour of agent"),
    (lambda self, i, run: run.send(i, run.neighbours(i)[0], 0, 0, np.zeros(4)), "send: expected at most 2 numbers"),
    (lambda self, i, run: setattr(self, "kept", run.model(i)), "a handler kept run.model(i)"),
    (lambda self, i, run: setattr(self, "kept", run.model(i)[1:]), "a handler kept run.model(i)"),
    (lambda self, i, run: run.model(4), "expected an agent from 0 to 3, found 4"),
    (lambda self, i, run: run.project(np.zeros(3)), "project: expected 2 numbers"),
    (lambda self, i, run: run.release(i, run.gradient(i)), "account"),
    (lambda self, i, run: run.open_account(i, 3), "open_account: accounts are opened in on_start"),
    (lambda self, i, run: run.random(2 ** 16, i), "random: expected a purpose below 2^16, found 65536"),
    (lambda self, i, run: run.random(2 ** 32 - 1, i), "random: expected a purpose below 2^16, found 4294967295"),
    (lambda self, i, run: run.random(1, i).uniform(0, np.inf), "uniform: expected low <= high, with a finite difference"),
    (lambda self, i, run: run.random(1, i).uniform(2, 1), "uniform: expected low <= high, with a finite difference"),
    (lambda self, i, run: run.random(1, i).normal(0, -1), "normal: expected a deviation from 0"),
    (lambda self, i, run: run.random(1, i).exponential(-1), "exponential: expected a mean from 0"),
    (lambda self, i, run: run.random(1, i).gamma(0), "gamma: expected a finite shape and a scale above 0"),
    (lambda self, i, run: run.random(1, i).gamma(1, -1), "gamma: expected a finite shape and a scale above 0"),
    (lambda self, i, run: run.random(1, i).bernoulli(2), "bernoulli: expected a probability from 0 to 1"),
])
def test_what_a_handler_does_wrong_is_one_line(hearsay, tmp_path, body, message):
    found = failure(hearsay, tmp_path, {"type": handler(hearsay, body, on_message=lambda self, message, run: None)},
                    privacy={"mechanism": "laplace", "epsilon": 1, "clip": 1})
    assert message in found and "in on_tick of agent" in found and "\n" not in found


def test_arrays_that_a_handler_keeps_stay_as_they_are(hearsay, tmp_path):
    kept = []

    def body(self, i, run):
        run.model(i)[:] = run.iterations
        heard = run.heard(i)
        kept.append((heard, heard.copy(), run.latest(i, run.neighbours(i)[0]), run))
        run.publish(i, run.model(i))

    hearsay.run(small({"type": handler(hearsay, body)}), output=tmp_path / "out", progress=False, jobs=1)
    assert len(kept) == 20
    for heard, copy, latest, _ in kept:
        np.testing.assert_array_equal(heard, copy)
        assert latest[0] == heard[0][0]
    run = kept[0][-1]
    for use in (lambda: run.now, lambda: run.timeout(), lambda: run.strong_convexity, lambda: run.planned_iterations):
        with pytest.raises(ValueError, match="the run has ended"):
            use()


def test_the_mean_of_what_is_heard_is_that_of_numpy(hearsay, tmp_path):
    found = []

    def body(self, i, run):
        run.model(i)[:] = np.random.default_rng(run.iterations).normal(size=run.p)
        run.publish(i, run.model(i))
        heard = run.heard(i)
        plain = np.array(heard)
        for given in ({"axis": 0}, {"axis": 1}, {}, {"axis": 0, "keepdims": True}):
            found.append((heard.mean(**given), plain.mean(**given)))
        found.append((heard.mean(0), plain.mean(0)))
        found.append(((heard - 1)[1:].mean(axis=0), (plain - 1)[1:].mean(axis=0)))
        found.append((heard.T.mean(axis=0), plain.T.mean(axis=0)))

    hearsay.run(small({"type": handler(hearsay, body)}, network={"topology": "complete"}), output=tmp_path / "out",
                progress=False)
    assert len(found) == 20 * 7
    for one, other in found:
        np.testing.assert_array_equal(one, other)


def test_the_mean_of_many_numbers_is_that_of_numpy(hearsay, tmp_path):
    found = []

    def body(self, i, run):
        run.model(i)[:] = np.random.default_rng(run.iterations).normal(size=run.p)
        run.publish(i, run.model(i))
        heard = run.heard(i)
        found.append((heard.mean(axis=0), np.array(heard).mean(axis=0)))

    for owners in (7, 8, 9, 10, 14):  # numpy sums 8 numbers and more by pairs
        hearsay.run(small({"type": handler(hearsay, body)}, network={"topology": "complete"},
                          data={"type": "lending_like", "owners": owners, "records": 5, "features": 1}),
                    output=tmp_path / "out", progress=False)
    assert len(found) == 5 * 20
    for one, other in found:
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("members, message", [
    ({"on_tik": lambda self, i, run: None}, "on_tik is never called; did you mean on_tick?"),
    ({"on_message": lambda self, message: None}, "on_message is called with 2 arguments besides self"),
    ({"vectors": 0}, "vectors: expected at least 1, found 0"),
    ({"tail": -1}, "tail: expected at least 0, found -1"),
    ({"__slots__": ("count",)}, "a state of a run keeps attributes alone: leave out __slots__"),
    ({"hub": "yes"}, "hub: expected bool, found 'yes'"),
    ({"digest": None}, "an option cannot be called 'digest'"),
    ({"counts_iteration": True}, "counts_iteration has no meaning; did you mean counts_iterations?"),
    ({"on_start": generator}, "on_start: expected a plain function"),
    ({"on_start": coroutine}, "on_start: expected a plain function"),
])
def test_a_class_that_cannot_be_used_is_refused(hearsay, members, message):
    members = {name: hearsay.option(1) if value is None else value for name, value in members.items()}
    with pytest.raises(TypeError, match=message.replace("?", r"\?")):
        hearsay.run(small({"type": handler(hearsay, lambda self, i, run: None, **members)}))


def test_a_release_up_front_is_refused(hearsay, protocols, tmp_path):
    privacy = {"mechanism": "laplace", "epsilon": 1, "clip": 1, "epsilon_warm": 0.5}
    with pytest.raises(hearsay.InputError, match="protocols in Python make no release up front"):
        hearsay.run({**small({"type": protocols.Gossip}), "privacy": privacy}, output=tmp_path / "out")


def test_options_are_checked_and_explained_like_any_other(hearsay, protocols, tmp_path):
    for given, message in (({"step": 2}, r"/protocol/step: expected a value in \(0, 1\], found 2"),
                           ({"stepp": 0.5}, "unknown key 'stepp' of 'python'; did you mean 'step'"),
                           ({"step": "far"}, "/protocol/step: expected")):
        with pytest.raises(hearsay.InputError, match=message):
            hearsay.run(small({"type": protocols.Gossip, **given}), output=tmp_path / "out")
    study = hearsay.run(small({"type": protocols.Gossip}), output=tmp_path / "out", progress=False)
    assert study.scenario["protocol"]["step"] == 0.5 and study.scenario["protocol"]["class"] == "Gossip"
    again = hearsay.run(study.scenario, output=tmp_path / "again", progress=False)
    assert list(again.runs["fingerprint"]) == list(study.runs["fingerprint"])


def test_a_scenario_takes_options_of_a_class(hearsay, protocols, tmp_path):
    made = hearsay.Scenario(small({"type": protocols.Gossip}))
    made["protocol.step"] = 0.25
    assert made["protocol.step"] == 0.25
    assert hearsay.run(made, output=tmp_path / "out", progress=False).scenario["protocol"]["step"] == 0.25


def test_the_options_of_a_class_are_explained(hearsay, protocols):
    assert hearsay.explain(protocols.Gossip) == (
        "Gossip: Moves each model towards the mean of its neighbours' latest models.\n"
        "  step: float, default 0.5; > 0, <= 1\n      How far an agent moves.")


def test_a_scenario_of_a_file_with_code_is_read(hearsay, tmp_path):
    made = hearsay.Scenario(written(tmp_path), allow_code=tmp_path)
    made["protocol.start"] = 3
    assert made["protocol.class"] == "Doubling"
    study = hearsay.run(made, output=tmp_path / "out", allow_code=tmp_path, progress=False)
    assert np.log2(study.models()["x1"] / 3).sum() == 3  # doubled at each tick
    made.check()
    assert made.copy().complete()["protocol.start"] == 3
    assert "1 of 1 runs repeated" in study.verify()
    loaded = hearsay.load(tmp_path / "out")
    with pytest.raises(hearsay.InputError, match="--allow-code|--data-dir"):  # folders that a table names are not trusted
        loaded.verify()
    assert "1 of 1 runs repeated" in loaded.verify(data_dirs=tmp_path, allow_code=tmp_path)


def test_a_text_that_looks_like_a_number_is_set_as_a_text(hearsay, tmp_path):
    class Kinds(hearsay.Protocol):
        kind = hearsay.option("1", choices=("1", "2", "true"))
        step = hearsay.option(1)

        def on_tick(self, i, run):
            pass

        @hearsay.metric()
        def number(self, run):
            return ["1", "2", "true"].index(self.kind) + self.step

    for kind, found in (("2", 3), ("true", 4), ('"2"', 3)):
        study = hearsay.run(small({"type": Kinds}, record={"metrics": ["number"]}), output=tmp_path / "out", progress=False,
                            set={"protocol.kind": kind, "protocol.step": "2", "name": "7"})
        assert list(study.final()["number"]) == [found] and study.scenario["name"] == "7"


@pytest.mark.parametrize("given, message", [
    ({"default": 1, "unit": "ms"}, "expected a unit out of s, 1/s, B, B/s, found 'ms'"),
    ({"default": "a", "unit": "s"}, "a unit and bounds are of numbers; the default is 'a'"),
    ({"default": True, "max": 1}, "a unit and bounds are of numbers; the default is True"),
    ({"default": 1, "choices": (1, 2)}, "choices are texts; found 1, 2 with the default 1"),
    ({"default": float("nan")}, "expected a default that is a number, found nan"),
])
def test_an_option_that_would_have_no_effect_is_refused(hearsay, given, message):
    with pytest.raises((TypeError, ValueError)) as raised:
        hearsay.option(**given)
    assert str(raised.value) == message


CODE = '''import hearsay
from {helper} import FACTOR

class Doubling(hearsay.Protocol):
    """Multiplies the model."""
    start = hearsay.option(1.0)

    def on_start(self, run):
        for i in range(run.agents):
            run.model(i)[:] = self.start

    def on_tick(self, i, run):
        run.model(i)[:] *= FACTOR
'''


def written(folder, helper="factors"):
    (folder / f"{helper}.py").write_text("FACTOR = 2\n")
    (folder / "mine.py").write_text(CODE.format(helper=helper))
    given = small({"type": "python", "file": "mine.py", "class": "Doubling"}, stop={"iterations": 3})
    given["record"]["models"] = "final"
    (folder / "mine.json").write_text(json.dumps(given))
    return folder / "mine.json"


def program(hearsay, *words, cwd=None, **environment):
    return subprocess.run([hearsay.program(), *map(str, words)], capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, **environment})


def test_a_file_is_executed_only_where_it_is_allowed(hearsay, tmp_path):
    scenario_file = written(tmp_path)
    (tmp_path / "mine.py").write_text((tmp_path / "mine.py").read_text() + "open('executed', 'w')\n")
    for words in (("run", scenario_file, "-o", tmp_path / "out"), ("validate", scenario_file)):
        refused = program(hearsay, *words, cwd=tmp_path)
        assert refused.returncode == 2 and refused.stderr.count("\n") == 1
        assert "/protocol/file" in refused.stderr and "below a folder of --allow-code" in refused.stderr
        elsewhere = program(hearsay, *words, "--allow-code", Path(__file__).parent, cwd=tmp_path)
        assert elsewhere.returncode == 2
    assert not (tmp_path / "executed").exists() and not (tmp_path / "out").exists()
    assert program(hearsay, "validate", scenario_file, "--allow-code", tmp_path, cwd=tmp_path).returncode == 0
    assert (tmp_path / "executed").exists()


def test_modules_of_the_current_folder_are_not_executed(hearsay, tmp_path):
    (tmp_path / "allowed").mkdir()
    written(tmp_path / "allowed")
    # Whatever Python or the package imports, and what Python executes when it starts.
    for name in ("json", "hashlib", "linecache", "numpy", "hearsay", "sitecustomize", "usercustomize"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w').close()\nraise SystemExit(99)\n")
    given = json.loads((tmp_path / "allowed" / "mine.json").read_text())
    places = {"no": {"file": None}, "absent": {"file": "absent.py"}, "outside": {"file": str(tmp_path / "numpy.py")},
              "inside": {"file": str(tmp_path / "allowed" / "mine.py")}}
    for name, place in places.items():
        code = {key: value for key, value in {**given["protocol"], **place}.items() if value is not None}
        (tmp_path / f"{name}.json").write_text(json.dumps({**given, "protocol": code}))
        for path in ("", ":/nowhere", "/nowhere::", ":"):  # an empty entry is the current folder
            for words in ([], ["--allow-code", "allowed"]):
                done = program(hearsay, "validate", f"{name}.json", *words, cwd=tmp_path, PYTHONPATH=path)
                assert done.returncode == (0 if name == "inside" and words else 2), done.stderr
                assert not (tmp_path / "executed").exists(), (name, path, words)


def test_the_program_says_what_it_needs_to_run_python(hearsay, tmp_path):
    alone = shutil.copy(shutil.which(hearsay.program()), tmp_path / "hearsay")
    if subprocess.run([sys.executable, "-c", "import hearsay"], capture_output=True, check=False, cwd=tmp_path,
                      env={**os.environ, "PYTHONPATH": ""}).returncode == 0:
        pytest.skip("hearsay is installed for this Python")
    words = [alone, "validate", written(tmp_path), "--allow-code", tmp_path]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "script/bootstrap --python" in done.stderr
    # The package without the module.
    done = subprocess.run([sys.executable, "-m", "hearsay", "diff", "A", "A"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(HERE.parents[1] / "analysis" / "python"),
                               "HEARSAY_PROGRAM": str(alone)})
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "script/bootstrap --python" in done.stderr


def test_the_program_runs_a_file_and_its_runs_are_those_of_its_code(hearsay, tmp_path):
    scenario_file = written(tmp_path)
    words = ["run", scenario_file, "-o", tmp_path / "out", "--allow-code", tmp_path, "--no-progress"]
    first = program(hearsay, *words)
    assert first.returncode == 0, first.stderr
    study = hearsay.load(tmp_path / "out")
    # Three ticks double models of 1.
    models = study.models()
    assert np.log2(models[[c for c in models if c not in ("repetition", "agent")]].to_numpy()).sum() == 3 * 2
    assert "1 cached, 0 to run" in program(hearsay, *words).stderr
    # A file that it imports changes: other runs.
    (tmp_path / "factors.py").write_text("FACTOR = 4\n")
    assert "0 cached, 1 to run" in program(hearsay, *words).stderr
    same = hearsay.run(scenario_file, output=tmp_path / "here", allow_code=[tmp_path], progress=False)
    assert list(same.runs["fingerprint"]) == list(hearsay.load(tmp_path / "out").runs["fingerprint"])
    # In one process, too.
    (tmp_path / "factors.py").write_text("FACTOR = 8\n")
    other = hearsay.run(scenario_file, output=tmp_path / "other", allow_code=[tmp_path], progress=False)
    assert list(other.runs["fingerprint"]) != list(same.runs["fingerprint"])


@pytest.mark.parametrize("change, message", [
    (lambda text: text.replace("class Doubling", "class Dubling"), "mine.py has no protocol 'Doubling'; did you mean 'Dubling'?"),
    (lambda text: text.replace("def on_tick(self, i, run)", "def on_tick(self, i, run"), "mine.py:12: SyntaxError"),
    (lambda text: text.replace("import hearsay", "import hearsay\nimport absent", 1),
     "mine.py:2: ModuleNotFoundError: No module named 'absent'"),
    (lambda text: text.replace("def on_tick(self, i, run):", "def on_up(self, i, run):\n        import factors\n\n"
                               "    def on_tick(self, i, run):"), "mine.py imports 'factors' inside a function"),
])
def test_what_is_wrong_with_a_file_is_one_line(hearsay, tmp_path, change, message):
    scenario_file = written(tmp_path)
    (tmp_path / "mine.py").write_text(change((tmp_path / "mine.py").read_text()))
    refused = program(hearsay, "validate", scenario_file, "--allow-code", tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1
    assert message in refused.stderr and "/protocol/" in refused.stderr


def test_any_number_of_threads_makes_the_same_tables(hearsay, protocols, tmp_path):
    given = scenario(3, {"type": protocols.AdPsgd}, stop={"iterations": 100}, repeat=4)
    for jobs in (1, 3):
        hearsay.run(given, output=tmp_path / str(jobs), jobs=jobs, progress=False)
    for table in ("series.csv", "models.csv", "scalars.csv"):
        assert (tmp_path / "1" / table).read_bytes() == (tmp_path / "3" / table).read_bytes()


def test_agents_are_whole_numbers_of_any_kind(hearsay, tmp_path):
    arrived = []

    def body(self, i, run):
        run.send(np.int64(i), np.int32(run.neighbours(i)[0]), np.uint8(3), np.int64(7), [1, 2])
        run.send(i, np.array(run.neighbours(i)), 4)

    made = handler(hearsay, body, on_message=lambda self, m, run: arrived.append((m.tag, m.conversation, list(m.payload))))
    hearsay.run(small({"type": made}), output=tmp_path / "out", progress=False)
    assert arrived.count((3, 7, [1.0, 2.0])) == 19 and arrived.count((4, 0, [])) == 38  # those of the last tick are under way


def test_what_a_handler_makes_of_an_array_does_not_reach_the_next(hearsay, tmp_path):
    found = []

    def reshape(self, m, run):
        found.append((m.payload.shape, m.payload.flags.writeable))
        m.payload.shape = (2, 1)
        m.payload.flags.writeable = len(found) % 2 == 0

    made = handler(hearsay, lambda self, i, run: run.send(i, run.neighbours(i), 0, 0, [1, 2]), on_message=reshape)
    hearsay.run(small({"type": made}), output=tmp_path / "out", progress=False)
    assert len(found) > 10 and set(found) == {((2,), True)}


def test_an_array_is_a_new_one_once_its_type_strides_or_shape_were_set(hearsay, tmp_path):
    found = []

    def body(self, i, run):
        model = run.model(i)
        found.append((model.shape, model.strides, model.flags.writeable))
        model[:] = [1, 2]
        if self.kept:
            kept = model
            kept.shape = (2, 1)
            model = run.model(i)
        run.publish(i, model)
        {0: lambda: setattr(model, "shape", (1, 2)), 1: lambda: setattr(model, "strides", (0,)),
         2: lambda: model.setflags(write=False)}[run.iterations % 3]()
        if self.kept:
            assert kept.shape == (2, 1) and run.model(i).tolist() == [1, 2]

    def read(self, m, run):
        found.append((m.payload.dtype, m.payload.tolist()))
        if len(found) % 2:
            m.payload.dtype = np.int64
        else:
            m.payload.strides = (0,)

    for kept in (False, True):
        hearsay.run(small({"type": handler(hearsay, body, kept=kept)}), output=tmp_path / str(kept), progress=False)
    assert len(found) == 40 and set(found) == {((2,), (8,), True)}
    found.clear()
    made = handler(hearsay, lambda self, i, run: run.send(i, run.neighbours(i), 0, 0, [1, 2]), on_message=read)
    hearsay.run(small({"type": made}), output=tmp_path / "out", progress=False)
    assert len(found) > 10 and all(one == (np.float64, [1, 2]) for one in found)

    def keeps(self, i, run):  # what was set does not hide that a view is kept
        self.view = run.model(i)
        self.view.shape = (2, 1)
        run.model(i)

    assert "a handler kept run.model(i)" in failure(hearsay, tmp_path, {"type": handler(hearsay, keeps)})


def test_a_message_is_discarded_once_while_it_is_handled(hearsay, tmp_path):
    def sends(self, i, run):
        run.send(i, run.neighbours(i))

    def once(self, message, run):
        self.found = getattr(self, "found", [])
        for wrong in [*self.found[-1:], "message"]:
            with pytest.raises(ValueError, match="discard: expected the message that is being handled, once"):
                run.discard(wrong)
        run.discard(message)
        with pytest.raises(ValueError, match="discard: expected the message that is being handled, once"):
            run.discard(message)
        self.found.append(message)

    study = hearsay.run(small({"type": handler(hearsay, sends, on_message=once)}), output=tmp_path / "out", progress=False)
    assert list(study.runs["status"]) == ["done"], list(study.runs["message"])
    run = study.runs.iloc[0]
    assert run["delivered"] == 0 and run["lost_stale"] > 30


def test_draws_are_those_of_the_run(hearsay, tmp_path):
    drawn = []

    def body(self, i, run):
        if i == 0:
            s = run.random(5, 0)
            drawn.append([s.uniform(), s.normal(1, 2), s.exponential(3), s.gamma(0.5), s.index(10), s.bernoulli(0.5),
                          *s.uniform(2, 3, size=4)])

    for output in ("a", "b"):
        hearsay.run(small({"type": handler(hearsay, body)}), output=tmp_path / output, progress=False)
    half = len(drawn) // 2
    assert half > 1 and drawn[:half] == drawn[half:] and drawn[0] != drawn[1]
    for u, _, e, g, index, flip, *more in drawn:
        assert 0 <= u < 1 and e > 0 and g > 0 and 0 <= index < 10 and isinstance(flip, bool)
        assert all(2 <= x < 3 for x in more)


def test_the_package_is_quick_to_import(hearsay):
    code = "import sys, hearsay; print([m for m in ('pandas', 'numpy', 'matplotlib') if m in sys.modules])"
    path = str(Path(hearsay.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("body, message", [
    (lambda self, i, run: run.gradient(0), "agent 0 is the hub and holds no data"),
    (lambda self, i, run: run.from_data(0, lambda X, y: X[0]), "agent 0 is the hub and holds no data"),
    (lambda self, i, run: run.open_account(0, 5), "agent 0 is the hub and holds no data"),
    (lambda self, i, run: run.release(2, run.gradient(1)), "computed from the records of agent 1, not of agent 2"),
    (lambda self, i, run: run.release(1, np.zeros(run.p)), "release: expected what run.gradient"),
    (lambda self, i, run: run.release(1, run.from_data(1, lambda X, y: X[0])), "its sensitivity was not stated"),
    (lambda self, i, run: run.sensitive(np.zeros(run.p), 0), "expected a finite sensitivity above 0, found 0"),
    (lambda self, i, run: run.sensitive(np.zeros(run.p), float("nan")), "expected a finite sensitivity above 0, found nan"),
    (lambda self, i, run: run.sensitive(np.zeros(run.p), np.inf), "expected a finite sensitivity above 0, found inf"),
    (lambda self, i, run: run.gradient(1, None, 1.0, [0], 0), "a divisor above 0"),
    (lambda self, i, run: run.gradient(1, None, 1.0, [99], 1), "agent 1 has no record 99"),
    (lambda self, i, run: run.gradient(1, None, 1.0, [3, 0, 3], 1), "record 3 is given twice"),
    (lambda self, i, run: run.gradient(1, None, 1.0, np.arange(run.records(1)) == 2, 1), "numpy.flatnonzero"),
    (lambda self, i, run: run.gradient(1, None, 1.0, [False, True], 1), "numpy.flatnonzero"),
    (lambda self, i, run: run.gradient(1, None, 1.0, [0.0], 1), "records are a list of whole numbers"),
    (lambda self, i, run: run.open_account(1), "with privacy expected a number of releases"),
    (lambda self, i, run: run.open_account(1, 5, 0), "an overlap from 1"),
    (lambda self, i, run: run.after(1, 1.0), "after: the class has no on_timer"),
    (lambda self, i, run: run.from_data(1, lambda X, y: setattr(self, "kept", X) or X[0]), "records were kept"),
    (lambda self, i, run: run.from_data(1, lambda X, y: X.fill(0) or X[0]), "read-only"),
])
def test_private_data_of_a_star_are_guarded(hearsay, tmp_path, body, message):
    found = failure(hearsay, tmp_path, {"type": handler(hearsay, body, hub=True)}, network={"topology": "star"},
                    privacy={"mechanism": "laplace", "epsilon": 1, "clip": 1})
    assert message in found and "\n" not in found


def test_an_account_has_as_many_releases_as_privacy_steps(hearsay, tmp_path):
    def on_start(self, run):
        run.open_account(0, 5)

    found = failure(hearsay, tmp_path, {"type": handler(hearsay, lambda self, i, run: None, on_start=on_start)},
                    privacy={"mechanism": "laplace", "epsilon": 1, "clip": 1, "steps": 10})
    assert "privacy.steps has no effect: it is 10 for agent 0" in found


def test_a_kept_state_refers_to_the_object_that_goes_on(hearsay, tmp_path):
    class Chooses(hearsay.Protocol):
        step = hearsay.option(0.5)

        def on_start(self, run):
            self.rule = self.add
            self.parts = {"owner": self}

        def add(self, i, run):
            run.model(i)[:] += self.parts["owner"].step

        def on_tick(self, i, run):
            self.rule(i, run)

        @hearsay.metric()
        def total(self, run):
            return sum(run.model(i)[0] for i in range(run.agents))

    given = small({"type": Chooses, "step": 0.125}, record={"metrics": ["total"]})
    given["branches"] = {"at": {"iterations": 7}, "set": [{}]}
    study = hearsay.run(given, output=tmp_path / "out", progress=False)
    assert study.final()["total"].iloc[0] == 20 * 0.125


def test_a_kept_state_has_what_the_run_has(hearsay, tmp_path):
    """Views of an array stay views of it, and what the engine has given is there: the run that goes on is the same."""
    class Keeps(hearsay.Protocol):
        def on_start(self, run):
            self.all = np.zeros((run.agents, run.p))
            self.rows, self.heard, self.messages = list(self.all), [None] * run.agents, []

        def on_tick(self, i, run):
            self.rows[i] += i + 1
            if self.heard[i] is not None:
                self.rows[i] += self.heard[i].mean(axis=0) + sum(m.payload[0] + m.sent for m in self.messages)
            self.heard[i] = run.heard(i)
            run.model(i)[:] = np.tanh(self.all.mean(axis=0))
            run.send(i, run.neighbours(i), 0, 0, run.model(i))

        def on_message(self, message, run):
            self.messages = [*self.messages[-2:], message]

        @hearsay.metric()
        def total(self, run):
            return self.all.sum()

    given = small({"type": Keeps}, record={"metrics": ["total"]})
    plain = hearsay.run(given, output=tmp_path / "plain", progress=False)
    for iterations in (7, 13):
        given["branches"] = {"at": {"iterations": iterations}, "set": [{}]}
        study = hearsay.run(given, output=tmp_path / "out", progress=False)
        assert list(study.runs["fingerprint"]) == list(plain.runs["fingerprint"]), list(study.runs["message"])
        assert study.final()["total"].iloc[0] == plain.final()["total"].iloc[0] != 0

    class Streams(Keeps):
        def on_start(self, run):
            super().on_start(run)
            self.stream = run.random(1, 0)

    found = failure(hearsay, tmp_path, {"type": Streams}, branches={"at": {"iterations": 7}, "set": [{}]})
    assert "a stream of run.random cannot be kept with the state of the run" in found


def test_a_state_keeps_how_arrays_share_memory(hearsay):
    from hearsay import code
    grid, columns = np.arange(12.0).reshape(3, 4), np.asfortranarray(np.arange(6.0).reshape(2, 3))
    cells = np.array([[1, "a"], [2, [3]]], dtype=object)
    made = types.SimpleNamespace(grid=grid, rows=list(grid), turned=grid[::-1, ::2], columns=columns, one=columns[1],
                                 windows=np.lib.stride_tricks.sliding_window_view(grid[0], 2), cells=cells, last=cells[1])
    for _ in range(2):  # a state of what a state was put into
        kept = types.SimpleNamespace()
        code.set_state(kept, code.state_of(made))
        made = kept
        made.grid[:] = 0
        made.rows[0][:] = [1, 2, 3, 4]
        assert made.grid.sum() == 10 and list(made.turned[2]) == [1, 3] and made.windows.tolist() == [[1, 2], [2, 3], [3, 4]]
        made.one[2] = 7
        assert made.columns[1, 2] == 7
        made.last[0] = "b"
        assert made.cells.tolist() == [[1, "a"], ["b", [3]]]
    neither = np.empty_like(np.zeros((2, 3, 4)).transpose(1, 0, 2))
    with pytest.raises(TypeError, match="neither in the order of C nor of Fortran"):
        code.state_of(types.SimpleNamespace(part=neither[0]))
    table = np.zeros(3, [("i", "i8"), ("a", object)])
    made = types.SimpleNamespace(table=table, last=table[1:])
    code.set_state(made, code.state_of(made))
    made.table["a"][2] = "c"
    assert made.last["a"].tolist() == [0, "c"]
    for last in (table["a"], table[["a"]]):
        with pytest.raises(TypeError, match="a field with objects of an array cannot be kept .* keep a copy"):
            code.state_of(types.SimpleNamespace(table=table, last=last))


def test_a_state_does_not_keep_the_order_of_a_set_and_says_so(hearsay, tmp_path):
    class Turns(hearsay.Protocol):
        """The next agent of those that have not had their turn moves."""

        def fresh(self, run):
            return set(range(run.agents))

        def take(self, i):
            self.left.discard(i)

        def on_start(self, run):
            self.left = self.fresh(run)
            self.order = []

        def on_tick(self, i, run):
            self.take(i)
            if not self.left:
                self.left = self.fresh(run)
            self.order.append(next(iter(self.left)))
            run.model(i)[:] = self.order[-1]

        @hearsay.metric()
        def total(self, run):
            return sum((k + 1) * j for k, j in enumerate(self.order))

    class Ordered(Turns):
        def fresh(self, run):
            return dict.fromkeys(range(run.agents))

        def take(self, i):
            self.left.pop(i, None)

    data = {"type": "lending_like", "owners": 40, "records": 5, "features": 2}
    branches = {"at": {"iterations": 60}, "set": [{}]}
    for made in (Turns, Ordered):
        given = small({"type": made}, data=data, record={"metrics": ["total"]}, stop={"iterations": 200})
        plain = hearsay.run(given, output=tmp_path / made.__name__, progress=False)
        assert list(plain.runs["message"].fillna("")) == [""]
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            study = hearsay.run({**given, "branches": branches}, output=tmp_path / f"{made.__name__}_on", progress=False)
        assert list(study.runs["status"]) == ["done"]
        if made is Turns:
            assert list(study.runs["message"]) == [
                "Turns: the run went on from a kept state, which does not keep the order of a set (self.left): if a handler "
                "iterates over it, results may differ; iterate over sorted(...), or keep a dict"]
            assert len(heard) == 1 and study.runs["message"].iloc[0] in str(heard[0].message)
        else:
            assert list(study.runs["message"].fillna("")) == [""] and heard == []
            assert list(study.runs["fingerprint"]) == list(plain.runs["fingerprint"])
            assert study.final()["total"].iloc[0] == plain.final()["total"].iloc[0]

    from hearsay import code
    kept, made = types.SimpleNamespace(), types.SimpleNamespace(one={1}, none=frozenset())
    assert code.set_state(kept, code.state_of(made)) == ""  # what has no order
    assert code.set_state(kept, code.state_of(types.SimpleNamespace(deep=[{1, 2}]))) != ""
    assert code.set_state(kept, code.state_of(made, "before")) == "before"  # of a state before the last one


def test_a_protocol_keeps_what_it_holds_in_attributes(hearsay):
    from hearsay import code
    tick = {"on_tick": lambda self, i, run: None}
    for bases in ((dict,), (list,), (tuple,), (int,), (Exception,)):
        with pytest.raises(TypeError, match="leave out __slots__ and bases such as dict or list"):
            code.describe_as("protocol", type("Odd", (hearsay.Protocol, *bases), tick))
    plain = type("Plain", (), {})
    code.describe_as("protocol", type("Mixed", (hearsay.Protocol, plain), {**tick, "__slots__": ()}))


def test_hostile_agents_replace_vectors_of_any_length_up_to_the_tail(hearsay, tmp_path):
    class Sends(hearsay.Protocol):
        numbers = hearsay.option(1)
        worst, weight = 0.0, 0.0

        def on_tick(self, i, run):
            run.send(i, run.neighbours(i), 0, 0, np.ones(self.numbers))

        def on_message(self, message, run):
            self.worst = max(self.worst, float(np.abs(message.payload[:1] - 1).max()))
            self.weight = max(self.weight, float(np.abs(message.payload[-1] - 1)))

        @hearsay.metric()
        def changed(self, run):
            return self.worst

        @hearsay.metric()
        def changed_last(self, run):
            return self.weight

    class Weighted(Sends):
        tail = 1
        vectors = 2

    def found(made, numbers, behaviour):
        study = hearsay.run(small({"type": made, "numbers": numbers}, network={"topology": "complete"},
                                  adversaries={"agents": [1, 2], "behaviour": behaviour},
                                  record={"metrics": ["changed", "changed_last"], "trace": {"format": ["csv"]}}),
                            output=tmp_path / "out", progress=False)
        assert list(study.runs["status"]) == ["done"], list(study.runs["message"])
        last = study.final().iloc[0]
        return last["changed"], last["changed_last"], ",hostile," in (tmp_path / "out" / "trace.csv").read_text()

    constant = {"type": "constant", "value": 3}
    for numbers in (1, 2):  # of p = 2
        assert found(Sends, numbers, "sign_flip") == (2, 2, True)  # |-1 - 1|
        assert found(Sends, numbers, constant) == (2, 2, True)  # |3 - 1|
        assert found(Sends, numbers, "infinite") == (0, 0, True)  # lost
    for numbers in (2, 3, 4):
        assert found(Weighted, numbers, constant) == (2, 0, True)
    assert found(Weighted, 1, constant) == (0, 0, False)  # a weight alone
    assert found(Sends, 1, "dissensus") == (0, 0, False)  # which is made of p numbers
    short = handler(hearsay, lambda self, i, run: run.send(i, run.neighbours(i), 0, 0, [1]), tail=2,
                    on_message=lambda self, message, run: None)
    assert "send: expected at least tail = 2 numbers, found 1" in failure(hearsay, tmp_path, {"type": short})


def test_a_metric_keeps_nothing_between_runs(hearsay, tmp_path):
    class Moved(hearsay.Metrics):
        def __init__(self):
            self.before = 0.0

        @hearsay.metric()
        def moved(self, run):
            before, self.before = self.before, run.now
            return run.now - before

    found = failure(hearsay, tmp_path, {"type": "gossip_learning"}, metrics={"type": Moved}, record={"metrics": ["moved"]})
    assert "metrics keep nothing between measurements" in found


def test_metrics_of_a_class(hearsay, tmp_path):
    class Counting(hearsay.Protocol):
        def on_start(self, run):
            self.ticks = [0] * run.agents

        def on_tick(self, i, run):
            self.ticks[i] += 1

        @hearsay.metric(help="Ticks of each agent.", per_agent=True)
        def ticks_by_agent(self, run):
            return self.ticks

        @hearsay.metric(unit="s")
        def clock(self, run):
            return run.now

        @hearsay.metric()
        def meddling(self, run):
            with pytest.raises(ValueError, match="read-only"):
                run.model(0)[:] = 1
            run.publish(0, run.model(0))

    record = {"every": {"iterations": 5}, "metrics": ["ticks_by_agent", "ticks_by_agent.max", "clock", "time"]}
    study = hearsay.run(small({"type": Counting}, record=record), output=tmp_path / "a", progress=False)
    last = study.series[study.series["iteration"] == 20]
    values = {metric: part["value"].to_numpy() for metric, part in last.groupby("metric")}
    assert values["ticks_by_agent"].sum() == 20 and len(values["ticks_by_agent"]) == 4
    assert values["ticks_by_agent.max"] == values["ticks_by_agent"].max()
    assert values["clock"] == values["time"]
    found = failure(hearsay, tmp_path, {"type": Counting}, record={"metrics": ["meddling"]})
    assert "a metric only looks: it changes nothing, draws nothing, and sees no private data" in found
    with pytest.raises(hearsay.InputError, match="did you mean 'clock'"):
        hearsay.run(small({"type": Counting}, record={"metrics": ["clocc"]}), output=tmp_path / "b")
    target = small({"type": Counting}, stop={"iterations": 100, "target": {"metric": "ticks_by_agent.max", "above": 6.5}})
    study = hearsay.run(target, output=tmp_path / "c", progress=False)
    assert list(study.runs["end"]) == ["target"]


def program_that_prints_a_digest(folder, change):
    """The digest of a class whose program is changed."""
    texts = {"base.py": "import hearsay\nimport helper\nimport pkg.sub\nclass Base(hearsay.Protocol):\n"
                        "    def on_tick(self, i, run):\n        helper.f(run)\n        pkg.sub.g(run)\n",
             "helper.py": "from constants import FACTOR\ndef f(run):\n    pass\n", "constants.py": "FACTOR = 7\n",
             "lazy.py": "WEIGHT = 8\n", "pkg/__init__.py": "", "pkg/sub.py": "from . import deep\ndef g(run):\n    deep.h()\n",
             "pkg/deep.py": "def h():\n    'nothing'\n",
             "main.py": "import base, functools, hearsay\nfrom hearsay import digests\nCFG = {'a': 1}\nNAMES = [{'north', 'south', 'east', 'west'}]\ndef twice(f):\n"
                        "    @functools.wraps(f)\n    def wrapper(*given):\n        return 2 * (f(*given) or 0)\n"
                        "    return wrapper\n@functools.lru_cache\ndef cached(x):\n    return x - 1\nspace = {}\nexec('def made(x):\\n    return x + 5', space)\nmade = space['made']\n"
                        "def make(x):\n    class Mine(base.Base):\n        step = hearsay.option(0.5)\n"
                        "        def on_start(self, run, y=2):\n            self.a = CFG['a'] * x * y\n"
                        "        @twice\n        def on_up(self, i, run):\n            import lazy\n            made(1)\n            i in {'a', 'b', 'c', 'd', 'e', 'f', 'g'}\n            cached(1)\n            return NAMES\n"
                        "    return Mine\nprint(digests.digest_of(make(3)))\n"}
    (folder / "pkg").mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text.replace(*change))
    path = str(Path(__file__).resolve().parents[2] / "analysis" / "python")
    done = subprocess.run([sys.executable, "main.py"], cwd=folder, capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": path})
    return done.stdout.strip()


def test_a_digest_covers_all_code_of_the_user(hearsay, tmp_path):
    changes = [("x", "x"), ("helper.f(run)", "helper.f(run) or 1"), ("pass", "return 1"), ("'a': 1", "'a': 2"),
               ("make(3)", "make(4)"), ("'west'", "'up'"), ("y=2", "y=3"), ("option(0.5)", "option(0.25)"),
               ("self.a = CFG", "self.b = CFG"), ("return 2 *", "return 3 *"), ("FACTOR = 7", "FACTOR = 9"), ("deep.h()", "deep.h() or 1"),
               ("'nothing'", "'something'"), ("WEIGHT = 8", "WEIGHT = 9"), ("x + 5", "x + 6"), ("x - 1", "x - 2")]
    digests = [program_that_prints_a_digest(tmp_path, change) for change in changes]
    assert len(set(digests)) == len(digests)
    for change in (("x", "x"), ("FACTOR\ndef f", "FACTOR\ndef f"), ("CFG = {", "CFG = { ")):  # only written otherwise
        assert program_that_prints_a_digest(tmp_path, change) == digests[0]


HELPER = "STEP = 1.0\nUNUSED = 1\ndef f():\n    return 1.0\n"
CLASS = """import functools
import hearsay
import helper_of_digests as helper
now, weight, cached = 1, 1, 1
def scaled():
    return scaled.by
scaled.by = 1
class Mine(hearsay.Protocol):
    @property
    def p(self):
        return self._p
    @p.setter
    def p(self, value):
        self._p = value * weight
    @functools.cached_property
    def q(self):
        return cached
    def on_tick(self, i, run):
        self.p = run.now * helper.STEP * helper.f() * scaled() * self.q
    def on_up(self, i, run):
        import lazy_of_digests
"""


def test_a_digest_is_of_what_is_in_memory(hearsay, tmp_path, monkeypatch):
    from hearsay import digests
    for name, text in (("helper", HELPER), ("class", CLASS), ("lazy", "BIG = 1\n")):
        (tmp_path / f"{name}_of_digests.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    module, helper = (importlib.import_module(f"{name}_of_digests") for name in ("class", "helper"))
    digest = lambda: digests.digest_of(module.Mine)  # noqa: E731
    first = digest()
    for owner, name in ((helper, "STEP"), (module, "weight"), (module, "cached"), (module.scaled, "by")):
        setattr(owner, name, 2)
        assert digest() != first, name
        setattr(owner, name, 1.0 if owner is helper else 1)
    for owner, name in ((module, "now"), (helper, "UNUSED")):  # an attribute of run, and what no code uses
        setattr(owner, name, 2)
    importlib.import_module("lazy_of_digests").BIG = 2  # as a handler imports it, in the middle of a run
    assert digest() == first
    # What is edited counts once it is loaded; of a module its file at once, since it may do anything when it is loaded.
    (tmp_path / "class_of_digests.py").write_text(CLASS.replace("value * weight", "value + weight"))
    assert digest() == first
    importlib.reload(module)
    edited = digest()
    (tmp_path / "helper_of_digests.py").write_text(HELPER.replace("return 1.0", "return 2.0"))
    before = digest()
    importlib.reload(helper)
    assert len({first, edited, before, digest()}) == 4


def test_equal_values_have_equal_digests(hearsay):
    from hearsay import digests

    def digest(value):
        return digests.digest_of(handler(hearsay, lambda self, i, run: value))
    add, double = (lambda x: x + 1), (lambda x: 2 * x)
    assert digest([add, double]) != digest([double, add])
    swapped = [handler(hearsay, lambda self, i, run: 0, first=one, second=other) for one, other in ((add, double), (double, add))]
    assert digests.digest_of(swapped[0]) != digests.digest_of(swapped[1])
    one, itself = [1.0], []
    itself.append(itself)
    assert digest([one, one]) == digest([[1.0], [1.0]]) != digest([one, [2.0]])
    assert digest("".join(["a", "b"])) == digest("ab")
    assert digest(itself) == digest(itself) != digest([])


def scaled(by):
    return lambda x: by * x


def by_default(by):
    return lambda x, by=by: by * x


def by_name(by):
    return lambda x, *, by=by: by * x


def class_of(by):
    class Made:
        def scaled(self, x):
            return by * x
    return Made


def class_with(by):
    return type("Made", (), {"by": by})


@pytest.mark.parametrize("make", [
    scaled, by_default, by_name, class_of, class_with, lambda by: class_of(by)(), lambda by: {1: by}.get,
    lambda by: functools.lru_cache(scaled(by)), lambda by: np.random.default_rng(by).normal])
def test_a_digest_says_which_of_several_of_one_name_is_where(hearsay, make):
    from hearsay import digests

    def digest(**members):
        return digests.digest_of(handler(hearsay, lambda self, i, run: 0, **members))
    one, two = make(1), make(2)
    for first, second in (({"a": one, "b": two}, {"a": two, "b": one}), ({"a": [one, two]}, {"a": [two, one]}),
                          ({"a": [one, one, two]}, {"a": [one, two, two]}), ({"a": {"x": one}}, {"a": {"x": two}}),
                          ({"a": staticmethod(lambda: one)}, {"a": staticmethod(lambda: two)})):
        assert digest(**first) == digest(**first) != digest(**second)


def test_a_digest_of_what_refers_to_itself_or_is_of_a_library(hearsay):
    from hearsay import digests

    def digest(**members):
        return digests.digest_of(handler(hearsay, lambda self, i, run: 0, **members))

    def recursive(by):
        def f(x):
            return by * f(x - 1) if x else 1
        return f

    def nested(count):
        made = scaled(1)
        for _ in range(count):
            made = (lambda inner: lambda x: inner(x))(made)
        return made
    assert digest(f=recursive(1)) == digest(f=recursive(1)) != digest(f=recursive(2))
    assert digest(f=nested(500)) != digest(f=nested(501))
    get, other = (lambda self: 1), (lambda self, value=0: None)
    assert digest(p=property(get, other)) != digest(p=property(get, None, other))
    before = digest(f=[np.random.normal], g=random.choice)
    np.random.normal(), random.random()  # whose state is not the user's
    assert digest(f=[np.random.normal], g=random.choice) == before


@pytest.mark.parametrize("body", [
    "from .lazy import f; f()", "from . import lazy", "import package_of_digests.lazy as z; z.f()"])
def test_a_module_that_a_function_imports_counts_by_its_file(hearsay, tmp_path, monkeypatch, body):
    from hearsay import digests
    folder = tmp_path / "package_of_digests"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "lazy.py").write_text("BIG = 1\ndef f():\n    return BIG\n")
    (folder / "mine.py").write_text("import hearsay\nclass Mine(hearsay.Protocol):\n    def on_tick(self, i, run):\n"
                                    f"        {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("", ".mine", ".lazy"):  # those of the test before
        sys.modules.pop(f"package_of_digests{name}", None)
    mine = importlib.import_module("package_of_digests.mine")
    importlib.import_module("package_of_digests.lazy").BIG = 2  # as another part of the program does it
    found = [digests.digest_of(mine.Mine)]
    del sys.modules["package_of_digests.lazy"], sys.modules["package_of_digests"].lazy
    assert found == [digests.digest_of(mine.Mine)]
    (folder / "lazy.py").write_text("BIG = 2\ndef f():\n    return BIG\n")
    assert digests.digest_of(mine.Mine) != found[0]


def test_what_an_installer_has_recorded_is_not_the_users(hearsay, tmp_path):
    from hearsay import digests
    (tmp_path / "lib-1.0.dist-info").mkdir()
    (tmp_path / "lib-1.0.dist-info" / "RECORD").write_text("lib/__init__.py,sha256=x,1\none.py,,\n")
    (tmp_path / "mine.egg-info").mkdir()  # of pip install -e
    own = {file: digests.is_own_file(str(tmp_path / file)) for file in
           ("lib/part/a.py", "one.py", "mine/a.py", "study.py", "dist-packages/b.py")}
    assert [file for file, is_own in own.items() if is_own] == ["mine/a.py", "study.py"]


def test_a_protocol_with_random_numbers_of_its_own_is_found_out(hearsay, tmp_path):
    def body(self, i, run):
        run.model(i)[:] = np.random.default_rng().normal(size=run.p)

    study = hearsay.run(small({"type": handler(hearsay, body)}), output=tmp_path / "out", progress=False)
    with pytest.raises(hearsay.InputError, match="the code in Python depends on more than its run"):
        study.verify()


def test_a_class_that_is_in_no_file_is_verified_where_it_is(hearsay, protocols, tmp_path):
    study = hearsay.run(small({"type": protocols.Gossip}), output=tmp_path / "out", progress=False, repeat=3)
    assert "3 of 3 runs repeated" in study.verify()
    assert "1 of 3 runs repeated" in study.verify(sample=1)
    elsewhere = program(hearsay, "verify", tmp_path / "out")
    assert elsewhere.returncode != 0 and "is in no file" in elsewhere.stderr


def test_the_guarantee_states_what_it_assumes_of_a_class(hearsay, tmp_path):
    sys.path.insert(0, str(HERE.parents[1] / "docs" / "example-python"))
    import buffered_prox
    given = small({"type": buffered_prox.BufferedProx, "updates": 5}, stop={"iterations": 4},
                  network={"topology": "star", "loss": 0.1}, privacy={"mechanism": "gaussian", "epsilon": 10, "delta": 1e-5,
                                                                    "clip": 10})
    given["record"]["metrics"] = ["objective", "buffered", "epsilon_spent"]
    study = hearsay.run(given, output=tmp_path / "out", progress=False)
    assert (study.runs["status"] == "done").all()
    assert any("BufferedProx states the sensitivity" in note for note in study.manifest["notes"])
    assert 0 < study.final()["epsilon_spent"].iloc[0] <= 10


def logistic_study(network, privacy, **more):
    return {"version": 1, "data": {"type": "linear_separators", "owners": 5, "records": 40, "features": 4},
            "model": {"loss": "logistic", "l2": 0.01, "start": "zero", **network}, "network": {"topology": "star"},
            "protocol": {"type": "fedavg", "step": 0.5, "local_steps": 3, **more}, "privacy": privacy,
            "stop": {"iterations": 20}, "record": {"metrics": ["objective", "test_error"], "models": "final"}}


@pytest.mark.parametrize("sums", [True, False])
@pytest.mark.parametrize("privacy, more", [
    ({"mechanism": "none"}, {}),
    ({"mechanism": "none"}, {"batch": {"type": "without_replacement", "size": 5}}),
    ({"mechanism": "laplace", "epsilon": 100, "clip": 0.3, "steps": 60}, {}),
    ({"mechanism": "gaussian", "epsilon": 100, "delta": 1e-5, "clip": 0.3, "steps": 60}, {}),
])
def test_a_model_is_the_built_in_one(hearsay, tmp_path, privacy, more, sums):
    sys.path.insert(0, str(HERE.parents[1] / "docs" / "example-python"))
    import logistic
    model = logistic.Logistic if sums else type("Plain", (logistic.Logistic,), {"sum_gradients": None})
    own = hearsay.run(logistic_study({"network": {"type": model}}, privacy, **more),
                      output=tmp_path / "own", progress=False)
    built_in = hearsay.run(logistic_study({}, privacy, **more), output=tmp_path / "built-in", progress=False)
    assert (own.runs["status"] == "done").all()
    columns = [[c for c in study.models().columns if c not in ("repetition", "agent")] for study in (own, built_in)]
    np.testing.assert_allclose(own.models()[columns[0]], built_in.models()[columns[1]], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(own.final()[["objective", "test_error"]], built_in.final()[["objective", "test_error"]],
                               rtol=1e-9)


@pytest.mark.parametrize("at, loss, more, status", [
    (1.0, "squared", {}, "done"), (1.5, "squared", {}, "failed"), (1.5, "logistic", {}, "done"),
    (1.5, "squared", {"clip": 1}, "done"), (1.5, "squared", {"gradient_bound": 1}, "done")])
def test_a_bound_derived_from_the_box_does_not_hold_outside_it(hearsay, tmp_path, at, loss, more, status):
    class Far(hearsay.Protocol):
        counts_iterations = True

        def on_start(self, run):
            for k in range(run.owners):
                run.open_account(run.agent_of(k), 5)

        def on_tick(self, i, run):
            run.release(i, run.gradient(i, np.full(run.p, at)))
            run.count_iteration()

    data = {"type": "fraud_like", "owners": 3, "records": 40, "features": 2, "positives": 0.5} if loss == "logistic" else {
        "type": "lending_like", "owners": 3, "records": 9, "features": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = hearsay.run({**scenario(1, {"type": Far}), "data": data, "model": {"loss": loss, "theta_max": 1},
                             "privacy": {"mechanism": "laplace", "epsilon": 5, **more}, "stop": {"iterations": 4}},
                            output=tmp_path / "out", progress=False)
    assert list(study.runs["status"]) == [status]
    assert ("derived from model.theta_max" in study.runs["message"].iloc[0]) == (status == "failed")


def test_gradients_are_those_of_the_losses(hearsay):
    sys.path.insert(0, str(HERE.parents[1] / "docs" / "example-python"))
    import logistic
    draw = np.random.default_rng(1)
    X, y = draw.normal(size=(20, 3)), np.sign(draw.normal(size=20))
    # The error of a central difference with step 1e-6: rounding, about 1e-16/1e-6.
    assert hearsay.check_gradients(logistic.Logistic(), draw.normal(size=3), X, y) < 1e-8

    for name in ("gradients", "sum_gradients", "gradient_norms"):
        right = getattr(logistic.Logistic, name)
        wrong = type("Wrong", (logistic.Logistic,), {name: lambda *given, right=right: 1.01 * right(*given)})
        assert hearsay.check_gradients(wrong(), draw.normal(size=3), X, y) > 1e-3
        nan = type("Nan", (logistic.Logistic,), {name: lambda *given, right=right: np.nan * right(*given)})
        assert np.isnan(hearsay.check_gradients(nan(), draw.normal(size=3), X, y))
    without = type("Without", (logistic.Logistic,), {"sum_gradients": None, "gradient_norms": None})
    assert hearsay.check_gradients(without(), draw.normal(size=3), X, y) < 1e-8


@pytest.mark.parametrize("members, message", [
    ({"loss": lambda self, theta, X, y: y[1:]}, r"loss: expected an array of shape"),
    ({"sum_gradients": None, "gradients": lambda self, theta, X, y: X[:, 1:]}, "expected an array of shape (40, 4), found (40, 3) in gradients"),
    ({"sum_gradients": lambda self, theta, X, y, weights: X[0][1:]}, "expected an array of shape (4,), found (3,) in sum_gradients"),
    ({"loss": lambda self, theta, X, y: 1 / 0}, "ZeroDivisionError: division by zero in loss"),
    ({"loss": lambda self, theta, X, y: X.fill(0)}, "read-only"),
])
def test_what_a_model_does_wrong_is_one_line(hearsay, tmp_path, members, message):
    sys.path.insert(0, str(HERE.parents[1] / "docs" / "example-python"))
    import logistic
    wrong = type("Wrong", (logistic.Logistic,), members)
    with pytest.warns(hearsay.HearsayWarning, match="1 of 1 runs"):
        study = hearsay.run(logistic_study({"network": {"type": wrong}}, {"mechanism": "none"}), output=tmp_path / "out",
                            progress=False)
    found = study.runs["message"].iloc[0]
    assert message.split(": ")[-1] in found and "Wrong" in found and "\n" not in found


@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(60)"])
def test_an_interrupt_ends_a_handler_that_does_not_return(hearsay, tmp_path, code):
    (tmp_path / "stuck.py").write_text(
        "import hearsay, sys\nclass Stuck(hearsay.Protocol):\n    def on_tick(self, i, run):\n"
        f"        if run.iterations == 3:\n            open({str(tmp_path / 'begun')!r}, 'w').close()\n            {code}\n"
        f"try:\n    hearsay.run({{**{small(None)!r}, 'protocol': {{'type': Stuck}}}}, output={str(tmp_path / 'out')!r}, "
        "jobs=1, progress=False)\nexcept KeyboardInterrupt:\n    sys.exit(42)\n")
    path = str(Path(__file__).resolve().parents[2] / "analysis" / "python")
    with subprocess.Popen([sys.executable, tmp_path / "stuck.py"], env={**os.environ, "PYTHONPATH": path}) as process:
        end = time.monotonic() + 30
        while not (tmp_path / "begun").exists() and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=20) == 42
        finally:
            process.kill()


def test_threads_of_a_fresh_process_do_not_wait_for_each_other(hearsay, tmp_path):
    folder = HERE.parents[1] / "docs" / "example-python"
    words = ["run", folder / "gossip.json", "-o", tmp_path / "out", "--allow-code", folder, "--no-progress", "-j", "4"]
    done = subprocess.run([hearsay.program(), *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(hearsay.load(tmp_path / "out").runs) == 30
