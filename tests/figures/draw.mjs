// Runs the scripts of a page without a browser: chooses every metric, statistic, scale and horizontal axis, and draws
// each figure with the page's own Vega and Vega-Lite. Fails on an error or a warning. Writes the figures of the first
// choice and all specifications, drawings.json, to a folder, if one is given:  draw.mjs PAGE [FOLDER]
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [page, folder] = process.argv.slice(2);
const html = fs.readFileSync(page, "utf8");
const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map((found) => found[1]);
vm.runInThisContext(scripts[0]);
vm.runInThisContext(scripts[1]);

// As much of a document as the script uses.
class Element {
  constructor(name) { Object.assign(this, { name, children: [], listeners: {}, options: [], dataset: {}, hidden: false }); }
  append(...more) {
    for (const child of more) {
      child.parentElement = this;
      this.children.push(child);
      if (child.name === "option" && this.value === undefined) this.value = child.value;
    }
  }
  replaceChildren() { this.children = []; }
  addEventListener(event, f) { this.listeners[event] = f; }
  querySelectorAll(name) {
    return this.children.flatMap((c) => [...(c.name === name ? [c] : []), ...(c.querySelectorAll?.(name) ?? [])]);
  }
}
const all = {};
for (const id of ["metric", "along", "statistic", "scale", "drawings", "figures"]) {
  all[id] = new Element(id);
  new Element("label").append(all[id]);
}
all.figures.textContent = html.match(/id="figures">(.*?)<\/script>/s)[1];
all.statistic.value = "median";
all.scale.value = "automatic";
const report = JSON.parse(all.figures.textContent);
globalThis.document = {
  getElementById: (id) => all[id],
  createElement: (name) => new Element(name),
  documentElement: new Element("html"),
};
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => html.match(new RegExp(`${name}: (#[0-9a-f]+);`))[1] });
globalThis.Option = class extends Element { constructor(text, value) { super("option"); this.value = String(value ?? text); } };
globalThis.location = { hash: "" };
globalThis.history = { replaceState() {} };
globalThis.matchMedia = () => ({ addEventListener() {} });

const faults = [], files = new Set(), shown = [];
let drawn = 0;
globalThis.vegaEmbed = async (plot, specification, options) => {
  const where = `${options.downloadFileName} (${Object.values(all).map((e) => e.value).filter(Boolean).join(", ")})`;
  const complain = (...text) => {
    // Without a browser there is no window to drag in.
    if (!text.join(" ").includes("Can not resolve event source")) faults.push(`${where}: ${text.join(" ")}`);
  };
  const logger = { warn: complain, error: complain, info() {}, debug() {}, level() { return logger; } };
  const sized = { ...specification, width: 800, config: options.config };
  try {
    const compiled = vegaLite.compile(sized, { logger }).spec;
    const view = new vega.View(vega.parse(compiled), { renderer: "none", logger });
    const svg = await view.toSVG();
    if (/NaN|Infinity/.test(svg)) complain("draws a number that is not finite");
    if (folder && !files.has(options.downloadFileName)) fs.writeFileSync(path.join(folder, options.downloadFileName + ".svg"), svg);
  } catch (error) {
    complain(error.message);
  }
  files.add(options.downloadFileName);
  shown.push(specification);
  ++drawn;
  return { finalize() {} };
};
const settled = () => new Promise((resolve) => {
  let before = -1;
  const look = () => (drawn === before ? resolve() : ((before = drawn), setTimeout(look, 60)));
  setTimeout(look, 60);
});
const choose = async (id, value) => {
  all[id].value = String(value);
  shown.length = 0;
  all[id].listeners.change();
  await settled();
};

vm.runInThisContext(scripts.at(-1));
if (folder) fs.writeFileSync(path.join(folder, "drawings.json"), JSON.stringify(vm.runInThisContext("drawings")(report)));
await settled();
const places = all.along.children.map((o) => o.value);
for (const metric of report.metrics) {
  await choose("metric", metric);
  for (const scale of ["linear", "logarithmic", "automatic"]) await choose("scale", scale);
  await choose("statistic", "mean");
  for (const field of shown.flatMap((s) => s.layer.map((l) => l.encoding.y?.field)))
    if (["m", "l"].includes(field) && !shown.some((s) => s.layer.some((l) => l.encoding.y?.axis === null)))
      faults.push(`${metric}: a median is shown as a mean`);
  await choose("scale", "logarithmic");
  await choose("scale", "automatic");
  await choose("statistic", "median");
  for (const k of places) {
    await choose("along", k);
    const titles = shown.flatMap((s) => s.layer.map((l) => l.encoding.x?.title));
    if (!titles.includes(report.study.along[k])) faults.push(`${metric}: no axis is titled ${report.study.along[k]}`);
  }
}
// The window of the trace.
const fields = all.drawings.querySelectorAll("input");
if (fields.length === 2) {
  shown.length = 0;
  fields[1].value = String(Number(fields[0].value) + 0.5);
  fields[1].listeners.change();
  await settled();
  const domain = shown[0]?.layer.find((l) => l.encoding.x).encoding.x.scale.domain;
  if (domain?.[1] !== Number(fields[1].value)) faults.push("the window of the trace did not change");
}
if (faults.length > 0) {
  console.error([...new Set(faults)].slice(0, 20).join("\n"));
  process.exit(1);
}
console.log(`${drawn} drawings of ${files.size} figures without a warning`);
