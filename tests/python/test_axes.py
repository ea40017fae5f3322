"""Axes with units: one number each, with the text as its label. Points are kept by number or text."""
import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import SMALL

TEXTS = ["0 ms", "30 ms", "1 s", "10 s"]
NUMBERS = [0, 0.03, 1, 10]


@pytest.fixture(scope="module")
def latency(hearsay, tmp_path_factory):
    sweep = {"network.latency.max": TEXTS, "network.availability": ["always", {"type": "coin", "probability": 0.9}]}
    return hearsay.run({**SMALL, "sweep": sweep}, set={"record.trace": None},
                       output=tmp_path_factory.mktemp("latency") / "out")


def test_an_axis_with_units_counts_once(latency):
    assert latency.axes == ["network.latency.max", "network.availability"]
    assert latency.labels == {"network.latency.max": dict(zip(NUMBERS, TEXTS))}
    final = latency.final("relative_fitness")
    assert list(final.columns[:3]) == ["network.latency.max", "network.availability", "runs"]
    assert list(dict.fromkeys(final["network.latency.max"])) == NUMBERS
    assert latency.points.shape == (8, 2)
    table = final.groupby(latency.axes, observed=True)["relative_fitness"].first().unstack()
    assert table.shape == (4, 2) and table.notna().all().all()
    assert set(latency.runs["network.latency.max.text"]) == set(TEXTS)  # as in the file


def test_differences_have_the_numbers_of_the_other_tables(latency):
    table = latency.compare(metrics="relative_fitness")
    assert table["network.latency.max"].dtype == float
    assert list(dict.fromkeys(table["network.latency.max"])) == NUMBERS


def test_all_tables_have_the_same_axes(latency):
    for table in (latency.runs, latency.series, latency.scalars, latency.owners):
        points = table[latency.axes].dropna().drop_duplicates()
        assert len(points.merge(latency.points, on=latency.axes)) == len(points) > 0


def test_a_plot_has_one_line_along_an_axis_with_units(latency):
    axes = latency.plot("relative_fitness", by="network.latency.max", where={"network.availability": "always"}).axes[0]
    assert [list(line.get_xdata()) for line in axes.lines] == [NUMBERS]
    assert [text.get_text() for text in axes.get_xticklabels()] == TEXTS
    # 0 and 30 ms are apart, too.
    places = axes.transData.transform([(x, 0.1) for x in NUMBERS])[:, 0]
    assert (np.diff(places) > 40).all()
    lines = latency.plot("relative_fitness", where={"network.availability": "always"}).axes[0]
    assert [text.get_text() for text in lines.get_legend().get_texts()] == TEXTS


def test_many_values_have_as_many_ticks_as_fit(hearsay, written):
    for table in ("runs", "series"):
        rows = (written / f"{table}.csv").read_text().splitlines()
        (written / f"{table}.csv").write_text("\n".join(
            ["size,size.text," + rows[0].split(",", 1)[1]] +
            [f"{k},{k} s,{row.split(',', 1)[1]}" for k in range(1, 31) for row in rows[1:] if row.startswith("1,")]))
    axes = hearsay.load(written).plot("loss", by="size").axes[0]
    assert list(axes.lines[0].get_xdata()) == list(range(1, 31))
    shown = [text.get_text() for text in axes.get_xticklabels()]
    assert 5 <= len(shown) <= 8 and shown[0] == "1 s"


@pytest.mark.parametrize("value", [1, 1.0, np.float64(1), np.int64(1), "1 s", "1s", "1000 ms", "1", [1, "1 s"], {1}])
def test_points_are_kept_by_number_or_text(latency, value):
    figure = latency.plot("relative_fitness", by="network.availability", where={"network.latency.max": value})
    assert figure.axes[0].get_legend() is None  # one line, of one latency
    figure = latency.plot("relative_fitness", where={"network.latency.max": value, "network.availability": "always"})
    final = latency.final("relative_fitness")
    expected = final[(final["network.latency.max"] == 1) & (final["network.availability"] == "always")]
    assert [line.get_ydata()[-1] for line in figure.axes[0].lines] == list(expected["relative_fitness"])


def test_numbers_of_an_axis_without_units_may_be_asked_for_with_one(hearsay, written):
    axes = hearsay.load(written).plot("loss", over="time_s", where={"size": "1000 ms"}).axes[0]
    assert [list(line.get_ydata()) for line in axes.lines] == [[9, 5, 4]]


@pytest.mark.parametrize("where, message", [
    ({"network.latency.max": 2}, "network.latency.max: no point has 2; expected one of '0 ms', '30 ms', '1 s', '10 s'"),
    ({"network.latency.max": ["1 s", "2 s"]}, "no point has '2 s'; expected one of '0 ms', '30 ms'"),
    ({"network.availability": "alway"}, "no point has 'alway'; expected one of 'always', 'coin probability=0.9'"),
    ({"network.latncy.max": 1}, "'network.latncy.max' is not swept; did you mean 'network.latency.max'"),
    ({"seed": 1}, "'seed' is not swept; swept are network.latency.max, network.availability"),
])
def test_what_is_not_there_is_an_error_with_what_is(latency, where, message):
    with pytest.raises(KeyError, match=message):
        latency.plot("relative_fitness", where=where)


@pytest.mark.parametrize("count", [5, 16, 40])
def test_legends_stay_inside_the_picture(hearsay, written, count):
    for table in ("runs", "series"):
        rows = (written / f"{table}.csv").read_text().splitlines()
        (written / f"{table}.csv").write_text("\n".join([rows[0]] + [
            f"{'a rather long name of a protocol with options ' * (k % 2)}{k}," + row.split(",", 1)[1]
            for k in range(count) for row in rows[1:] if row.startswith("1,")]))
    figure = hearsay.load(written).plot("loss", over="time_s")
    figure.canvas.draw()
    legend = figure.axes[0].get_legend()
    assert len(legend.get_texts()) == count
    box = legend.get_window_extent()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
    assert count == 5 or figure.axes[0].get_window_extent().y0 >= box.y1  # below the axes and their labels
    assert figure.axes[0].bbox.height > 100  # the picture is not squeezed either


def test_axes_of_the_caller_keep_their_figure(latency):
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
    latency.plot("relative_fitness", ax=right)
    assert list(figure.get_size_inches()) == [8, 3]
    assert len(right.lines) == 8 and right.get_legend() is not None and not left.lines


def test_points_are_kept_by_numbers_up_to_rounding(hearsay, written):
    for table in ("runs", "series"):
        text = (written / f"{table}.csv").read_text()
        (written / f"{table}.csv").write_text(text.replace("\n2,", "\n0.6,"))
    study = hearsay.load(written)
    for value in (0.6, np.linspace(0, 1, 11)[6], 0.1 + 0.5 + 1e-16, "600 ms"):  # one of them is 0.6000000000000001
        assert len(study.plot("loss", over="time_s", where={"size": value}).axes[0].lines) == 1
    with pytest.raises(KeyError, match="no point has 0.60001"):
        study.plot("loss", over="time_s", where={"size": 0.60001})
