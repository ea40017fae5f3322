"""The results of a study as typed tables."""
import difflib
import functools
import io
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from . import tables
from .folders import Contents
from .program import HearsayWarning, at_arguments, call, input_arguments, run, value_text
from .trace import Trace

OVER = ("iteration", "time_s", "vectors", "bytes")


def load(folder):
    """The study in a folder that `hearsay run` has written. Raises FileNotFoundError if there is none."""
    study = Study(folder)
    ended = sum(study.manifest.get(how, 0) for how in ("done", "diverged", "failed"))
    planned = study.manifest.get("planned_runs", ended)  # programs up to 0.2 do not say
    if ended < planned:
        warnings.warn(f"{folder}: {planned - ended} of {planned} runs are missing; run the study again",
                      HearsayWarning, stacklevel=2)
    return study


def _quantiles(values):
    """Median and quartiles of the finite ones, as the program computes them."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    if values.size == 0:
        return np.nan, np.nan, np.nan
    return tuple(np.quantile(values, [0.5, 0.25, 0.75]))


class Study:
    """A study: tables with the swept options as columns, curves, final values, figures.

    folder, manifest (dict), scenario (dict, with all defaults), axes (names of the swept options). Tables are read when
    they are first asked for; if the folder then holds another study, that is an OutputError.
    """

    _folders = {}  # of inputs and code that run() was given

    def __init__(self, folder):
        self.folder = Path(folder).absolute()
        if not (self.folder / "manifest.json").is_file():
            raise FileNotFoundError(f"{folder}: no results of hearsay run (manifest.json is missing)")
        self._contents = Contents(self.folder)
        self.manifest = self._contents.manifest
        self.scenario = self.manifest.get("scenario", {})
        self.axes, self._texts, self._categories = tables.axes_of(self.folder / "runs.csv")

    def __repr__(self):
        return (f"Study({str(self.folder)!r}: {len(self.points)} points, {len(self.runs)} runs, "
                f"metrics {', '.join(self.metrics)})")

    def branch(self, at, set, noise=None, continuations=None, **arguments):
        """What-if: a study in which the runs of this one are made once until `at` ("60 s") and go on from there with each of
        the changes in the list `set`, such as [{}, {"network.latency": "1 s"}]; hearsay explain branches says what can change.
        The changes are the axis "branch". noise, continuations: likewise. arguments: of run(), by default
        with the folders of inputs and code with which run() has made this study."""
        given = {"at": at, "set": set, "noise": noise, "continuations": continuations}
        branches = {name: value for name, value in given.items() if value is not None}
        return run({**self.scenario, "branches": branches}, **{**self._folders, **arguments})

    def table(self, name=None, *, rows=(), columns=(), metric=None, statistic="median", where=None, format=None):
        """A table of the folder, such as "fits", with typed axes. Raises FileNotFoundError if the study has none.

        With rows or columns, swept options, in place of a name: a metric (by default the first) at the end of runs, pivoted
        by hearsay export, as text in "latex" or "markdown" or as a frame of medians or means. where: see plot().
        """
        if name is not None:
            return self._read(f"{name}.csv", "the study has no such table")
        arguments = ["--format", format or "csv", "--statistic", statistic]
        for option, axes in (("--rows", rows), ("--columns", columns)):
            if axes:
                arguments += [option, axes if isinstance(axes, str) else ",".join(axes)]
        arguments += [] if metric is None else ["--metric", metric]
        text = self._call("export", *arguments, *at_arguments(where))
        if format is not None:
            return text
        rows = [rows] if isinstance(rows, str) else list(rows)
        table = tables.read(io.StringIO(text), rows, {}, self._categories)
        return table.set_index(rows) if rows else table

    def _call(self, command, *arguments):
        """What a command prints of this study, which must be the same before and after."""
        self._contents.require("runs.csv", store=True)
        text = call(command, self.folder, *arguments)
        self._contents.require("runs.csv", store=True)
        return text

    def _read(self, file, missing, reader=None):
        """A file of this study, and of no other that replaced it before or meanwhile."""
        path = self.folder / file
        if file not in self._contents.tables:
            raise FileNotFoundError(f"{path}: {missing}")
        self._contents.require(file)
        found = reader(path) if reader else tables.read(path, self.axes, self._texts, self._categories)
        self._contents.require(file)
        return found

    @functools.cached_property
    def labels(self):
        """Of axes with units: the values as written ("10 ms"), by the number in the tables (0.01)."""
        return {axis: dict(zip(self.runs[axis], self.runs[text])) for axis, text in self._texts.items()}

    @functools.cached_property
    def runs(self):
        """One row a run: how it ended, counters, fingerprint."""
        return self.table("runs")

    @functools.cached_property
    def series(self):
        """One row a value: axes, repetition, metric, agent (metrics by owner), iteration, time_s, vectors, bytes, value."""
        return self._read("series.csv", "the study keeps quantiles only (study.quantiles)")

    @functools.cached_property
    def quantiles(self):
        """Of studies with record.keep aggregate: mean, quartiles, minimum and maximum over repetitions."""
        return self.table("quantiles")

    @functools.cached_property
    def scalars(self):
        """One row a number of a point or run, such as optimum.objective."""
        return self.table("scalars")

    @functools.cached_property
    def owners(self):
        return self.table("owners")

    @functools.cached_property
    def nodes(self):
        return self.table("nodes")

    @functools.cached_property
    def links(self):
        return self.table("links")

    def models(self):
        """The models that runs keep (record.models final), at their end: axes, repetition, agent, and a column for each
        parameter, by its name; by its number from 0 where it has none, and all where points name them differently or
        two have the same name."""
        rows = self._read("models.csv", "the study keeps no models; set record.models to final")
        names = rows[["parameter", "name"]].drop_duplicates()
        names = names.set_index("parameter")["name"].sort_index()
        unique = names.index.is_unique and names.is_unique
        keys = [*self.axes, "repetition", "agent"]
        # Rows of a model follow each other in the table.
        model = (rows["parameter"] == 0).astype(int).cumsum()
        wide = pd.DataFrame({"model": model, "parameter": rows["parameter"].astype(int), "value": rows["value"]})
        wide = wide.pivot(index="model", columns="parameter", values="value")
        wide.columns = pd.Index([names[k] if unique and names[k] else int(k) for k in wide.columns], dtype=object)
        first = rows.loc[rows["parameter"] == 0, keys].reset_index(drop=True)
        return pd.concat([first, wide.set_index(first.index)], axis=1)

    @property
    def points(self):
        """The points of the sweep, one row each."""
        return self.runs[self.axes].drop_duplicates().reset_index(drop=True) if self.axes else pd.DataFrame(index=[0])

    @functools.cached_property
    def metrics(self):
        """Names of the recorded metrics."""
        source = self.series if "series.csv" in self._contents.tables else self.quantiles
        return list(dict.fromkeys(source["metric"]))

    def _values(self, metric, agent=None):
        """Rows of a metric in runs that are done; of one by owner their mean, or those of one agent."""
        if metric not in self.metrics:
            raise KeyError(f"{metric!r} is not recorded; recorded are "
                           f"{', '.join(self.metrics) or 'none, because no run has ended'}")
        rows = self.series[self.series["metric"] == metric]
        done = self.runs.loc[self.runs["status"] == "done", [*self.axes, "repetition"]]
        rows = rows.merge(done, on=[*self.axes, "repetition"], how="inner")
        if agent is not None:
            of_agent = rows[rows["agent"].notna()]
            if isinstance(agent, str):
                of_agent = of_agent.merge(self._named(agent), on=[*self.axes, "agent"], how="inner")
            else:
                of_agent = of_agent[of_agent["agent"] == agent]
            if of_agent.empty:
                there = ", ".join(map(str, rows["agent"].dropna().unique()[:20]))
                raise KeyError(f"{metric} has no value of agent {agent}" +
                               (f"; it has those of {there}" if there else ": it is no metric by owner"))
            return of_agent
        if rows["agent"].isna().all():
            return rows
        key = [*self.axes, "repetition"]
        sample = rows.groupby([*key, "agent"], observed=True, sort=False).cumcount()
        means = rows.assign(sample=sample).groupby([*key, "sample"], observed=True, sort=False)
        return means.agg({**{c: "first" for c in OVER}, "value": "mean"}).reset_index()

    def _named(self, owner):
        """The agent of an owner's name at each point, where it may have another number."""
        names = self.owners["name"]
        if owner not in set(names):
            near = difflib.get_close_matches(owner, list(names), 1)
            raise KeyError(f"no owner is named {owner!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return self.owners.loc[names == owner, [*self.axes, "agent"]].drop_duplicates()

    def _by_point(self, rows):
        if not self.axes:
            yield {}, rows
            return
        keys = self.axes if len(self.axes) > 1 else self.axes[0]
        for labels, part in rows.groupby(keys, observed=True, sort=False):
            yield dict(zip(self.axes, labels if len(self.axes) > 1 else [labels])), part

    def _frame(self, rows, columns):
        frame = pd.DataFrame(rows, columns=[*self.axes, *columns])
        for axis in self.axes:
            if isinstance(self.runs[axis].dtype, pd.CategoricalDtype):
                frame[axis] = frame[axis].astype(self.runs[axis].dtype)
        return frame

    def metric(self, name, over="iteration", at=None, agent=None):
        """Median and quartiles over repetitions along iteration, time_s, vectors or bytes.

        At the place or places `at`; by default at those of records, each where, since the one before, there have been
        as many as repetitions that have not ended: at those that all have, where there are such, and at ends. The
        value of a repetition there is its last one up to that place; HearsayWarning where all have ended before. Runs
        that diverged or failed are left out. A metric by owner: its mean, or that of `agent`, a number or an owner's
        name.

        Columns: the axes, `over`, median, q25, q75, runs.
        """
        if over not in OVER:
            raise ValueError(f"over: expected one of {', '.join(OVER)}, found {over!r}")
        out, ends = [], []
        for labels, part in self._by_point(self._values(name, agent)):
            runs = [(r[over].to_numpy(float), r["value"].to_numpy(float))
                    for _, r in part.groupby("repetition", sort=False)]
            places = np.atleast_1d(np.asarray(at, dtype=float)) if at is not None else _grid([x for x, _ in runs])
            index = [np.searchsorted(x, places, side="right") - 1 for x, _ in runs]
            ends += [max(x[-1] for x, _ in runs)] if runs else []
            for k, place in enumerate(places):
                values = [y[i[k]] for (_, y), i in zip(runs, index) if i[k] >= 0]
                median, low, high = _quantiles(values)
                out.append([*labels.values(), place, median, low, high, len(values)])
        last = np.max(places, initial=-np.inf) if at is not None and ends else -np.inf
        early = [end for end in ends if end < last]
        if early:
            warnings.warn(f"{over} {last:g} is beyond the end of all runs at {len(early)} of {len(ends)} points (the "
                          f"first: {early[0]:g}): values there are the last ones", HearsayWarning, stacklevel=2)
        return self._frame(out, [over, "median", "q25", "q75", "runs"])

    def _chosen(self):
        """By point, in the order of `points`: the values that "select" has chosen."""
        columns = list(self.runs.columns)
        names = columns[columns.index("repetition") + 1:columns.index("status")]
        first = self.runs.drop_duplicates(self.axes) if self.axes else self.runs.head(1)
        return {f"{name} (selected)": list(first[name]) for name in names if name.removesuffix(".text") == name}

    def final(self, metrics=None):
        """Median and quartiles over repetitions at the end of runs: a row for each point, columns NAME, NAME.q25,
        NAME.q75; of metrics by owner those of the owners' mean. `runs` are those that are done, perhaps none. A column
        "OPTION (selected)" for what "select" has chosen."""
        if isinstance(metrics, str):
            metrics = [metrics]
        points = list(self.points.itertuples(index=False, name=None)) if self.axes else [()]
        done = self.runs[self.runs["status"] == "done"]
        counts = {tuple(labels.values()): len(part) for labels, part in self._by_point(done)}
        columns = {**self._chosen(), "runs": [counts.get(point, 0) for point in points]}
        for name in metrics or self.metrics:
            found = {tuple(labels.values()): part.groupby("repetition", sort=False)["value"].nth(-1)
                     for labels, part in self._by_point(self._values(name))}
            rows = [_quantiles(found.get(point, ())) for point in points]
            columns |= zip((name, f"{name}.q25", f"{name}.q75"), map(list, zip(*rows)))
        return pd.concat([self.points, pd.DataFrame(columns)], axis=1)

    def compare(self, other=None, reference=0, metrics=(), confidence=0.95, over=None, baseline=None, where=None):
        """Differences from a point of this study, paired by repetition, with intervals: the table of hearsay compare.

        other: a second study, whose points are compared with those of this one.
        over: a swept option, whose values are compared with the first or with `baseline` at equal values of the others.
        where: see plot().
        """
        arguments = []
        if other is not None:
            arguments.append(other.folder if isinstance(other, Study) else other)
        if over is not None:
            arguments += ["--over", over, *([] if baseline is None else ["--baseline", value_text(baseline)])]
        arguments += at_arguments(where)
        if other is None and over is None:
            arguments += ["--reference", reference]
        for name in [metrics] if isinstance(metrics, str) else metrics:
            arguments += ["--metric", name]
        if isinstance(other, Study):
            other._contents.require("runs.csv", store=True)
        text = self._call("compare", *arguments, "--confidence", confidence, "--format", "csv")
        if isinstance(other, Study):
            other._contents.require("runs.csv", store=True)
        table = tables.read(io.StringIO(text), self.axes, self._texts, self._categories)
        for axis, texts in self.labels.items():  # which have only the text here
            if axis in table:
                numbers = {text: number for number, text in texts.items()}
                table[axis] = [numbers.get(str(value), value) for value in table[axis]]
        return table

    def verify(self, sample=None, **folders):
        """Repeats runs, or `sample` of them, and compares fingerprints; what the program says. Of a protocol or model that
        is a class of this program, in the program that has run it. folders: data_dirs, allow_paths and allow_code of run(),
        by default those with which run() has made this study."""
        arguments = [] if sample is None else ["--sample", sample]
        return call("verify", self.folder, *arguments, *input_arguments(**{**self._folders, **folders})).strip()

    def trace(self):
        """The traced run (record.trace with format csv), as a Trace."""
        return self._read("trace.csv", 'the study has no trace; set record.trace to {"format": ["csv"]}',
                          lambda path: Trace(path, self))

    def graph(self, network=0):
        """The network as a networkx graph: nodes with name and position, links with weight and latency."""
        import networkx
        graph = networkx.Graph()
        for row in self.nodes[self.nodes["network"] == network].itertuples(index=False):
            graph.add_node(int(row.agent), **{k: v for k, v in row._asdict().items()
                                              if k not in ("agent", "network") and not pd.isna(v)})
        for row in self.links[self.links["network"] == network].itertuples(index=False):
            graph.add_edge(int(row.source), int(row.target),
                           **{k: v for k, v in row._asdict().items()
                              if k not in ("source", "target", "network") and not pd.isna(v)})
        return graph

    def plot(self, metric, over="iteration", by=None, ax=None, **options):
        """A figure of a metric: along `over`, a line for each point with its quartiles; or with x="AXIS" its final
        value against a swept option, with by="AXIS" and facet="AXIS" a line and a panel for each value of others. Returns
        the matplotlib figure. See hearsay.plots."""
        from . import plots
        return plots.plot(self, metric, over=over, by=by, ax=ax, **options)


def _grid(places):
    """Where curves of repetitions are drawn, given the places of the records of each: see Study.metric. As
    analysis/figures/study_data.cpp has it."""
    places = [np.unique(x) for x in places if x.size]
    if not places:
        return np.array([])
    places_of_all, records = np.unique(np.concatenate(places), return_counts=True)
    running = len(places) - np.searchsorted(np.sort([x[-1] for x in places]), places_of_all)
    chosen, since = [], 0
    for place, more, needed in zip(places_of_all, records, running):
        since += more
        if since >= needed:
            chosen.append(place)
            since = 0
    return np.array(chosen)
