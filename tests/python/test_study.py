"""Tables, curves and final values: numbers worked out by hand from tables that are written by hand."""
import subprocess

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
    curve = hearsay.load(written).metric("loss", over="time_s", at=[0, 1.5, 2, 5])
    first = curve[curve["size"] == 1]
    assert list(first["time_s"]) == [0, 1.5, 2, 5]
    assert list(first["median"]) == [9, 7, 5, 4]  # (8, 10), (4, 10), (4, 6), (2, 6)
    assert list(first["runs"]) == [2, 2, 2, 2]
    assert list(curve[curve["size"] == 2]["median"]) == [1, 1, 1, 1]


def test_the_grid_is_even_where_records_differ_and_theirs_where_they_do_not(hearsay, written):
    study = hearsay.load(written)
    curve = study.metric("loss", over="time_s")
    # The longest repetition has three records, the last time is 3.
    assert list(curve[curve["size"] == 1]["time_s"]) == [0, 1.5, 3]
    assert list(curve[curve["size"] == 2]["time_s"]) == [0]


def test_a_metric_by_owner_is_their_mean_or_one_agents(hearsay, written):
    study = hearsay.load(written)
    assert list(study.metric("share", over="time_s")["median"]) == [2, 4]
    assert list(study.metric("share", over="time_s", agent=2)["median"]) == [3, 6]
    with pytest.raises(KeyError, match="no value of agent 7"):
        study.metric("share", agent=7)


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
