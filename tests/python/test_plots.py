"""Figures: what is drawn, read back from the marks."""
import numpy as np
import pytest


def test_a_line_and_a_band_for_each_point(written, hearsay):
    figure = hearsay.load(written).plot("loss", over="time_s")
    axes = figure.axes[0]
    assert [list(line.get_ydata()) for line in axes.lines] == [[9, 5, 4], [1]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["1", "2"]
    assert len(axes.collections) == 2
    assert axes.get_xlabel() == "simulated time (s)"


def test_final_values_against_a_swept_option(written, hearsay):
    axes = hearsay.load(written).plot("loss", by="size").axes[0]
    assert list(axes.lines[0].get_xdata()) == [1, 2]
    assert list(axes.lines[0].get_ydata()) == [4, 1]


def test_two_axes_give_a_line_for_each_of_the_other(small):
    axes = small.plot("relative_fitness", by="privacy.epsilon").axes[0]
    assert len(axes.lines) == 2
    only = small.plot("relative_fitness", where={"privacy.epsilon": 1}).axes[0]
    assert len(only.lines) == 2
    with pytest.raises(KeyError, match="is not swept"):
        small.plot("relative_fitness", by="privacy.delta")


def test_panels_have_one_value_each_and_all_lines(small):
    figure = small.plot("relative_fitness", x="privacy.epsilon", facet="network.availability", width="column")
    # The complete name has no room.
    assert [axes.get_title() for axes in figure.axes] == ["availability =\nalways", "availability = coin\nprobability=0.9"]
    assert figure.get_size_inches()[0] == 3.4
    final = small.final("relative_fitness")
    for axes, (_, part) in zip(figure.axes, final.groupby("network.availability", observed=True)):
        assert [list(line.get_ydata()) for line in axes.lines] == [list(part["relative_fitness"])]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert [axes.get_ylabel() for axes in figure.axes] == ["relative_fitness", ""]


def test_names_are_categories_in_the_order_of_the_sweep_with_a_series_for_each_value(small):
    figure = small.plot("relative_fitness", x="network.availability", by="privacy.epsilon", width="page")
    axes, = figure.axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["always", "coin probability=0.9"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["1", "10"]
    assert figure.get_size_inches()[0] == 7


def test_an_axis_that_is_neither_drawn_nor_chosen_is_an_error(small):
    with pytest.raises(ValueError, match="network.availability still varies; choose a value: where="):
        small.plot("relative_fitness", x="privacy.epsilon", by="privacy.epsilon")
    with pytest.raises(KeyError, match="did you mean 'network.availability'"):
        small.plot("relative_fitness", x="privacy.epsilon", facet="network.availabilty")
    with pytest.raises(ValueError, match="width: expected one of column, page, found 'half'"):
        small.plot("relative_fitness", width="half")


def test_an_axis_is_logarithmic_as_in_the_figures_of_the_program():
    from hearsay.plots import _logarithmic
    # The cases of tests/analysis/page_test.cpp.
    for values, expected in (([10, 0.1, 1], True), ([1, 100], True), ([0.1, 0.3, 1, 3, 10], True), ([1, 2, 3, 4], False),
                             ([10, 20, 30, 100, 110], False), ([0, 10], False), ([0, 1, 2, 3], False),
                             ([-1, 1, 10], False), ([], False), ([0, 0.01, 1, 2], True), (range(11), False)):
        assert _logarithmic(list(values))[0] == expected, values


def test_nothing_to_draw_is_one_error(small, written, hearsay):
    from hearsay import plots
    with pytest.raises(ValueError, match="where: privacy.epsilon: expected at least one value, found none"):
        small.plot("relative_fitness", where={"privacy.epsilon": []})
    with pytest.raises(ValueError, match="loss: there is nothing to draw: no run that is done has a number"):
        (written / "runs.csv").write_text((written / "runs.csv").read_text().replace(",done,", ",failed,"))
        hearsay.load(written).plot("loss")
    for window in ((1e6, 1e6 + 1), (5, 0)):
        with pytest.raises(ValueError, match="the trace has no event from"):
            plots.messages(small.trace(), *window)


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_figures_are_saved(small, tmp_path, kind):
    path = tmp_path / f"f.{kind}"
    small.plot("relative_fitness").savefig(path)
    assert path.stat().st_size > 2000


def test_message_timeline(small):
    from hearsay import plots
    trace = small.trace()
    axes = plots.messages(trace, 0, 5).axes[0]
    shown = trace.messages()
    shown = shown[shown["sent_s"] <= 5]
    assert len(axes.patches) == (shown["outcome"] == "delivered").sum()
    assert [line.get_marker() for line in axes.lines].count("x") == (shown["outcome"] == "lost").sum() > 0
    assert axes.get_ylim() == (-0.5, 3.5)  # also the lane of the hub, which has no ticks


def test_messages_that_leave_a_window_or_are_under_way_are_drawn(hearsay, tmp_path):
    from hearsay import plots
    (tmp_path / "trace.csv").write_text(
        "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail\n"
        "0,0,start,,,,,,,0,\n1,1,tick,1,,,tick:1:0,,,0,\n2,1,send,1,0,message:1:0,tick:1:0,64,,0,\n"
        "3,2,tick,1,,,tick:1:1,,,0,\n4,2,send,1,0,message:1:1,tick:1:1,64,,0,\n"
        "5,3,deliver,0,1,message:1:0,message:1:0,64,2,0,\n")
    trace = hearsay.Trace(tmp_path / "trace.csv")
    figure = plots.messages(trace, 0.5, 2.5)
    axes = figure.axes[0]
    arrow, = axes.patches
    assert arrow.get_clip_box() is not None and axes.get_ylim() == (-0.5, 1.5) and axes.get_xlim() == (0.5, 2.5)
    under_way, ticks = axes.lines
    assert under_way.get_xydata().tolist() == [[2, 1], [3, 0]] and ticks.get_marker() == "|"
    # The arrow is seen at half of its way, at 2 s between the lanes.
    figure.canvas.draw()
    x, y = axes.transData.transform((2, 0.5)).astype(int)
    pixels = np.asarray(figure.canvas.buffer_rgba())[::-1]
    assert (pixels[y - 2:y + 3, x - 2:x + 3, 0] < 128).any()
