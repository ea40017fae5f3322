// Pictures of a traced run at a time: the network with its messages, and the axis of time. They are drawn with few marks,
// onto a canvas or as SVG.
"use strict";
const tracePicture = (() => {
  // Okabe and Ito's colours, which people with any colour vision can tell apart; and those of values, from dark to light.
  const kColours = { message: "#56b4e9", computing: "#e69f00", lost: "#d55e00", cause: "#0072b2", effect: "#cc79a7", event: "#cc79a7", chosen: "#009e73" };
  const kValues = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"];
  const kMaxNames = 60, kMaxTrails = 400, kMaxAges = 16, kMaxLinks = 6000, kMaxForces = 5000, kMaxSteps = 8;

  function canvasPaint(context) {
    const styled = ({ fill, stroke, width = 1, dash = [], alpha = 1 }, path) => {
      context.globalAlpha = alpha;
      context.beginPath();
      path();
      if (fill) context.fillStyle = fill, context.fill();
      if (!stroke) return;
      context.setLineDash(dash);
      context.strokeStyle = stroke, context.lineWidth = width, context.stroke();
    };
    return {
      line: (x, y, u, v, style) => styled(style, () => (context.moveTo(x, y), context.lineTo(u, v))),
      circle: (x, y, r, style) => styled(style, () => context.arc(x, y, r, 0, 2 * Math.PI)),
      polygon: (points, style) => styled(style, () => (points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y))), context.closePath())),
      text(x, y, text, { fill, size = 12, anchor = "middle", weight = 400, halo }) {
        Object.assign(context, { globalAlpha: 1, font: `${weight} ${size}px system-ui, sans-serif`, textAlign: anchor === "middle" ? "center" : anchor });
        if (halo) context.setLineDash([]), Object.assign(context, { lineJoin: "round", lineWidth: 3, strokeStyle: halo }), context.strokeText(text, x, y);
        context.fillStyle = fill;
        context.fillText(text, x, y);
      },
    };
  }

  const kHalo = 'stroke-width="3" paint-order="stroke" stroke-linejoin="round"';
  function svgPaint() {
    const parts = [], n = (x) => String(Number(x.toFixed(2))), safe = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    const look = ({ fill, stroke, width = 1, dash, alpha = 1 }) => `fill="${fill ?? "none"}"${alpha < 1 ? ` opacity="${n(alpha)}"` : ""}` +
      (stroke ? ` stroke="${stroke}" stroke-width="${n(width)}"${dash ? ` stroke-dasharray="${dash.join(" ")}"` : ""}` : "");
    return {
      line: (x, y, u, v, style) => parts.push(`<path d="M${n(x)} ${n(y)}L${n(u)} ${n(v)}" ${look(style)}/>`),
      circle: (x, y, r, style) => parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" ${look(style)}/>`),
      polygon: (points, style) => parts.push(`<path d="M${points.map(([x, y]) => `${n(x)} ${n(y)}`).join("L")}Z" ${look(style)}/>`),
      text: (x, y, text, { fill, size = 12, anchor = "middle", weight = 400, halo }) => parts.push(`<text x="${n(x)}" y="${n(y)}" font-size="${size}" ` +
        `font-weight="${weight}" text-anchor="${anchor}" fill="${fill}"${halo ? ` stroke="${halo}" ${kHalo}` : ""}>${safe(text)}</text>`),
      svg: (width, height, ground) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
        `font-family="system-ui, 'DejaVu Sans', sans-serif">${ground ? `<rect width="${width}" height="${height}" fill="${ground}"/>` : ""}${parts.join("")}</svg>`,
    };
  }

  // The colour of a value in a range.
  function valueColour(value, [low, high]) {
    const place = Math.min(Math.max((value - low) / (high - low), 0), 1) * (kValues.length - 1), i = Math.min(Math.floor(place), kValues.length - 2);
    const part = (c, k) => parseInt(c.slice(1 + 2 * k, 3 + 2 * k), 16);
    return "#" + [0, 1, 2].map((k) => Math.round(part(kValues[i], k) + (place - i) * (part(kValues[i + 1], k) - part(kValues[i], k))).toString(16).padStart(2, "0")).join("");
  }

  // A number as people write it, with its unit: "1.25 s", "340 ms", "12000".
  function shown(x, unit = "") {
    if (x === null || x === undefined || !Number.isFinite(x)) return "none";
    if (unit === "s" && x !== 0 && Math.abs(x) < 0.9995) return Math.abs(x) < 0.9995e-3 ? `${shown(x * 1e6)} µs` : `${shown(x * 1e3)} ms`;
    const digits = Math.abs(x) >= 100 && Math.abs(x) < 1e7 ? String(Math.round(x)) : String(Number(x.toPrecision(3)));
    return digits + (unit && ` ${unit}`);
  }
  // A time of the run, to about a ten-thousandth of it.
  const clock = (run, t) => `${t.toFixed(Math.min(9, Math.max(0, 4 - Math.floor(Math.log10(Math.max(run.end - run.begin, 1e-9))))))} s`;
  // How long frame k of a film lasts, in hundredths of a second, so that the film has its length.
  const hundredths = (k, perSecond) => Math.round((100 * (k + 1)) / perSecond) - Math.round((100 * k) / perSecond);
  // Round times between two others, about `count` of them.
  function ticks(from, to, count) {
    const least = Math.max(to - from, 1e-12) / count, power = 10 ** Math.floor(Math.log10(least)), step = power * [1, 2, 5, 10].find((f) => f * power >= least * 0.999);
    return [...Array(Math.floor(to / step + 1e-9) - Math.ceil(from / step - 1e-9) + 1).keys()].map((k) => Number(((Math.ceil(from / step - 1e-9) + k) * step).toPrecision(12)));
  }

  // What of a study is drawn: agents with names and positions in the unit square, and links. Where the study has no network,
  // or too large a one, or that of another repetition, links are those that messages take.
  function scene(study, name) {
    const { trace } = study, point = study.points.find(({ number }) => number === trace.point);
    const run = traceState.load(trace, (point?.hostile ?? []).map((owner) => owner + point.first_owner), point?.first_owner > 0 ? 0 : null);
    const first = study.networks[point?.network ?? -1], agents = Math.max(trace.agents, first?.nodes.length ?? 0);
    const byEnds = (pairs) => new Map(pairs.map(([a, b]) => [`${Math.min(a, b)} ${Math.max(a, b)}`, [Math.min(a, b), Math.max(a, b)]]));
    const known = byEnds(first?.links ?? []), taken = byEnds(run.messages.map(({ from, to }) => [from, to]));
    // A study has the network of repetition 0; others may draw theirs.
    const network = trace.repetition > 0 && (study.redrawn || [...taken.keys()].some((ends) => !known.has(ends))) ? undefined : first;
    const links = network?.links.map(([a, b]) => [a, b]) ?? [...taken.values()];
    const degree = Array(agents).fill(0);
    for (const [a, b] of links) ++degree[a], ++degree[b];
    const nodes = network?.nodes ?? degree.map((d) => ({ x: null, y: null, degree: d }));
    // Forces on very many take too long; they are on a spiral.
    const spiral = nodes.length > kMaxForces && nodes[0].x === null;
    const placed = spiral ? nodes.map((_, i) => ({ x: Math.sqrt(i) * Math.cos(2.4 * i), y: Math.sqrt(i) * Math.sin(2.4 * i) })) : parts.placed({ nodes, links });
    const middle = placed.reduce((sum, { y }) => sum + y, 0) / Math.max(1, placed.length);
    // A degree of longitude is shorter than one of latitude.
    const wide = network?.geographic ? Math.cos((middle * Math.PI) / 180) : 1;
    run.agents = agents;
    return { run, agents, name, links: links.length > kMaxLinks ? [] : links, at: placed.map(({ x, y }) => [x * wide, -y]),
      measures: traceState.measures(run, point?.first_owner ?? 0) };
  }

  // Places in pixels, in the same proportions, and the radius of an agent.
  function fit(scene, width, height) {
    const room = 38;
    const extent = (k) => scene.at.reduce(([low, high], p) => [Math.min(low, p[k]), Math.max(high, p[k])], [Infinity, -Infinity]);
    const [[left, right], [top, bottom]] = [extent(0), extent(1)];
    const scale = Math.min((width - 2 * room) / Math.max(right - left, 1e-9), (height - 2 * room) / Math.max(bottom - top, 1e-9));
    const known = Number.isFinite(scale) && scale < 1e8 ? scale : 0;
    const places = scene.at.map(([x, y]) => [width / 2 + known * (x - (left + right) / 2), height / 2 + known * (y - (top + bottom) / 2)]);
    // Of some agents, how far the nearest is.
    const some = places.filter((_, i) => i % Math.ceil(places.length / 500) === 0);
    const nearest = some.map((p) => places.reduce((least, q) => (p === q ? least : Math.min(least, Math.hypot(q[0] - p[0], q[1] - p[1]))), Infinity)).sort((a, b) => a - b);
    const radius = Math.min(13, Math.max(3.5, 0.45 * (nearest[nearest.length >> 2] || 30)));
    return { width, height, radius, places };
  }

  // Where a message is: beside the line between its ends, on its right, so that those in both directions can be seen.
  function placeOf({ run }, { places, radius }, m, t) {
    const [x, y] = places[m.from] ?? [0, 0], [u, v] = places[m.to] ?? [0, 0], length = Math.hypot(u - x, v - y) || 1;
    const dx = (u - x) / length, dy = (v - y) / length, way = Math.max(length - 2 * radius, 0.2 * length), f = traceState.progress(run, m, t);
    const s = (length - way) / 2 + f * way;
    return { x: x + s * dx - 4 * dy, y: y + s * dy + 4 * dx, dx, dy };
  }
  const diamond = (x, y, r) => [[x, y - r], [x + r, y], [x, y + r], [x - r, y]];
  function cross(paint, x, y, r, colour, alpha = 1) {
    for (const s of [1, -1]) paint.line(x - r, y - s * r, x + r, y + s * r, { stroke: colour, width: 2.5, alpha });
  }

  // Marks, also those of the legend. An agent's state is in its shape and outline: hostile is a diamond, down is hollow with a
  // broken outline, computing has a ring.
  function drawAgent(paint, x, y, r, { down, computing, hostile }, fill, colours, alpha = 1) {
    const outline = (size, style) => (hostile ? paint.polygon(diamond(x, y, 1.25 * size), { ...style, alpha }) : paint.circle(x, y, size, { ...style, alpha }));
    if (computing && !down) outline(r + 4, { stroke: kColours.computing, width: 3 });
    outline(r, down ? { fill: colours.ground, stroke: colours.dim, width: 1.5, dash: [3, 3] }
      : { fill, stroke: hostile ? kColours.lost : colours.ink, width: hostile ? 2.5 : 1 });
    if (down) cross(paint, x, y, 0.35 * r, colours.dim, alpha);
  }
  function drawMessage(paint, x, y, hostile, colours, r = 4.5, alpha = 1) {
    const style = { fill: hostile ? kColours.lost : kColours.message, stroke: colours.ink, width: 0.8, alpha };
    hostile ? paint.polygon(diamond(x, y, 1.3 * r), style) : paint.circle(x, y, r, style);
  }

  // The marks of a run in words: [label, function that draws it].
  function marks({ run }, colours) {
    const agent = (state) => (paint, x, y) => drawAgent(paint, x, y, 7, { down: false, computing: false, hostile: false, ...state }, kValues[3], colours);
    const attacks = run.hostile.size > 0, hostile = run.quiet.size > 0 || [...run.attacked.values()].some((t) => t <= run.end), message = (one) => (paint, x, y) => drawMessage(paint, x, y, one, colours);
    return [["up", agent({})], run.down.size > 0 && ["down", agent({ down: true })], run.computing.size > 0 && ["computing", agent({ computing: true })],
      hostile && ["hostile", agent({ hostile: true })], ["message in flight", message(false)], attacks && ["of a hostile agent", message(true)],
      run.messages.some((m) => m.lost) && ["message lost (also on the axis of time)", (paint, x, y) => cross(paint, x, y, 5, kColours.lost)]].filter(Boolean);
  }

  function drawLinks(paint, { links }, { places }, colours) {
    const alpha = links.length > 1500 ? 0.25 : 0.9;
    for (const [a, b] of links) paint.line(...places[a], ...places[b], { stroke: colours.line, width: 1.2, alpha });
  }

  function arrow(paint, [x, y], [u, v], radius, style) {
    const length = Math.hypot(u - x, v - y) || 1, dx = (u - x) / length, dy = (v - y) / length, [a, b] = [u - (radius + 4) * dx, v - (radius + 4) * dy];
    paint.line(x + radius * dx, y + radius * dy, a, b, style);
    paint.polygon([[a, b], [a - 9 * dx - 5 * dy, b - 9 * dy + 5 * dx], [a - 9 * dx + 5 * dy, b - 9 * dy - 5 * dx]], { fill: style.stroke, alpha: style.alpha });
  }

  // Where labels of agents go, those that come first in the list: above, below, on the right or on the left, where they cover
  // no other label and, if possible, no agent. A label is an agent with texts, of which the first that has a place is drawn,
  // and the width to keep for each; without a place there is none, unless it is `needed`.
  function placeLabels({ places, radius, width, height }, labels, size) {
    const taken = [], covers = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3], few = places.length <= 500;
    const boxes = few ? places.map(([x, y]) => [x - radius, y - radius, x + radius, y + radius]) : [];
    const waysOf = ({ agent, gap = 0 }, wide) => {
      const [x, y] = places[agent], r = radius + 5 + gap, middle = Math.min(Math.max(x, wide / 2 + 2), width - wide / 2 - 2), low = y + 0.35 * size;
      return [[middle, y - r - 1, "middle", middle - wide / 2], [middle, y + r + 0.75 * size, "middle", middle - wide / 2],
        [x + r, low, "start", x + r], [x - r, low, "end", x - r - wide]].map(([u, v, anchor, left]) => ({ x: u, y: v, anchor, box: [left, v - 0.8 * size, left + wide, v + 0.25 * size] }));
    };
    return labels.flatMap((label) => {
      const ways = label.texts.flatMap(([text, room]) => waysOf(label, 0.58 * size * room).map((way) => ({ ...way, text, agent: label.agent })));
      const free = ways.filter(({ box }) => box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height && !taken.some((other) => covers(box, other)));
      const way = free.find(({ box }) => !boxes.some((other, i) => i !== label.agent && covers(box, other))) ?? free[0] ?? (label.needed ? ways[0] : undefined);
      if (way) taken.push(way.box);
      return way ? [way] : [];
    });
  }

  // The network at a time. `linger`: s for which losses, and agents at which something has happened, are marked. `agent`,
  // `message`, `moment`: what is chosen, null if nothing is; `chain` of the message. Returns how many messages are in flight.
  function drawNetwork(paint, scene, view, t, { measure, colours, linger, agent = null, message = null, moment = null, chain = null, over = null }) {
    const { run, name, agents } = scene, { places, radius } = view, { messages } = run;
    const ages = agent === null ? [] : traceState.heard(run, agent, t).filter((h) => h.message >= 0);
    const aged = new Map(ages.length <= kMaxAges ? ages.map(({ from, age }) => [from, age]) : []);
    for (const { from, age } of ages)
      arrow(paint, places[from], places[agent], radius, { stroke: kColours.chosen, width: 2, alpha: 0.15 + 0.7 / (1 + age / Math.max(measureOfAge(scene), 1e-9)) });
    if (message !== null) {
      // The nearer in the chain, the stronger.
      const way = (steps, colour) => steps.filter((step) => step.message !== undefined).slice(0, kMaxSteps).reverse().forEach((step, k, { length }) => {
        const { from, to } = messages[step.message];
        arrow(paint, places[from], places[to], radius, { stroke: colour, width: 2.5, alpha: 0.85 * 0.7 ** (length - 1 - k) });
      });
      way(chain?.after ?? [], kColours.effect);
      way(chain?.before ?? [], kColours.cause);
      way([{ message }], kColours.chosen);
    }
    // Among many, an agent stands out with what it has heard of.
    const faded = agents > kMaxNames && agent !== null;
    const flying = traceState.inFlight(run, t), trails = flying.length <= kMaxTrails;
    const recent = new Map();  // by agent: how long ago its last moment was, s
    for (let k = traceState.momentAt(run, t); k >= 0 && run.times[k] > t - linger; --k) if (!recent.has(run.moments[k].agent)) recent.set(run.moments[k].agent, t - run.times[k]);
    for (let i = 0; i < agents; ++i) {
      const [x, y] = places[i], state = traceState.agentAt(run, i, t), value = measure?.at(i, t) ?? null;
      if (recent.has(i)) paint.circle(x, y, radius + 3 + (8 * recent.get(i)) / linger, { stroke: colours.ink, width: 1.5, alpha: 0.6 * (1 - recent.get(i) / linger) });
      drawAgent(paint, x, y, radius, state, value === null ? colours.soft : valueColour(value, measure.domain), colours, faded && i !== agent && !aged.has(i) ? 0.3 : 1);
      if (i === agent) paint.circle(x, y, radius + 8, { stroke: kColours.chosen, width: 3 });
      else if (moment !== null && run.moments[moment].agent === i) paint.circle(x, y, radius + 7, { stroke: colours.ink, width: 2 });
    }
    for (const i of [...flying].reverse()) {
      const m = messages[i], { x, y, dx, dy } = placeOf(scene, view, m, t), hostile = m.sentRow !== null && run.moments[run.momentOf[m.sentRow]].hostile;
      if (trails) paint.line(x - 16 * dx, y - 16 * dy, x, y, { stroke: hostile ? kColours.lost : kColours.message, width: 2.5, alpha: faded ? 0.15 : 0.5 });
      drawMessage(paint, x, y, hostile, colours, agents > 100 ? 3.5 : 4.5, faded && m.from !== agent && m.to !== agent ? 0.25 : 1);
      if (i === message) paint.circle(x, y, 9, { stroke: kColours.chosen, width: 2.5 });
    }
    for (const i of traceState.lostIn(run, t - linger, t)) {
      const m = messages[i], { x, y } = placeOf(scene, view, m, m.ended), alpha = 1 - (t - m.ended) / linger;
      cross(paint, x, y, 6, kColours.lost, 0.2 + 0.8 * alpha);
      if (alpha > 0.3 && (agents <= kMaxNames || agent === m.to || agent === m.from))
        paint.text(x + 9, y + 4, reason(m), { fill: kColours.lost, size: 11, anchor: "start", halo: colours.ground });
    }
    if (message !== null && messages[message].lost !== "" && messages[message].ended <= t) {
      const { x, y } = placeOf(scene, view, messages[message], messages[message].ended);
      cross(paint, x, y, 8, kColours.lost);
    }
    // Ages keep the width of the longest, so that labels stay where they are while time goes on.
    const chosen = [agent, over].filter((i, k, all) => i !== null && all.indexOf(i) === k), others = [...(agents > kMaxNames ? aged.keys() : Array(agents).keys())];
    const labels = [...chosen, ...others.filter((i) => aged.has(i)), ...others.filter((i) => !aged.has(i))].filter((i, k, all) => all.indexOf(i) === k).map((i) => ({
      agent: i, needed: chosen.includes(i), gap: i === agent ? 5 : 0,
      texts: [...(aged.has(i) ? [[`${name(i)}, ${shown(aged.get(i), "s")} old`, name(i).length + 12]] : []), [name(i), name(i).length]] }));
    const size = agents > 30 ? 11 : 12.5;
    for (const { x, y, anchor, text, agent: i } of placeLabels(view, labels, size))
      paint.text(x, y, text, { fill: colours.ink, size, anchor, weight: i === agent ? 700 : 500, halo: colours.ground });
    return flying.length;
  }
  const measureOfAge = ({ measures }) => measures.find(({ name }) => name.startsWith("age")).domain[1];

  // Why a message was lost, in a word.
  const reason = ({ lost }) => (lost === "loss" ? "lost" : lost.replaceAll("_", " "));

  // The axis of time: how many events there are, losses, those of the scenario, and the lane of an agent; a line at `t`.
  function drawAxis(paint, scene, width, height, t, { colours, agent = null }) {
    const { run, name } = scene, place = (time) => ((time - run.begin) / Math.max(run.end - run.begin, 1e-12)) * width, base = height - 16;
    const bins = new Array(Math.max(1, Math.floor(width / 3))).fill(0), top = 14;
    for (const number of agent === null ? run.times.keys() : run.ofAgent.get(agent) ?? [])
      ++bins[Math.min(bins.length - 1, Math.floor((place(run.times[number]) / width) * bins.length))];
    const most = Math.max(1, ...bins);
    bins.forEach((n, i) => n > 0 && paint.polygon([[i * 3, base], [i * 3, base - ((base - top) * n) / most], [i * 3 + 2, base - ((base - top) * n) / most], [i * 3 + 2, base]],
      { fill: agent === null ? colours.dim : kColours.chosen, alpha: 0.55 }));
    const losses = new Set(run.messages.filter((m) => m.lost !== "" && m.ended <= run.end && (agent === null || m.from === agent || m.to === agent)).map((m) => Math.floor(place(m.ended) / 3)));
    for (const i of losses) paint.line(i * 3 + 1, base - 5, i * 3 + 1, base, { stroke: kColours.lost, width: 2 });
    const lane = (periods, fill, y) => {
      const { starts, ends } = periods.get(agent) ?? { starts: [], ends: [] };
      starts.forEach((from, k) => paint.polygon([[place(from), y], [place(Math.min(ends[k], run.end)), y], [place(Math.min(ends[k], run.end)), y + 5], [place(from), y + 5]], { fill }));
    };
    if (agent !== null) lane(run.computing, kColours.computing, base + 1), lane(run.down, colours.dim, base + 1);
    paint.line(0, base, width, base, { stroke: colours.line });
    for (const { t: time, e: text } of run.trace.events) {
      const x = place(time), left = x > 0.7 * width, e = traceFigures.eventText(text, name);
      paint.line(x, top - 12, x, base, { stroke: kColours.event, width: 2, dash: [4, 3] });
      paint.text(left ? x - 5 : x + 5, top - 3, e.length > 40 ? e.slice(0, 39) + "…" : e, { fill: colours.ink, size: 11, anchor: left ? "end" : "start", halo: colours.ground });
    }
    for (const time of ticks(run.begin, run.end, Math.max(2, width / 130))) {
      const x = place(time);
      paint.line(x, base, x, base + 4, { stroke: colours.dim });
      paint.text(x, height - 3, `${time} s`, { fill: colours.dim, size: 11, anchor: x < 15 ? "start" : x > width - 15 ? "end" : "middle" });
    }
    paint.line(place(t), 0, place(t), base + 4, { stroke: kColours.lost, width: 2 });
  }

  return { canvasPaint, svgPaint, valueColour, scene, fit, placeOf, placeLabels, drawNetwork, drawLinks, drawAxis, marks, reason, shown, clock, hundredths, kColours, kValues };
})();
