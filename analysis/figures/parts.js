// Parts of the specifications of figures.
"use strict";
const parts = (() => {
  // The style of all figures; `colour` gives those of page.css by name. `paper`: as for a paper, letters of 8 pt.
  function theme(colour, paper = false) {
    const ink = colour("--ink"), dim = colour("--dim"), line = colour("--line");
    const kPaper = (8 / 72) * 96, size = (screen) => (paper ? kPaper : screen);
    return {
      background: colour("--ground"),
      font: paper ? "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif" : "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
      view: { stroke: line },
      axis: { labelColor: paper ? ink : dim, titleColor: ink, gridColor: line, domainColor: dim, tickColor: dim, tickCount: 6, labelFontSize: size(12), titleFontSize: size(13), titleFontWeight: paper ? 400 : 500 },
      legend: { labelColor: ink, titleColor: paper ? ink : dim, labelFontSize: size(12), titleFontSize: size(12), titleLimit: 500, ...(paper && { offset: 6, titleFontWeight: 400, symbolSize: 50 }) },
      ...(paper && { title: { color: ink, fontSize: kPaper, fontWeight: 400, subtitleFontSize: kPaper, offset: 4 } }),
      rule: { color: ink },
      text: { color: ink },
      line: { color: colour("--mark") },
      area: { color: colour("--mark") },
      point: { color: colour("--mark") },
      bar: { color: colour("--mark") },
    };
  }

  // What a row of a point has: median and quartiles, mean and its interval.
  const kStatistics = { m: "median", l: "lower quartile", h: "upper quartile", e: "mean", f: "95 % interval from", g: "95 % interval to" };
  // Those that some row has: a mean of one number has no interval.
  const statisticsOf = (rows) => Object.fromEntries(Object.entries(kStatistics).filter(([k]) => rows.some((row) => known(row[k]))));

  // The template with each "$key" replaced by the value of that key. A member or element "$key" without a value is left
  // out, and so is an object whose "$when" names a key without a value.
  function fill(template, values) {
    const filled = (part) => {
      if (typeof part === "string") return part.startsWith("$") ? structuredClone(values[part.slice(1)]) : part;
      if (part === null || typeof part !== "object") return part;
      if (Array.isArray(part)) return part.map(filled).filter((one) => one !== undefined);
      const { $when, ...members } = part;
      if ($when !== undefined && values[$when] === undefined) return undefined;
      return Object.fromEntries(Object.entries(members).map(([key, one]) => [key, filled(one)]).filter(([, one]) => one !== undefined));
    };
    return filled(template);
  }

  // A number to seven digits, more than can be seen; not known: null.
  const seven = (x) => (x === null ? null : Number(x.toPrecision(7)));
  const key = (axis) => `a${axis}`;

  // The labels of a point, by number of the axis.
  const labelsOf = (study, point) => Object.fromEntries(study.axes.map((_, a) => [key(a), point.labels[a]]));
  const known = (x) => (x ?? null) !== null;
  // An interval of which an end is infinite, and so not known, has none: it would be drawn as if it were exact.
  function rowOf(study, point, statistics) {
    const row = Object.fromEntries(Object.keys(kStatistics).map((k, i) => [k, statistics[i]]));
    if (!known(row.l) || !known(row.h)) row.l = row.h = null;
    return { ...row, ...labelsOf(study, point) };
  }

  // The numbers of the axes, as "n0", "n1", ...
  function numbersOf(study, point) {
    const row = {};
    study.axes.forEach(({ labels, numbers }, a) => {
      if (numbers.length > 0) row[`n${a}`] = seven(numbers[labels.indexOf(point.labels[a])]);
    });
    return row;
  }
  // A value of a point that is not measured in runs.
  const referenceRow = (study, point, name, value) =>
    ({ ...labelsOf(study, point), ...numbersOf(study, point), b: name, v: seven(value) });

  // [{"field": ..., "title": ...}, ...]
  const tooltip = (fields) => Object.entries(fields).map(([field, title]) => ({ field, title }));

  // Whether the quartiles of rows need a logarithmic scale: all above 0, and over two decades.
  function spansDecades(rows) {
    let min = Infinity, max = 0;
    for (const row of rows) {
      for (const x of [row.l, row.m, row.h]) if (x !== null) [min, max] = [Math.min(min, x), Math.max(max, x)];
    }
    return min > 0 && max >= 100 * min;
  }

  // How a metric is shown, as its templates need it: by median or mean, on a linear scale, which need not include 0, or a
  // logarithmic one; by default as its quartiles ask for, if all values can be shown. There what is not above 0 is left out,
  // and an interval that reaches 0 is cut below the smallest number that is drawn. `note` says so; `intervals`: whether they are
  // drawn.
  function measure(rows, title, { mean = false, scale = "automatic", intervals = true }) {
    const [centre, low, high] = mean ? ["e", "f", "g"] : ["m", "l", "h"], shown = rows.map((row) => row[centre]).filter(known);
    const logarithmic = scale === "logarithmic" || (scale === "automatic" && spansDecades(rows) && !shown.some((x) => x <= 0));
    const has = (row) => known(row[low]), lacking = rows.some((row) => known(row[centre]) && !has(row));
    // A median has quartiles, if not finite ones.
    const all = {
      centre, low, high, interval: rows.some(has) || undefined, metric: `${mean ? "mean" : "median"} of ${title}`,
      spread: (mean ? "95 % interval of the mean" : "interquartile range") + (mean && lacking ? ", none where there is one number" : ""),
      over: mean ? "mean" : "median", logarithmic, note: intervals && !mean && lacking ? " Intervals that reach infinity are not drawn." : "", scale: { zero: false },
    };
    if (!logarithmic) return all;
    const smallest = rows.flatMap((row) => [row[centre], row[low]]).reduce((s, x) => (x > 0 && x < s ? x : s), Infinity), above = (field) => ({ filter: `datum.${field} > 0` });
    return {
      ...all, low: "low", scale: { type: "log" },
      positive: above(centre), positive_value: above("v"), cut: { calculate: `isValid(datum.${low}) ? datum.${low} > 0 ? datum.${low} : ${smallest / 2} : null`, as: "low" },
      note: all.note + (shown.some((x) => x <= 0) ? " Values of 0 or below are not shown." : "") +
        (intervals && rows.some((row) => row[centre] > 0 && has(row) && row[low] <= 0) ? ` Intervals that reach 0 or below are cut at ${Number((smallest / 2).toPrecision(3))}.` : ""),
    };
  }

  // The colours of a metric that measure() shows.
  const gradient = ({ centre, metric, logarithmic }) => ({
    field: centre, type: "quantitative", title: metric,
    scale: { scheme: "viridis", ...(logarithmic ? { type: "log" } : { type: "linear", zero: false }) },
    legend: { orient: "top", gradientLength: 260, labelExpr: "datum.label === '' ? '' : format(datum.value, '.6~g')" },
  });
  // A colour, a shape or dashes for each name, with a legend.
  const looks = (field, title, domain, range) =>
    ({ field, type: "nominal", title, scale: { domain, range }, legend: { orient: "top" } });

  // "10 repetitions", "1 repetition"; "3 to 10 repetitions" if points differ.
  function repetitions(study) {
    const runs = study.points.map((p) => p.runs).filter((n) => n > 0);
    const min = Math.min(...runs), max = Math.max(0, ...runs);
    return `${runs.length > 0 && min < max ? `${min} to ` : ""}${max} repetition${max === 1 ? "" : "s"}`;
  }

  // The label of a point, of the axes that distinguish it.
  const nameOf = (study, point) => study.others[""].map((a) => `${study.axes[a].name} = ${point.labels[a]}`).join(", ");

  // The names of a point's owners, each different: with the agent's number where two are equal, or empty.
  function differentNames({ names, first_owner }) {
    const count = new Map();
    for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
    return names.map((name, i) =>
      name === "" ? String(i + first_owner) : count.get(name) > 1 ? `${name} (${i + first_owner})` : name);
  }

  // A learner, at a node that may have a name.
  const learnerName = (node) => (node ? `learner at ${node}` : "learner");

  // Names of a point's agents: of owners, of learners before them with their node, and nodes or numbers beyond them.
  function agentNames(study, point) {
    const owners = point === undefined ? [] : differentNames(point), node = (agent) => study.networks[point?.network ?? -1]?.nodes[agent]?.name;
    return (agent) => (owners.length > 0 && agent < point.first_owner ? learnerName(node(agent))
      : owners[agent - point?.first_owner] ?? (node(agent) || String(agent)));
  }
  // What an event of the scenario says, "crash 1, 3 for 2 s", or an adversary's name, "agents:1+3", with the names of agents.
  const eventText = (text, name) => text.replace(/^(crash|partition|join|leave) (\d+(?:, \d+)*)/, (_, what, list) => `${what} ${list.split(", ").map((i) => name(Number(i))).join(", ")}`);
  const adversaryText = (text, name) => text.replace(/^(agents?|links?):([\d+-]+)$/, (_, what, list) => `${what}:${list.replace(/\d+/g, (i) => name(Number(i)))}`);

  // A parameter with a drop-down list; `labels` of the options, if they are not their own.
  const selector = (name, options, title, labels) =>
    ({ name, value: options[0], bind: { input: "select", options, name: title, ...(labels && { labels }) } });
  // Selectors that fix axes at one value each, and the condition under which a row is shown.
  const selectors = (study, fixed) => ({
    parameters: fixed.map((a) => selector(`at_${key(a)}`, study.axes[a].labels, study.axes[a].name + " ")),
    condition: ["true", ...fixed.map((a) => `datum.${key(a)} === at_${key(a)}`)].join(" && "),
  });

  // The lines of a text, of at most so many letters unless a word has more.
  function wrapped(text, letters) {
    const all = [""];
    for (const word of text.split(" ")) {
      if (all.at(-1) !== "" && all.at(-1).length + 1 + word.length > letters) all.push("");
      all[all.length - 1] += (all.at(-1) && " ") + word;
    }
    return all;
  }

  const longest = (labels) => Math.max(0, ...labels.map((label) => new TextEncoder().encode(label).length));

  // Colour by the values of an axis: in their order, numbers from dark to light. `width`: of the legend, where the
  // specification has none of that name.
  function colour(study, axis, width) {
    const { name, labels, numbers } = study.axes[axis], ordered = numbers.length > 0;
    const column = width ? 24 + 6.5 * Math.max(longest(labels), 3) : Math.min(Math.max(30 + 8 * longest(labels), 110), 260);  // pixels
    return {
      field: key(axis), type: ordered ? "ordinal" : "nominal", title: name, sort: labels,
      scale: { domain: labels, scheme: ordered ? { name: "viridis", extent: [0.2, 0.92] } : "tableau10" },
      legend: { orient: "top", columns: width ? Math.max(1, Math.floor(width / column)) : { expr: `max(1, floor(width / ${column}))` }, symbolLimit: 100, symbolOpacity: 1, labelLimit: 220 },
    };
  }

  // On a logarithmic scale that has a place for 0, the number up to which it is linear: the smallest above 0. Else 0.
  const linearTo = ({ logarithmic, numbers }) => (logarithmic && numbers[0] === 0 ? numbers[1] : 0);
  // Where a number is along an axis, up to a factor, and back: x, log(x), or log(1 + x/c) with c = linearTo().
  function place(axis, x) {
    const c = linearTo(axis);
    return c > 0 ? Math.log1p(x / c) : axis.logarithmic ? Math.log(x) : x;
  }
  function numberAt(axis, place) {
    const c = linearTo(axis);
    return c > 0 ? c * Math.expm1(place) : axis.logarithmic ? Math.exp(place) : place;
  }

  // `count` of 0 .. size - 1, evenly, the first and the last among them.
  const spread = (size, count) =>
    size <= count ? [...Array(size).keys()] : [...Array(count).keys()].map((i) => Math.floor((i * (size - 1)) / (count - 1)));

  const isPlainNumber = (label) => label.trim() !== "" && Number.isFinite(Number(label));

  // How labels are drawn at these places, in pixels: side by side; else at an angle, and those left out that overlap then.
  function labelled(labels, places) {
    const kLetter = 7, kHeight = 14, kApart = 4, half = labels.map((label) => (kLetter * longest([label])) / 2);
    const gaps = places.slice(1).map((p, i) => p - places[i]);
    const sideBySide = gaps.every((gap, i) => gap > half[i] + half[i + 1] + kApart);
    // Vega takes labels at an angle to overlap where their boxes do.
    const angled = !sideBySide && gaps.every((gap) => gap > kHeight);
    return { labelAngle: sideBySide ? 0 : -40, labelOverlap: angled ? false : "greedy", labelLimit: 140 };
  }

  // The values of an axis from left to right: its numbers, which rows have as "d0", "d1", ..., with its labels, or its
  // labels in order, also of a single number. The scale has all numbers, whichever have a point to draw, with room before
  // the first and after the last. `width`: about that of the plot, in pixels.
  function along(study, axis, width = 640) {
    const a = study.axes[axis], { name, labels, numbers } = a;
    if (numbers.length < 2) {
      const look = labelled(labels, labels.map((_, i) => ((i + 0.5) * width) / labels.length));
      return { field: key(axis), type: "ordinal", title: name, sort: labels, axis: { ...look, labelOverlap: false } };
    }
    const kMaxTicks = 16;
    const first = place(a, numbers[0]), last = place(a, numbers.at(-1)), room = 0.03 * (last - first), constant = linearTo(a);
    const x = {
      field: `d${axis}`, type: "quantitative", title: name,
      scale: {
        domain: [seven(numberAt(a, first - room)), seven(numberAt(a, last + room))],
        type: constant > 0 ? "symlog" : a.logarithmic ? "log" : "linear",
        ...(constant > 0 && { constant }),
      },
    };
    if (numbers.length > kMaxTicks && labels.every(isPlainNumber)) return x;
    const ticks = spread(numbers.length, kMaxTicks), values = ticks.map((i) => numbers[i]), shown = ticks.map((i) => labels[i]);
    // Without a count of ticks Vega leaves out values.
    x.axis = {
      values, tickCount: values.length,
      ...labelled(shown, values.map((number) => (width * (place(a, number) - first)) / (last - first))),
      labelExpr: `${JSON.stringify(shown)}[indexof(${JSON.stringify(values)}, datum.value)]`,
    };
    return x;
  }

  // The rows, which have the number "n0", "n1", ... of `axis`, with the same as "d0", ..., moved aside by their value of the
  // axis `by`, so that points at one place do not hide each other: by `step` of the width, and less than half of the smallest
  // step along the axis.
  function dodged(rows, study, axis, by, step = 0.01) {
    const a = study.axes[axis];
    if (a.numbers.length < 2) return rows;
    const places = a.numbers.map((x) => place(a, x));
    const gap = Math.min(...places.slice(1).map((p, i) => p - places[i]));
    const labels = by === undefined ? [] : study.axes[by].labels, values = labels.length;
    // All values of `by` side by side if there is room.
    const one = values < 2 ? 0 : Math.min(step * (places.at(-1) - places[0]), (0.4 * gap) / (values - 1));
    return rows.map((row) => {
      const aside = by === undefined ? 0 : one * (labels.indexOf(row[key(by)]) - (values - 1) / 2);
      return { ...row, [`d${axis}`]: seven(numberAt(a, place(a, row[`n${axis}`]) + aside)) };
    });
  }

  // Positions in the unit square for the nodes of a network that has none: a hub that is linked to all others in the centre
  // of a circle; else where the forces of d3-force, by its default values, put them in at most 300 steps. Deterministic.
  function placed({ nodes, links }) {
    const size = nodes.length, hub = size > 3 && links.length === size - 1 ? nodes.findIndex(({ degree }) => degree === size - 1) : -1;
    if (size === 0 || nodes[0].x !== null) return nodes;
    const on = (angle) => ({ x: 0.5 + 0.5 * Math.sin(angle), y: 0.5 + 0.5 * Math.cos(angle) });
    if (hub >= 0 || size < 3) {
      const round = hub < 0 ? size : size - 1;
      return nodes.map((node, i) => ({ ...node, ...(i === hub ? { x: 0.5, y: 0.5 } : on((2 * Math.PI * (hub >= 0 && i > hub ? i - 1 : i)) / round)) }));
    }
    // From a circle off which some are a little, as no force would break its symmetry.
    const radius = (i) => 15 * Math.sqrt(size) * (1 + 0.2 * ((i * 1.618033988749895) % 1));
    const at = nodes.map((_, i) => ({ x: radius(i) * Math.sin((2 * Math.PI * i) / size), y: radius(i) * Math.cos((2 * Math.PI * i) / size) })), ends = links.map(([source, target]) => ({ source, target }));
    d3.forceSimulation(at).force("charge", d3.forceManyBody()).force("link", d3.forceLink(ends)).force("x", d3.forceX()).force("y", d3.forceY()).stop()
      .tick(Math.floor(Math.min(Math.max(3e5 / size, 60), 300)));
    const extent = (k) => [Math.min(...at.map((p) => p[k])), Math.max(...at.map((p) => p[k]))], [[left, right], [low, high]] = [extent("x"), extent("y")];
    const scale = Math.max(right - left, high - low, 1e-9);
    return nodes.map((node, i) => ({ ...node, x: (at[i].x - left) / scale, y: (at[i].y - low) / scale }));
  }

  return { theme, statisticsOf, placed, fill, seven, key, rowOf, numbersOf, referenceRow, tooltip, measure, gradient, looks, repetitions,
    nameOf, learnerName, differentNames, agentNames, eventText, adversaryText, selector, selectors, longest, wrapped, colour, along, dodged, spread };
})();
