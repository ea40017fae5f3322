// The figures of a study as Vega-Lite specifications that contain their data, from the tables that hearsay writes
// (figure_data.hpp). A figure is one template (templates/NAME.json), one function that fills it, and one row of the table
// at the end. Functions return any number of drawings, none if there is nothing to show.
"use strict";
const drawings = (() => {
  const { statisticsOf, seven, key, rowOf, measure, tooltip, selector, selectors, repetitions } = parts;
  const kMaxNodeRows = 6000;  // nodes of all points in one figure
  const kMaxNamed = 40;       // nodes that are labelled with their names

  // The baselines of a metric: lines across the figure if they are the same at all points, else one for each point.
  function references(study, metric, condition, { mean = false }) {
    const values = new Map(), rows = [];
    for (const point of study.points) {
      for (const [name, { [metric]: value }] of mean ? point.baseline_means : point.baselines) {
        if (value === null) continue;
        values.set(name, [...(values.get(name) ?? []), value]);
        rows.push(parts.referenceRow(study, point, name, value));
      }
    }
    if (rows.length === 0) return {};
    const varying = [...values.values()].some((v) =>
      v.length !== study.points.length || Math.max(...v) - Math.min(...v) > 1e-9 * Math.abs(Math.max(...v)));
    const names = [...values.keys()].sort(), look = (range) => parts.looks("b", "baseline", names, range);
    return {
      dashes: look([[7, 4], [2, 3]]), shapes: look(["stroke", "cross"]),
      reference_filter: varying ? condition : "true",
      reference: varying ? rows : names.map((b) => ({ b, v: seven(values.get(b)[0]) })),
      [varying ? "varying" : "constant"]: true,
    };
  }
  const hidden = ({ logarithmic }, numbers) => (logarithmic && numbers.some((x) => x <= 0) ? " Baselines of 0 or below are not shown." : "");
  // Of all panels. `marks`: those that vary are no lines.
  function referenceCaption(all, marks = true) {
    const rows = all.flatMap(({ reference }) => reference ?? []), lines = !marks || all.some(({ constant }) => constant), varying = marks && all.some(({ varying }) => varying);
    if (rows.length === 0) return "";
    return ` ${[lines && "Dashed", varying && (lines ? "strokes or crosses" : "Strokes or crosses")].filter(Boolean).join(", ")}: baselines, solved exactly and without privacy.` +
      hidden(all[0], rows.map(({ v }) => v));
  }

  // A metric over the course of the runs: a line through medians and a band between quartiles for each value of the axis
  // with most values; the other axes have selectors.
  function drawCurves(study, m, shown) {
    const rows = [], against = [], metric = study.metrics[m];
    study.along.forEach((_, k) => {
      const before = rows.length;
      for (const point of study.points) {
        const curve = point.curves[m]?.[k];
        curve?.x.forEach((x, i) => rows.push({ ...rowOf(study, point, curve.y[i]), k, x }));
      }
      if (rows.length > before) against.push(k);
    });
    if (rows.length === 0) return [];
    const size = (a) => study.axes[a].labels.length;
    const [lines, ...others] = [...study.others[""]].sort((a, b) => size(b) - size(a));
    const { parameters, condition } = selectors(study, others);
    // By default against what samples are equally spaced on.
    const along = against.find((k) => String(k) === String(shown.along)) ?? (against.includes(study.every) ? study.every : against[0]);
    const color = lines === undefined ? undefined : parts.colour(study, lines), measured = measure(rows, metric.title, shown);
    const baselines = references(study, m, condition, shown);
    const values = {
      rows, params: [...parameters, { name: "along", value: along }], filter: `datum.k == along && ${condition}`,
      x_title: study.along[along], color, ...measured, ...baselines,
      tooltip: tooltip({ x: "at", ...statisticsOf(rows), ...(color && { [color.field]: color.title }) }),
      reference_color: baselines.varying && color, events: study.events.length > 0 ? study.events.map((event) => ({ ...event, e: parts.eventText(event.e, parts.agentNames(study, study.points[0])) })) : undefined,
    };
    return [{
      name: `${metric.name}-over`, along, against, title: `${metric.name} over the course of the runs`, template: "curves", values,
      caption: `Line: ${values.over} over ${repetitions(study)}; band: ${values.spread}.${referenceCaption([values], false)}` +
        (values.events ? ` Against ${study.events.some(({ k }) => k === 0) ? "time or iterations" : "time"}, dashed lines are the scenario's events.` : ""),
    }];
  }

  // One row per point.
  const finalRows = (study, m) => study.points.filter((point) => point.ends[m][0] !== null).map((point) => ({
    ...rowOf(study, point, point.ends[m]), runs: point.runs,
    ...Object.fromEntries(point.tuned.map((value, t) => [`t${t}`, value])), ...parts.numbersOf(study, point),
  }));
  const finalTooltip = (study, m) => tooltip({
    ...Object.fromEntries(study.others[""].map((a) => [key(a), study.axes[a].name])),
    ...Object.fromEntries(study.tuned.map((title, t) => [`t${t}`, title])), ...statisticsOf(finalRows(study, m)), runs: "runs",
  });

  // What shows a metric at the end of the runs against an axis, in the colours of the axis `by`, of the points for which the
  // condition holds. Scales are those of `whole`, the study that these points are of. `width`, `legend`: about those of the plot
  // and of the legend, in pixels; `step`: between the values of `by`, in the width.
  function againstAxis(study, m, shown, axis, by, { condition = "true", whole = study, width, legend, step } = {}) {
    const dodged = (some) => parts.dodged(some, study, axis, by, step), numeric = study.axes[axis].numbers.length > 1;
    const baselines = references(study, m, condition, shown);
    if (baselines.varying) baselines.reference = dodged(baselines.reference);
    const bounds = study.points.flatMap((point) =>
      point.bounds.filter((b) => b.metric === m).map((b) => parts.referenceRow(study, point, b.name, b.value)));
    return {
      rows: dodged(finalRows(study, m)), filter: condition, x: parts.along(study, axis, width),
      tooltip: finalTooltip(study, m), ...measure(finalRows(whole, m), study.metrics[m].title, shown),
      color: by === undefined ? undefined : parts.colour(study, by, legend), numeric: numeric || undefined,
      offset: numeric || by === undefined ? undefined : { field: key(by), sort: study.axes[by].labels },
      ...baselines,
      ...(bounds.length > 0 && { bounds: dodged(bounds), bounded: true }),
    };
  }
  // Points with runs whose statistic is not a finite number.
  function absent(study, m, { mean = false }) {
    const count = study.points.filter(({ runs, ends }) => runs > 0 && ends[m][mean ? 3 : 0] === null).length;
    return count === 0 ? "" : ` Not drawn: ${count} point${count === 1 ? "" : "s"} without a finite value.`;
  }
  const finalCaption = (study, m, shown, all) =>
    `Point: ${all[0].over} over ${repetitions(study)}; bar: ${all[0].spread}.${referenceCaption(all)}` +
    (all.some(({ bounded }) => bounded) ? " Small squares and dotted lines: bounds on the mean, by name when pointed at." : "") + absent(study, m, shown);

  // A metric at the end of the runs, against each swept option.
  function drawFinals(study, m, shown) {
    const metric = study.metrics[m];
    if (finalRows(study, m).length === 0) return [];
    return study.others[""].map((axis) => {
      const { name } = study.axes[axis], [by, ...others] = study.others[axis], { parameters, condition } = selectors(study, others);
      const values = { ...againstAxis(study, m, shown, axis, by, { condition }), params: parameters };
      return {
        name: `${metric.name}-by-${name}`, title: `${metric.name} at the end against ${name}`, template: "finals", values,
        caption: finalCaption(study, m, shown, [values]),
      };
    });
  }

  // The same against one swept option in the format of a paper: a panel for each value of another, in the colours of a
  // third. `panels`: their numbers, `facet` and `series` perhaps undefined; no other option distinguishes points.
  function drawPanels(study, m, { panels, width = 672, ...rest }) {
    if (!panels || finalRows(study, m).length === 0) return [];
    const metric = study.metrics[m], { x, facet, series } = panels, names = [x, facet, series].filter((a) => a !== undefined).map((a) => study.axes[a].name);
    const kLetter = 5.8, kMinPanel = 130, kBeside = 70;  // pixels; kBeside: labels of the vertical axis
    // At an angle, the labels of a panel reach under the one beside it.
    const reach = study.axes[x].numbers.length > 1 ? 0 : kLetter * parts.longest(study.axes[x].labels) - 60;
    const labels = facet === undefined ? [undefined] : study.axes[facet].labels;
    const rows = Math.ceil(labels.length / Math.max(1, Math.floor(width / (kMinPanel + Math.max(0, 1.5 * reach))))), columns = Math.ceil(labels.length / rows);
    const size = (width - kBeside) / columns - 10, letters = (pixels) => Math.floor(pixels / kLetter), height = Math.min(Math.max(0.7 * size, 120), rows > 1 ? 150 : 260);
    const titles = (name) => labels.map((label) => `${name} =\u00a0${label?.replace(/(\d) /g, "$1\u00a0")}`), full = study.axes[facet]?.name ?? "";
    const named = parts.longest(titles(full)) <= letters(size) ? titles(full) : titles(full.split(".").at(-1));
    const all = labels.map((label, i) => {
      const part = { ...study, points: study.points.filter((point) => label === undefined || point.labels[facet] === label) };
      const values = againstAxis(part, m, rest, x, series, { whole: study, width: size, legend: width, step: 6 / size });
      // Titles and labels of axes once for a row or column of panels.
      return { ...values, height, panel: label === undefined ? undefined : parts.wrapped(named[i], letters(size)),
        x: i + columns < labels.length ? { ...values.x, title: null, axis: { ...values.x.axis, labels: false } } : values.x,
        metric: i % columns > 0 ? null : parts.wrapped(values.metric, letters(height)), unlabelled: i % columns > 0 };
    });
    return [{
      name: [metric.name, "panels", ...names].join("-"), title: `${metric.name} at the end against ${study.axes[x].name}`,
      template: "finals", values: all[0], panels: all, columns,
      caption: finalCaption(study, m, rest, all) + (facet === undefined ? "" : ` A panel for each ${study.axes[facet].name}.`),
    }];
  }

  // Three digits of a number, with all digits before the point up to a million.
  const plainNumber = (x) => `isValid(${x}) ? abs(${x}) >= 1000 && abs(${x}) < 1e6 ? format(${x}, '.0f') : format(${x}, '.3~g') : ''`;

  // The cells of a map over axes x and y at which owners gain by collaborating: the mean over owners of their mean gain is
  // above 0. And the edges between such cells and others, as the cell to the left or below and the edge "right" or "top".
  function breakEven(study, m, x, y) {
    const axes = study.others[""], cells = new Map(), text = (cell) => JSON.stringify(axes.map((a) => cell[key(a)]));
    for (const point of study.points) {
      const cell = Object.fromEntries(axes.map((a) => [key(a), point.labels[a]]));
      if (point.owners_of[m].pays !== null) cells.set(text(cell), { cell, pays: point.owners_of[m].pays });
    }
    const paying = [], edges = [];
    for (const { cell, pays } of cells.values()) {
      if (pays) paying.push(cell);
      for (const [axis, edge] of [[x, "right"], [y, "top"]]) {
        const { labels } = study.axes[axis], next = labels[labels.indexOf(cell[key(axis)]) + 1];
        const neighbour = next === undefined ? undefined : cells.get(text({ ...cell, [key(axis)]: next }));
        if (neighbour && neighbour.pays !== pays) edges.push({ ...cell, edge });
      }
    }
    return { paying, edges, any: cells.size > 0, all: paying.length === cells.size };
  }

  // A metric at the end of the runs, over two numeric options.
  function drawHeatMap(study, m, shown) {
    const metric = study.metrics[m], rows = finalRows(study, m), measured = measure(rows, metric.title, { ...shown, intervals: false });
    const two = study.others[""].filter((a) => study.axes[a].numbers.length > 0).slice(0, 2);
    if (two.length < 2 || rows.length === 0) return [];
    const [x, y] = two.map((a) => study.axes[a]), { parameters, condition } = selectors(study, study.others[two.join()]);
    const ordinal = (a, sort) => ({ field: key(a), type: "ordinal", title: study.axes[a].name, sort });
    const labelAngle = parts.longest(x.labels) * x.labels.length > 90 ? -45 : 0;  // where they would overlap
    const values = {
      rows, params: parameters, filter: condition, height: Math.min(Math.max(y.labels.length * 40, 120), 640),
      x: { ...ordinal(two[0], x.labels), axis: { labelAngle, labelOverlap: true, labelLimit: 160 } },
      y: { ...ordinal(two[1], [...y.labels].reverse()), axis: { labelOverlap: true, labelLimit: 200 } },
      gradient: parts.gradient(measured),
      tooltip: finalTooltip(study, m), ...measured, number: plainNumber(`datum.${measured.centre}`), light: `luminance(scale('color', datum.${measured.centre})) > 0.3`,
      // Numbers where there is room for them.
      room: x.labels.length <= 16 && y.labels.length <= 16 ? `width >= ${46 * x.labels.length} ? 1 : 0` : undefined,
    };
    let caption = `Colour and number: ${values.over} over ${repetitions(study)}.${absent(study, m, shown)}`;
    const { paying, edges, any, all } = breakEven(study, m, ...two);
    if (edges.length > 0) values.edges = edges;
    // Also where a selector leads from a map on which all cells pay to one on which none does.
    if (paying.length > 0 && !all) values.paying = paying;
    if (any)
      caption += " Collaborating pays (the gain over the isolated models without privacy, averaged over owners and repetitions, is above 0) " +
        (paying.length === 0 ? "in no cell." : all ? "in all cells with a value." : `in cells with a +${edges.length > 0 ? ", up to the red line" : ""}.`);
    return [{ name: `${metric.name}-by-${x.name}-and-${y.name}`, title: `${metric.name} at the end, over ${x.name} and ${y.name}`,
      template: "heat_map", values, caption }];
  }

  // A bar for each owner of a selected point; `which`: "values" or "gains". Of many owners some, with their ranks in the order
  // of values.
  function bars(study, m, which, { mean = false }) {
    const rows = [], names = [], baselines = new Set(), kinds = new Set();
    for (const point of study.points) {
      const { [which]: { ranked, of, numbers: all }, baselines: medians, baseline_means: means } = point.owners_of[m];
      if (all.length === 0) continue;
      const name = parts.nameOf(study, point), labels = parts.differentNames(point), ranks = parts.spread(of, all.length);
      names.push(name);
      kinds.add(ranked);
      all.forEach((numbers, i) => {
        const a = ranked ? ranks[i] + 1 : i + point.first_owner, row = { ...rowOf(study, point, numbers), p: name, a };
        rows.push(row);
        if (labels.length > 0) row.n = ranked ? `rank ${a}` : labels[i];
        for (const [baseline, values] of ranked ? [] : mean ? means : medians) {
          baselines.add(baseline);
          if (values[i] !== null) row[baseline] = seven(values[i]);
        }
      });
    }
    if (rows.length === 0) return null;
    const ranked = !kinds.has(false), named = !ranked && rows.every(({ n }) => n !== undefined), shown = which === "values" ? [...baselines] : [];
    const agent = ranked ? "rank" : kinds.has(true) ? "agent or rank" : "agent";
    return {
      rows, filter: names.length > 1 ? "datum.p === point" : "true",
      x: {
        field: named ? "n" : "a", type: "ordinal", title: ranked ? "agents in order of their value" : (named ? "owner" : "agent") + (kinds.has(true) ? ", or rank where there are many" : ""),
        ...(named && { sort: { field: "a", op: "min" } }),
        axis: { labelAngle: named && rows.length / names.length > 6 ? -40 : 0, labelOverlap: true, labelLimit: 140 },
      },
      params: names.length > 1 ? [selector("point", names, "at ")] : undefined,
      ...(shown.length > 0 && { baselines: shown, colours: parts.looks("b", "baseline", shown, ["#e45756", "#54a24b"]) }),
      tooltip: tooltip({ a: agent, ...(named && { n: "owner" }), ...statisticsOf(rows),
        ...Object.fromEntries(shown.map((b) => [b, b])) }),
    };
  }

  // The final value of each owner at a selected point, with its baselines.
  function drawAgents(study, m, shown) {
    const metric = study.metrics[m], values = bars(study, m, "values", shown);
    if (values === null) return [];
    Object.assign(values, measure(values.rows, metric.title, shown));
    // A bar has no base on a logarithmic scale, and 0 as its base on another.
    values.mark = values.logarithmic ? { type: "point", filled: true, size: 60, opacity: 1 } : { type: "bar", opacity: 0.75 };
    if (!values.logarithmic) values.scale = { zero: true };
    return [{
      name: `${metric.name}-by-agent`, title: `${metric.name} at the end, by agent`, template: "agents", values,
      caption: `${values.logarithmic ? "Point" : "Bar"}: ${values.over} over ${repetitions(study)}; line: ${values.spread}.` +
        (values.baselines ? " Short lines: the owner's baselines." + hidden(values, values.rows.flatMap((row) => values.baselines.map((b) => row[b]))) : ""),
    }];
  }

  // What each owner gains over its isolated model, where that is a baseline.
  function drawGains(study, m, shown) {
    const metric = study.metrics[m], values = bars(study, m, "gains", shown);
    if (values === null) return [];
    Object.assign(values, measure(values.rows, `gain in ${metric.title}`, { ...shown, scale: "linear" }),
      { mark: { type: "bar", opacity: 0.75 }, scale: { zero: true } });
    return [{
      name: `${metric.name}-gain-by-owner`, title: `Gain of collaborating in ${metric.name}, by owner`, template: "agents", values,
      caption: (metric.higher_is_better ? "Gain: value of the owner with collaboration, minus that of its isolated model without privacy"
        : "Gain: value of the owner's isolated model without privacy, minus its value with collaboration") + "; above 0 the owner gains. " +
        `Bar: ${values.over} over ${repetitions(study)}; line: ${values.spread}.`,
    }];
  }

  // The nodes of one point's network, with their values of a metric or degrees.
  function nodeRows(study, point, m, place) {
    const { nodes } = study.networks[point.network], named = parts.differentNames(point), hostile = new Set(point.hostile);
    return nodes.map(({ name, x, y, degree }, i) => {
      const owner = i - point.first_owner;  // below 0 for a learner
      const numbers = m === null ? Array(3).fill(degree) : point.owners_of[m].nodes[owner];
      const values = m === null ? { m: degree, l: degree, h: degree } : numbers ? rowOf(study, point, numbers) : {};
      return { ...values, p: place, a: i, ...(hostile.size > 0 && { o: hostile.has(owner) ? "hostile" : "honest" }), n: named[owner] ?? (owner < 0 ? parts.learnerName(name) : String(i)), ...(name && { node: name }),
        x: seven(x), y: seven(y), degree };
    });
  }

  function extent(rows, field) {
    const all = rows.map((row) => row[field]), [min, max] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    return max > min ? [min, max] : [min - 1, max + 1];
  }

  // The network, its nodes coloured by the final value of a per-agent metric; by degree if the study has none.
  function drawNetwork(study, metric, shown) {
    const any = study.metrics.some((m) => m.per_agent), m = any ? metric : null, { name, title, per_agent } = study.metrics[metric];
    if (any ? !per_agent : metric > 0) return [];
    const rows = [], names = [], networks = [];
    let largest = 0, whole = true;  // nodes of a network; no point was left out
    for (const point of study.points) {
      if (point.network === null || (any ? point.owners_of[m].nodes.length === 0 : networks.includes(point.network))) continue;
      const size = study.networks[point.network].nodes.length;
      if (names.length > 0 && rows.length + size > kMaxNodeRows) {
        whole = false;
        break;
      }
      largest = Math.max(largest, size);
      rows.push(...nodeRows(study, point, m, names.length));
      names.push(parts.nameOf(study, point));
      networks.push(point.network);
    }
    if (rows.length === 0) return [];
    // The names of agents where the first point with a network has them.
    const named = (g, agent) => rows.find(({ p, a }) => p === networks.indexOf(g) && a === agent)?.n ?? String(agent);
    const links = study.networks.flatMap(({ nodes, links }, g) => (!networks.includes(g) ? [] : links.map(([a, b, latency, weight]) => ({
      g, x: seven(nodes[a].x), y: seven(nodes[a].y), u: seven(nodes[b].x), v: seven(nodes[b].y), link: `${named(g, a)} to ${named(g, b)}`,
      latency: seven(latency), weight: seven(weight),
    }))));
    // Whether some points are not shown; by degree, whether some networks are not.
    const others = study.points.length > names.length && (any || study.points.some(({ network }) => network !== null && !networks.includes(network)));
    const several = names.length > 1, hostile = rows.some(({ o }) => o === "hostile");
    const measured = measure(rows.filter((row) => row.m !== undefined), title, { ...(any ? shown : { scale: "linear" }), intervals: false });
    if (!any) measured.metric = "degree";
    const place = (field) =>
      ({ field, type: "quantitative", axis: null, scale: { domain: extent(rows, field), nice: false, padding: 24 } });
    const values = {
      rows, links, x: place("x"), y: place("y"), gradient: parts.gradient(measured),
      filter: several ? "datum.p == point" : "true", link_filter: several ? `datum.g == ${JSON.stringify(networks)}[point]` : "true",
      params: several ? [selector("point", [...names.keys()], "at ", names)] : undefined,
      ...measured, with: `isValid(datum.${measured.centre})`, without: `!isValid(datum.${measured.centre})`,
      hostile: hostile || undefined, named: largest <= kMaxNamed || undefined,
      size: Math.min(Math.max(6000 / largest, 30), 300), ring: 2 * Math.min(Math.max(6000 / largest, 30), 300),
      tooltip: tooltip({ a: "agent", n: "owner", ...(rows[0].node && { node: "node" }), degree: "degree", ...(hostile && { o: "agent is" }), ...(any && statisticsOf(rows)) }),
    };
    return [{
      name: any ? `${name}-on-network` : "network", title: any ? `${name} at the end, on the network` : "The network",
      template: "network", values, always: !any,
      caption: (any ? `Colour: ${values.over} over ${repetitions(study)}; grey: agents without a value.` : "Colour: number of links of the agent.") +
        (hostile ? " Rings: hostile agents." : "") + (!several && others ? ` At ${names[0]}.` : "") +
        (study.redrawn && study.points.some(({ runs }) => runs > 1) ? " Network of repetition 0; each repetition draws another." : "") +
        (whole ? "" : ` Only the first ${names.length} points are shown.`),
    }];
  }

  // What adversaries have seen of owners, against the hops between them.
  function drawDistance(study, m, shown) {
    if (study.metrics[m].name !== "epsilon_seen") return [];
    const rows = [], ledger = [];
    for (const point of study.points) {
      const name = (agent) => study.networks[point.network ?? -1]?.nodes[agent]?.name || String(agent);
      for (const { adversary, distance, exact, epsilon, ledger: spent } of point.seen) {
        const place = { ...rowOf(study, point, epsilon), d: distance, w: parts.adversaryText(adversary, name), label: exact ? "exact" : "fixed_gradients: not a guarantee" };
        rows.push(place);
        ledger.push({ ...place, b: "ledger", v: seven(spent[shown.mean ? 3 : 0]) });
      }
    }
    if (new Set(rows.map(({ d }) => d)).size < 2) return [];
    const size = (a) => study.axes[a].labels.length, adversaries = [...new Set(rows.map(({ w }) => w))];
    const axes = [...study.others[""]].sort((a, b) => size(b) - size(a)), [by, ...others] = adversaries.length > 1 ? [undefined, ...axes] : axes;
    const { parameters, condition } = selectors(study, others);
    const color = by !== undefined ? parts.colour(study, by)
      : adversaries.length > 1 ? { field: "w", type: "nominal", title: "adversary", legend: { orient: "top" } } : undefined;
    const values = {
      rows, params: parameters, filter: condition, numeric: true, color, ...measure(rows, "epsilon_seen", shown), bounds: ledger, bounded: true,
      x: { field: "d", type: "quantitative", title: "hops from the adversary", axis: { tickMinStep: 1, format: "d" }, scale: { zero: false, nice: false } },
      tooltip: tooltip({ d: "hops", w: "adversary", label: "epsilon is", ...(by !== undefined && { [key(by)]: study.axes[by].name }), ...statisticsOf(rows) }),
    };
    return [{
      name: "epsilon_seen-by-distance", title: "Epsilon towards an adversary, by distance", template: "finals", values,
      caption: `Point: ${values.over} over ${repetitions(study)} of the mean over owners at that distance; bar: ${values.spread}. Dotted: the ledger, ` +
        "where everybody sees everything.",
    }];
  }

  // By name: whether it is drawn for each metric, else once; and its function.
  const kFigures = {
    curves: [true, drawCurves], finals: [true, drawFinals], heat_map: [true, drawHeatMap], agents: [true, drawAgents],
    gains: [true, drawGains], network: [true, drawNetwork], timeline: [false, traceFigures.drawTimeline],
    latency: [false, traceFigures.drawLatency], availability: [false, traceFigures.drawAvailability],
    panels: [true, drawPanels], distance: [true, drawDistance],
  };

  // Panels side by side, `columns` in a row, with the same scales and one legend.
  function sideBySide(template, panels, columns) {
    const views = panels.map((values) => {
      const { width, height, data, params, ...view } = parts.fill(template, values);
      // As high as the labels beside them, so that the titles of panels are in one line.
      for (const { encoding } of values.unlabelled ? view.layer : []) encoding.y.axis = { labelExpr: "'.'", labelOpacity: 0, ticks: false, title: null };
      return { ...view, data, height: values.height, ...(values.panel && { title: { text: values.panel, anchor: "middle", frame: "group" } }) };
    });
    const scale = Object.fromEntries(["x", "y", "color", "shape", "strokeDash"].map((channel) => [channel, "shared"]));
    return { concat: views, columns, spacing: { row: 8, column: 10 }, resolve: { scale } };
  }

  // What a figure of a metric does not show.
  const reserve = (study, m) => (m !== null && study.metrics[m].name.startsWith("epsilon_seen") && study.points.some(({ fixed_gradients }) => fixed_gradients) ?
    " Not a guarantee where gradients react to what the adversary has not seen: they are taken as fixed." : "");
  // The values of options of which the points have one, such as --at selects.
  function fixed(study) {
    const all = study.axes.filter(({ labels }) => labels.length === 1).map(({ name, labels }) => `${name} = ${labels[0]}`);
    return all.length > 0 ? ` At ${all.join(", ")}.` : "";
  }

  // The name of a file: letters, digits, '.', '_' and '-'; another one than those before.
  function fileName(text, taken) {
    const first = text.replace(/[^A-Za-z0-9._]+/g, "-").replace(/^-|-$/g, "").slice(0, 120);
    let name = first;
    for (let number = 2; taken.has(name); ++number) name = `${first}-${number}`;
    taken.add(name);
    return name;
  }

  // All drawings that were chosen: figure, metric (its number; null for one that is shown whatever the metric), title,
  // caption, file (`prefix` and a name, different for each) and specification; of curves also what they can be against,
  // numbers in study.along. `kinds`, `metrics`: names, empty for all. `shown`: whether means (`mean`), on which `scale`, the
  // curves against which of them (`along`), and the `window` of the trace, in s; each by default as the data ask for.
  // `panels`: the axes of a figure of panels, without which there is none; of the `width` of its file, in pixels.
  return ({ study, templates, prefix, kinds, metrics, panels: axes }, shown = {}) => {
    for (const network of study.networks) network.nodes = parts.placed(network);
    const all = [], taken = new Set(), wanted = (chosen, name) => chosen.length === 0 || chosen.includes(name);
    for (const [figure, [ofMetric, draw]] of Object.entries(kFigures)) {
      for (let m = 0; m < (ofMetric ? study.metrics.length : 1); ++m) {
        for (const { name, title, caption, template, values, panels, columns, always, along, against } of draw(study, m, { ...shown, panels: axes })) {
          const metric = ofMetric && !always ? m : null;
          // Before it is left out: a file has the same name whatever is chosen.
          const file = fileName(prefix + name, taken) + (against ? `-${study.along[along].split(" ")[0]}` : "");
          if (wanted(kinds, figure) && (metric === null || wanted(metrics, study.metrics[m].name)))
            all.push({ figure, metric, title, caption: caption + (values.note ?? "") + reserve(study, metric) + fixed(study), file, against,
              specification: panels ? sideBySide(templates[template], panels, columns) : parts.fill(templates[template], values) });
        }
      }
    }
    return all;
  };
})();
