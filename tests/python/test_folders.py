"""A study is what it was when it was run, whatever is run later, here or in another process."""
import json
import shutil
import subprocess

import pandas as pd
import pytest
from conftest import SMALL

ONE = {**SMALL, "sweep": None, "repeat": 2}


@pytest.fixture
def here(hearsay, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(json.dumps(ONE))
    return tmp_path


def own(hearsay, scenario, tmp_path, **options):
    """The final values of a study that nobody else can replace."""
    return hearsay.run(scenario, output=tmp_path / "alone", **options).final("relative_fitness")


@pytest.mark.parametrize("mapping", [True, False])
@pytest.mark.parametrize("one, other", [
    ({"set": {"privacy.epsilon": 1}}, {"set": {"privacy.epsilon": 100}}),
    ({"set": {"sweep": {"privacy.epsilon": [1]}}}, {"set": {"sweep": {"privacy.epsilon": [1, 100]}}}),
    ({"seed": 1}, {"seed": 2}),
    ({"repeat": 1}, {"repeat": 3}),
])
def test_each_study_keeps_its_own_numbers(hearsay, here, mapping, one, other):
    scenario = ONE if mapping else "mine.json"
    first = hearsay.run(scenario, **one)
    second = hearsay.run(scenario, **other)
    assert first.folder != second.folder
    expected = own(hearsay, scenario, here, **one)
    pd.testing.assert_frame_equal(first.final("relative_fitness"), expected)
    assert not second.final("relative_fitness").equals(expected)


def test_mappings_have_folders_by_content(hearsay, here):
    first = hearsay.run(ONE, set={"privacy.epsilon": 1})
    second = hearsay.run({**ONE, "privacy": {**ONE["privacy"], "epsilon": 100}})
    assert first.final("relative_fitness").iloc[0]["relative_fitness"] > \
        second.final("relative_fitness").iloc[0]["relative_fitness"]


def test_an_equal_call_resumes_in_the_same_folder(hearsay, here):
    first = hearsay.run(ONE, set={"privacy.epsilon": 1})
    begun = first.manifest["wall_s"], (first.folder / "results.sqlite").stat().st_ino
    again = hearsay.run(ONE, set={"privacy.epsilon": 1})
    assert again.folder == first.folder
    assert (again.folder / "results.sqlite").stat().st_ino == begun[1]
    assert list(first.runs["fingerprint"]) == list(again.runs["fingerprint"])
    assert len(first.series) == len(again.series)


def test_a_file_as_it_is_has_the_folder_of_the_program(hearsay, here):
    subprocess.run([hearsay.program(), "run", "mine.json", "--no-progress"], check=True, capture_output=True)
    assert hearsay.run("mine.json").folder.resolve() == here / "out" / "mine"
    assert [path.name for path in (here / "out").iterdir()] == ["mine"]


def test_a_file_that_is_edited_has_another_folder_with_set(hearsay, here):
    first = hearsay.run("mine.json", set={"privacy.epsilon": 1})
    (here / "mine.json").write_text(json.dumps({**ONE, "seed": 5}))
    assert hearsay.run("mine.json", set={"privacy.epsilon": 1}).folder != first.folder


LATE = {
    "series": lambda s: s.series, "scalars": lambda s: s.scalars, "owners": lambda s: s.owners,
    "nodes": lambda s: s.nodes, "links": lambda s: s.links, "table": lambda s: s.table("runs"),
    "final": lambda s: s.final(), "metric": lambda s: s.metric("relative_fitness"), "graph": lambda s: s.graph(),
    "models": lambda s: s.models(), "trace": lambda s: s.trace(), "compare": lambda s: s.compare(),
    "plot": lambda s: s.plot("relative_fitness"),
}


@pytest.fixture(scope="module")
def replaced(hearsay, tmp_path_factory):
    """A study whose folder another process has given to another study."""
    folder = tmp_path_factory.mktemp("replaced")
    file = folder / "mine.json"
    options = {"record.models": "final", "sweep": {"protocol.timeout": ["1 s", "2 s"]}}
    file.write_text(json.dumps(ONE))
    study = hearsay.run(file, set=options, output=folder / "out")
    changed = {**options, "privacy.epsilon": 3, "data.owners": 4}
    sets = [argument for path, value in changed.items() for argument in ("--set", f"{path}={json.dumps(value)}")]
    subprocess.run([hearsay.program(), "run", str(file), "-o", str(folder / "out"), "--no-progress", *sets],
                   check=True, capture_output=True)
    return study


@pytest.mark.parametrize("name", LATE)
def test_a_replaced_study_is_an_error_that_names_both(hearsay, replaced, name):
    with pytest.raises(hearsay.OutputError, match=r"owners 3, privacy.epsilon 10,.* another, with data.owners 4, "
                       r"privacy.epsilon 3; .*output="):
        LATE[name](replaced)
    assert replaced.scenario["privacy"]["epsilon"] == 10


def test_what_was_read_before_stays(hearsay, here):
    first = hearsay.run(ONE, output="out/x")
    before = first.final("relative_fitness")
    hearsay.run(ONE, set={"privacy.epsilon": 1}, output="out/x")
    pd.testing.assert_frame_equal(first.final("relative_fitness"), before)


def test_other_data_or_a_folder_that_is_gone_are_errors_too(hearsay, here):
    rows = [f"{k},{k % 3}\n" for k in range(12)]
    (here / "rows.csv").write_text("x,y\n" + "".join(rows))
    data = {"type": "csv", "path": "rows.csv", "target": "y", "owner": {"blocks": 3}}
    study = hearsay.run({**ONE, "data": data}, output="out/x")
    (here / "rows.csv").write_text("x,y\n" + "".join(rows[:-1]) + "11,2.5\n")
    hearsay.run({**ONE, "data": data}, output="out/x")
    with pytest.raises(hearsay.OutputError, match="2 runs of fingerprint .* another, with 2 runs of fingerprint"):
        study.final()
    shutil.rmtree("out/x")
    with pytest.raises(hearsay.OutputError, match="no longer there"):
        study.final()


def test_a_run_that_has_begun_in_the_folder_is_no_comparison(hearsay, here):
    """A run replaces the database at its beginning and the tables at its end."""
    study = hearsay.run("mine.json", set={"sweep": {"privacy.epsilon": [1, 10]}}, output="out/x")
    hearsay.run("mine.json", set={"sweep": {"privacy.epsilon": [1, 20]}}, output="out/y")
    shutil.copy("out/y/results.sqlite", "out/x/results.sqlite")
    with pytest.raises(hearsay.OutputError, match="a run of another scenario has begun"):
        study.compare()


def test_a_study_stays_where_it_is_when_the_current_folder_changes(hearsay, here, monkeypatch):
    study = hearsay.run("mine.json")
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert len(study.final("relative_fitness")) == 1
