"""Figures with matplotlib, in a style that fits a column of a paper."""
import contextlib
import itertools
import textwrap

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


_WIDTHS = {"column": 3.4, "page": 7}  # of a paper, in inches; as hearsay figures --width has them


@contextlib.contextmanager
def _axes(ax, size=None, panels=1, columns=1):
    """The axes given, or those of a new figure in the style above."""
    import matplotlib.pyplot as plt
    with plt.rc_context(STYLE):
        if ax is not None:
            figure, all_axes = ax.figure, [ax]
        else:
            figure, grid = plt.subplots(-(-panels // columns), columns, figsize=size, layout="constrained", sharex=True,
                                        sharey=True, squeeze=False)
            all_axes = list(grid.flat)
            for empty in all_axes[panels:]:
                empty.remove()
        yield figure, all_axes[:panels]
        if in_notebook():
            plt.close(figure)  # a cell shows the figure that it returns; open ones would be shown again


def plot(study, metric, over="iteration", by=None, ax=None, log=None, band=True, where=None, title=None, x=None, facet=None,
         width=None):
    """Draws a metric of a study and returns the figure.

    over: along iteration, time_s, vectors or bytes, a line for each point: the median, with the quartiles as a band.
    x: an axis of the sweep instead, with final values. by: the axis with a line for each value; by default a line for each
    combination of the other axes. Without x, by is x.
    facet: the axis with a panel for each value. With by and x, ValueError if points differ in a further axis.
    width: "column" (3.4 in) or "page" (7 in) of a paper; by default 3.5 in, and 7 in with facet.
    log: a logarithmic vertical axis; by default if all values are above 0 and spread over two decades or more.
    where: keeps points, {"privacy.epsilon": [1, 10], "network.latency": "10 ms"}; KeyError for what is not there.
    ax: matplotlib axes to draw into.
    """
    x, by = (by, None) if x is None else (x, by)
    for axis in (x, by, facet):
        if axis is not None:
            require_axis(axis, study.axes)
    if width is not None and width not in _WIDTHS:
        raise ValueError(f"width: expected one of {', '.join(_WIDTHS)}, found {width!r}")
    if ax is not None and (facet is not None or width is not None):
        raise ValueError("ax: a figure of your own has its panels and its width; leave out facet and width")
    table = study.metric(metric, over=over) if x is None else _final(study, metric)
    table = select(table, where, study.axes, study.labels)
    if not table["median"].notna().any():
        raise ValueError(f"{metric}: there is nothing to draw: no run that is done has a number")
    lines = [a for a in study.axes if a not in (x, facet) and table[a].nunique() > 1]
    if by is not None:
        if table.duplicated([a for a in (x, by, facet) if a is not None]).any():
            further = next(a for a in lines if a != by)
            raise ValueError(f"{further} still varies; choose a value: where={{{further!r}: ...}}")
        lines = [by]
    panels = [None] if facet is None else list(np.unique(table[facet]) if table[facet].dtype.kind != "O" else
                                               table[facet].cat.remove_unused_categories().cat.categories)
    inches = _WIDTHS["page" if facet is not None else "column"] if width is None else _WIDTHS[width]
    columns = min(len(panels), 2 if inches < 5 else 4)
    height = 2.6 if len(panels) == 1 else 0.6 + 1.8 * -(-len(panels) // columns)
    size = None if facet is None and width is None else (inches, height)
    with _axes(ax, size, len(panels), columns) as (figure, all_axes):
        place = over if x is None else x
        labels = pd.Series([_label(row, lines, study.labels) for row in table.to_dict("records")], index=table.index,
                           dtype=str)
        # Colours and dashes together repeat after 24 lines.
        styles = dict(zip(dict.fromkeys(labels), zip(itertools.cycle(itertools.product(("-", "--", ":"), COLOURS)),
                                                     itertools.cycle(MARKERS))))
        titles = [] if facet is None else _panel_titles(
            facet, [_short(study.labels.get(facet, {}).get(panel, panel)) for panel in panels], _letters(inches / columns))
        for panel, axes in zip(panels, all_axes):
            part = table if facet is None else table[table[facet] == panel]
            if isinstance(table[place].dtype, pd.CategoricalDtype):
                axes.xaxis.update_units([str(c) for c in table[place].cat.categories if (table[place] == c).any()])
            for label, rows in part.groupby(labels, sort=False):
                (dashes, colour), marker = styles[label]
                _line(axes, rows, place, label, colour, dashes, marker if x is not None else None, band)
            _scales(axes, table, place, log)
            shown = _ticks(axes, study.labels.get(place, {}), table[place])
            if facet is not None:
                axes.set_title(titles[panels.index(panel)], fontsize=8)
            if panels.index(panel) + columns >= len(panels):
                axes.set_xlabel(_LABELS.get(place, place))
                axes.tick_params(labelbottom=True)
            if panels.index(panel) % columns == 0:
                axes.set_ylabel(metric)
        for axes in all_axes if ax is None else []:  # after all ticks are set, which axes share
            if len(shown) * (max(map(len, shown), default=0) + 2) > _letters(inches / columns):
                for label in axes.get_xticklabels():
                    label.set(rotation=35, ha="right", rotation_mode="anchor")
        if title:
            figure.suptitle(title) if facet is not None else all_axes[0].set_title(title)
        if lines and labels.nunique() > 1:
            fullest = max(all_axes, key=lambda axes: len(axes.get_legend_handles_labels()[0]))
            _legend(fullest, lines, labels, ax is None, size is not None)
        return figure


def _legend(ax, lines, labels, own, fixed=False):
    """Within the axes where it is small or the figure is the caller's; else, or if the width is fixed, in a strip below them
    that is added to the figure, in as many columns as fit."""
    title = ", ".join(lines) if len(lines) < 3 else None
    many = labels.nunique()
    if not fixed and (not own or (many <= 6 and labels.str.len().max() <= 20)):
        ax.legend(title=title, ncol=-(-many // 8))
        return
    figure = ax.figure
    width, height = figure.get_size_inches()
    for columns in (4, 3, 2, 1):
        legend = ax.legend(title=title, ncol=columns, loc="lower left", bbox_to_anchor=(0, 0),
                           bbox_transform=figure.transFigure)
        size = legend.get_window_extent()
        needed, strip = size.width / figure.dpi + 0.1, size.height / figure.dpi + 0.1
        if needed <= (width if fixed else max(width, 5)):
            break
    legend.set_in_layout(False)
    figure.set_size_inches(width if fixed else max(width, needed), height + strip)
    figure.get_layout_engine().set(rect=(0, strip / (height + strip), 1, height / (height + strip)))


def _final(study, metric):
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


def _logarithmic(values):
    """Whether these numbers are better shown on a logarithmic scale, which has a place for 0, and its smallest above 0. As
    make_axis() in analysis/figures/study_data.cpp has it."""
    x = np.unique(np.asarray(values, dtype=float))
    first = int(x.size > 0 and x[0] == 0)
    if x.size < 2 + first or x[first] <= 0 or x[-1] / x[first] < 10:
        return False, None
    places = np.log1p(x / x[first]) if first else np.log(x)
    closest, linear = (np.diff(p).min() / (p[-1] - p[0]) for p in (places, x))
    return closest >= linear * (1 - 1e-12), x[first]


def _scales(ax, table, x, log):
    if log or (log is None and _wide(table["median"])):
        ax.set_yscale("log")
    if x in _LABELS or isinstance(table[x].dtype, pd.CategoricalDtype):
        return
    logarithmic, smallest = _logarithmic(table[x])
    if logarithmic and table[x].min() > 0:
        ax.set_xscale("log")
    elif logarithmic:
        ax.set_xscale("symlog", linthresh=smallest, linscale=0.5)


def _ticks(ax, texts, values):
    """On an axis with units: the values as written, all of them or every second, third, ... Returns these, or the names."""
    from matplotlib.ticker import NullLocator
    places = sorted(x for x in set(values) if x in texts)
    if not places:
        return [str(x) for x in values.unique()] if isinstance(values.dtype, pd.CategoricalDtype) else []
    places = places[:: -(-len(places) // 8)]
    shown = [texts[x] for x in places]
    ax.set_xticks(places, shown)
    ax.xaxis.set_minor_locator(NullLocator())
    return shown


def _letters(inches):
    """How many letters of 8 pt fit above or below axes that are, with their labels, so many inches wide."""
    return int(0.75 * inches * 72 / 4.4)


def _panel_titles(facet, labels, letters):
    """With the complete name where it fits on all panels."""
    titles = [f"{facet} = {label}" for label in labels]
    if max(map(len, titles)) <= letters:
        return titles
    return [textwrap.fill(f"{facet.rsplit('.', 1)[-1]} = {label}", letters) for label in labels]


def messages(trace, start=0, end=None, ax=None):
    """Message timeline of a window: a lane for each agent, an arrow for each message, a cross where a lost one was sent, and
    a dotted line for one that was under way when the trace ended. Raises ValueError for a window without events."""
    from matplotlib.patches import FancyArrowPatch
    times = trace.events["time_s"]
    last = times.max()
    end = last if end is None else end
    if not times.between(start, end).any():
        raise ValueError(f"the trace has no event from {start:g} to {end:g} s; its events are from {times.min():g} to "
                         f"{last:g} s")
    table, ticks = trace.messages(), trace.of("tick")
    lanes = pd.concat([table["source"], table["target"], ticks["agent"]]).dropna().astype(float)
    with _axes(ax, (7, 2.6)) as (figure, (ax,)):
        for m in table.itertuples(index=False):
            until = {"delivered": m.arrived_s, "lost": m.sent_s}.get(m.outcome, max(last, end))
            if until < start or m.sent_s > end:
                continue
            if m.outcome == "delivered":  # no annotation, which is not drawn where its head is outside the axes
                ax.add_artist(FancyArrowPatch((m.sent_s, m.source), (m.arrived_s, m.target), arrowstyle="->", color=COLOURS[0],
                                              linewidth=0.7, mutation_scale=8))
            elif m.outcome == "lost":
                ax.plot([m.sent_s], [m.source], "x", color=COLOURS[1])
            else:
                ax.plot([m.sent_s, until], [m.source, m.target], ":", color=COLOURS[0], linewidth=0.7)
        ax.plot(ticks["time_s"], ticks["agent"].astype(float), "|", color=COLOURS[2])
        ax.set_xlim(start, end)
        if not lanes.empty:
            ax.set_ylim(lanes.min() - 0.5, lanes.max() + 0.5)
        ax.yaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(_LABELS["time_s"])
        ax.set_ylabel("agent")
        return figure
