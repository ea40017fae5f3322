// Draws a traced run as animation.gif, into the folder of the file that describes it, with node and rsvg-convert:
//   node animation.js GIFENC SCRIPT... FIGURES.json
// The scripts are those that the player has too.
"use strict";
const fs = require("node:fs"), os = require("node:os"), path = require("node:path"), vm = require("node:vm"), zlib = require("node:zlib");
const { spawn } = require("node:child_process");

const kLinger = 0.7;       // s for which what happens is marked
const kColours = 63;        // of the palette; the next number is transparent: as in the frame before
const [encoder, ...scripts] = process.argv.slice(2, -1), input = process.argv.at(-1), folder = path.dirname(input);
for (const file of scripts) vm.runInThisContext(fs.readFileSync(file, "utf8"), file);
const gif = require(path.resolve(encoder)), report = JSON.parse(fs.readFileSync(input, "utf8"));

// A narrow picture is a wider one, made smaller.
const kNarrow = 640;
const { study, pixels } = report, width = Math.max(pixels, kNarrow), height = Math.round(0.66 * width) + 90;
const colours = Object.fromEntries(["ground", "ink", "dim", "line", "soft"].map((name) => {
  const [, x] = report.style.match(new RegExp(`--${name}: (#[0-9a-f]+);`));
  return [name, x.length === 4 ? "#" + [...x.slice(1)].map((c) => c + c).join("") : x];
}));
const scene = tracePicture.scene(study, traceFigures.agentNames(study)), { run } = scene;
const measure = report.metric === "" ? scene.measures[0] : scene.measures.find(({ name }) => name === report.metric);
const agent = study.trace.only.length === 1 ? study.trace.only[0] : null;

// The network above its legend and the axis of time.
function frame(t, speed) {
  const paint = tracePicture.svgPaint(), high = height - 118, view = tracePicture.fit(scene, width, high);
  tracePicture.drawLinks(paint, scene, view, colours);
  tracePicture.drawNetwork(paint, scene, view, t, { measure, colours, agent, linger: kLinger * speed });
  paint.text(width - 10, 20, tracePicture.clock(run, t), { fill: colours.ink, size: 15, anchor: "end", weight: 600, halo: colours.ground });
  let x = 14;
  for (const [label, draw] of tracePicture.marks(scene, colours)) {
    draw(paint, x, high + 14);
    paint.text(x + 14, high + 18, label, { fill: colours.dim, size: 11, anchor: "start" });
    x += 36 + 6.2 * label.length;
  }
  const [low, most] = measure.domain.map((value) => tracePicture.shown(value, measure.unit)), label = `${measure.name}: ${low}`;
  paint.text(8, high + 40, label, { fill: colours.dim, size: 11, anchor: "start" });
  const left = 20 + 6.2 * label.length, kWide = 90;
  for (let k = 0; k < kWide; ++k) paint.line(left + k, high + 31, left + k, high + 41, { stroke: tracePicture.valueColour(k, [0, kWide - 1]), width: 1.5 });
  paint.text(left + kWide + 6, high + 40, most, { fill: colours.dim, size: 11, anchor: "start" });
  const axis = tracePicture.svgPaint();
  tracePicture.drawAxis(axis, scene, width - 20, 64, t, { colours, agent });
  return paint.svg(width, height, colours.ground).replace("</svg>", `<g transform="translate(10 ${height - 68})">${axis.svg(1, 1).replace(/^<svg[^>]*>|<\/svg>$/g, "")}</g></svg>`);
}

// The picture of an SVG by rsvg-convert, as PNG.
const picture = (svg) => new Promise((resolve, reject) => {
  const child = spawn("rsvg-convert", ["--format", "png", "--width", String(pixels), "--keep-aspect-ratio"], { stdio: ["pipe", "pipe", "ignore"] }), parts = [];
  child.stdout.on("data", (part) => parts.push(part));
  child.on("error", reject).on("close", (code) => (code === 0 ? resolve(Buffer.concat(parts)) : reject(new Error(`rsvg-convert ended with ${code}`))));
  child.stdin.on("error", () => {}).end(svg);
});

// The pixels of a PNG of eight bits per channel, red, green, blue and alpha (Portable Network Graphics, third edition, 9).
function pixelsOf(png) {
  const data = [], size = { width: png.readUInt32BE(16), height: png.readUInt32BE(20), channels: png[25] === 6 ? 4 : 3 };
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const lines = zlib.inflateSync(Buffer.concat(data)), { channels } = size, stride = size.width * channels, all = new Uint8Array(size.width * size.height * 4).fill(255);
  let above = new Uint8Array(stride);
  for (let y = 0; y < size.height; ++y) {
    const filter = lines[y * (stride + 1)], line = new Uint8Array(lines.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; filter > 0 && i < stride; ++i) {
      const a = i < channels ? 0 : line[i - channels], b = above[i], c = i < channels ? 0 : above[i - channels];
      if (filter === 1) line[i] += a;
      else if (filter === 2) line[i] += b;
      else if (filter === 3) line[i] += (a + b) >> 1;
      else {
        const u = Math.abs(b - c), v = Math.abs(a - c), w = Math.abs(a + b - 2 * c);
        line[i] += u <= v && u <= w ? a : v <= w ? b : c;
      }
    }
    for (let x = 0; x < size.width; ++x) for (let k = 0; k < 3; ++k) all[(y * size.width + x) * 4 + k] = line[x * channels + k];
    above = line;
  }
  return { ...size, all };
}

(async () => {
  if (measure === undefined) throw new Error(`${report.metric} has no value of each agent`);
  const count = Math.max(2, Math.round(report.length * report.frames)), speed = (run.end - run.begin) / report.length;
  const timeOf = (k) => run.begin + ((run.end - run.begin) * k) / (count - 1);
  const drawn = [], draw = (k) => (drawn[k] ??= picture(frame(timeOf(k), speed)).then(pixelsOf));
  // One palette, of frames from all parts of the run.
  const some = await Promise.all([0.1, 0.4, 0.7, 0.95].map((part) => draw(Math.floor(part * (count - 1)))));
  const palette = gif.quantize(Buffer.concat(some.map(({ all }) => all)), kColours);
  while (palette.length <= kColours) palette.push([0, 0, 0]);
  const out = gif.GIFEncoder();
  let before;
  for (let k = 0; k < count; ++k) {
    for (let next = k; next < Math.min(count, k + os.cpus().length); ++next) draw(next);
    const { all, width: wide, height: high } = await draw(k), index = gif.applyPalette(all, palette.slice(0, kColours)), changed = index.slice();
    if (before) for (let i = 0; i < index.length; ++i) if (index[i] === before[i]) changed[i] = kColours;
    out.writeFrame(changed, wide, high, { ...(k === 0 && { palette }), delay: 10 * tracePicture.hundredths(k, report.frames), transparent: k > 0, transparentIndex: kColours, dispose: 1 });
    before = index;
    delete drawn[k];
  }
  out.finish();
  fs.writeFileSync(path.join(folder, "animation.gif"), out.bytes());
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
