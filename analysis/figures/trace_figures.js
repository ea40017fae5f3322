// Figures of the traced run: its events, the latency of its messages, the agents that are up.
"use strict";
const traceFigures = (() => {
  const { seven } = parts;
  const kMaxLanes = 60;                     // agents of a timeline
  const kMaxMessages = 200, kMaxMarks = 400;  // in the window that is shown first
  const kMaxSteps = 2000;                     // of the curve of availability
  // A reason of losses has the same colour in all figures.
  const kColours = { loss: "#e45756", receiver_down: "#8c2d04", sender_down: "#f58518", stale: "#9d755d", partition: "#b279a2", not_finite: "#4c4c4c" };

  const six = (x) => String(Number(x.toPrecision(6)));
  const tracedPoint = (study) => study.points.find((point) => point.number === study.trace.point);

  // "one run (privacy.epsilon = 1, repetition 0)"
  function tracedRun(study) {
    const point = tracedPoint(study), name = point === undefined ? "" : parts.nameOf(study, point);
    return `one run (${name && name + ", "}repetition ${study.trace.repetition})`;
  }
  const tracedWindow = (study) => `${tracedRun(study)} from ${six(study.trace.begin)} to ${six(study.trace.end)} s`;
  const windowHint = ({ whole }) => (whole ? "" : " This is a part of the run; --from, --to and --agent, and record.trace in the scenario, select another.");

  const agentNames = (study) => parts.agentNames(study, tracedPoint(study)), { eventText } = parts;

  // The agents that have a lane, in order: all if they are few, else those of the first messages and events.
  function lanesOf({ agents, only, messages, moments, down, computing }) {
    const lanes = new Set();
    const add = (agent) => lanes.size < kMaxLanes && lanes.add(agent);
    if (agents <= kMaxLanes && only.length === 0) {
      for (let agent = 0; agent < agents; ++agent) add(agent);
    } else {
      only.forEach(add);
      for (const [, , from, to] of [...messages].sort((a, b) => a[0] - b[0])) add(from), add(to);
      for (const [, agent] of moments) add(agent);
      // Of agents that are not wanted there are these alone.
      for (const [, , agent] of only.length === 0 ? [...down, ...computing] : []) add(agent);
    }
    return [...lanes].sort((a, b) => a - b);
  }

  // The marks of a timeline as rows, `begins` of all of them, and `sent` of messages.
  function marksOf(trace, lanes, name) {
    const lane = new Map(lanes.map((agent, number) => [agent, number])), rows = [], begins = [], sent = [];
    const add = (w, from, to, y, e, more) => {
      begins.push(from);
      rows.push({ w, t: seven(from), ...(to !== null && { u: seven(to) }), y, e, ...more });
    };
    for (const what of ["down", "computing"]) {
      for (const [from, to, agent] of trace[what]) if (lane.has(agent)) add(what, from, to, lane.get(agent), what);
    }
    for (const { t, e } of trace.events) add("event", t, null, 0, eventText(e, name));
    for (const [begin, end, from, to, r] of trace.messages) {
      const y = lane.get(from), z = lane.get(to);
      if (y === undefined || z === undefined) continue;
      sent.push(begin);
      // What is lost before it arrives ends next to its sender.
      const arrived = ["", "receiver_down", "stale"].includes(r) || (r === "not_finite" && end > begin);
      add(r ? "lost" : "message", begin, end, y, `${name(from)} to ${name(to)}, ${r ? `lost: ${r}` : "delivered"}`,
        { z: arrived ? z : y + (z < y ? -0.4 : 0.4), ...(r && { r }) });
    }
    for (const [time, agent, event] of trace.moments) if (lane.has(agent)) add("moment", time, null, lane.get(agent), event);
    return { rows, begins, sent };
  }

  // The end of the window that is shown first: that of the trace if it was chosen, else before the first message or mark
  // that is too many.
  function windowEnd({ begin, end, bounded }, { begins, sent }) {
    for (const [times, most] of bounded ? [] : [[sent, kMaxMessages], [begins, kMaxMarks]]) {
      if (times.length <= most) continue;
      // All marks of one time are shown, or none.
      const sorted = [...times].sort((a, b) => a - b);
      const first = sorted[most] > begin ? sorted[most] : sorted.find((time) => time > begin);
      end = Math.min(end, first ?? end);
    }
    return end > begin ? end : begin + 1;
  }

  // Time runs to the right, each agent has a lane, an arrow leads from the sender of a message to its receiver.
  function drawTimeline(study, _, { window }) {
    const { trace } = study;
    if (trace === null || trace.agents === 0) return [];
    const lanes = lanesOf(trace), numbers = [...lanes.keys()], name = agentNames(study), marks = marksOf(trace, lanes, name);
    const any = (what) => marks.rows.some((row) => row.w === what);
    const lost = Object.keys(kColours).filter((reason) => marks.rows.some((row) => row.r === reason));
    let caption = `Events of ${tracedRun(study)}.`;
    for (const [shown, text] of [
      [any("message"), " Arrow: message, from sender and sending time to receiver and arrival."],
      [any("lost"), " Cross: lost message, near its sender or where it arrived."],
      [any("down"), " Grey: down."], [any("computing"), " Yellow: computing."],
      [any("event"), " Vertical line: event of the scenario."],
      [trace.only.length > 0, ` Shown is only what ${trace.only.map(name).join(", ")} took part in.`],
      [lanes.length === kMaxLanes && trace.agents > kMaxLanes,
        ` Shown are ${lanes.length} of ${trace.agents} agents and the messages between them.`],
    ]) if (shown) caption += text;
    const domain = window ?? [seven(trace.begin), seven(windowEnd(trace, marks))];
    const time = (field) => ({ field, type: "quantitative", title: "time (s)", scale: { domain, nice: false } });
    const lane = (field) => ({
      field, type: "quantitative", title: "agent",
      axis: {
        values: numbers, tickCount: numbers.length,  // else Vega leaves some out
        labelExpr: `${JSON.stringify(lanes.map(name))}[datum.value]`, labelLimit: 160, labelOverlap: false, grid: false,
      },
      scale: { domain: [-0.6, lanes.length - 0.4], reverse: true, nice: false },
    });
    // Every lane has room for its name.
    const height = Math.max(Math.min(Math.max(40 * lanes.length, 160), 720), 14 * lanes.length);
    const values = {
      rows: marks.rows, height, lanes: numbers.map((y) => ({ y })), t: time("t"), u: time("u"), y: lane("y"), z: lane("z"),
      thickness: Math.min(10, (0.6 * height) / lanes.length), down: any("down") || undefined,
      computing: any("computing") || undefined, span: parts.tooltip({ e: "event", t: "from (s)", u: "to (s)" }),
      lost: lost.length > 0 ? parts.looks("r", "lost", lost, lost.map((reason) => kColours[reason])) : undefined,
    };
    return [{ name: "timeline", title: "One run, event by event", template: "timeline", values, caption: caption + windowHint(trace) }];
  }

  // Histograms of how long delivered messages were in flight, in s and in iterations.
  function drawLatency(study) {
    return (study.trace?.flights ?? []).map(({ name, title, unit, x_title, rows, count, median }) => ({
      name, title, template: "histogram", values: { rows, x_title },
      caption: `Delivered messages of ${tracedWindow(study)}: ${count}, median ${Number(median.toPrecision(3))}${unit}.${windowHint(study.trace)}`,
    }));
  }

  // The fraction of agents that are up, over time; none if no agent ever goes down.
  function drawAvailability(study) {
    const { trace } = study;
    if (trace === null || trace.down.length === 0 || !trace.states) return [];
    const changes = new Map([[trace.begin, 0], [trace.end, 0]]);
    const change = (time, by) => changes.set(time, (changes.get(time) ?? 0) + by);
    for (const [from, to] of trace.down) {
      change(from, -1);
      if (to < trace.end) change(to, 1);
    }
    const point = tracedPoint(study);
    const agents = Math.max(trace.agents, point === undefined ? 0 : point.first_owner + point.owners);
    const steps = [...changes].sort(([a], [b]) => a - b);
    const rows = [];
    let up = agents, next = 0;
    steps.forEach(([time, by], k) => {
      up += by;
      // Of many steps some, evenly spaced in number; the last always.
      const place = Math.floor((k * kMaxSteps) / steps.length);
      if (steps.length > kMaxSteps && k + 1 < steps.length && place < next) return;
      next = place + 1;
      rows.push({ t: seven(time), s: seven(up / agents), n: up });
    });
    const x = { field: "t", type: "quantitative", title: "time (s)", scale: { nice: false, zero: false } };
    const y = { field: "s", type: "quantitative", title: "fraction of agents that are up", scale: { domain: [0, 1] } };
    const events = trace.events.length > 0 ? trace.events.map(({ t, e }) => ({ t: seven(t), e: eventText(e, agentNames(study)) })) : undefined;
    return [{
      name: "availability", title: "Availability", template: "availability", values: { rows, events, x, y },
      caption: `Fraction of the ${agents} agents that are up, in ${tracedWindow(study)}.` +
        (events ? " Dashed lines: the scenario's events." : "") + windowHint(trace),
    }];
  }

  // What the horizontal axis of a timeline shows, in s.
  const windowOf = ({ layer }) => layer.find(({ encoding }) => encoding.x).encoding.x.scale.domain;

  return { drawTimeline, drawLatency, drawAvailability, windowOf, agentNames, eventText, tracedRun };
})();
