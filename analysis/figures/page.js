// Draws the figures of the chosen metric, in the colours of the page, with the statistics and scale that were chosen.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("figures").textContent);
  const { along: places, trace } = report.study;
  const place = document.getElementById("drawings");
  const choice = document.getElementById("metric"), along = document.getElementById("along");
  const statistic = document.getElementById("statistic"), scale = document.getElementById("scale");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function element(name, text) {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    return e;
  }

  // Two fields for the window of the trace, in s.
  let period;
  function windowFields(drawing, redraw) {
    const fields = element("div");
    fields.className = "window";
    period ??= [...traceFigures.windowOf(drawing.specification)];
    ["from", "to"].forEach((name, end) => {
      const label = element("label", name + " (s) "), input = element("input");
      Object.assign(input, { type: "number", step: "any", min: trace.begin, max: trace.end, value: period[end] });
      input.addEventListener("change", () => {
        const wanted = period.slice();
        wanted[end] = Number(input.value);
        if (!(wanted[0] < wanted[1])) return void (input.value = period[end]);
        period = wanted;
        redraw();
      });
      label.append(input);
      fields.append(label);
    });
    return fields;
  }

  const shown = () => drawings({ ...report, metrics: [choice.value] },
    { mean: statistic.value === "mean", scale: scale.value, along: along.value, window: period });
  const folded = new Set(); // titles of figures
  const views = new Map();  // by plot
  async function embed(drawing, plot, caption) {
    const { specification, file } = drawing;
    caption.textContent = drawing.caption + (drawing.figure === "timeline" ? " Choose the window above, or drag and scroll to move and zoom." : "");
    try {
      views.get(plot)?.finalize();
      views.set(plot, await vegaEmbed(plot, specification, {
        mode: "vega-lite",
        config: parts.theme(colour),
        renderer: specification.data.values.length > 4000 ? "canvas" : "svg",
        downloadFileName: file,
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
    const all = shown();
    for (const [number, drawing] of all.entries()) {
      const section = element("details"), summary = element("summary"), figure = element("figure");
      const plot = element("div"), caption = element("figcaption");
      section.className = "section";
      let begun = section.open = !folded.has(drawing.title);
      plot.className = "plot";
      summary.append(element("h2", drawing.title));
      if (drawing.figure === "timeline") figure.append(windowFields(drawing, () => embed(shown()[number], plot, caption)));
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
  const curves = drawings(report).filter((d) => d.figure === "curves"), against = new Set(curves.flatMap((d) => d.against));
  for (const k of [...against].sort((a, b) => a - b)) along.append(new Option(places[k], k));
  if (against.size < 2) along.parentElement.hidden = true;
  if (curves.length > 0) along.value = curves[0].specification.params.find((p) => p.name === "along").value;
  // The address has the metric: #metric, or beside what the player keeps there, #t=1&metric=...
  const address = () => (location.hash.includes("=") ? new URLSearchParams(location.hash.slice(1)) : null);
  const asked = address()?.get("metric") ?? decodeURIComponent(location.hash.slice(1));
  if (report.metrics.includes(asked)) choice.value = asked;
  choice.addEventListener("change", () => {
    const kept = address();
    kept?.set("metric", choice.value);
    history.replaceState(null, "", "#" + (kept ?? encodeURIComponent(choice.value)));
  });
  for (const control of [choice, along, statistic, scale]) control.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const played = document.getElementById("player");
  draw().then(() => played && player(played, report.study));
})();
