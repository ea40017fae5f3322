// Draws the figures of the chosen metric, in the colours of the page.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("figures").textContent);
  const place = document.getElementById("drawings");
  const choice = document.getElementById("metric");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function theme() {
    const ink = colour("--ink"), dim = colour("--dim"), line = colour("--line");
    return {
      background: null,
      font: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
      view: { stroke: line },
      axis: { labelColor: dim, titleColor: ink, gridColor: line, domainColor: dim, tickColor: dim, tickCount: 6, labelFontSize: 12, titleFontSize: 13, titleFontWeight: 500 },
      legend: { labelColor: ink, titleColor: dim, labelFontSize: 12, titleFontSize: 12 },
      rule: { color: ink },
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

  let views = [];
  async function draw() {
    views.splice(0).forEach((view) => view.finalize());
    place.replaceChildren();
    const config = theme();
    for (const drawing of report.drawings) {
      if (drawing.metric !== null && report.metrics[drawing.metric] !== choice.value) continue;
      const figure = element("figure"), plot = element("div");
      plot.className = "plot";
      figure.append(element("h2", drawing.title), plot, element("figcaption", drawing.caption));
      place.append(figure);
      const rows = drawing.specification.data.values.length;
      try {
        const embedded = await vegaEmbed(plot, drawing.specification, {
          mode: "vega-lite",
          config,
          renderer: rows > 4000 ? "canvas" : "svg",
          actions: { export: true, source: false, compiled: false, editor: false },
        });
        views.push(embedded);
      } catch (error) {
        plot.textContent = "This figure can not be drawn: " + error.message;
      }
    }
    document.documentElement.dataset.drawn = String(views.length);
  }

  for (const name of report.metrics) choice.append(new Option(name, name));
  if (report.metrics.length < 2) choice.closest("nav").hidden = true;
  const asked = decodeURIComponent(location.hash.slice(1));
  if (report.metrics.includes(asked)) choice.value = asked;
  choice.addEventListener("change", () => {
    history.replaceState(null, "", "#" + encodeURIComponent(choice.value));
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
