// Draws the figures of the chosen metric, in the colours of the page, with the statistics and scale that were chosen.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("figures").textContent);
  const place = document.getElementById("drawings");
  const choice = document.getElementById("metric"), along = document.getElementById("along");
  const statistic = document.getElementById("statistic"), scale = document.getElementById("scale");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const positive = "datum.v > 0";

  function theme() {
    const ink = colour("--ink"), dim = colour("--dim"), line = colour("--line");
    return {
      background: colour("--ground"),
      font: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
      view: { stroke: line },
      axis: { labelColor: dim, titleColor: ink, gridColor: line, domainColor: dim, tickColor: dim, tickCount: 6, labelFontSize: 12, titleFontSize: 13, titleFontWeight: 500 },
      legend: { labelColor: ink, titleColor: dim, labelFontSize: 12, titleFontSize: 12, titleLimit: 500 },
      rule: { color: ink },
      text: { color: ink },
      line: { color: colour("--mark") },
      area: { color: colour("--mark") },
      point: { color: colour("--mark") },
      bar: { color: colour("--mark") },
    };
  }

  function element(name, text) {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    return e;
  }

  // Every object within a specification, except its data.
  function walk(node, visit) {
    if (node === null || typeof node !== "object") return;
    if (!Array.isArray(node)) visit(node);
    for (const [key, value] of Object.entries(node)) if (key !== "values") walk(value, visit);
  }

  // Means and their intervals (e, f, g) in place of medians and quartiles (m, l, h).
  function showMeans(specification) {
    const mean = { m: "e", l: "f", h: "g" };
    walk(specification, (node) => {
      if (typeof node.title === "string") node.title = node.title.replace(/^median of /, "mean of ");
      if (node.tooltip) return;
      if (typeof node.test === "string") node.test = node.test.replace("datum.m", "datum.e");
      if (typeof node.filter === "string") node.filter = node.filter.replace("datum.m", "datum.e");
    });
    for (const layer of specification.layer || []) {
      for (const [channel, definition] of Object.entries(layer.encoding)) {
        if (channel !== "tooltip" && definition && mean[definition.field]) definition.field = mean[definition.field];
      }
    }
  }

  // The scale that the metric is to have; null: as it is. A proposed logarithmic one holds if all values can be shown.
  function wantedScale(specification, mean) {
    if (scale.value !== "automatic") return scale.value;
    const proposed = specification.layer.some(({ encoding }) => [encoding.y, encoding.color].some((c) => c?.scale?.type === "log"));
    if (!proposed) return null;
    return specification.data.values.every((r) => !(r[mean ? "e" : "m"] <= 0)) ? "logarithmic" : "linear";
  }

  // The scale of the metric: the vertical axis, or the colour where it shows the metric.
  function setScale(specification, logarithmic, mean) {
    const centre = mean ? "e" : "m", bars = specification.layer.some((layer) => layer.mark.type === "bar");
    const rows = specification.data.values;
    const smallest = rows.reduce((s, r) => (r[centre] > 0 && r[centre] < s ? r[centre] : s), Infinity);
    for (const layer of specification.layer) {
      if (layer.mark.type === "bar" && logarithmic) layer.mark = { type: "point", filled: true, size: 60, opacity: 1 };
      layer.transform = (layer.transform || []).filter((t) => t.filter !== positive);
      for (const channel of ["y", "color"]) {
        const definition = layer.encoding[channel];
        if (!definition || definition.type !== "quantitative" || (channel === "y" && definition.axis === null)) continue;
        const { zero, ...others } = definition.scale ?? {};
        definition.scale = logarithmic ? { ...others, type: "log" } : { ...others, type: "linear", zero: bars };
        if (!logarithmic) continue;
        if (["l", "f"].includes(definition.field)) {
          layer.transform.push({ filter: `datum.${centre} > 0` });
          // An interval that reaches 0 is cut below the smallest value.
          layer.transform.push({ calculate: `max(datum.${definition.field}, ${smallest / 2})`, as: "low" });
          definition.field = "low";
        } else {
          layer.transform.push({ filter: `datum.${definition.field} > 0` });
        }
      }
    }
    return logarithmic && rows.some((r) => r[centre] !== undefined && r[centre] <= 0);
  }

  function adapted(drawing) {
    const specification = structuredClone(drawing.specification);
    const mean = statistic.value === "mean" && drawing.figure !== "timeline";
    let caption = drawing.caption
      .replaceAll("{centre}", mean ? "mean" : "median")
      .replaceAll("{spread}", mean ? "95 % interval of the mean" : "interquartile range");
    if (mean) showMeans(specification);
    const wanted = ["timeline", "gains"].includes(drawing.figure) ? null : wantedScale(specification, mean);
    if (wanted && setScale(specification, wanted === "logarithmic", mean)) caption += " Values of 0 or below are not shown.";
    if (drawing.figure === "curves") {
      const parameter = specification.params.find((p) => p.name === "along");
      const known = parameter.bind.options.map(String);
      if (known.includes(along.value)) parameter.value = Number(along.value);
      delete parameter.bind;
      for (const layer of specification.layer)
        if (layer.encoding.x) layer.encoding.x.title = report.along[parameter.value];
    }
    return [specification, caption];
  }

  // Two fields for the window of the trace, in s.
  function windowFields(drawing, redraw) {
    const fields = element("div");
    fields.className = "window";
    drawing.window ??= drawing.specification.layer[0].encoding.x.scale.domain.slice();
    ["from", "to"].forEach((name, end) => {
      const label = element("label", name + " (s) "), input = element("input");
      Object.assign(input, { type: "number", step: "any", min: report.trace.from, max: report.trace.to, value: drawing.window[end] });
      input.addEventListener("change", () => {
        const wanted = drawing.window.slice();
        wanted[end] = Number(input.value);
        if (!(wanted[0] < wanted[1])) return void (input.value = drawing.window[end]);
        drawing.window = wanted;
        redraw();
      });
      label.append(input);
      fields.append(label);
    });
    return fields;
  }

  const folded = new Set(); // titles of figures
  const views = new Map();  // by plot
  async function embed(drawing, plot, caption) {
    const [specification, text] = adapted(drawing);
    caption.textContent = text;
    if (drawing.window) {
      walk(specification, (node) => {
        if (node.domain && node.nice === false && node.reverse === undefined) node.domain = drawing.window;
      });
    }
    try {
      views.get(plot)?.finalize();
      views.set(plot, await vegaEmbed(plot, specification, {
        mode: "vega-lite",
        config: theme(),
        renderer: specification.data.values.length > 4000 ? "canvas" : "svg",
        downloadFileName: drawing.file,
        actions: { export: true, source: false, compiled: false, editor: false },
      }));
    } catch (error) {
      plot.textContent = "This figure can not be drawn: " + error.message;
    }
  }

  async function draw() {
    views.forEach((view) => view.finalize());
    views.clear();
    place.replaceChildren();
    for (const drawing of report.drawings) {
      if (drawing.metric !== null && report.metrics[drawing.metric] !== choice.value) continue;
      const section = element("details"), summary = element("summary"), figure = element("figure");
      const plot = element("div"), caption = element("figcaption");
      section.className = "section";
      let begun = section.open = !folded.has(drawing.title);
      plot.className = "plot";
      summary.append(element("h2", drawing.title));
      if (drawing.figure === "timeline") figure.append(windowFields(drawing, () => embed(drawing, plot, caption)));
      figure.append(plot, caption);
      section.append(summary, figure);
      place.append(section);
      section.addEventListener("toggle", () => {
        section.open ? folded.delete(drawing.title) : folded.add(drawing.title);
        // A figure that was folded when it was drawn had no width.
        if (section.open && !begun) begun = true, embed(drawing, plot, caption);
      });
      if (section.open) await embed(drawing, plot, caption);
    }
    document.documentElement.dataset.drawn = String(views.size);
  }

  for (const name of report.metrics) choice.append(new Option(name, name));
  if (report.metrics.length < 2) choice.parentElement.hidden = true;
  const curves = report.drawings.filter((d) => d.figure === "curves");
  const places = new Set(curves.flatMap((d) => d.specification.params.find((p) => p.name === "along").bind.options));
  for (const k of [...places].sort((a, b) => a - b)) along.append(new Option(report.along[k], k));
  if (places.size < 2) along.parentElement.hidden = true;
  if (curves.length > 0) along.value = curves[0].specification.params.find((p) => p.name === "along").value;
  const asked = decodeURIComponent(location.hash.slice(1));
  if (report.metrics.includes(asked)) choice.value = asked;
  choice.addEventListener("change", () => history.replaceState(null, "", "#" + encodeURIComponent(choice.value)));
  for (const control of [choice, along, statistic, scale]) control.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
