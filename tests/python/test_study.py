"""Tables, curves and final values: numbers worked out by hand from tables that are written by hand."""
import json
import re
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest


def test_final_is_the_median_of_the_last_values_of_runs_that_are_done(hearsay, written):
    final = hearsay.load(written).final("loss")
    assert list(final["size"]) == [1, 2]
    assert list(final["runs"]) == [2, 1]
    # 2 and 6: median 4, quartiles 3 and 5 by linear interpolation.
    assert list(final.loc[0, ["loss", "loss.q25", "loss.q75"]]) == [4, 3, 5]
    assert list(final.loc[1, ["loss", "loss.q25", "loss.q75"]]) == [1, 1, 1]


def test_a_curve_has_the_last_value_of_each_repetition(hearsay, written):
    curve = hearsay.load(written).metric("loss", over="time_s", at=[0, 1.5, 2, 3])
    first = curve[curve["size"] == 1]
    assert list(first["time_s"]) == [0, 1.5, 2, 3]
    assert list(first["median"]) == [9, 7, 5, 4]  # (8, 10), (4, 10), (4, 6), (2, 6)
    assert list(first["runs"]) == [2, 2, 2, 2]
    assert list(curve[curve["size"] == 2]["median"]) == [1, 1, 1, 1]


def test_a_curve_at_one_place(hearsay, written):
    curve = hearsay.load(written).metric("loss", over="time_s", at=2)
    assert list(curve["time_s"]) == [2, 2] and list(curve["median"]) == [5, 1]


def test_a_curve_is_where_as_many_records_have_come_as_runs_go_on(hearsay, written):
    study = hearsay.load(written)
    curve = study.metric("loss", over="time_s")
    # Records at 0, 0; 1, 2; and 3, to which one of two repetitions goes on.
    first = curve[curve["size"] == 1]
    assert list(first["time_s"]) == [0, 2, 3]
    assert list(first["median"]) == [9, 5, 4]
    assert list(curve[curve["size"] == 2]["time_s"]) == [0]


@pytest.fixture(scope="module", params=[{"time": "5 s"}, {"iterations": 10}])
def recorded(hearsay, tmp_path_factory, request):
    """Four repetitions that end at different times, recorded at equal times or at equal iterations."""
    from conftest import SMALL
    small = {**SMALL, "sweep": {"privacy.epsilon": [1, 10]}, "repeat": 4,
             "record": {"every": request.param, "metrics": ["relative_fitness"]}}
    return hearsay.run(small, output=tmp_path_factory.mktemp("recorded") / "out")


def test_curves_do_not_lag_behind_common_records(recorded):
    """At a place at which all runs that go on have a record, the curve has the median of these and the last ones."""
    over = "time_s" if recorded.scenario["record"]["every"].get("time") else "iteration"
    for epsilon, rows in recorded.series.groupby("privacy.epsilon"):
        values = rows.pivot_table(index=over, columns="repetition", values="value", aggfunc="last")
        ends = rows.groupby("repetition")[over].max()
        common = [place for place, row in values.iterrows() if row[ends[ends >= place].index].notna().all()]
        curve = recorded.metric("relative_fitness", over=over)
        curve = curve[curve["privacy.epsilon"] == epsilon].set_index(over)["median"]
        assert len(common) >= 4 and set(common) <= set(curve.index)
        expected = values.ffill().median(axis=1)
        assert list(curve) == pytest.approx(list(expected[curve.index]))
        assert curve.index[-1] == ends.max()


@pytest.mark.parametrize("k, over", enumerate(("iteration", "time_s", "vectors", "bytes")))
def test_curves_are_those_of_the_report(hearsay, recorded, tmp_path, k, over):
    subprocess.run([hearsay.program(), "report", str(recorded.folder), "-o", str(tmp_path / "page.html")],
                   capture_output=True, check=True)
    page = (tmp_path / "page.html").read_text()
    figures = json.loads(re.search(r'<script type="application/json" id="figures">(.*?)</script>', page, re.S)[1])
    drawn = [(x, *y[:3]) for point in figures["study"]["points"]
             for x, y in zip(*map(point["curves"][0][k].get, ("x", "y")))]
    curve = recorded.metric("relative_fitness", over=over)
    assert len(drawn) == len(curve) > 8
    for column, values in zip((over, "median", "q25", "q75"), zip(*drawn)):
        assert list(curve[column]) == pytest.approx(list(values), rel=1e-5)


def test_a_place_beyond_the_end_of_all_runs_is_a_warning(hearsay, written):
    study = hearsay.load(written)
    with pytest.warns(hearsay.HearsayWarning, match="time_s 3.5 is beyond the end of all runs at 2 of 2 points .*: 3"):
        assert list(study.metric("loss", over="time_s", at=[1, 3.5])["median"]) == [7, 4, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.metric("share", over="time_s", at=1)


def test_final_has_a_row_for_each_point_and_what_was_selected(hearsay, written):
    runs = (written / "runs.csv").read_text().replace("2,0,done", "2,0,failed").replace(",status", ",rho,status")
    for status in ("done", "failed", "diverged"):
        runs = runs.replace(f",{status},", f",0.5,{status},", 3)
    (written / "runs.csv").write_text(runs.replace(",0.5,failed,0,0", ",failed,0,0"))
    final = hearsay.load(written).final("loss")
    assert list(final.columns) == ["size", "rho (selected)", "runs", "loss", "loss.q25", "loss.q75"]
    assert list(final["size"]) == [1, 2] and list(final["runs"]) == [2, 0]
    assert list(final["rho (selected)"]) == [0.5, 0.5]
    assert final["loss"].iloc[0] == 4 and pd.isna(final["loss"].iloc[1])


def test_a_metric_by_owner_is_their_mean_or_one_agents(hearsay, written):
    study = hearsay.load(written)
    assert list(study.metric("share", over="time_s")["median"]) == [2, 4]
    assert list(study.metric("share", over="time_s", agent=2)["median"]) == [3, 6]
    with pytest.raises(KeyError, match="no value of agent 7; it has those of 1, 2"):
        study.metric("share", agent=7)
    with pytest.raises(KeyError, match="it is no metric by owner"):
        study.metric("loss", agent=1)


def test_an_agent_may_have_the_name_of_its_owner(hearsay, small, written):
    by_name, by_number = (small.metric("releases_by_owner", agent=a) for a in ("owner 2", 2))
    pd.testing.assert_frame_equal(by_name, by_number)
    (written / "owners.csv").write_text("size,agent,name,records\n1,1,Bergen,5\n1,2,Oslo,5\n2,1,Bergen,5\n2,2,Oslo,5\n")
    study = hearsay.load(written)
    assert list(study.metric("share", over="time_s", agent="Oslo")["median"]) == [3, 6]
    # At another point the same owner may have another number.
    (written / "owners.csv").write_text("size,agent,name,records\n1,1,Oslo,5\n1,2,Bergen,5\n2,2,Oslo,5\n2,1,Bergen,5\n")
    assert list(hearsay.load(written).metric("share", over="time_s", agent="Oslo")["median"]) == [1, 2]
    with pytest.raises(KeyError, match="no owner is named 'Osslo'; did you mean 'Oslo'?"):
        study.metric("share", agent="Osslo")


def test_names_that_do_not_exist_are_errors_with_those_that_do(hearsay, written, tmp_path_factory):
    study = hearsay.load(written)
    with pytest.raises(KeyError, match="recorded are loss, share"):
        study.metric("los")
    with pytest.raises(ValueError, match="expected one of iteration, time_s"):
        study.metric("loss", over="time")
    with pytest.raises(FileNotFoundError, match="no trace"):
        study.trace()
    with pytest.raises(FileNotFoundError, match="manifest.json is missing"):
        hearsay.load(tmp_path_factory.mktemp("empty"))


def test_a_study_with_fewer_runs_than_planned_is_loaded_with_a_warning(hearsay, written):
    manifest = {"scenario": {"seed": 1}, "done": 3, "diverged": 1, "failed": 0, "interrupted": 1, "planned_runs": 6}
    (written / "manifest.json").write_text(json.dumps(manifest))
    with pytest.warns(hearsay.HearsayWarning, match="2 of 6 runs are missing"):
        hearsay.load(written)
    manifest["planned_runs"] = 4
    (written / "manifest.json").write_text(json.dumps(manifest))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hearsay.load(written)


def test_tables_are_typed(hearsay, written):
    study = hearsay.load(written)
    assert study.runs["size"].dtype.kind in "if"
    assert study.series["agent"].dtype == "Int64"
    assert study.series["value"].dtype == float
    assert pd.isna(study.series["value"].iloc[-1])
    assert study.runs["message"].iloc[-1] == "loss, too large"


def test_axes_that_are_no_numbers_keep_their_order(small):
    labels = small.runs["network.availability"].cat.categories
    assert labels[0] == "always" and len(labels) == 2
    assert small.runs["network.availability"].cat.ordered
    assert len(small.points) == 4
    assert len(small.runs) == 12


@pytest.mark.parametrize("values, kept", [(("x", "3"), "3"), (("null", "5"), "5"), (("10", "2"), "2")])
def test_an_axis_has_one_type_in_all_tables(hearsay, written, values, kept):
    """Also where only the point of the number has rows: as the value of the axis does not appear there."""
    for table in ("runs", "series"):
        head, *rows = (written / f"{table}.csv").read_text().splitlines()
        rows = [values[row[0] == "1"] + row[1:] for row in rows if table == "runs" or row[0] == "1"]
        (written / f"{table}.csv").write_text("\n".join([head, *rows]) + "\n")
    study = hearsay.load(written)
    assert study.series["size"].dtype == study.runs["size"].dtype
    assert isinstance(study.runs["size"].dtype, pd.CategoricalDtype) == (values[0] != "10")
    assert list(study.metric("loss", at=3)["median"]) == [4]  # of 2 and 6
    final = study.final("loss").merge(study.metric("loss", at=3), on="size")
    assert list(final["loss"]) == [4] and str(final["size"].iloc[0]) == kept


def test_final_values_are_those_that_the_program_prints(hearsay, small, tmp_path):
    printed = subprocess.run(
        [hearsay.program(), "run", str(_file(tmp_path)), "-o", str(small.folder), "--no-progress"],
        capture_output=True, text=True, check=True).stdout
    row = [line for line in printed.splitlines() if " [" in line and "always" in line][0]
    final = small.final("relative_fitness").iloc[0]
    for number in (final["relative_fitness"], final["relative_fitness.q25"], final["relative_fitness.q75"]):
        assert f"{number:.4g}" in row


def _file(folder):
    import json

    from conftest import SMALL
    path = folder / "small.json"
    path.write_text(json.dumps(SMALL))
    return path


def test_a_pivoted_table_is_a_frame_or_text(hearsay, small):
    frame = small.table(rows="privacy.epsilon", columns="network.availability")
    assert list(frame.index) == [1, 10] and list(frame.columns) == ["always", "coin"]  # as in tables
    final = small.final("relative_fitness")
    assert list(frame.to_numpy().flat) == list(final["relative_fitness"])  # points in the order of the sweep
    one = small.table(rows=["privacy.epsilon"], metric="releases_by_owner", where={"network.availability": "always"})
    assert list(one["releases_by_owner"]) == list(small.final("releases_by_owner")["releases_by_owner"][[0, 2]])
    coin = small.table(rows="privacy.epsilon", where={"network.availability": ["coin probability=0.9"]})
    assert list(coin["relative_fitness"]) == list(final["relative_fitness"][[1, 3]])
    text = small.table(columns="privacy.epsilon", where={"network.availability": "always"}, format="markdown",
                       statistic="mean")
    assert text.startswith("| 1 | 10 |\n|---:|---:|\n| ") and "±" in text
    assert small.table(rows="privacy.epsilon", columns="network.availability", format="latex").count("\\\\\n") == 4
    with pytest.raises(hearsay.InputError, match="network.availability still varies"):
        small.table(rows="privacy.epsilon")


def test_a_pivoted_table_has_the_categories_that_it_shows(hearsay, tmp_path):
    from conftest import SMALL
    networks = [{"topology": name, "latency": "1 ms"} for name in ("star", "complete")] + [{"topology": "ring"}]
    given = {**SMALL, "protocol": {"type": "ad_psgd", "step": 0.1}, "privacy": {"mechanism": "none"}, "repeat": 1,
             "record": {"metrics": ["objective"]}, "sweep": {"network": networks}}
    del given["network"]
    study = hearsay.run(given, output=tmp_path, progress=False)
    shown = study.table(rows="network").index  # in the order of the sweep; text that a label does not need is left out
    assert list(shown) == list(shown.categories) == [f"topology={name}" for name in ("star", "complete", "ring")]
    part = study.table(rows="network", where={"network": "topology=ring"}).index
    assert list(part) == ["topology=ring"]


def test_compare_over_an_axis_pairs_at_equal_values_of_the_others(small):
    table = small.compare(metrics="relative_fitness", over="privacy.epsilon", baseline=10)
    runs = small.series[(small.series["metric"] == "relative_fitness") & (small.series["iteration"] == 40)]
    ends = runs.pivot(index=["network.availability", "repetition"], columns="privacy.epsilon", values="value")
    expected = (ends[1] - ends[10]).groupby("network.availability", observed=True).mean()
    assert list(table["mean_difference"]) == pytest.approx(list(expected))
    assert list(table["privacy.epsilon"]) == [1, 1]
    always = small.compare(metrics="relative_fitness", over="privacy.epsilon", where={"network.availability": "always"})
    assert list(always["network.availability"]) == ["always"]


def test_compare_pairs_points_by_repetition(small):
    table = small.compare(reference=0, metrics="relative_fitness")
    assert list(table["metric"]) == ["relative_fitness"] * 3
    assert list(table["pairs"]) == [3, 3, 3]
    assert ((table["low"] <= table["mean_difference"]) & (table["mean_difference"] <= table["high"])).all()
    last = small.series[small.series["metric"] == "relative_fitness"].groupby(
        [*small.axes, "repetition"], observed=True, sort=False)["value"].last()
    of_point = [part.to_numpy() for _, part in last.groupby(small.axes, observed=True, sort=False)]
    expected = (of_point[1] - of_point[0]).mean()
    assert table["mean_difference"].iloc[0] == pytest.approx(expected)
    # The variance reduction of equal numbers is no number.
    assert small.compare(metrics="releases_by_owner")["variance_reduction"].dtype == float


def test_the_network_is_a_graph(small):
    graph = small.graph()
    assert sorted(graph.nodes) == [0, 1, 2, 3]
    assert sorted(graph.edges) == [(0, 1), (0, 2), (0, 3)]
    assert graph.edges[0, 1]["latency_s"] == pytest.approx(0.0075)  # the mean of uniform 0 to 15 ms


def test_models_have_a_row_each_and_a_column_for_each_parameter(hearsay, written):
    (written / "models.csv").write_text(
        "size,repetition,agent,parameter,name,value\n"
        "1,0,1,0,age,0.1\n1,0,1,1,\"a, \"\"b\"\"\",-0\n1,0,2,0,age,inf\n1,0,2,1,\"a, \"\"b\"\"\",0.3333333333333333\n"
        "2,0,1,0,age,5e-324\n2,0,1,1,\"a, \"\"b\"\"\",nan\n")
    models = hearsay.load(written).models()
    assert list(models.columns) == ["size", "repetition", "agent", "age", 'a, "b"']
    assert models[["size", "repetition", "agent"]].values.tolist() == [[1, 0, 1], [1, 0, 2], [2, 0, 1]]
    assert list(models["age"]) == [0.1, float("inf"), 5e-324]
    assert models['a, "b"'].iloc[1] == 1 / 3
    assert pd.isna(models['a, "b"'].iloc[2])


@pytest.mark.parametrize("rows", [
    "1,0,1,0,age,1\n1,0,1,1,age,2\n",                                 # twice the same name
    "1,0,1,0,age,1\n1,0,1,1,place,2\n2,0,1,0,x1,3\n2,0,1,1,x2,4\n",   # points with other data
    "1,0,1,0,,1\n1,0,1,1,,2\n",                                       # unknown
])
def test_parameters_without_names_are_numbered(hearsay, written, rows):
    (written / "models.csv").write_text("size,repetition,agent,parameter,name,value\n" + rows)
    models = hearsay.load(written).models()
    assert list(models.columns) == ["size", "repetition", "agent", 0, 1]
    assert list(models.loc[0, [0, 1]]) == [1, 2]


def test_a_parameter_without_a_name_leaves_the_others_theirs(hearsay, written):
    (written / "models.csv").write_text(
        "size,repetition,agent,parameter,name,value\n1,0,1,0,,1\n1,0,1,1,age,2\n")
    assert list(hearsay.load(written).models().columns) == ["size", "repetition", "agent", 0, "age"]


def test_models_of_different_lengths_are_filled_up(hearsay, written):
    (written / "models.csv").write_text(
        "size,repetition,agent,parameter,name,value\n1,0,1,0,x1,1\n2,0,1,0,x1,3\n2,0,1,1,x2,4\n")
    models = hearsay.load(written).models()
    assert list(models["x1"]) == [1, 3]
    assert pd.isna(models["x2"].iloc[0]) and models["x2"].iloc[1] == 4


def test_models_of_a_study_are_bit_for_bit_those_of_the_program(hearsay, small, tmp_path):
    with pytest.raises(FileNotFoundError, match="set record.models to final"):
        small.models()
    from conftest import SMALL
    study = hearsay.run(SMALL, set={"record.models": "final"}, output=tmp_path / "study")
    models = study.models()
    assert list(models.columns) == [*study.axes, "repetition", "agent", "x1", "x2"]
    assert len(models) == 12 and set(models["agent"]) == {0}
    assert models["network.availability"].cat.ordered
    import numpy as np
    import sqlite3
    with sqlite3.connect(tmp_path / "study" / "results.sqlite") as store:
        blobs = [row[0] for row in store.execute(
            "SELECT data FROM model JOIN run ON run.id = model.run JOIN study ON study.point = run.point "
            "ORDER BY study.number, repetition, agent")]
    assert (models[["x1", "x2"]].to_numpy() == np.array([np.frombuffer(b) for b in blobs])).all()


def test_quantiles_are_of_runs_in_which_there_is_a_number(hearsay, tmp_path):
    (tmp_path / "d.csv").write_text("y,u\n" + "".join(f"{7 * k % 11},{k % 5}\n" for k in range(40)))
    given = {"version": 1, "data": {"type": "csv", "path": "d.csv", "target": "y", "draw": "repetition", "test_fraction": 0.2,
                                    "owner": {"type": "quantity", "owners": 4, "alpha": 0.5, "min_records": 1}},
             "model": {"loss": "squared", "l2": 1e-3, "theta_max": 10}, "network": {"topology": "star"},
             "protocol": {"type": "central_async", "rho": 0.1}, "privacy": {"mechanism": "none"}, "stop": {"iterations": 40},
             "record": {"every": {"iterations": 20}, "metrics": ["test_error_by_owner"]}, "repeat": 12}
    series = hearsay.run(given, output=tmp_path / "all", data_dirs=tmp_path, progress=False).series
    assert series["value"].isna().any()  # owners without test records
    found = hearsay.run(given, set={"record.keep": "aggregate"}, output=tmp_path / "few", data_dirs=tmp_path, progress=False)
    found = found.quantiles.set_index(["agent", "iteration"])
    for place, part in series.dropna(subset=["value"]).groupby(["agent", "iteration"])["value"]:
        row = found.loc[place]
        assert row["runs"] == len(part)
        np.testing.assert_allclose([row["mean"], row["min"], row["median"], row["max"]],
                                   [part.mean(), part.min(), part.median(), part.max()], rtol=1e-9)


def test_the_last_value_counts_whatever_it_is(hearsay, written):
    text = (written / "series.csv").read_text()
    (written / "series.csv").write_text(text.replace("1,0,loss,,2,3,4,32,2\n", "1,0,loss,,2,3,4,32,nan\n"))
    # Repetition 1 ends at 6; repetition 0 has no number at its end, and was at 4 before.
    assert hearsay.load(written).final("loss")["loss"].iloc[0] == 6
