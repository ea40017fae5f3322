"""Figures: what is drawn, read back from the marks."""
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
    delivered = shown[(shown["outcome"] == "delivered") & (shown["sent_s"] <= 5)]
    assert len(axes.texts) == len(delivered)
