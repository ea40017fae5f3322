// Draws figures as SVG files, into the folder of the file that describes them, with node:
//   node draw.js SCRIPT... FIGURES.json
// The scripts are Vega, Vega-Lite and those that the page has too.
"use strict";
const fs = require("node:fs"), path = require("node:path"), vm = require("node:vm");

const kWidth = 640;       // of the plot, in pixels
const kLetters = 100;     // in a line of a caption
const scripts = process.argv.slice(2, -1), input = process.argv.at(-1);
for (const file of scripts) vm.runInThisContext(fs.readFileSync(file, "utf8"), file);
const report = JSON.parse(fs.readFileSync(input, "utf8"));
const themes = [false, true].map((paper) => parts.theme((name) => report.style.match(new RegExp(`${name}: (#[0-9a-f]+);`))[1], paper));
const themeOf = ({ figure }) => themes[figure === "panels" ? 1 : 0];

// "at privacy.epsilon = 0.1, network.loss = 0", the options that a page lets its reader choose.
function selection(specification) {
  const all = (specification.params ?? []).filter((p) => p.bind?.input === "select").map(({ value, bind }) => {
    const label = bind.labels ? bind.labels[bind.options.indexOf(value)] : value;
    return bind.name === "at " ? String(label) : `${bind.name.trim()} = ${label}`;
  });
  // A line does not end beside an equals sign.
  return all.length > 0 ? `at ${all.join(", ").replaceAll(" = ", "\u00a0=\u00a0")}` : "";
}

// A file can not be moved to the rest of a trace.
function shown({ figure }, specification) {
  if (figure !== "timeline") return "";
  const [from, to] = traceFigures.windowOf(specification).map((t) => Number(t.toPrecision(6)));
  return ` Shown: ${from} to ${to} s.`;
}

// What answers only to a pointer is left out, and so is what lies outside of the window of a trace.
function still(drawing, specification, caption, width) {
  const { figure, title } = drawing, theme = themeOf(drawing), several = specification.concat !== undefined;
  const views = (specification.concat ?? [specification]).map((one) => {
    const view = { ...one, width, layer: one.layer.filter((layer) => layer.mark.opacity !== 0).map(({ params, ...layer }) => layer) };
    for (const layer of view.layer) delete layer.encoding.tooltip;
    return view;
  });
  const fixed = { ...(several ? { ...specification, concat: views } : views[0]), padding: several ? 2 : 8 };
  if (figure === "timeline") {
    const [from, to] = traceFigures.windowOf(specification);
    fixed.data = { values: specification.data.values.filter((row) => row.t <= to && (row.u ?? row.t) >= from) };
  }
  const size = several ? theme.title.fontSize : 11.5, letters = several ? Math.floor(report.width / (0.54 * size)) : kLetters;
  if (report.titles)
    fixed.title = { text: several ? parts.wrapped(title, letters) : title, subtitle: caption.flatMap((text) => parts.wrapped(text, letters)),
      anchor: "start", frame: several ? "bounds" : "group", offset: 14, color: theme.axis.titleColor, subtitleColor: theme.axis.labelColor,
      fontSize: several ? size : 15, subtitleFontSize: size, subtitlePadding: 5, ...(!several && { limit: kWidth + 60 }) };
  return fixed;
}

// Without a canvas, Vega takes letters for wider than they are. Digits are wide; running text is narrower.
vega.textMetrics.width = (item, text) => {
  const one = (item.mark?.role?.startsWith("title") ? 0.54 : 0.64) * vega.textMetrics.height(item);
  return Math.min(Math.round(one * String(text ?? "").length), item.limit > 0 ? item.limit : Infinity);
};

// Text of users can contain what XML must not.
const legal = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
const escaped = (text) => legal(text).replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

// Coordinates to a hundredth of a pixel; without what is neither drawn nor names a mark.
const reduced = (svg) => svg.replace(/<path class="(?:back|fore)ground" [^>]*d="(?:M0,0h0v0h0Z)?"[^>]*\/>/g, "").replace(/<[^>]*>/g, (tag) =>
  tag.replace(/ (?:aria-\w+|role|pointer-events)="[^"]*"/g, "").replace(/ (d|transform|[xy][12]?|c[xy]|r|width|height)="([^"]*)"/g,
  (_, name, value) => ` ${name}="${value.replace(/-?\d*\.\d+(?:e[-+]?\d+)?/g, (number) => String(Number(Number(number).toFixed(2)) || 0))}"`));

async function rendered(drawing, specification, caption, width) {
  const errors = [];
  const logger = { error: (...text) => errors.push(text.join(" ")), warn() {}, info() {}, debug() {}, level() { return logger; } };
  const compiled = vegaLite.compile(still(drawing, specification, caption, width), { logger, config: { ...themeOf(drawing), aria: false } }).spec;
  // The same names of clipping paths and gradients, whatever was drawn before.
  vega.resetSVGDefIds();
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logger });
  const svg = await view.toSVG();
  view.finalize();
  if (/NaN|Infinity/.test(svg.replace(/>[^<]*</g, "><"))) errors.push("it contains a number that is not finite");
  if (errors.length > 0) throw new Error(errors[0]);
  return svg;
}

// Panels are as wide as leaves the picture its width, whatever its labels take; its lengths are those in print.
async function fitted(drawing, specification, caption) {
  const kPerInch = 96, columns = Math.min(specification.columns, specification.concat.length);
  let width = report.width / columns, svg;
  for (let round = 0; round < 8; ++round) {
    svg = await rendered(drawing, specification, caption, width);
    const missing = report.width - Number(svg.match(/^<svg[^>]* width="([^"]*)"/)[1]);
    if (Math.abs(missing) < 0.5) break;
    width = Math.max(width + missing / columns, 30);
  }
  // Vega rounds the size up.
  const [found, height] = ["width", "height"].map((name) => Number(svg.match(new RegExp(`^<svg[^>]* ${name}="([^"]*)"`))[1]));
  const exact = Math.abs(found - report.width) <= 3 ? report.width : found;
  return svg.replace(/^<svg[^>]*>/, (tag) => tag.replace(/ (width|height|viewBox)="[^"]*"/g, "").replace(/>$/,
    ` width="${Number((exact / kPerInch).toFixed(4))}in" height="${Number((height / kPerInch).toFixed(4))}in" viewBox="0 0 ${exact} ${height}">`));
}

async function svgOf(drawing, specification, caption) {
  const at = selection(specification), title = at ? `${drawing.title}, ${at.replaceAll("\u00a0", " ")}` : drawing.title;
  const heading = at ? [at[0].toUpperCase() + at.slice(1) + ".", caption] : [caption];
  const svg = await (specification.concat ? fitted(drawing, specification, heading) : rendered(drawing, specification, heading, kWidth));
  return reduced(legal(svg)).replace(/^<svg[^>]*>/, (tag) => `${tag}<title>${escaped(title)}</title><desc>${escaped(caption)}</desc>`) + "\n";
}

(async () => {
  for (const drawing of drawings(report, report)) {
    const { specification, caption, file } = drawing;
    try {
      fs.writeFileSync(path.join(path.dirname(input), file + ".svg"), await svgOf(drawing, specification, caption + shown(drawing, specification)));
      console.log(file);
    } catch (error) {
      console.error(`${drawing.title}: ${error.message.split("\n")[0]}`);
      process.exit(1);
    }
  }
})();
