"""Figures with matplotlib, in a style that fits a column of a paper."""
import contextlib
import itertools

import numpy as np
import pandas as pd

from .program import in_notebook
from .tables import require_axis, select

# Okabe and Ito's colours, which people who are colour-blind can distinguish, and markers beside them.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    "figure.figsize": (3.5, 2.6), "figure.dpi": 150, "savefig.bbox": "tight", "font.size": 8,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
    "grid.linewidth": 0.5, "lines.linewidth": 1.2, "lines.markersize": 4, "legend.frameon": False,
    "legend.fontsize": 7, "pdf.fonttype": 42,
}
_LABELS = {"iteration": "iterations", "time_s": "simulated time (s)", "vectors": "vectors sent", "bytes": "bytes sent"}


@contextlib.contextmanager
def _axes(ax, size=None):
    """The axes given, or those of a new figure in the style above."""
    import matplotlib.pyplot as plt
    with plt.rc_context(STYLE):
        figure, ax = (ax.figure, ax) if ax is not None else plt.subplots(figsize=size, layout="constrained")
        yield figure, ax
        if in_notebook():
            plt.close(figure)  # a cell shows the figure that it returns; open ones would be shown again


def plot(study, metric, over="iteration", by=None, ax=None, log=None, band=True, where=None, title=None):
    """Draws a metric of a study and returns the figure.

    over: along iteration, time_s, vectors or bytes, a line for each point: the median, with the quartiles as a band.
    by: an axis of the sweep instead, with final values: a line for each combination of the other axes.
    log: a logarithmic vertical axis; by default if all values are above 0 and spread over two decades or more.
    where: keeps points, {"privacy.epsilon": [1, 10], "network.latency": "10 ms"}; KeyError for what is not there.
    ax: matplotlib axes to draw into.
    """
    own = ax is None
    table = study.metric(metric, over=over) if by is None else _final(study, metric, by)
    table = select(table, where, study.axes, study.labels)
    if not table["median"].notna().any():
        raise ValueError(f"{metric}: there is nothing to draw: no run that is done has a number")
    with _axes(ax) as (figure, ax):
        lines = [a for a in study.axes if a != by and table[a].nunique() > 1]
        x = over if by is None else by
        labels = pd.Series([_label(row, lines, study.labels) for row in table.to_dict("records")], index=table.index,
                           dtype=str)
        # Colours and dashes together repeat after 24 lines.
        styles = itertools.cycle(itertools.product(("-", "--", ":"), COLOURS))
        for (label, rows), (dashes, colour), marker in zip(table.groupby(labels, sort=False), styles,
                                                           itertools.cycle(MARKERS)):
            _line(ax, rows, x, label, colour, dashes, marker if by is not None else None, band)
        _scales(ax, table, x, log)
        _ticks(ax, study.labels.get(x, {}), table[x])
        ax.set_xlabel(_LABELS.get(x, x))
        ax.set_ylabel(metric)
        if title:
            ax.set_title(title)
        if lines and labels.nunique() > 1:
            _legend(ax, lines, labels, own)
        return figure


def _legend(ax, lines, labels, own):
    """Within the axes where it is small or the figure is the caller's; else in a strip below them that is added to the
    figure, in as many columns as fit."""
    title = ", ".join(lines) if len(lines) < 3 else None
    many = labels.nunique()
    if not own or (many <= 6 and labels.str.len().max() <= 20):
        ax.legend(title=title, ncol=-(-many // 8))
        return
    figure = ax.figure
    width, height = figure.get_size_inches()
    for columns in (4, 3, 2, 1):
        legend = ax.legend(title=title, ncol=columns, loc="lower left", bbox_to_anchor=(0, 0),
                           bbox_transform=figure.transFigure)
        size = legend.get_window_extent()
        needed, strip = size.width / figure.dpi + 0.1, size.height / figure.dpi + 0.1
        if needed <= max(width, 5):
            break
    legend.set_in_layout(False)
    figure.set_size_inches(max(width, needed), height + strip)
    figure.get_layout_engine().set(rect=(0, strip / (height + strip), 1, height / (height + strip)))


def _final(study, metric, by):
    require_axis(by, study.axes)
    table = study.final(metric)
    return table.rename(columns={metric: "median", f"{metric}.q25": "q25", f"{metric}.q75": "q75"})


def _label(values, lines, texts):
    """Of a line: the values of these axes, or nothing."""
    shown = [str(_short(texts.get(axis, {}).get(values[axis], values[axis]))) for axis in lines]
    if len(lines) == 1:
        return shown[0]
    return ", ".join(f"{axis.rsplit('.', 1)[-1]} {value}" for axis, value in zip(lines, shown))


def _short(value):
    return f"{value:g}" if isinstance(value, float) else value


def _line(ax, rows, x, label, colour, dashes, marker, band):
    places = rows[x]
    if isinstance(places.dtype, pd.CategoricalDtype):
        ax.errorbar(places.astype(str), rows["median"], [rows["median"] - rows["q25"], rows["q75"] - rows["median"]],
                    fmt=marker, color=colour, label=label, capsize=2)
        return
    rows = rows.sort_values(x)
    ax.plot(rows[x], rows["median"], color=colour, linestyle=dashes, marker=marker, label=label)
    if band:
        ax.fill_between(rows[x].astype(float), rows["q25"].astype(float), rows["q75"].astype(float), color=colour,
                        alpha=0.2, linewidth=0)


def _wide(values):
    """Above 0 and over two decades."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return values.size > 1 and values.min() > 0 and values.max() / values.min() >= 100


def _scales(ax, table, x, log):
    if log or (log is None and _wide(table["median"])):
        ax.set_yscale("log")
    if x in _LABELS or isinstance(table[x].dtype, pd.CategoricalDtype):
        return
    above = table[x][table[x] > 0]
    if _wide(table[x]):
        ax.set_xscale("log")
    elif (table[x] >= 0).all() and _wide(above):
        ax.set_xscale("symlog", linthresh=above.min(), linscale=0.5)


def _ticks(ax, texts, values):
    """On an axis with units: the values as written, all of them or every second, third, ..."""
    from matplotlib.ticker import NullLocator
    places = sorted(x for x in set(values) if x in texts)
    if places:
        places = places[:: -(-len(places) // 8)]
        ax.set_xticks(places, [texts[x] for x in places])
        ax.xaxis.set_minor_locator(NullLocator())


def messages(trace, start=0, end=None, ax=None):
    """Message timeline of a window: a lane for each agent, an arrow for each message, lost ones dotted.
    Raises ValueError for a window without events."""
    times = trace.events["time_s"]
    end = times.max() if end is None else end
    if not times.between(start, end).any():
        raise ValueError(f"the trace has no event from {start:g} to {end:g} s; its events are from {times.min():g} to "
                         f"{times.max():g} s")
    with _axes(ax, (7, 2.6)) as (figure, ax):
        for m in trace.messages().itertuples(index=False):
            until = m.arrived_s if m.outcome == "delivered" else m.sent_s
            if until < start or m.sent_s > end:
                continue
            if m.outcome == "delivered":
                ax.annotate("", (m.arrived_s, m.target), (m.sent_s, m.source),
                            arrowprops={"arrowstyle": "->", "color": COLOURS[0], "linewidth": 0.7})
            else:
                ax.plot([m.sent_s], [m.source], "x", color=COLOURS[1])
        ticks = trace.of("tick")
        ax.plot(ticks["time_s"], ticks["agent"].astype(float), "|", color=COLOURS[2])
        ax.set_xlim(start, end)
        ax.yaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(_LABELS["time_s"])
        ax.set_ylabel("agent")
        return figure
