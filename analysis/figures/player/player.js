// Plays a traced run in a page: player(element, study). The element gets a member `player` with the run, its time
// and seek(), by which other scripts can move it. The time, the agent and the message that are chosen are in the address:
// #t=12.5&agent=3.
"use strict";
const player = (() => {
  const { kColours, kValues, shown } = tracePicture;
  const kLinger = 0.7;      // s of real time for which what happens is marked
  const kFlight = 1.2;      // s of real time that a message of median latency takes at first
  const kPanelEvery = 200, kRemember = 300;  // ms
  const kLosses = {
    loss: "lost on the link", receiver_down: "lost: the receiver was down when it arrived", sender_down: "lost: the sender was down",
    stale: "discarded by the receiver: it came too late", partition: "lost: the network was divided", not_finite: "discarded: its numbers are not finite",
  };

  const kEvents = { up: "comes up", down: "goes down", reset: "starts again from its initial state" };

  // An element with attributes, listeners where they are functions, and children.
  function element(name, { text, ...attributes } = {}, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      typeof value === "function" ? e.addEventListener(key, value) : e.setAttribute(key, value);
    if (text !== undefined) e.textContent = text;
    e.append(...children);
    return e;
  }
  // Speeds 1, 2, 5, 10, ... in simulated s per s, about the one at which a message can be followed.
  function speeds({ messages, begin, end }) {
    const flights = messages.filter((m) => m.ended > m.sent && m.ended < Infinity).map((m) => m.ended - m.sent).sort((a, b) => a - b);
    const middle = flights[flights.length >> 1] ?? (end - begin) / 60, wanted = Math.min(middle / kFlight, (end - begin) / 5) || 1;
    const all = [];
    for (let k = -9; k <= 9; ++k) for (const f of [1, 2, 5]) all.push(Number((f * 10 ** k).toPrecision(1)));
    const at = all.findIndex((x) => x >= wanted * 0.7);
    return { all: all.slice(Math.max(0, at - 6), at + 13), first: all[at] };
  }

  return (root, study) => {
    const scene = tracePicture.scene(study, traceFigures.agentNames(study)), { run, name } = scene;
    const state = { t: run.begin, agent: null, message: null, moment: null, over: null, playing: false, measure: scene.measures[0], chain: null };
    let view, backdrop, colours, dirty = true, panelAt = 0, frames = 0, drawn = 0;
    const rounded = (numbers) => numbers.replace(/\d\.\d+(e-?\d+)?/g, (x) => shown(Number(x)));
    const plain = (reason) => (reason === "loss" ? "on the link" : reason.replaceAll("_", " ")), since = run.begin > 0 ? ` since ${shown(run.begin, "s")}` : "";
    const counted = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
    const nameOf = (agent) => (agent < 0 ? "the run" : name(agent)), at = (t) => tracePicture.clock(run, t);

    // Whether the trace has when an agent is down.
    const { states, only } = run.trace, stated = (agent) => states || only.includes(agent);

    // --- what a moment is in words ---
    const { rows, text } = run;
    const messageOf = new Map(run.messages.map((m, i) => [rows.message[m.sentRow ?? m.endRow], i]));
    const keyOf = (m) => (m.sentRow !== null ? text(rows.message[m.sentRow]) : m.endRow !== null ? text(rows.message[m.endRow]) : "");
    function outcome(m, t = Infinity) {
      const way = m.ended < Infinity ? `${shown(m.ended - m.sent, "s")} on the way` : "";
      if (m.lost !== "" && m.ended <= t) return `${kLosses[m.lost] ?? `lost: ${m.lost}`} at ${at(m.ended)}`;
      if (m.ended <= t) return `arrived at ${at(m.ended)}, ${way}`;
      return "in flight";
    }
    // Links with commas between them, texts behind those before them; not all of many.
    function listed(parts, most = 8) {
      const all = parts.slice(0, most).flatMap((part) => (typeof part === "string" ? [part] : [", ", part]));
      return [...all.slice(all[0] === ", " ? 1 : 0), ...(parts.length > most ? [" and others"] : [])];
    }
    // What happens at a moment: texts, and links to messages.
    function words(number) {
      const { first, last, agent, more, done } = run.moments[number], said = new Map(), sent = [];
      const say = (part, key = part) => said.set(key, [part, (said.get(key)?.[1] ?? 0) + 1]);
      for (let row = first; row <= last; ++row) {
        const event = text(rows.event[row]), detail = text(rows.detail[row]), peer = rows.peer[row], who = rows.agent[row];
        const message = messageOf.get(rows.message[row]), age = message === undefined ? null : run.moments[number].t - run.messages[message].sent;
        const linked = (label) => (message === undefined ? label : messageLink(message, label));
        if (event === "tick") say("its clock ticks");
        else if (event === "timer") {
          const missing = detail === "timeout" ? traceState.unanswered(run, number) : [];
          say(element("span", {}, `timer: ${detail || "fires"}`, ...(missing.length > 0 ? [run.rounds ? ", nothing meanwhile from " : ", no answer from ", ...listed(missing.map((i) => messageLink(i, nameOf(run.messages[i].to))))] : [])), row);
        }
        else if (event === "deliver") say(element("span", {}, "hears ", linked(`from ${nameOf(peer)}`), age === null ? "" : `, ${shown(age, "s")} old`), row);
        else if (event === "send" || event === "publish") sent.push(linked(nameOf(peer)));
        else if (event === "lose" && row > first && rows.message[row] === rows.message[row - 1] && sent.length > 0) sent.push(` (lost: ${plain(detail)})`);
        else if (event === "lose") say(element("span", {}, linked(`a message from ${nameOf(peer)} to ${nameOf(who)}`), ` is lost: ${plain(detail)}`), row);
        else if (event === "skip") say(`misses a tick (${detail})`);
        else if (event === "release") say(/ spent=0 /.test(detail) ? "uses its data" : `releases (${rounded(detail.replace(/release=\d+ (epsilon=0 )?| delta=0$/g, ""))})`);
        else if (event === "compute") say("begins to compute");
        else if (event === "computed") say("has computed");
        else if (event === "view") say(`adversary ${detail} sees something of ${nameOf(who)} for the first time`);
        else if (event === "hostile") say(`attacks (${detail})`);
        else if (event === "event") say(traceFigures.eventText(detail, name));
        else say((who === agent ? "" : `${nameOf(who)} `) + (kEvents[event] ?? event) + (detail ? ` (${detail})` : ""));
      }
      const all = [...said.values()].flatMap(([part, times]) => ["; ", part, ...(times > 1 ? [` (${times} times)`] : [])]);
      if (sent.length > 0) all.push("; ", "sends to ", ...listed(sent));
      if (more > 0) all.push(`; completes iteration ${done}`);
      return all.slice(1);
    }

    // --- what is in the page ---
    const stage = element("canvas", { tabindex: 0, role: "img", "aria-label": `network of ${scene.agents} agents` }), axis = element("canvas");
    const panel = element("aside", { "aria-live": "off" });
    const slider = element("input", { type: "range", min: 0, max: 100000, value: 0, "aria-label": "time" }), clock = element("output");
    const button = (label, hint, click) => element("button", { type: "button", text: label, title: hint, "aria-label": hint, click });
    const play = button("▶", "play or pause (space)", () => toggle());
    const { all: rates, first: rate } = speeds(run);
    const lossy = run.messages.some((m) => m.lost !== "" && m.ended <= run.end);
    const speed = element("select", {}, ...rates.map((x) => new Option(`${x} s per s`, x, false, x === rate)));
    const chosen = element("select", {}, new Option("none", ""), ...[...Array(scene.agents).keys()].map((i) => new Option(name(i), i)));
    const measure = element("select", {}, ...scene.measures.map((m, i) => new Option(m.name, i)));
    const legend = element("div", { class: "legend" });
    const labelled = (label, control) => element("label", {}, label + " ", control);
    root.classList.add("player");
    root.append(
      element("div", { class: "bar" }, button("|◀", "event before (left; of the chosen agent: shift and left)", (e) => step(-1, e.shiftKey)), play,
        button("▶|", "next event (right; of the chosen agent: shift and right)", (e) => step(1, e.shiftKey)),
        ...(lossy ? [button("▶✕", "next lost message (L; the one before: shift and L)", (e) => loss(e))] : []), clock,
        labelled("speed", speed), labelled("agent", chosen), labelled("colour", measure),
        ...(typeof MediaRecorder === "undefined" ? [] : [button("● record", "record what is played as WebM", () => record())])),
      element("div", { class: "stage" }, element("div", {}, stage, legend), panel), slider, axis,
      element("p", { class: "dim", text: "Click an agent or a message. Keys: space plays, left and right step to events (with shift: of the chosen agent), " +
        (lossy ? "L to the next lost message (with shift: to the one before), " : "") + "+ and − change the speed, Home and End, Esc." + (run.trace.whole ? "" : ` This page has ${run.count} events from ${at(run.begin)} to ${at(run.end)}` +
        `${only.length > 0 ? `, those in which ${only.map(nameOf).join(", ")} take${only.length === 1 ? "s" : ""} part` : ""}. The options --from, --to and --agent, ` +
        "and record.trace in the scenario, choose others.") }));

    // --- time ---
    function set(t, moment = null) {
      state.t = Math.min(Math.max(t, run.begin), run.end);
      state.moment = moment;
      dirty = true;
    }
    function seek(t, moment = null) { set(t, moment), remember(); }
    function toggle(on = !state.playing) {
      if (on && state.t >= run.end) set(run.begin);
      state.playing = on;
      play.textContent = on ? "❚❚" : "▶";
      dirty = true;
      if (on) return;
      remember();
      if (recorder?.state === "recording") recorder.stop();
    }
    function step(by, own) {
      if (state.playing) toggle(false);
      // From a time between two moments, the one before is the last of them.
      const last = state.moment ?? traceState.momentAt(run, state.t), between = state.moment === null && run.times[last] < state.t;
      const here = between && by < 0 ? last + 1 : last;
      const next = traceState.neighbour(run, here, by, own ? state.agent : null);
      if (next !== null) seek(run.times[next], next);
    }
    // To where a message was lost, which is chosen; of the chosen agent's, if there is one.
    function stepLoss(by) {
      const next = traceState.nextLoss(run, state.t, by, state.agent, state.message);
      if (state.playing) toggle(false);
      if (next !== null) choose(state.agent, next), seek(run.messages[next].ended);
    }
    function choose(agent, message = null) {
      Object.assign(state, { agent, message, chain: message === null ? null : traceState.chain(run, message) });
      chosen.value = agent === null ? "" : String(agent);
      dirty = true;
      remember();
    }
    // The address leads here again; a script of the page may keep other things in it. Browsers allow few changes per second.
    let remembering = 0;
    function remember() {
      remembering ||= setTimeout(() => ((remembering = 0), keepAddress()), kRemember);
    }
    function keepAddress() {
      const before = location.hash.slice(1), metric = before !== "" && !before.includes("=");
      const address = new URLSearchParams(metric ? { metric: decodeURIComponent(before) } : before);
      const put = (key, value) => (value === null ? address.delete(key) : address.set(key, value));
      put("t", String(state.t)), put("agent", state.agent);
      put("message", state.message === null ? null : keyOf(run.messages[state.message]));
      history.replaceState(null, "", "#" + String(address).replaceAll("%3A", ":"));
    }
    function recall() {
      const address = new URLSearchParams(location.hash.slice(1)), agent = address.get("agent"), message = address.get("message");
      if (!["t", "agent", "message"].some((key) => address.has(key))) return;
      const agents = [...Array(scene.agents).keys()], number = agents.find((i) => agent === String(i)) ?? agents.find((i) => agent === name(i));
      const found = message === null ? -1 : run.messages.findIndex((m) => keyOf(m) === message);
      state.agent = number ?? null, state.message = found < 0 ? null : found, state.chain = found < 0 ? null : traceState.chain(run, found);
      chosen.value = String(number ?? "");
      if (address.has("t") && Number.isFinite(Number(address.get("t")))) set(Number(address.get("t")));
      else if (found >= 0) set(run.messages[found].sent);
      if (!root.closest(".wide")) root.scrollIntoView();
    }

    // --- the panel ---
    const link = (label, click, hint) => element("a", { href: "#", text: label, click: (e) => (e.preventDefault(), click()), ...(hint && { title: hint }) });
    const goTo = (number) => link(at(run.times[number]), () => seek(run.times[number], number));
    const agentLink = (agent) => (agent < 0 ? nameOf(agent) : link(name(agent), () => choose(agent)));
    const messageLink = (i, label) => link(label, () => choose(state.agent, i), keyOf(run.messages[i]));
    const line = (...children) => element("p", {}, ...children);
    const momentLine = (number) => [goTo(number), " ", agentLink(run.moments[number].agent), " ", ...words(number)];

    function agentPanel(agent, t) {
      const now = traceState.agentAt(run, agent, t), heard = traceState.heard(run, agent, t), release = traceState.released(run, agent, t), { measure: m } = state;
      const own = run.ofAgent.get(agent) ?? [], place = traceState.upTo(own, traceState.momentAt(run, t));
      const oldest = Math.max(1e-12, ...heard.map((h) => h.age ?? 0));
      const table = element("table", {}, element("tr", {}, ...["from", "heard", "age", "since then"].map((h) => element("th", { text: h }))),
        ...heard.map((h) => element("tr", {}, element("td", {}, agentLink(h.from)),
          element("td", {}, ...(h.message < 0 ? ["nothing"] : [messageLink(h.message, `sent ${at(run.messages[h.message].sent)}`)])),
          element("td", {}, ...(h.age === null ? [] : [element("span", { class: "age", style: `width: ${Math.round((40 * h.age) / oldest)}px` }), " " + shown(h.age, "s")])),
          element("td", {}, ...h.lost.slice(-3).map((i) => messageLink(i, `✕ lost ${plain(run.messages[i].lost)} `)), ...h.flying.slice(-3).map((i) => messageLink(i, "→ in flight "))))));
      return [element("h3", { text: /^\d+$/.test(name(agent)) ? `Agent ${name(agent)}` : `${name(agent)} (agent ${agent})` }),
        line(`${!stated(agent) ? "Not known whether it is up" : now.down ? "Down" : now.computing ? "Up, computing" : "Up"}${now.hostile ? `; hostile, ${counted(now.attacks, "attack")}${since || " so far"}` : ""}.`,
          ` ${m.sampled ? m.name : m.name[0].toUpperCase() + m.name.slice(1)}: ${shown(m.at(agent, t), m.unit)}.`),
        ...(only.length > 0 && !only.includes(agent) ? [line(`Here is only what ${only.map(nameOf).join(", ")} take${only.length === 1 ? "s" : ""} part in.`)] : []),
        ...(heard.length === 0 ? [line(`It has heard from no other agent${since || " yet"}.`)] : [element("h4", { text: `What it knows of others at ${at(t)}` }), table]),
        ...(release.count === 0 && !(release.spent > 0) ? [] : [line(release.count === 0 ? `Its data were not used${since}` : `Its data were used ${release.count === 1 ? "once" : `${release.count} times`}${since}, last at ${at(release.t)}`,
          release.spent > 0 ? `; it has spent epsilon ${shown(release.spent)}${release.epsilon > 0 ? `, the last time ${shown(release.epsilon)}` : ""}.` : ".")]),
        element("h4", { text: "Its events" }),
        element("ol", {}, ...own.slice(Math.max(0, place - 7), place + 4).map((number) =>
          element("li", { class: run.times[number] > t ? "later" : number === own[place - 1] ? "now" : "" }, goTo(number), " ", ...words(number))))];
    }
    function messagePanel(i, t) {
      const m = run.messages[i], { before, after } = state.chain, base = traceState.basis(run, i);
      const end = m.ended === Infinity ? "in flight when the trace ends" : m.ended > run.end ? outcome(m) : link(outcome(m), () => seek(m.ended));
      return [element("h3", {}, "Message ", agentLink(m.from), " → ", agentLink(m.to)),
        line(link(`sent at ${at(m.sent)}`, () => seek(m.sent)), ", ", end, ".",
          ...(m.lost === "" && m.ended > m.sent && m.ended < Infinity ? [` What it says was ${shown(m.ended - m.sent, "s")} old on arrival.`] : [])),
        ...(base === null ? [] : [line("It builds on what ", agentLink(m.to), " ", messageLink(base.message, `sent at ${at(run.messages[base.message].sent)}`),
          `: ${shown(base.age, "s")} old when this arrived (${shown(base.there, "s")} on the way, ${shown(base.inside, "s")} at ${nameOf(m.from)}, ${shown(base.back, "s")} back)${
            base.iterations === null ? "" : `; ${counted(base.iterations, "iteration")} completed meanwhile`}.`)]),
        line(element("span", { class: "dim", text: `${keyOf(m)}${t < m.sent ? ", not sent yet" : m.ended > t ? `, now ${shown(t - m.sent, "s")} on its way` : ""}` })),
        element("h4", { class: "cause", text: `Why it was sent, the latest first${before.length > 12 ? ` (12 of ${before.length} steps)` : ""}` }),
        element("ol", {}, ...before.slice(0, 12).map((step) => element("li", { class: "cause" }, ...momentLine(step.moment)))),
        ...(before.length === 0 ? [line("It was sent before the events of this page.")] : []),
        element("h4", { class: "effect", text: `What followed${after.length > 24 ? " (the first 24 steps)" : ""}` }),
        ...(after.length === 0 ? [line(m.lost ? "Nothing: it did not reach its receiver's protocol." : "Nothing was sent because of it.")] : []),
        element("ol", {}, ...after.slice(0, 24).map(({ t: time, moment, message }) => element("li", { class: `effect${time > t ? " later" : ""}` },
          ...(moment !== undefined ? momentLine(moment) : [messageLink(message, `to ${nameOf(run.messages[message].to)}: `), outcome(run.messages[message])]))))];
    }
    function runPanel(t) {
      const agents = [...Array(scene.agents).keys()], count = (f) => agents.filter((i) => f(traceState.agentAt(run, i, t))).length;
      const arrived = traceState.upTo(run.ended, t), lost = traceState.lostIn(run, -Infinity, t).length, last = state.moment ?? traceState.momentAt(run, t);
      const busy = count((s) => s.computing && !s.down), hostile = count((s) => s.hostile);
      return [element("h3", { text: traceFigures.tracedRun(study).replace("one", "One") }),
        ...(run.trace.states ? [line(`${count((s) => !s.down)} of ${agents.length} agents are up${busy ? `, ${busy} compute` : ""}${hostile ? `, ${hostile} are hostile` : ""}.`)] : []),
        line(`Messages: ${traceState.inFlight(run, t).length} in flight, ${arrived - lost} delivered, ${lost} lost${since}.`),
        element("h4", { text: "Events" }),
        element("ol", {}, ...[...Array(13).keys()].map((k) => last - 9 + k).filter((n) => n >= 0 && n < run.moments.length).map((number) =>
          element("li", { class: number === last ? "now" : number > last ? "later" : "" }, ...momentLine(number))))];
    }
    // What was chosen last is chosen no longer.
    const leave = () => (state.message !== null ? choose(state.agent) : choose(null));
    function showPanel() {
      const { t, agent, message } = state, top = panel.scrollTop;
      const content = message !== null ? messagePanel(message, t) : agent !== null ? agentPanel(agent, t) : runPanel(t);
      panel.replaceChildren(...(agent !== null || message !== null ? [link("✕ close", leave, "Esc")] : []), ...content);
      panel.scrollTop = top;
    }

    // --- drawing ---
    function showLegend() {
      const { measure: m } = state, [low, high] = m.domain;
      legend.replaceChildren(...tracePicture.marks(scene, colours).map(([label, draw]) => {
        const paint = tracePicture.svgPaint(), picture = element("span");
        draw(paint, 13, 12);
        picture.innerHTML = paint.svg(26, 24);
        return element("span", {}, picture, label);
      }), element("span", {}, `${m.name}: ${shown(low, m.unit)} `, element("span", { class: "values", style: `background: linear-gradient(90deg, ${kValues.join(", ")})` }), ` ${shown(high, m.unit)}${m.name.startsWith("age") ? " or more" : ""}`),
        ...(m.sampled ? [element("span", { class: "dim", text: "(recorded samples of the run)" })] : []));
    }
    const sized = (canvas, width, height) => {
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio), canvas.height = Math.round(height * ratio);
      const context = canvas.getContext("2d");
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      return context;
    };
    let context, axisContext, axisWidth;
    function resize() {
      const style = getComputedStyle(document.documentElement);
      colours = Object.fromEntries(["ground", "ink", "dim", "line", "soft"].map((key) => [key, style.getPropertyValue("--" + key).trim()]));
      const width = Math.max(stage.parentElement.clientWidth, 200), height = Math.round(Math.min(Math.max(0.68 * width, 300), 620));
      stage.style.height = `${height}px`, axis.style.height = "64px";
      view = tracePicture.fit(scene, width, height);
      context = sized(stage, width, height);
      axisWidth = Math.max(axis.clientWidth, 200);
      axisContext = sized(axis, axisWidth, 64);
      backdrop = document.createElement("canvas");
      tracePicture.drawLinks(tracePicture.canvasPaint(sized(backdrop, width, height)), scene, view, colours);
      showLegend();
      dirty = true;
    }
    let axisDrawn;
    function draw(now) {
      context.clearRect(0, 0, view.width, view.height);
      context.globalAlpha = 1;
      context.drawImage(backdrop, 0, 0, view.width, view.height);
      const linger = kLinger * Number(speed.value);
      drawn = tracePicture.drawNetwork(tracePicture.canvasPaint(context), scene, view, state.t, { ...state, colours, linger });
      // The axis without its line changes with what is chosen.
      const key = `${state.agent} ${axisWidth} ${colours.ground}`;
      if (axisDrawn?.key !== key) {
        const canvas = document.createElement("canvas");
        tracePicture.drawAxis(tracePicture.canvasPaint(sized(canvas, axisWidth, 64)), scene, axisWidth, 64, -Infinity, { colours, agent: state.agent });
        axisDrawn = { key, canvas };
      }
      axisContext.clearRect(0, 0, axisWidth, 64);
      axisContext.globalAlpha = 1;
      axisContext.drawImage(axisDrawn.canvas, 0, 0, axisWidth, 64);
      const x = ((state.t - run.begin) / Math.max(run.end - run.begin, 1e-12)) * axisWidth;
      tracePicture.canvasPaint(axisContext).line(x, 0, x, 52, { stroke: kColours.lost, width: 2 });
      clock.textContent = at(state.t);
      slider.value = String(Math.round((1e5 * (state.t - run.begin)) / Math.max(run.end - run.begin, 1e-12)));
      // What the pointer is on stays, so that it can be clicked.
      if (!state.playing || (now - panelAt > kPanelEvery && !panel.matches(":hover"))) showPanel(), (panelAt = now);
      ++frames;
    }
    let last;
    function frame(now) {
      if (state.playing) {
        set(state.t + (Math.min(now - (last ?? now), 250) / 1000) * Number(speed.value));
        if (state.t >= run.end) toggle(false);
      }
      last = now;
      if (dirty && view !== undefined && root.offsetParent !== null) (dirty = false), draw(now);
      requestAnimationFrame(frame);
    }
    // From here to the end, or until it is pressed again.
    let recorder;
    function record() {
      if (recorder) return recorder.stop();
      const parts = [], kept = new MediaRecorder(stage.captureStream(30), { mimeType: "video/webm" });
      recorder = kept;
      kept.ondataavailable = ({ data }) => parts.push(data);
      kept.onstop = () => {
        recorder = undefined;
        toggle(false);
        const address = URL.createObjectURL(new Blob(parts, { type: "video/webm" }));
        element("a", { href: address, download: "run.webm" }).click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
      };
      kept.start();
      toggle(true);
    }

    // --- what users do ---
    const whereIn = (canvas, e) => { const box = canvas.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
    function found(e) {
      const [x, y] = whereIn(stage, e), near = ([u, v]) => Math.hypot(u - x, v - y), { messages } = run, { t } = state;
      const closest = (list, place, reach) => list.map((i) => [near(place(i)), i]).filter(([d]) => d < reach).sort((a, b) => a[0] - b[0])[0]?.[1];
      const agent = closest([...Array(scene.agents).keys()], (i) => view.places[i], view.radius + 3);
      const placed = (i) => { const p = tracePicture.placeOf(scene, view, messages[i], Math.min(t, messages[i].ended)); return [p.x, p.y]; };
      const seen = [...traceState.inFlight(run, t), ...traceState.lostIn(run, t - kLinger * Number(speed.value), t)];
      return { agent, message: closest(seen, placed, 11) };
    }
    stage.addEventListener("click", (e) => {
      const { agent, message } = found(e);
      stage.focus({ preventScroll: true });
      if (message !== undefined) choose(state.agent, message);
      else choose(agent ?? null);
      if (message !== undefined && state.playing) toggle(false);
    });
    stage.addEventListener("mousemove", (e) => {
      const { agent, message } = found(e);
      stage.style.cursor = agent !== undefined || message !== undefined ? "pointer" : "";
      const { from, to, sent } = run.messages[message] ?? {};
      stage.title = message !== undefined ? `${nameOf(from)} → ${nameOf(to)}, sent at ${at(sent)}` : agent !== undefined ? name(agent) : "";
      if (state.over !== (agent ?? null)) (state.over = agent ?? null), (dirty = true);
    });
    const drag = (e) => e.buttons === 1 && seek(run.begin + (whereIn(axis, e)[0] / axisWidth) * (run.end - run.begin));
    axis.addEventListener("pointerdown", (e) => (axis.setPointerCapture(e.pointerId), drag(e)));
    axis.addEventListener("pointermove", drag);
    slider.addEventListener("input", () => seek(run.begin + (Number(slider.value) / 1e5) * (run.end - run.begin)));
    chosen.addEventListener("change", () => choose(chosen.value === "" ? null : Number(chosen.value)));
    measure.addEventListener("change", () => ((state.measure = scene.measures[measure.value]), (dirty = true), showLegend()));
    speed.addEventListener("change", () => (dirty = true));
    const faster = (by) => (speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), rates.length - 1), (dirty = true));
    const loss = (e) => stepLoss(e.shiftKey ? -1 : 1);
    const keys = {
      " ": () => toggle(), ArrowRight: (e) => step(1, e.shiftKey), ArrowLeft: (e) => step(-1, e.shiftKey), Home: () => seek(run.begin), End: () => seek(run.end),
      l: loss, L: loss, "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1), Escape: leave,
    };
    // The keys of a page of its own need no focus.
    (root.closest(".wide") ? document : root).addEventListener("keydown", (e) => {
      if (e.target.matches("select") || (e.key === " " && e.target.matches("button")) || keys[e.key] === undefined || e.ctrlKey || e.altKey || e.metaKey) return;
      e.preventDefault();
      keys[e.key](e);
    });

    resize();
    recall();
    showLegend();
    new ResizeObserver(() => {
      const width = stage.parentElement.clientWidth;
      if (width > 0 && Math.abs(width - view.width) >= 1) resize();
    }).observe(stage.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
    addEventListener("hashchange", recall);
    requestAnimationFrame(frame);
    root.player = { run, scene, state, seek, step, stepLoss, choose, toggle, get drawn() { return drawn; }, get frames() { return frames; } };
  };
})();
