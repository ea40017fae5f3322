"""Figures with matplotlib, in a style that fits a column of a paper."""
import contextlib
import itertools

import numpy as np
import pandas as pd

from .program import in_notebook

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
    where: keeps points, {"privacy.epsilon": [1, 10]}. ax: matplotlib axes to draw into.
    """
    with _axes(ax) as (figure, ax):
        table = study.metric(metric, over=over) if by is None else _final(study, metric, by)
        for axis, kept in (where or {}).items():
            table = table[table[axis].isin(kept if isinstance(kept, (list, tuple, set)) else [kept])]
        lines = [a for a in study.axes if a != by]
        x = over if by is None else by
        labels = pd.Series([_label(row, lines) for row in table.to_dict("records")], index=table.index, dtype=str)
        # Colours and dashes together repeat after 24 lines.
        styles = itertools.cycle(itertools.product(("-", "--", ":"), COLOURS))
        for (label, rows), (dashes, colour), marker in zip(table.groupby(labels, sort=False), styles,
                                                           itertools.cycle(MARKERS)):
            _line(ax, rows, x, label, colour, dashes, marker if by is not None else None, band)
        _scales(ax, table, x, log)
        ax.set_xlabel(_LABELS.get(x, x))
        ax.set_ylabel(metric)
        if lines and labels.nunique() > 1:
            _legend(ax, lines, labels)
        if title:
            ax.set_title(title)
        return figure


def _legend(ax, lines, labels):
    """Within the axes where it is small, else below them."""
    title = ", ".join(lines) if len(lines) < 3 else None
    if labels.nunique() <= 6 and labels.str.len().max() <= 20:
        ax.legend(title=title)
        return
    ax.legend(title=title, loc="upper left", bbox_to_anchor=(0, -0.25), borderaxespad=0)
    width, height = ax.figure.get_size_inches()
    ax.figure.set_size_inches(max(width, 0.06 * labels.str.len().max() + 0.6), height + 0.18 * (labels.nunique() + 2))


def _final(study, metric, by):
    if by not in study.axes:
        raise KeyError(f"{by!r} is not swept; swept are {', '.join(study.axes) or 'none'}")
    table = study.final(metric)
    return table.rename(columns={metric: "median", f"{metric}.q25": "q25", f"{metric}.q75": "q75"})


def _label(values, lines):
    """Of a line: the values of these axes, or nothing."""
    if len(lines) == 1:
        return str(_short(values[lines[0]]))
    return ", ".join(f"{axis.rsplit('.', 1)[-1]} {_short(values[axis])}" for axis in lines)


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
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return values.size > 1 and values.min() > 0 and values.max() / values.min() >= 100


def _scales(ax, table, x, log):
    if log or (log is None and _wide(table["median"])):
        ax.set_yscale("log")
    if x not in _LABELS and not isinstance(table[x].dtype, pd.CategoricalDtype) and _wide(table[x]):
        ax.set_xscale("log")


def messages(trace, start=0, end=None, ax=None):
    """Message timeline of a window: a lane for each agent, an arrow for each message, lost ones dotted."""
    end = trace.events["time_s"].max() if end is None else end
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
