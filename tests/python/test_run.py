"""Runs: options, messages as exceptions, progress, scenarios that are checked by the schema."""
import json

import pytest
from conftest import SMALL


def test_run_sets_options(hearsay, tmp_path):
    study = hearsay.run(SMALL, set={"privacy.epsilon": 5, "network.availability": "always"}, repeat=2, seed=7, jobs=1,
                        output=tmp_path / "out")
    assert study.scenario["seed"] == 7
    assert study.manifest["runs"] == 2
    assert study.manifest["threads"] == 1
    assert study.scenario["privacy"]["epsilon"] == 5


def test_the_default_folder_is_that_of_the_name(hearsay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(json.dumps(SMALL))
    options = {"set": {"sweep": None, "record.trace": None}, "repeat": 1}
    assert hearsay.run("mine.json", **options).folder.resolve() == tmp_path / "out" / "mine"
    assert hearsay.run({**SMALL, "name": "a b"}, **options).folder.resolve() == tmp_path / "out" / "a-b"


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
