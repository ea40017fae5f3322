// Plays a traced run in Chromium and compares what is drawn with trace.csv:  player.mjs HEARSAY NODE_MODULES FOLDER
// FOLDER has the results of traced.json with player.html and report.html.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, modules, folder] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(path.join(modules, "playwright-core/index.mjs")));
const profile = fs.mkdtempSync(path.join(folder, "profile-"));
const faults = [];
const check = (holds, what) => holds || faults.push(what);

// Read here by other code than the page's: rows of trace.csv, messages by name, and moments, which are times with a cause, or,
// as the run begins, with an agent.
const [header, ...lines] = fs.readFileSync(path.join(folder, "trace.csv"), "utf8").trim().split("\n");
const names = header.split(","), rows = lines.map((line) => Object.fromEntries(line.split(",").map((field, k) => [names[k], field]))).filter((row) => row.event !== "start");
const sent = new Map(), ended = new Map(), moments = [];
for (const row of rows) {
  const t = Number(row.time_s);
  if (row.event === "send" || row.event === "publish") sent.set(row.message, t);
  if ((row.event === "deliver" || row.event === "lose") && !ended.has(row.message)) ended.set(row.message, t);
  if (moments.at(-1)?.t !== t || moments.at(-1).cause !== row.cause || (row.cause === "" && row.event !== "lose" && moments.at(-1).agent !== row.agent)) moments.push({ t, cause: row.cause, agent: row.agent });
}
const end = Number(rows.at(-1).time_s), flying = (t) => [...sent].filter(([name, from]) => from <= t && (ended.get(name) ?? Infinity) > t).length;
// Of the times that are drawn; "random" is another one each time.
const wanted = process.env.HEARSAY_TEST_SEED;
let seed = wanted === "random" ? (Date.now() % 1e6) + 1 : Number(wanted) || 1;
console.log(`times of seed ${seed}`);
const draw = () => (seed = (seed * 16807) % 2147483647) / 2147483647;

const browser = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium", viewport: { width: 1280, height: 900 },
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage();
page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
page.on("request", (request) => check(/^(file|data|blob):/.test(request.url()), `request to ${request.url()}`));
// Filled marks in the colour of messages, on the canvas of the network.
await page.addInitScript(() => {
  globalThis.filled = 0;
  const { fill } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fill = function (...rest) {
    if (this.fillStyle === "#56b4e9") ++globalThis.filled;
    return fill.apply(this, rest);
  };
});
async function open(name, hash = "") {
  await page.goto("about:blank");
  await page.goto(pathToFileURL(path.join(folder, name)) + hash);
  await page.waitForFunction(() => document.getElementById("player").player !== undefined);
}
const settled = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const now = () => page.evaluate(() => document.getElementById("player").player.state.t);

await open("player.html");
const counts = [];
// Messages in flight at ten times: as many marks are drawn as the table has messages.
for (let k = 0; k < 10; ++k) {
  const t = draw() * end;
  await settled();
  await page.evaluate((time) => {
    globalThis.filled = 0;
    document.getElementById("player").player.seek(time);
  }, t);
  await settled();
  const drawn = await page.evaluate(() => globalThis.filled);
  counts.push(drawn);
  check(drawn === flying(t), `at ${t} s ${drawn} messages are drawn, ${flying(t)} are in flight`);
}
check(Math.max(...counts) > 0, `too few messages are in flight to count: ${counts}`);
// Each step is to the next moment of the trace, and back.
await page.evaluate(() => document.getElementById("player").player.seek(0));
await page.focus("#player canvas");
for (let k = 0; k < 40; ++k) {
  await page.keyboard.press("ArrowRight");
  check((await now()) === moments[k].t, `step ${k + 1} is to ${await now()} s, not to ${moments[k].t} s`);
}
await page.keyboard.press("ArrowLeft");
check((await now()) === moments[38].t, "the step back is not to the moment before");
// Those of an agent, from a time between two moments.
const from = (moments[60].t + moments[61].t) / 2, own = moments.filter((m) => m.agent === "2" && m.t > from);
await open("player.html", `#t=${from}&agent=2`);
check((await now()) === from, "the address does not lead to its time");
await page.focus("#player canvas");
for (const moment of own.slice(0, 8)) {
  await page.keyboard.press("Shift+ArrowRight");
  check((await now()) === moment.t, `a step of agent 2 is to ${await now()} s, not to ${moment.t} s`);
}
await page.waitForTimeout(500);
check(Number(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("t"))) === own[7].t, "the address does not follow the time");
// L leads from one lost message to the next, each with its panel; with shift, back.
const losses = rows.filter((row) => row.event === "lose").map((row) => ({ t: Number(row.time_s), message: row.message }));
await open("player.html");
await page.focus("#player canvas");
const there = () => page.evaluate(() => ({ t: document.getElementById("player").player.state.t, message: new URLSearchParams(location.hash.slice(1)).get("message") }));
for (const loss of losses.slice(0, 5)) {
  await page.keyboard.press("l");
  await page.waitForTimeout(400);
  const { t, message } = await there();
  check(t === loss.t && message === loss.message, `the step to ${loss.message}, lost at ${loss.t} s, is to ${message} at ${t} s`);
}
await page.keyboard.press("Shift+L");
check((await now()) === losses[3].t, "the step back is not to the loss before");
// Why a message was lost.
const lost = rows.find((row) => row.detail === "receiver_down");
await open("player.html", `#message=${lost.message}`);
await settled();
const said = await page.evaluate(() => document.querySelector("#player aside").textContent);
check(said.includes("sends to"), `the panel does not say what sent ${lost.message}: ${said}`);
check(said.includes("the receiver was down when it arrived"), `the panel does not say why ${lost.message} was lost: ${said}`);
// Playing: how often it is drawn.
const rate = await page.evaluate(async () => {
  const { player } = document.getElementById("player"), wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  player.seek(player.run.begin);
  player.toggle(true);
  await wait(300);
  const before = player.frames, begin = performance.now();
  await wait(1500);
  return { frames: (1000 * (player.frames - before)) / (performance.now() - begin), t: player.state.t };
});
check(rate.t > 0, "it does not play");
console.log(`${rate.frames.toFixed(1)} frames per second`);
// In the report, beside the metric in the address.
await open("report.html", "#t=6.25&agent=1&metric=relative_fitness");
check((await now()) === 6.25, "the report does not keep the time of the address");
await browser.close();
fs.rmSync(profile, { recursive: true, force: true });
if (faults.length > 0) {
  console.error([...new Set(faults)].slice(0, 20).join("\n"));
  process.exit(1);
}
console.log(`${sent.size} messages, ${counts} of them in flight, ${moments.length} moments: the player shows what the trace says`);
