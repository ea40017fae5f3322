"""Data and metrics of Python, and the processes that make runs with it."""
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]


def records(seed=1, owners=4):
    """X and y of each owner: y = x_1 + 2 x_2 + noise."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(10, 30, owners)
    xs = [draw.normal(size=(n, 2)) for n in sizes]
    return [(x, x @ [1, 2] + 0.1 * draw.normal(size=len(x))) for x in xs]


def learner(data, **more):
    return {"version": 1, "data": data, "model": {"theta_max": 10}, "network": {"topology": "star", "loss": 0.1},
            "protocol": {"type": "central_async", "rho": 0.02}, "privacy": {"mechanism": "laplace", "epsilon": 10, "clip": 50},
            "stop": {"iterations": 60}, "record": {"metrics": ["objective", "test_error"], "models": "final"}, **more}


def as_frame(held):
    return pd.concat([pd.DataFrame({"u": x[:, 0], "hospital": name, "v": x[:, 1], "days": y})
                      for name, (x, y) in zip("dbca", held)])


def fingerprints(hearsay, folder, given, **more):
    study = hearsay.run(given, output=folder, progress=False, **more)
    assert (study.runs["status"] == "done").all(), list(study.runs["message"])
    return list(study.runs["fingerprint"])


def test_a_frame_and_a_list_are_the_records_of_a_file(hearsay, tmp_path):
    held = records()
    frame = as_frame(held)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    expected = fingerprints(hearsay, tmp_path / "file", learner(
        {"type": "csv", "path": "rows.csv", "owner": {"column": "hospital"}, "target": "days",
         "test_fraction": 0.25, "validation_fraction": 0.2}),
        set={"repeat": 3}, data_dirs=tmp_path)
    for name, data in {"frame": hearsay.data(frame, owner="hospital", target="days", test_fraction=0.25,
                                                    validation_fraction=0.2),
                       "list": hearsay.data(held, test_fraction=0.25, validation_fraction=0.2)}.items():
        assert fingerprints(hearsay, tmp_path / name, learner(data), set={"repeat": 3}) == expected
    assert list(hearsay.load(tmp_path / "frame").owners["name"][:4]) == ["d", "b", "c", "a"]


def test_a_scenario_takes_a_list_with_test_records(hearsay, tmp_path):
    held = [(x, y, x[:3], y[:3] + 1) for x, y in records()]
    study = hearsay.run({**learner(held), "privacy": {"mechanism": "none"}}, output=tmp_path / "out", progress=False)
    theta = study.models().query("agent == 0")[["x1", "x2"]].to_numpy()[0]
    errors = np.concatenate([x @ theta - y for *_, x, y in held])
    np.testing.assert_allclose(study.final()["test_error"], np.mean(errors ** 2), rtol=1e-12)


def test_records_in_memory_are_those_that_were_given(hearsay, tmp_path):
    held = records()
    given = learner(hearsay.data(held, test_fraction=0.25))
    before = fingerprints(hearsay, tmp_path / "before", given)
    for x, y in held:
        x *= 3
    assert fingerprints(hearsay, tmp_path / "after", given) == before
    assert fingerprints(hearsay, tmp_path / "changed", learner(hearsay.data(held, test_fraction=0.25))) != before


def test_runs_are_those_of_their_data(hearsay, tmp_path):
    one = fingerprints(hearsay, tmp_path / "out", learner(hearsay.data(records(1), test_fraction=0.2)))
    other = fingerprints(hearsay, tmp_path / "out", learner(hearsay.data(records(2), test_fraction=0.2)))
    assert one != other
    assert fingerprints(hearsay, tmp_path / "out", learner(hearsay.data(records(1), test_fraction=0.2))) == one


DRAWN = """
import hearsay

class Shifted(hearsay.Data):
    '''Owners whose targets differ by a shift.'''
    shift: float = hearsay.option(0, min=0, help="Shift of the second owner's targets.")
    feature_names = ["a"]

    def owners(self, random):
        return [([[x] for x in random.normal(size=8)], [k * self.shift] * 8, [[1]], [k]) for k in range(2)]
"""


def test_data_of_a_file_have_options_and_draw_from_the_run(hearsay, tmp_path):
    (tmp_path / "shifted.py").write_text(DRAWN)
    data = {"type": "python", "file": str(tmp_path / "shifted.py"), "class": "Shifted", "draw": "repetition"}
    given = learner(data, repeat=2, privacy={"mechanism": "none"})
    study = hearsay.run(given, sweep={"data.shift": [0, 5]}, output=tmp_path / "a", allow_code=tmp_path, progress=False)
    assert (study.runs["status"] == "done").all()
    values = study.runs.set_index(["data.shift", "repetition"])["fingerprint"]
    assert len(set(values)) == 4  # other data in each repetition and at each point
    again = hearsay.run(given, sweep={"data.shift": [0, 5]}, output=tmp_path / "b", allow_code=tmp_path, progress=False)
    assert list(again.runs["fingerprint"]) == list(study.runs["fingerprint"])
    with pytest.raises(hearsay.InputError, match="is outside"):
        hearsay.run(given, output=tmp_path / "c", progress=False)


@pytest.mark.parametrize("name", ["test_fraction", "draw", "validation_fraction", "instances"])
def test_an_option_of_data_has_another_name_than_those_of_all_data(hearsay, name):
    from hearsay import code
    made = type("Own", (hearsay.Data,), {"owners": lambda self, random: [], name: hearsay.option(0.5)})
    with pytest.raises(TypeError, match=f"an option cannot be called '{name}': all data have one of this name"):
        code.describe_as("data", made)


@pytest.mark.parametrize("held, message", [
    ([], "expected at least one owner, found none"),
    ([([[1, 2]], [1]), ([[1]], [1])], r"owner 1: expected arrays of shapes \(n, 2\) and \(n,\), found \(1, 1\), \(1,\)"),
    ([([[1, 2]], [1, 2])], r"owner 0: expected arrays of shapes .* found \(1, 2\), \(2,\)"),
    ([([[1, 2]],)], "owner 0: expected arrays"),
    ([([["a", 2]], [1])], "could not convert string to float"),
    ([([[np.nan, 2]], [1])], "owner 0: a feature or target is not finite"),
])
def test_what_is_wrong_with_data_is_one_line(hearsay, tmp_path, held, message):
    with pytest.raises(hearsay.InputError, match=message) as error:
        hearsay.run(learner(hearsay.data(held)), output=tmp_path / "out", progress=False)
    assert "\n" not in str(error.value) and not (tmp_path / "out").exists()


@pytest.mark.parametrize("change, words, message", [
    (lambda frame: frame.assign(hospital=[None, *frame["hospital"][1:]]), {}, "1 rows have no owner in column 'hospital'"),
    (lambda frame: frame.assign(sex="male"), {}, "column 'sex': expected numbers .*: encode it, or leave it out"),
    (lambda frame: frame.assign(u=[np.nan, *frame["u"][1:]]), {}, "column 'u' has 1 gaps, the first in row 0"),
    (lambda frame: frame.assign(day=pd.Timestamp("2020-01-01")), {}, "column 'day' holds times"),
    (lambda frame: frame.rename(columns={"hospital": "hospitals"}), {}, r"no column 'hospital' \(owner=\); did you mean"),
    (lambda frame: pd.concat([frame, frame[["u"]]], axis=1), {}, "several columns 'u'"),
    (lambda frame: frame, {"features": ["u", "days"]}, "the owner and the target are no features"),
])
def test_what_is_wrong_with_a_frame_is_one_line(hearsay, change, words, message):
    frame = as_frame(records()).reset_index(drop=True)
    with pytest.raises((ValueError, KeyError), match=message) as error:
        hearsay.data(change(frame), owner="hospital", target="days", **words)
    assert "\n" not in str(error.value)


def test_a_frame_needs_the_names_of_its_columns(hearsay):
    with pytest.raises(TypeError, match="owner= and target= name the columns"):
        hearsay.data(as_frame(records()))
    with pytest.raises(TypeError, match="data: found a frame"):
        hearsay.run({"data": as_frame(records())})
    with pytest.raises(TypeError, match="owners"):
        hearsay.run({"data": {"type": type("None_", (hearsay.Data,), {})}})


def test_the_central_example_makes_the_steps_that_it_says(hearsay, tmp_path):
    """One owner, two iterations, loss (theta.x - y)^2, mean of two records, regulariser l2 = 0.

    Gradient at theta: mean of 2 (theta.x - y) x over x = (1, 0), y = 1 and x = (0, 2), y = 2, which is
    (theta_1 - 1, 4 theta_2 - 4). From (0, 0) with step 0.1: (0.1, 0.4), then (0.19, 0.64)."""
    sys.path.insert(0, str(ROOT / "docs" / "example-python"))
    import central
    given = learner([([[1, 0], [0, 2]], [1, 2])], protocol={"type": central.Central, "step": 0.1},
                    network={"topology": "star"}, privacy={"mechanism": "none"}, stop={"iterations": 2})
    given["model"] = {"theta_max": 10, "l2": 0}
    given["record"] = {"metrics": ["messages"], "models": "final"}
    study = hearsay.run(given, output=tmp_path / "out", progress=False)
    np.testing.assert_allclose(study.models().query("agent == 0")[["x1", "x2"]], [[0.19, 0.64]], rtol=1e-12)
    private = hearsay.run({**given, "privacy": {"mechanism": "laplace", "epsilon": 1, "gradient_bound": 10},
                           "stop": {"time": 50}}, set={"protocol.releases": 3}, output=tmp_path / "private", progress=False)
    assert list(private.runs["iterations"]) == [3]


# --- Metrics ---

def peers(protocol="gossip_average", **more):
    return {"version": 1, "data": {"type": "lending_like", "owners": 5, "records": 20, "features": 3},
            "model": {"theta_max": 10}, "network": {"topology": "ring"}, "protocol": protocol,
            "privacy": {"mechanism": "none"}, "stop": {"iterations": 200}, **more}


def spread(run):
    """Mean squared distance of the models from their mean."""
    models = np.array([run.model(i) for i in range(run.agents)])
    return np.mean(np.sum((models - models.mean(axis=0)) ** 2, axis=1))


def test_functions_measure_any_protocol(hearsay, tmp_path):
    @hearsay.metric(help="Norm of each model.", per_agent=True)
    def norm(run):
        return [np.linalg.norm(run.model(i)) for i in range(run.agents)]

    given = peers({"type": "ad_psgd", "step": 0.1}, metrics=hearsay.metrics(spread, norm),
                  record={"every": {"iterations": 50}, "models": "final",
                          "metrics": ["consensus_distance", "spread", "norm", "norm.max"]})
    study = hearsay.run(given, output=tmp_path / "out", progress=False)
    built_in, own = (study.series.query(f"metric == '{m}'")["value"].to_numpy() for m in ("consensus_distance", "spread"))
    assert len(own) == 5
    np.testing.assert_allclose(own, built_in, rtol=1e-12)
    models = study.models()
    norms = np.linalg.norm(models[[c for c in models.columns if c.startswith("x")]], axis=1)
    final = study.series.query("metric == 'norm'")["value"].to_numpy()[-5:]
    np.testing.assert_allclose(final, norms, rtol=1e-12)
    np.testing.assert_allclose(study.final("norm.max").iloc[0]["norm.max"], norms.max(), rtol=1e-12)
    assert "spread" in (hearsay.run(given, output=tmp_path / "out", progress=False)).metrics
    # Whoever runs it: neither the metric nor its absence changes the run.
    plain = hearsay.run({**given, "metrics": "none", "record": {"metrics": ["objective"]}}, output=tmp_path / "plain",
                        progress=False)
    assert list(plain.runs["fingerprint"]) == list(study.runs["fingerprint"])


def test_tables_mark_the_better_value_of_a_metric(hearsay, tmp_path):
    for higher, best in ((True, ["2"]), (False, ["1"]), (None, [])):
        def constant(self, run):
            return self.k

        name = constant.__name__ = f"constant_{higher}"
        made = type("Constant", (hearsay.Protocol,), {"k": hearsay.option(1), "on_tick": lambda self, i, run: None,
                                                      name: hearsay.metric(higher_is_better=higher)(constant)})
        study = hearsay.run(peers({"type": made}, record={"metrics": [name]}, repeat=2), sweep={"protocol.k": [1, 2]},
                            output=tmp_path / name, progress=False)
        cells = study.table(columns="protocol.k", format="markdown").splitlines()[2].split("|")
        assert [cell.strip(" *").split()[0] for cell in cells if "**" in cell] == best
    with pytest.raises(TypeError, match="higher_is_better: expected True, False or None, found 'yes'"):
        hearsay.metric(higher_is_better="yes")


def test_a_metric_of_ones_own_ends_a_run(hearsay, tmp_path):
    def steps(run):
        return run.iterations

    given = peers({"type": "ad_psgd", "step": 0.1}, metrics=hearsay.metrics(steps), record={"metrics": ["objective", "steps"]},
                  stop={"iterations": 1000, "target": {"metric": "steps", "above": 99.5, "check_every": 10}})
    study = hearsay.run(given, output=tmp_path / "out", progress=False)
    assert list(study.runs["iterations"]) == [100] and list(study.runs["end"]) == ["target"]


def test_other_code_of_a_metric_is_measured_again(hearsay, tmp_path):
    values = []
    for factor in (1, 2):
        def scaled(run, factor=factor):
            return factor * run.iterations

        study = hearsay.run(peers({"type": "ad_psgd", "step": 0.1}, metrics=hearsay.metrics(scaled),
                                  record={"metrics": ["scaled"]}), output=tmp_path / "out", progress=False)
        values.append(study.final()["scaled"].iloc[0])
    assert values == [200, 400]


def test_a_swept_option_of_metrics_is_measured_at_each_point(hearsay, tmp_path):
    class Levels(hearsay.Metrics):
        level = hearsay.option(1.0)

        @hearsay.metric()
        def height(self, run):
            return self.level * run.iterations

    given = peers({"type": "ad_psgd", "step": 0.1}, metrics={"type": Levels}, record={"metrics": ["height"]})
    study = hearsay.run(given, sweep={"metrics.level": [1, 2, 3]}, output=tmp_path / "out", progress=False)
    assert study.final()["height"].tolist() == [200, 400, 600]  # a level times 200 iterations
    assert len(set(study.runs["fingerprint"])) == 1  # a metric changes no run


@pytest.mark.parametrize("function, message", [
    (lambda run: 1 / 0, "ZeroDivisionError: division by zero in wrong at 0 s"),
    (lambda run: run.publish(0, run.model(0)), "a metric only looks: it changes nothing"),
    (lambda run: "many", "wrong at 0 s"),
])
def test_what_a_metric_does_wrong_is_one_line(hearsay, tmp_path, function, message):
    function.__name__ = "wrong"
    given = peers({"type": "ad_psgd", "step": 0.1}, metrics=hearsay.metrics(function), record={"metrics": ["wrong"]})
    with pytest.warns(hearsay.HearsayWarning):
        study = hearsay.run(given, output=tmp_path / "out", progress=False)
    assert message in study.runs["message"].iloc[0] and "\n" not in study.runs["message"].iloc[0]


def test_metrics_that_a_scenario_does_not_have_are_refused(hearsay, tmp_path):
    def elsewhere(run):
        return 0

    hearsay.run(peers({"type": "ad_psgd"}, metrics=hearsay.metrics(elsewhere), record={"metrics": ["elsewhere"]}),
                output=tmp_path / "out", progress=False)
    with pytest.raises(hearsay.InputError, match="elsewhere is a metric of another class, not of ad_psgd"):
        hearsay.run(peers({"type": "ad_psgd"}, record={"metrics": ["elsewhere"]}), output=tmp_path / "b", progress=False)
    with pytest.raises(hearsay.InputError, match="another metric has this name"):
        def objective(run):
            return 0
        hearsay.run(peers({"type": "ad_psgd"}, metrics=hearsay.metrics(objective)), output=tmp_path / "c", progress=False)


def test_a_metric_has_another_name_than_those_of_the_protocol(hearsay, tmp_path):
    class Own(hearsay.Protocol):
        def on_tick(self, i, run):
            pass

        @hearsay.metric()
        def twice_there(self, run):
            return 5

    def twice_there(run):
        return 9

    with pytest.raises(hearsay.InputError, match="the protocol has a metric twice_there: choose another name"):
        hearsay.run(peers({"type": Own}, metrics=[twice_there], record={"metrics": ["twice_there"]}), output=tmp_path / "a",
                    progress=False)


def test_what_is_no_metric_is_refused_before_the_study(hearsay, tmp_path):
    for wrong, message in ((lambda run, x: 0, "called with one argument, the run"), (3, "found 3")):
        with pytest.raises(TypeError, match=message):
            hearsay.metrics(wrong)
    with pytest.raises(TypeError, match="two metrics are functions of the name 'spread'"):
        hearsay.metrics(spread, hearsay.metric(help="Another.")(lambda run: 0), type(spread)(spread.__code__, globals(), "spread"))
    # Functions alone do, too.
    given = peers({"type": "ad_psgd", "step": 0.1}, metrics=[spread], record={"metrics": ["spread"]})
    assert (hearsay.run(given, output=tmp_path / "out", progress=False).runs["status"] == "done").all()


def test_accuracy_of_a_model_needs_its_errors(hearsay, tmp_path):
    sys.path.insert(0, str(ROOT / "docs" / "example-python"))
    import logistic
    given = {"version": 1, "data": {"type": "linear_separators", "owners": 5, "records": 40, "features": 3, "test_records": 40},
             "model": {"network": {"type": logistic.Logistic}, "start": "zero"}, "network": {"topology": "star"},
             "protocol": {"type": "fedavg", "step": 0.5}, "privacy": {"mechanism": "none"}, "stop": {"iterations": 30},
             "record": {"metrics": ["accuracy", "test_error"]}}
    final = hearsay.run(given, output=tmp_path / "out", progress=False).final().iloc[0]
    assert final["accuracy"] == 1 - final["test_error"] > 0.5
    for loss in ("squared", "logistic"):
        given["model"] = {"network": {"type": type("Plain", (logistic.Logistic,), {"errors": None})}, "loss": loss}
        with pytest.raises(hearsay.InputError, match="accuracy is 1 - test_error, and the class Plain has no errors"):
            hearsay.run(given, output=tmp_path / "plain", progress=False)


def test_flipped_labels_are_those_of_the_data(hearsay, tmp_path):
    """The gradient is the mean target: theta after a step of 1 is minus the mean over both owners."""
    class Mean(hearsay.Model):
        def size(self, features):
            return 1

        def loss(self, theta, X, y):
            return theta[0] * y

        def gradients(self, theta, X, y):
            return y[:, None]

        def errors(self, theta, X, y):
            return 0 * y

    given = learner(None, protocol={"type": "fedavg", "step": 1, "local_steps": 1}, privacy={"mechanism": "none"},
                    network={"topology": "star"}, stop={"iterations": 1}, record={"metrics": ["objective"], "models": "final"},
                    model={"network": {"type": Mean}, "start": "zero", "l2": 0},
                    adversaries={"agents": [2], "behaviour": "label_flip"})
    x = np.ones((2, 1))
    # Classes 0, 1, 2: (0, 0) becomes (2, 2). Without a 2 they are 0 and 1, and with -1 and 1 the signs change.
    for honest, hostile, mean in (([0, 2], [0, 0], 1.5), ([0, 1], [0, 0], 0.75), ([1, 1], [-1, 1], 0.5), ([1, 1], [-1, -1], 1)):
        study = hearsay.run({**given, "data": hearsay.data([(x, np.array(honest)), (x, np.array(hostile))])},
                            output=tmp_path / f"{honest}{hostile}", progress=False)
        assert list(study.runs["status"]) == ["done"]
        models = study.models().query("agent == 0")
        assert models[[c for c in models.columns if c not in ("repetition", "agent")]].iloc[0, 0] == pytest.approx(-mean)


def test_what_runs_leave_behind_is_warned_of(hearsay, tmp_path):
    class Leaky(hearsay.Protocol):
        seen = []

        def on_tick(self, i, run):
            self.seen.append(i)

    with pytest.warns(hearsay.HearsayWarning, match="Leaky: a list, mapping or other value .* has changed"):
        hearsay.run(peers({"type": Leaky}, record={"metrics": ["objective"]}), output=tmp_path / "out", progress=False)


def test_a_protocol_that_forgets_to_count_fails_soon(hearsay, tmp_path):
    class Forgetful(hearsay.Protocol):
        counts_iterations = True

        def on_tick(self, i, run):
            pass

    with pytest.warns(hearsay.HearsayWarning, match="1 of 1 runs"):
        study = hearsay.run(peers({"type": Forgetful}, record={"metrics": ["objective"]}), output=tmp_path / "out",
                            progress=False)
    assert "events" in study.runs["message"].iloc[0]


# --- Processes ---

def protocol(hearsay, body):
    return type("Made", (hearsay.Protocol,), {"on_tick": body})


def test_runs_are_made_in_processes_with_the_same_tables(hearsay, tmp_path):
    def body(self, i, run):
        run.model(i)[:] += run.random(1, i).normal(size=run.p)
        run.publish(i, run.model(i))

    @hearsay.metric()
    def process(run):
        return os.getpid()

    given = {**peers({"type": protocol(hearsay, body)}, repeat=8), "stop": {"iterations": 2000}}
    for jobs in (1, 2, 4):
        hearsay.run({**given, "record": {"metrics": ["objective"], "models": "final"}}, output=tmp_path / str(jobs), jobs=jobs,
                    progress=False)
    for table in ("series.csv", "models.csv", "runs.csv"):
        assert len({(tmp_path / jobs / table).read_bytes() for jobs in "124"}) == 1, table
    study = hearsay.run({**given, "metrics": hearsay.metrics(process), "record": {"metrics": ["process"]}},
                        output=tmp_path / "processes", jobs=3, progress=False)
    processes = set(study.series["value"])
    assert 2 <= len(processes) <= 3 and os.getpid() not in processes
    # A single run stays in this process, where a debugger finds it.
    study = hearsay.run({**given, "repeat": 1, "metrics": hearsay.metrics(process), "record": {"metrics": ["process"]}},
                        output=tmp_path / "one", jobs=3, progress=False)
    assert set(study.series["value"]) == {os.getpid()}


def test_a_process_that_is_killed_loses_only_what_it_was_doing(hearsay, tmp_path):
    doomed = tmp_path / "doomed"
    doomed.touch()

    def body(self, i, run):
        if run.iterations == 10 and doomed.exists():
            os.kill(os.getpid(), signal.SIGKILL)

    given = peers({"type": protocol(hearsay, body)}, repeat=4, record={"metrics": ["objective"]})
    with pytest.raises(hearsay.HearsayError, match=r"ended by signal 9 \(Killed\).*run the same command to resume") as error:
        hearsay.run(given, output=tmp_path / "out", jobs=2, progress=False)
    assert type(error.value) is hearsay.HearsayError
    exits = protocol(hearsay, lambda self, i, run: os._exit(0))
    with pytest.raises(hearsay.HearsayError, match="ended before them"):
        hearsay.run(peers({"type": exits}, repeat=4, record={"metrics": ["objective"]}), output=tmp_path / "exits", jobs=2,
                    progress=False)
    doomed.unlink()
    assert len(fingerprints(hearsay, tmp_path / "out", given, jobs=2)) == 4


def test_a_run_that_fails_in_a_process_fails_alone(hearsay, tmp_path):
    class Fragile(hearsay.Protocol):
        breaks = hearsay.option(False)

        def on_tick(self, i, run):
            if self.breaks:
                raise ValueError("broken")

    with pytest.warns(hearsay.HearsayWarning, match="1 of 2 runs"):
        study = hearsay.run(peers({"type": Fragile}, record={"metrics": ["objective"]}), jobs=2,
                            sweep={"protocol.breaks": [True, False]}, output=tmp_path / "out", progress=False)
    assert sorted(study.runs["status"]) == ["done", "failed"]
    assert "ValueError: broken in on_tick" in study.runs["message"].iloc[0]


def test_ranks_of_a_launcher_make_several_studies(hearsay, tmp_path):
    version = subprocess.run([hearsay.program(), "--version"], capture_output=True, text=True, check=True).stdout
    if shutil.which("mpirun") is None or "no MPI" in version:
        pytest.skip("no MPI")
    folder = ROOT / "docs" / "example-python"
    (tmp_path / "twice.py").write_text(f"""
import sys
import hearsay
for name in sys.argv[1:]:
    study = hearsay.run({str(folder / "gossip.json")!r}, output={str(tmp_path)!r} + "/" + name, allow_code={str(folder)!r},
                        jobs=1, progress=False)
    assert len(study.runs) == 30
""")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "analysis" / "python"), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for words, names in ((["mpirun", "--oversubscribe", "-n", "3"], ["a", "b"]), ([], ["alone"])):
        subprocess.run([*words, sys.executable, tmp_path / "twice.py", *names], env=environment, check=True, timeout=120)
    for table in ("series.csv", "scalars.csv"):
        assert len({(tmp_path / name / table).read_bytes() for name in ("a", "b", "alone")}) == 1, table


SCRIPT = """
import sys, time
import hearsay

class Printing(hearsay.Protocol):
    def on_tick(self, i, run):
        if run.iterations == 0:
            print("begun\\n", end="")  # in one write, since several processes do
        {wait}

print("before")
try:
    study = hearsay.run({{**{given!r}, "protocol": {{"type": Printing}}, "repeat": 4}}, output={output!r}, jobs=2,
                        progress=False)
except KeyboardInterrupt:
    sys.exit(42)
"""


def script(tmp_path, wait):
    path = tmp_path / "printing.py"
    path.write_text(SCRIPT.format(wait=wait, given=peers(None, record={"metrics": ["objective"]}),
                                  output=str(tmp_path / "out")))
    return path, {**os.environ, "PYTHONPATH": str(ROOT / "analysis" / "python")}


def test_what_handlers_print_is_printed_once(hearsay, tmp_path):
    path, environment = script(tmp_path, "pass")
    done = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["before"] + ["begun"] * 4


def test_an_interrupt_ends_all_processes(hearsay, tmp_path):
    path, environment = script(tmp_path, "time.sleep(30)")
    with subprocess.Popen([sys.executable, "-u", path], env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert [process.stdout.readline().strip() for _ in range(3)] == ["before", "begun", "begun"]
            process.send_signal(signal.SIGINT)  # to the first process alone
            begun = time.monotonic()
            assert process.wait(timeout=20) == 42
            # Its processes have ended with it: nobody else has the pipe open.
            assert process.stdout.read() == "" and time.monotonic() - begun < 20
        finally:
            process.kill()


@pytest.mark.parametrize("command", ["validate", "run"])
@pytest.mark.parametrize("place", ["start", "file", "class"])
def test_an_interrupt_while_code_is_loaded_is_no_error_of_it(hearsay, tmp_path, command, place):
    interrupt = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(1)\n"
    (tmp_path / "sitecustomize.py").write_text(interrupt if place == "start" else "")
    (tmp_path / "own.py").write_text(
        f"{interrupt if place == 'file' else ''}import hearsay\nclass Own(hearsay.Protocol):\n"
        f"{textwrap.indent(interrupt, '    ') if place == 'class' else ''}    def on_tick(self, i, run): pass\n")
    given = peers({"type": "python", "file": "own.py", "class": "Own"}, record={"metrics": ["objective"]})
    (tmp_path / "own.json").write_text(json.dumps(given))
    words = [hearsay.program(), command, "own.json", "--allow-code", ".", *(["-o", "out"] if command == "run" else [])]
    done = subprocess.run(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
                          check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hearsay: interrupted\n")
    assert not (tmp_path / "out").exists()


def test_an_interrupt_in_code_that_code_calls_is_no_failure(hearsay, tmp_path):
    (tmp_path / "nested.py").write_text("""
import os, signal, sqlite3, sys, time
import numpy as np
import hearsay

class Asking(hearsay.Protocol):
    any_model = counts_iterations = True
    asked = False
    def on_tick(self, i, run):
        Asking.asked = True
        run.gradient(i)
        run.count_iteration()

class Slow(hearsay.Model):
    def size(self, features):
        return features
    def loss(self, theta, X, y):
        return (X @ theta - y) ** 2 / 2
    def gradients(self, theta, X, y):
        if Asking.asked:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                time.sleep(0.01)
        return (X @ theta - y)[:, None] * X

given = {"version": 1, "data": {"type": "lending_like", "owners": 3, "records": 9, "features": 2}, "protocol": {"type": Asking},
         "model": {"network": {"type": Slow}}, "network": {"topology": "ring"}, "privacy": {"mechanism": "none"},
         "stop": {"iterations": 5}, "record": {"metrics": ["train_loss"]}}
try:
    hearsay.run(given, output="out", jobs=1, progress=False)
except KeyboardInterrupt:
    print(sqlite3.connect("out/results.sqlite").execute("SELECT count(*) FROM run WHERE message != ''").fetchone()[0])
    sys.exit(42)
""")
    path = str(ROOT / "analysis" / "python")
    done = subprocess.run([sys.executable, "nested.py"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True,
                          text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (42, "0\n"), done.stderr


def test_an_interrupt_from_a_terminal_ends_the_command(hearsay, tmp_path):
    (tmp_path / "slow.py").write_text("""
import os
import time
import hearsay

class Slow(hearsay.Protocol):
    def on_tick(self, i, run):
        if run.iterations == 5:
            os.write(1, b"begun\\n")  # at once: two processes write
        time.sleep(0.02)
""")
    given = peers({"type": "python", "file": "slow.py", "class": "Slow"}, repeat=4, record={"metrics": ["objective"]})
    (tmp_path / "slow.json").write_text(json.dumps(given))
    words = [hearsay.program(), "run", "slow.json", "--allow-code", ".", "-j", "2", "-o", "out", "--no-progress"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            assert [process.stdout.readline().strip() for _ in range(2)] == ["begun", "begun"]
            os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does it, to all processes
            assert process.wait(timeout=20) == 130
            assert "interrupted: 0 of 4 runs are stored; run the same command to resume" in process.stderr.read()
        finally:
            process.kill()


def test_losses_are_summed_in_the_order_of_the_records(hearsay, tmp_path):
    class Placed(hearsay.Model):
        """Losses 2^53, 1, 1, ... in an array at so many numbers behind a multiple of 32 bytes."""
        offset = hearsay.option(0, min=0, max=3)

        def size(self, features):
            return features

        def loss(self, theta, X, y):
            memory = np.empty(len(X) + 8)
            first = (self.offset - memory.ctypes.data // 8) % 4
            losses = memory[first:first + len(X)]
            losses[:] = 1
            losses[0] = 2.0**53
            return losses

        def gradients(self, theta, X, y):
            return np.zeros_like(X)

    given = {"version": 1, "data": [(np.ones((8, 1)), np.ones(8))] * 2, "model": {"network": {"type": Placed}, "l2": 0},
             "network": {"topology": "complete"}, "protocol": {"type": "gossip_learning", "step": 0.1},
             "privacy": {"mechanism": "none"}, "stop": {"iterations": 2}, "record": {"metrics": ["train_loss"]}}
    study = hearsay.run(given, sweep={"model.network.offset": [0, 1, 2, 3]}, output=tmp_path, progress=False)
    # 2^53 + 1 is rounded to 2^53, seven times.
    assert study.final()["train_loss"].tolist() == [2.0**50] * 4
