// What a traced run is like at any time. load() indexes the tables of a trace (trace_tables in figure_data.cpp); everything
// else is a pure function of what load() returns and a time in s, so that each moment is the same however it is reached.
//
// A moment is what is handled at one time for one reason: the rows that follow each other with one time and one cause; when the
// run begins, without a cause, those of one agent.
// What happens at time t is part of the state at t: a message is in flight from its sending up to, and without, its end.
"use strict";
const traceState = (() => {
  const kMaxEffects = 60;  // moments that are followed forward
  const kRounds = new Set(["first round", "mix", "next round"]);  // timers of rounds of gossip
  // Reasons of losses whose messages have reached their receiver.
  const kArrived = new Set(["receiver_down", "stale", "not_finite"]);

  // How many numbers of an ascending array are at most x.
  function upTo(sorted, x) {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] <= x) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  const listAt = (map, key) => map.get(key) ?? map.set(key, []).get(key);
  const pairOf = (from, to) => from * 2 ** 28 + to;

  // Ends of periods that were open when the trace ended are Infinity.
  function periodsOf(list) {
    const all = new Map();
    for (const [from, to, agent, open] of [...list].sort((a, b) => a[0] - b[0])) {
      const { starts, ends } = all.get(agent) ?? all.set(agent, { starts: [], ends: [] }).get(agent);
      starts.push(from), ends.push(open ? Infinity : to);
    }
    return all;
  }

  // "release=2 epsilon=0.03 spent=0.07 delta=0" as numbers.
  const numbersOf = (text) => Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, Number(value)]));

  // `hostile`: agents of which the study says that they are. Those without an attack in the trace, also outside of the window,
  // which send nothing or follow their protocol on other data, are hostile all the time; others from their first attack on.
  // `learner`: the agent that is one, null: none.
  function load(trace, hostile = [], learner = null) {
    const { rows } = trace, { texts } = rows, count = rows.t.length, text = (number) => (number < 0 ? "" : texts[number]);
    const messages = [...trace.messages, ...(trace.under_way ?? [])].map(([sent, ended, from, to, lost, sentRow, endRow]) =>
      ({ sent, ended: ended ?? Infinity, from, to, lost, sentRow, endRow })).sort((a, b) => a.sent - b.sent || (a.sentRow ?? -1) - (b.sentRow ?? -1));
    const run = {
      trace, rows, count, text, messages, learner, begin: trace.begin, agents: trace.agents,
      // Of a whole run the last sample is at its end, after the last event.
      end: Math.max(trace.end, trace.begin, (trace.whole ? trace.samples?.times.at(-1) : undefined) ?? 0),
      sent: messages.map((m) => m.sent),
      ends: messages.map((m, i) => [m.ended, i]).sort((a, b) => a[0] - b[0]),
      moments: [], times: [], momentOf: new Int32Array(count), byKey: new Map(), byOrigin: new Map(), ofAgent: new Map(),
      sentIn: new Map(), endedIn: new Map(), into: new Map(), between: new Map(), releases: new Map(), hostile: new Map(), attacked: new Map(trace.attacked), steps: new Map(), rounds: false,
      before: new Map(trace.before.map(([agent, iterations, release]) => [agent, { iterations, ...numbersOf(release) }])),
    };
    // Of the messages sent so far, the latest end.
    run.latest = [];
    for (const { ended } of messages) run.latest.push(Math.max(ended, run.latest.at(-1) ?? -Infinity));
    run.ended = run.ends.map(([time]) => time);

    for (let row = 0; row < count; ++row) {
      // A loss, which is its receiver's, belongs to its sending.
      const ofOne = rows.cause[row] >= 0 || rows.agent[row] === run.moments.at(-1)?.agent || text(rows.event[row]) === "lose";
      const same = row > 0 && rows.t[row] === rows.t[row - 1] && rows.cause[row] === rows.cause[row - 1] && ofOne;
      if (!same) {
        run.moments.push({ t: rows.t[row], first: row, last: row, agent: rows.agent[row], cause: rows.cause[row], origin: rows.origin[row] });
        run.times.push(rows.t[row]);
      }
      const number = run.moments.length - 1, moment = run.moments[number], event = text(rows.event[row]), agent = rows.agent[row];
      moment.last = row;
      run.momentOf[row] = number;
      if (rows.cause[row] >= 0 && !run.byKey.has(rows.cause[row])) run.byKey.set(rows.cause[row], number);
      if (rows.origin[row] >= 0 && !same) listAt(run.byOrigin, rows.origin[row]).push(number);
      if (event === "release") {
        const { epsilon = 0, spent = 0 } = numbersOf(text(rows.detail[row]));
        const { times, all } = run.releases.get(agent) ?? run.releases.set(agent, { times: [], all: [] }).get(agent);
        times.push(rows.t[row]), all.push({ epsilon, spent });
      }
      if (event === "timer" && kRounds.has(text(rows.detail[row]))) run.rounds = true;
      if (event === "hostile") listAt(run.hostile, agent).push(rows.t[row]), (moment.hostile = true);
    }
    run.moments.forEach(({ agent, first, t }, number) => {
      listAt(run.ofAgent, agent).push(number);
      // Iterations are completed by the agent after whose moment there are more of them. Not known (null): done, if what
      // followed is not in the trace.
      const done = rows.done[first], more = done === null ? 0 : done - rows.iteration[first];
      Object.assign(run.moments[number], { more, done });
      if (more === 0) return;
      const { times, counts } = run.steps.get(agent) ?? run.steps.set(agent, { times: [], counts: [run.before.get(agent)?.iterations ?? 0] }).get(agent);
      times.push(t), counts.push(counts.at(-1) + more);
    });
    messages.forEach((m, i) => {
      if (m.sentRow !== null) listAt(run.sentIn, run.momentOf[m.sentRow]).push(i);
      // Not the moment of its sending, if it is lost at once.
      if (m.endRow !== null && rows.cause[m.endRow] === rows.message[m.endRow]) run.endedIn.set(run.momentOf[m.endRow], i);
      listAt(run.between, pairOf(m.from, m.to)).push(i);
      const senders = listAt(run.into, m.to);
      if (!senders.includes(m.from)) senders.push(m.from);
    });
    // Of each pair of agents: the arrivals in their order, with the latest sending among them so far.
    run.arrivals = new Map();
    for (const [pair, list] of run.between) {
      const arrived = list.filter((i) => messages[i].lost === "" && messages[i].ended < Infinity).sort((a, b) => messages[a].ended - messages[b].ended);
      let newest = -1;
      run.arrivals.set(pair, { times: arrived.map((i) => messages[i].ended),
        newest: arrived.map((i) => (newest = newest < 0 || messages[i].sent >= messages[newest].sent ? i : newest)) });
    }
    run.quiet = new Set(hostile.filter((agent) => !run.attacked.has(agent)));
    run.down = periodsOf(trace.down);
    run.computing = periodsOf(trace.computing);
    return run;
  }

  function within(periods, agent, t) {
    const own = periods.get(agent), last = own === undefined ? -1 : upTo(own.starts, t) - 1;
    return last >= 0 && t < own.ends[last];
  }
  const countTo = (map, agent, t) => (map.has(agent) ? upTo(map.get(agent), t) : 0);
  // Of an agent: whether it is down, computes, is hostile, and how often it has sent something else than its protocol says.
  function agentAt(run, agent, t) {
    const attacks = countTo(run.hostile, agent, t);
    return { down: within(run.down, agent, t), computing: within(run.computing, agent, t), attacks, hostile: run.attacked.get(agent) <= t || run.quiet.has(agent) };
  }

  // The messages that are in flight, by their numbers, the last sent first.
  function inFlight(run, t) {
    const all = [];
    for (let i = upTo(run.sent, t) - 1; i >= 0 && run.latest[i] > t; --i) if (run.messages[i].ended > t) all.push(i);
    return all;
  }
  // Those that were lost after `from`, up to t.
  function lostIn(run, from, t) {
    return run.ends.slice(upTo(run.ended, from), upTo(run.ended, t)).map(([, i]) => i).filter((i) => run.messages[i].lost !== "");
  }
  // How far a message is on its way: 0 to 1. What is lost before it arrives does not get far; of what has no end in the
  // trace, the time of arrival is not known: it is half way at the end.
  function progress(run, m, t) {
    // Numbers that are not finite are found when they are sent or when they arrive.
    const arrives = kArrived.has(m.lost) && (m.lost !== "not_finite" || m.ended > m.sent);
    if (m.lost !== "" && !arrives) return m.ended > m.sent ? 0.3 * Math.min(1, (t - m.sent) / (m.ended - m.sent)) : 0.3;
    if (m.ended === Infinity) return 0.5 * Math.min(1, (t - m.sent) / Math.max(run.end - m.sent, 1e-12));
    return m.ended > m.sent ? Math.min(1, (t - m.sent) / (m.ended - m.sent)) : 1;
  }

  // The newest message from one agent that has reached another: its number, or -1.
  function newestFrom(run, from, agent, t) {
    const { times, newest } = run.arrivals.get(pairOf(from, agent)) ?? { times: [] }, count = upTo(times, t);
    return count > 0 ? newest[count - 1] : -1;
  }
  // What an agent has heard from each agent that has sent it something: the newest message that has arrived (-1: none), its
  // age, which is the time since it was sent, and what was sent after it and has been lost or is in flight.
  function heard(run, agent, t) {
    const { messages } = run;
    return [...(run.into.get(agent) ?? [])].sort((a, b) => a - b).map((from) => {
      const message = newestFrom(run, from, agent, t), since = message < 0 ? -Infinity : messages[message].sent;
      const later = run.between.get(pairOf(from, agent)).filter((i) => messages[i].sent <= t && messages[i].sent >= since && i !== message);
      return {
        from, message, age: message < 0 ? null : t - since,
        lost: later.filter((i) => messages[i].lost !== "" && messages[i].ended <= t), flying: later.filter((i) => messages[i].ended > t),
      };
    }).filter(({ message, lost, flying }) => message >= 0 || lost.length + flying.length > 0);
  }
  // How old the newest is that an agent knows of others, s; null before it has heard of any.
  function age(run, agent, t) {
    let newest = -Infinity;
    for (const from of run.into.get(agent) ?? []) {
      const message = newestFrom(run, from, agent, t);
      if (message >= 0) newest = Math.max(newest, run.messages[message].sent);
    }
    return newest === -Infinity ? null : t - newest;
  }
  // How often an agent has released something, and what it has spent, null if it may have been before the trace.
  function released(run, agent, t) {
    const { times, all } = run.releases.get(agent) ?? { times: [], all: [] }, count = upTo(times, t), last = all[count - 1] ?? run.before.get(agent);
    return { count, spent: last?.spent ?? (run.trace.recorded > 0 ? null : 0), epsilon: last?.epsilon ?? 0, t: times[count - 1] };
  }

  // What led to a moment: itself, then the moment that caused it, and so on, each with the message that brought the cause
  // (undefined: a timer or the end of a computation that the earlier moment set).
  function causes(run, moment) {
    const all = [], seen = new Set();
    for (let at = moment; at !== undefined && !seen.has(at);) {
      const message = run.endedIn.get(at);
      all.push({ moment: at, message });
      seen.add(at);
      const sentRow = message === undefined ? null : run.messages[message].sentRow;
      at = message !== undefined ? (sentRow === null ? undefined : run.momentOf[sentRow]) : run.byKey.get(run.moments[at].origin);
    }
    return all;
  }
  // What follows from a moment, in the order of time, the first kMaxEffects of it: moments with their time, their depth and
  // the message that led to them (undefined: as above), or messages that led to none: lost at that time, or sent then and in
  // flight when the trace ends.
  function effects(run, moment) {
    const all = [], open = [], add = (step) => open.splice(upTo(open.map(({ t }) => t), step.t), 0, step);
    const follow = (at, depth) => {
      for (const message of run.sentIn.get(at) ?? []) {
        const { sent, ended, endRow, lost } = run.messages[message], next = endRow === null || lost !== "" ? undefined : run.momentOf[endRow];
        add({ t: next !== undefined ? run.times[next] : lost !== "" ? ended : sent, moment: next, message, depth });
      }
      for (const next of run.byOrigin.get(run.moments[at].cause) ?? []) if (next > at) add({ t: run.times[next], moment: next, message: undefined, depth });
    };
    if (moment !== undefined) follow(moment, 0);
    while (open.length > 0 && all.length < kMaxEffects) {
      const step = open.shift();
      all.push(step);
      if (step.moment !== undefined) follow(step.moment, step.depth + 1);
    }
    return all;
  }
  // A message: the moments that led to its sending, the earliest last; and what follows from its arrival.
  function chain(run, message) {
    const { sentRow, endRow, lost } = run.messages[message];
    return { before: sentRow === null ? [] : causes(run, run.momentOf[sentRow]),
      after: endRow === null || lost !== "" ? [] : effects(run, run.momentOf[endRow]) };
  }

  // What an answer builds on: the last message of its receiver among what led to it. `age`: s from its sending to the arrival
  // of the answer, of which it was on the way `there`, and the answer on the way `back`; `iterations` completed after the event
  // that sent it and before that in which the answer arrives. None of what a learner sends, which builds on more, and of what
  // is lost.
  function basis(run, message) {
    const { messages, rows } = run, m = messages[message], step = chain(run, message).before.find((s) => s.message !== undefined && messages[s.message].from === m.to);
    if (step === undefined || m.ended === Infinity || m.lost !== "" || m.from === run.learner) return null;
    const base = messages[step.message], there = base.ended - base.sent, back = m.ended - m.sent, age = m.ended - base.sent;
    const done = base.sentRow === null || m.endRow === null ? null : run.moments[run.momentOf[base.sentRow]].done;
    const iterations = done === null ? null : rows.iteration[m.endRow] - done;
    return { message: step.message, age, there, inside: age - there - back, back, iterations };
  }

  // The message that led to a moment, also by timers and computations of its agent; undefined if there is none.
  function broughtBy(run, moment) {
    for (let at = moment, next; at !== undefined; at = next < at ? next : undefined) {
      if (run.endedIn.has(at)) return run.endedIn.get(at);
      next = run.byKey.get(run.moments[at].origin);
    }
  }
  // Of a timeout: the messages that were sent when its timer was set, and that no message which has arrived answers. In rounds
  // of gossip messages answer none: those to agents from which nothing has arrived since.
  function unanswered(run, moment) {
    const { t, agent, origin } = run.moments[moment], { messages } = run;
    // Without an origin it was set when the run began.
    const set = origin < 0 ? run.moments.findIndex((m) => m.cause < 0 && m.t === 0 && m.agent === agent) : run.byKey.get(origin);
    const answers = (i, to) => messages[i].lost === "" && messages[i].ended <= t &&
      (run.rounds ? messages[i].ended > run.times[set] : messages[i].sentRow !== null && broughtBy(run, run.momentOf[messages[i].sentRow]) === to);
    return (run.sentIn.get(set) ?? []).filter((i) => messages[i].from === agent && !(run.between.get(pairOf(messages[i].to, agent)) ?? []).some((k) => answers(k, i)));
  }

  // The next lost message after a time, or the last before it (`by` -1), of an agent's or of all: its number, null if there is
  // none. After the message `here`, if it is lost at that time.
  function nextLoss(run, t, by, agent = null, here = null) {
    const losses = run.ends.filter(([ended, i]) => run.messages[i].lost !== "" && ended <= run.end && (agent === null || run.messages[i].from === agent || run.messages[i].to === agent));
    const at = losses.findIndex(([ended, i]) => i === here && ended === t), times = losses.map(([ended]) => ended);
    const next = at >= 0 ? at + by : by > 0 ? upTo(times, t) : times.filter((time) => time < t).length - 1;
    return losses[next]?.[1] ?? null;
  }

  // The last moment up to t, -1 before the first; and the next after a moment, or the one before it (`by` -1), of an agent.
  const momentAt = (run, t) => upTo(run.times, t) - 1;
  function neighbour(run, moment, by, agent = null) {
    const own = agent === null ? null : run.ofAgent.get(agent) ?? [];
    const next = own === null ? moment + by : own[by > 0 ? upTo(own, moment) : upTo(own, moment - 1) - 1] ?? -1;
    return next >= 0 && next < run.moments.length ? next : null;
  }

  // By which agents can be coloured: name, unit, value of an agent at a time (null: none), and the range of all values.
  // `first`: the agent of the first owner.
  function measures(run, first) {
    const { times, metrics } = run.trace.samples ?? { times: [], metrics: [] }, agents = [...Array(run.agents).keys()];
    const range = (values) => {
      const known = values.filter((x) => x !== null && Number.isFinite(x)).sort((a, b) => a - b);
      return known.length === 0 ? [0, 1] : [known[0], known.at(-1) > known[0] ? known.at(-1) : known[0] + 1];
    };
    const all = metrics.map(({ name, values }) => ({ name, unit: "", sampled: true, domain: range(values.flat()),
      at: (agent, t) => values[upTo(times, t) - 1]?.[agent - first] ?? null }));
    const ages = run.ends.filter(([, i]) => run.messages[i].lost === "").map(([ended, i]) => age(run, run.messages[i].to, ended - 1e-9 * Math.abs(ended)))
      .filter((x) => x !== null).sort((a, b) => a - b);
    all.push({ name: "age of what it heard last", unit: "s", domain: [0, ages[Math.floor(0.95 * ages.length)] || 1], at: (agent, t) => age(run, agent, t) });
    const done = (agent, t) => { const own = run.steps.get(agent); return own ? own.counts[upTo(own.times, t)] : run.before.get(agent)?.iterations ?? 0; };
    if (agents.some((a) => done(a, Infinity) > 0) && run.trace.only.length === 0)
      all.push({ name: `iterations completed${run.trace.recorded > 0 ? ` since ${run.trace.recorded} s` : ""}`, unit: "", domain: [0, Math.max(1, ...agents.map((a) => done(a, Infinity)))], at: done });
    const spent = Math.max(0, ...agents.map((a) => released(run, a, Infinity).spent));
    if (spent > 0) all.push({ name: "epsilon spent by releases", unit: "", domain: [0, spent], at: (agent, t) => released(run, agent, t).spent });
    return all;
  }

  return { load, upTo, agentAt, inFlight, lostIn, progress, heard, age, released, causes, effects, chain, basis, unanswered, nextLoss, momentAt, neighbour, measures, kArrived };
})();
