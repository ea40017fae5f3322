"""Runs: options, messages as exceptions, progress, scenarios that are checked by the schema."""
import importlib
import json
import re

import numpy as np
import pandas as pd
import pytest
from conftest import SMALL


def test_run_sets_options(hearsay, tmp_path):
    study = hearsay.run(SMALL, set={"privacy.epsilon": 5, "network.availability": "always"}, repeat=2, seed=7, jobs=1,
                        output=tmp_path / "out")
    assert study.scenario["seed"] == 7
    assert study.manifest["runs"] == 2
    assert study.manifest["threads"] == 1
    assert study.scenario["privacy"]["epsilon"] == 5


def test_the_default_folder_has_the_name_of_the_scenario(hearsay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(json.dumps({**SMALL, "sweep": None, "repeat": 1}))
    assert hearsay.run("mine.json").folder.resolve() == tmp_path / "out" / "mine"
    changed = hearsay.run("mine.json", set={"record.trace": None}).folder.resolve()
    assert changed.parent == tmp_path / "out" and re.fullmatch("mine-[0-9a-f]{8}", changed.name)
    mapping = hearsay.run({**SMALL, "name": "a b", "sweep": None}, repeat=1).folder.resolve()
    assert mapping.parent == tmp_path / "out" and re.fullmatch("a-b-[0-9a-f]{8}", mapping.name)


@pytest.mark.parametrize("change, kind, message", [
    ({"protocol": {"type": "central_asink"}}, "InputError", "did you mean 'central_async'"),
    ({"stop": {}}, "InputError", "a run needs a limit"),
    ({"data": {"type": "lending_like", "owners": 10, "records": 10**12, "features": 1000}, "sweep": None},
     "RefusedError", "memory"),
])
def test_messages_of_the_program_are_exceptions(hearsay, tmp_path, change, kind, message):
    with pytest.raises(getattr(hearsay, kind), match=message) as error:
        hearsay.run({**SMALL, **change}, output=tmp_path / "out")
    assert str(error.value).count("\n") == 0
    assert "/hearsay-" not in str(error.value)  # no name of a temporary file
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_runs_that_diverge_are_a_warning(hearsay, tmp_path):
    change = {"protocol": {"type": "central_async", "rho": 1e9}, "model": {}, "sweep": None,
              "privacy": {"mechanism": "none"}}
    with pytest.warns(hearsay.HearsayWarning, match="3 of 3 runs diverged or failed; the first: .* at the start"):
        study = hearsay.run({**SMALL, **change}, output=tmp_path / "out")
    assert (study.runs["status"] == "diverged").all()


def test_progress_is_shown_where_asked_for(hearsay, tmp_path, capsys):
    hearsay.run(SMALL, set={"repeat": 40}, output=tmp_path / "out", progress=True)
    assert "160/160 runs" in capsys.readouterr().err
    hearsay.run(SMALL, output=tmp_path / "other", progress=False)
    assert capsys.readouterr().err == ""


def test_data_files_are_found_from_the_current_folder(hearsay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{k},{k % 3}\n" for k in range(12)))
    data = {"type": "csv", "path": "rows.csv", "target": "y", "owner": {"blocks": 3}}
    study = hearsay.run({**SMALL, "data": data, "sweep": None}, repeat=1, set={"record.trace": None})
    assert len(study.owners) == 3


def test_scenario_checks_keys_by_the_schema(hearsay):
    scenario = hearsay.Scenario(SMALL)
    with pytest.raises(KeyError, match="did you mean 'epsilon'"):
        scenario["privacy.epsilom"] = 1
    with pytest.raises(KeyError, match="did you mean 'protocol'"):
        scenario["protokol"] = {}
    with pytest.raises(KeyError):
        hearsay.Scenario({"protocl": {}})
    assert scenario["privacy.epsilon"] == 10
    assert "privacy.epsilon" in scenario and "privacy.epsilom" not in scenario
    scenario["network.topology.draw"] = "repetition"  # below the short form of an object
    assert scenario["network"]["topology"] == {"type": "star", "draw": "repetition"}
    assert "privacy.epsilon" in scenario._ipython_key_completions_()


def test_scenario_is_checked_and_completed_by_the_program(hearsay):
    scenario = hearsay.Scenario(SMALL)
    scenario.check()
    assert scenario.complete()["network.send_order"] is not None
    scenario["privacy.epsilon"] = -1
    scenario["sweep"] = None
    with pytest.raises(hearsay.InputError, match="/privacy/epsilon: expected"):
        scenario.check()
    assert "Topology" in scenario.explain("network")


def test_a_missing_program_is_named(hearsay, monkeypatch):
    monkeypatch.setenv("HEARSAY_PROGRAM", "/nowhere/hearsay")
    with pytest.raises(FileNotFoundError, match="/nowhere/hearsay"):
        hearsay.program()


def test_a_scenario_does_not_change_what_it_is_made_of(hearsay):
    network = {"topology": "star", "latency": {"type": "constant", "value": "1 s"}}
    given = {**SMALL, "network": network}
    scenario = hearsay.Scenario(given)
    scenario["network.latency.value"] = "2 s"
    scenario["record.metrics.0"] = "objective"
    other = scenario.copy()
    other["network.latency.value"] = "3 s"
    scenario["network"]["loss"] = 0.5
    assert network == {"topology": "star", "latency": {"type": "constant", "value": "1 s"}}
    assert SMALL["record"]["metrics"][0] == "relative_fitness"
    assert scenario["network.latency.value"] == "2 s" and "network.loss" not in other
    latency = {"type": "constant", "value": "4 s"}
    scenario["network.latency"] = latency
    scenario["network.latency.value"] = "5 s"
    assert latency["value"] == "4 s"


def test_a_scenario_takes_dotted_paths_wherever_a_dict_takes_keys(hearsay, tmp_path):
    scenario = hearsay.Scenario(SMALL)
    scenario.update({"privacy.epsilon": 3}, seed=4)
    assert scenario["privacy"]["epsilon"] == 3 == scenario.get("privacy.epsilon") and scenario["seed"] == 4
    assert scenario.get("privacy.delta") is None and scenario.get("privacy.delta", 1) == 1
    del scenario["privacy.epsilon"], scenario["sweep"]
    assert "privacy.epsilon" not in scenario and "sweep" not in scenario
    with pytest.raises(KeyError, match="did you mean 'epsilon'"):
        scenario.update({"privacy.epsilom": 3})
    (tmp_path / "mine.json").write_text(json.dumps(SMALL))
    of_file = hearsay.Scenario(tmp_path / "mine.json")
    assert hearsay.Scenario(of_file).folder == of_file.copy().folder == str(tmp_path)


def test_numbers_and_tables_of_numpy_and_pandas_are_taken(hearsay, tmp_path):
    options = {"stop.iterations": np.int64(30), "privacy.epsilon": np.float64(2), "model.l2_half": np.bool_(True),
               "sweep": {"protocol.rho": np.array([0.01, 0.02]), "network.loss": pd.Series([0.0, 0.5]),
                         "data.records": range(50, 52)}}
    scenario = hearsay.Scenario({**SMALL, "sweep": None, "record": {"metrics": np.array(["objective"])}})
    scenario["privacy.clip"] = np.float32(8)
    scenario["data.owners"] = np.int32(4)
    scenario.check()
    study = hearsay.run(scenario, set=options, repeat=np.int64(2), seed=np.uint8(3), jobs=np.int64(1),
                        output=tmp_path / "out")
    assert study.scenario["stop"]["iterations"] == 30 and study.scenario["privacy"]["epsilon"] == 2
    assert study.scenario["model"]["l2_half"] is True and study.scenario["privacy"]["clip"] == 8
    assert len(study.points) == 8 and len(study.runs) == 16 and study.scenario["seed"] == 3
    assert len(hearsay.run({**scenario, "seed": np.int64(4)}, output=tmp_path / "other").nodes) == 5


def test_one_folder_of_data_is_a_text_or_a_path(hearsay, tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n" + "".join(f"{k},{k % 3}\n" for k in range(12)))
    data = {"type": "csv", "path": "rows.csv", "target": "y", "owner": {"blocks": 3}}
    scenario = hearsay.Scenario({**SMALL, "data": data, "sweep": None, "record": {"metrics": ["objective"]}})
    for folder in (str(tmp_path), tmp_path, [tmp_path]):
        scenario.check(data_dirs=folder)
        assert len(hearsay.run(scenario, data_dirs=folder, output=tmp_path / "out").owners) == 3


def test_a_frame_in_a_scenario_is_an_error_that_says_what_to_do(hearsay):
    with pytest.raises(TypeError, match="hearsay.data"):
        hearsay.run({**SMALL, "data": pd.DataFrame({"x": [1]})})


def test_a_duration_of_pandas_is_refused_at_its_path(hearsay):
    for value in (pd.Timedelta("5 ms"), np.timedelta64(5, "ms")):
        with pytest.raises(TypeError, match="^network.latency.0: expected a number, text, list or mapping, .*15 ms"):
            hearsay.run({**SMALL, "network": {"latency": [value]}})
        with pytest.raises(TypeError, match="^network.latency: expected"):
            hearsay.run(SMALL, set={"network.latency": value})
        with pytest.raises(TypeError, match="^network.latency: expected"):
            hearsay.Scenario(SMALL)["network.latency"] = value


def test_reading_a_path_that_no_scenario_has_names_the_nearest(hearsay):
    scenario = hearsay.Scenario(SMALL)
    with pytest.raises(KeyError, match="protocol has no option 'rh'; did you mean 'rho'"):
        scenario["protocol.rh"]
    with pytest.raises(KeyError, match="privacy.delta is not set"):
        scenario["privacy.delta"]
    with pytest.raises(KeyError, match="network.topology.draw is not set"):
        scenario["network.topology.draw"]
    with pytest.raises(KeyError, match="did you mean 'rho'"):
        del scenario["protocol.rh"]


def test_warnings_of_the_terminal_are_raised(hearsay, tmp_path):
    other = {**SMALL, "sweep": {"privacy.epsilon": [1, 2, 10],
                                "select": {"over": "privacy.epsilon", "minimise": "relative_fitness", "on": "test"}},
             "record": {"metrics": ["relative_fitness"]}}
    hearsay.run(SMALL, output=tmp_path / "out")
    with pytest.warns(hearsay.HearsayWarning) as caught:
        study = hearsay.run(other, output=tmp_path / "out")
    texts = [str(one.message) for one in caught]
    assert all(one.category is hearsay.HearsayWarning for one in caught)
    for expected in ("the tables of another study are replaced", "privacy.epsilon is chosen on the test data",
                     "the chosen value is the smallest or largest that was tried (privacy.epsilon 10)"):
        assert sum(expected in text for text in texts) == 1
    assert list(study.final("relative_fitness")["privacy.epsilon (selected)"]) == [10]


def test_suspicious_columns_of_a_file_are_warned_of(hearsay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"ward": ["a", "b", "c"] * 4, "clinic": ["East", "West", "east"] * 4,
                          "y": np.arange(12) % 5 - 2})
    frame.to_csv("rows.csv")
    data = {"type": "csv", "path": "rows.csv", "target": "y", "owner": {"column": "clinic"}}
    scenario = {**SMALL, "data": data, "sweep": None, "record": {"metrics": ["objective"], "models": "final"}}
    with pytest.warns(hearsay.HearsayWarning) as caught:
        study = hearsay.run(scenario, output="out")
    texts = "\n".join(str(one.message) for one in caught)
    for expected in ("rows.csv: column 1, '', has no name", "index=False", "column 'ward' is text",
                     "owners 'East' and 'east'"):
        assert expected in texts
    assert list(study.models().columns) == ["repetition", "agent", 0, "ward"]


def test_branches_of_a_study(hearsay, tmp_path):
    study = hearsay.run({**SMALL, "sweep": None}, set={"record.every": {"time": 0.5}, "record.trace": None}, repeat=2,
                        output=tmp_path / "out")
    end = study.runs["time_s"].max()
    branches = study.branch(end / 2, [{}, {"label": "slow", "value": {"network.latency": "1 s"}}],
                            output=tmp_path / "branches")
    assert branches.axes == ["branch"]
    metric = study.metrics[0]
    whole, parts = study.series.query("metric == @metric"), branches.series.query("metric == @metric")
    same = parts[parts["branch"] == "{}"]
    assert list(same["value"]) == list(whole["value"])
    slow = parts[parts["branch"] == "slow"]
    before = lambda frame: list(frame[frame["time_s"] < end / 2]["value"])  # noqa: E731
    assert before(slow) == before(whole)
    assert list(slow["value"]) != list(whole["value"])


def test_branches_find_the_data_of_their_study(hearsay, tmp_path, monkeypatch):
    for folder in ("sub", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "sub" / "rows.csv").write_text("city,rooms,price\n" + "".join(f"{'ab'[k % 2]},{k % 5},{k}\n" for k in range(20)))
    (tmp_path / "sub" / "s.json").write_text(json.dumps({
        **SMALL, "data": {"type": "csv", "path": "rows.csv", "target": "price", "owner": {"column": "city"}}, "sweep": None,
        "privacy": {"mechanism": "none"}, "record": {"metrics": ["objective"]}}))
    monkeypatch.chdir(tmp_path)
    study = hearsay.run("sub/s.json", repeat=1, output="out")
    monkeypatch.chdir(tmp_path / "elsewhere")
    branches = study.branch("1 s", [{}], output=tmp_path / "branches")
    assert list(branches.runs["fingerprint"]) == list(study.runs["fingerprint"])
    assert "1 of 1 runs repeated" in study.verify() and "1 of 1 runs repeated" in branches.verify()


def test_runs_go_on_from_kept_states_with_other_options(hearsay, tmp_path):
    study = hearsay.run({**SMALL, "sweep": None}, set={"record.every": {"time": 0.5}, "record.trace": None}, repeat=2,
                        output=tmp_path / "out")
    end = study.runs["time_s"].max()
    (tmp_path / "s.json").write_text(json.dumps({**study.scenario, "repeat": 2}))
    command = ["run", tmp_path / "s.json", "-o", tmp_path / "paused", "--no-progress", "--pause"]
    with pytest.raises(FileNotFoundError, match="no states of runs"):
        hearsay.snapshot(tmp_path / "out")
    importlib.import_module("hearsay.program").call(*command, end / 2)
    kept = {file: file.read_bytes() for file in (tmp_path / "paused").rglob("*") if file.is_file()}
    state = hearsay.snapshot(tmp_path / "paused").set({}).set({"network.latency": "1 s"})
    assert end / 4 < state.at <= end / 2
    branches = state.run(output=tmp_path / "branches", jobs=1)
    assert kept == {file: file.read_bytes() for file in (tmp_path / "paused").rglob("*") if file.is_file()}
    from_start = study.branch(state.at, [{}, {"network.latency": "1 s"}], output=tmp_path / "from start")
    pd.testing.assert_frame_equal(branches.series, from_start.series)
    same = branches.series[branches.series["branch"] == "{}"]
    assert list(same["value"]) == list(study.series["value"])
    with pytest.raises(ValueError, match="another folder"):
        state.run(output=tmp_path / "paused")
