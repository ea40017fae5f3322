// Figures as a page or a file shows them: with the statistic, scale, horizontal axis and window that were chosen.
"use strict";
const figures = (() => {
  const positive = "datum.v > 0";

  // The style of all figures; `colour` gives those of page.css by name.
  function theme(colour) {
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
  function wantedScale(specification, scale, mean) {
    if (scale !== "automatic") return scale;
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

  // The specification, caption and file name of a drawing. `along`: number of the horizontal axis of curves, in `names`; one that a
  // figure does not have leaves it as it is. `window`: of the trace, in s.
  function adapted(drawing, { mean, scale, along, names, window }) {
    const specification = structuredClone(drawing.specification);
    const measured = drawing.metric !== null;
    const means = mean && measured;
    let file = drawing.file;
    let caption = drawing.caption;
    if (measured)
      caption = caption.replaceAll("{centre}", means ? "mean" : "median")
        .replaceAll("{spread}", means ? "95 % interval of the mean" : "interquartile range");
    if (means) showMeans(specification);
    const wanted = !measured || drawing.figure === "gains" ? null : wantedScale(specification, scale, means);
    if (wanted && setScale(specification, wanted === "logarithmic", means)) caption += " Values of 0 or below are not shown.";
    if (drawing.figure === "curves") {
      const parameter = specification.params.find((p) => p.name === "along");
      if (parameter.bind.options.map(String).includes(String(along))) parameter.value = Number(along);
      delete parameter.bind;
      for (const layer of specification.layer)
        if (layer.encoding.x) layer.encoding.x.title = names[parameter.value];
      file += "-" + names[parameter.value].split(" ")[0];
    }
    if (window) {
      walk(specification, (node) => {
        if (node.domain && node.nice === false && node.reverse === undefined) node.domain = window;
      });
    }
    return [specification, caption, file];
  }

  // The window of a timeline, in s: what its horizontal axis shows.
  const windowOf = (specification) => specification.layer.find((layer) => layer.encoding.x).encoding.x.scale.domain;

  return { theme, adapted, windowOf };
})();
