"""What holds of every run, whatever its scenario: checked on the trace and the tables of one study. Each failure is
(name of the check, text)."""
import json
import math
import os
import re

import ledger
import machine
import study
import views

LOSSES = ("loss", "receiver_down", "sender_down", "stale", "partition", "not_finite")


def check(folder, scenario):
    run, trace = study.first_run(folder), machine.rows(folder, "trace.csv")
    if run is None:
        return [("run", "runs.csv has no row")]
    failures = []

    def expect(holds, name, text):
        if not holds:
            failures.append((name, text))

    expect(os.path.exists(os.path.join(folder, "trace.csv")), "trace", "there is no trace.csv")
    if trace and run["status"] in ("done", "diverged"):
        _times(trace, run, scenario, expect)
        _messages(trace, run, _latencies(folder), expect)
        _agents(trace, scenario, expect)
        _ticks(trace, scenario, expect)
        ledger.check(folder, trace, scenario, expect)
        trusted = scenario["privacy"].get("trust") == "aggregator"  # releases for all owners
        views.check(folder, [] if trusted else trace, scenario, expect)
    _tables(folder, scenario, expect)
    _limits(folder, scenario, expect)
    return failures


def _times(trace, run, scenario, expect):
    last = 0.0
    for number, row in enumerate(trace):
        time = float(row["time_s"])
        expect(int(row["sequence"]) == number, "trace order", "row %d has sequence %s" % (number, row["sequence"]))
        expect(time >= last and math.isfinite(time), "time", "event %d: %r s after %r s" % (number, time, last))
        last = time
    expect(last <= float(run["time_s"]), "time", "an event at %r s, the run ends at %s s" % (last, run["time_s"]))


def _messages(trace, run, latencies, expect):
    sent, fate, count = {}, {}, {"deliver": 0, **{reason: 0 for reason in LOSSES}}
    size = 0
    for row in trace:
        name, kind = row["message"], row["event"]
        if kind in ("send", "publish"):
            expect(name not in sent, "messages", "%s is sent twice" % name)
            sent[name] = row
            size += int(row["bytes"])
        elif kind in ("deliver", "lose"):
            start = sent.get(name)
            if start is None:
                expect(False, "messages", "%s arrives and was never sent" % name)
                continue
            stale = kind == "lose" and row["detail"] == "stale"
            expect((fate.get(name) == "deliver") == stale if name in fate or stale else True, "messages",
                   "%s: %s after %s" % (name, row["detail"] or kind, fate.get(name)))
            expect((row["agent"], row["peer"]) == (start["peer"], start["agent"]), "messages",
                   "%s from %s to %s arrives at %s" % (name, start["agent"], start["peer"], row["agent"]))
            waited = float(row["time_s"]) - float(start["time_s"])
            expect(abs(waited - float(row["staleness_s"])) <= 1e-9 * max(1, float(row["time_s"])), "staleness",
                   "%s: %s s, sent %r s ago" % (name, row["staleness_s"], waited))
            expect(row["bytes"] == start["bytes"], "messages", "%s changes its size" % name)
            fate[name] = kind
            key = row["detail"] if kind == "lose" else "deliver"
            expect(key in count, "messages", "%s: unknown reason %r" % (name, key))
            count[key] = count.get(key, 0) + 1
    flying = [name for name in sent if name not in fate]
    # A stale message was delivered first, and counts as lost instead.
    delivered, lost = count["deliver"] - count["stale"], sum(count[reason] for reason in LOSSES)
    expect(int(run["messages"]) == len(sent), "conservation", "%s messages, %d sent" % (run["messages"], len(sent)))
    expect(int(run["delivered"]) == delivered, "conservation",
           "%s delivered, traced %d" % (run["delivered"], delivered))
    for reason in LOSSES:
        expect(int(run["lost_" + reason]) == count[reason], "conservation",
               "%s lost by %s, traced %d" % (run["lost_" + reason], reason, count[reason]))
    expect(len(sent) == delivered + lost + len(flying), "conservation",
           "%d sent, %d delivered, %d lost, %d in flight" % (len(sent), delivered, lost, len(flying)))
    expect(int(run["bytes"]) == size, "conservation", "%s bytes, traced %d" % (run["bytes"], size))
    shortest, longest = latencies
    end = float(trace[-1]["time_s"])
    for name, start in sent.items() if longest is not None else ():
        age = end - float(start["time_s"])
        expect(name in fate or age <= longest * (1 + 1e-12) + 1e-9, "in flight",
               "%s is in flight for %r s; latencies are at most %r s" % (name, age, longest))
    for row in trace:
        if row["event"] == "deliver":
            age, rounding = float(row["staleness_s"]), 1e-12 * max(1, float(row["time_s"]))
            expect(age >= shortest - rounding, "latency",
                   "%s takes %r s; latencies are at least %r s" % (row["message"], age, shortest))
            expect(longest is None or age <= longest + rounding, "latency",
                   "%s takes %r s; latencies are at most %r s" % (row["message"], age, longest))


# The shortest and the longest time that a message can take, s; None if there is no longest.
def _latencies(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        scenario = json.load(f)["scenario"]
    network = scenario["network"]
    latency = network["latency"]
    if not isinstance(latency, dict):
        latency = {"type": "constant", "value": latency}
    if latency["type"] not in ("uniform", "constant") or scenario["events"] or scenario.get("sweep"):
        return 0, None
    shortest, longest = (_seconds(latency[key]) for key in (
        ("min", "max") if latency["type"] == "uniform" else ("value", "value")))
    if network["delayed_direction"] != "both":
        shortest = 0
    plain = network["availability"] == {"type": "always"} and network["bandwidth"] == {"type": "unlimited"}
    compute = network["compute_time"]
    compute = compute.get("value") if isinstance(compute, dict) else compute
    return shortest, longest if plain and compute in (0, "0 s") else None


def _seconds(value):
    if not isinstance(value, str):
        return float(value)
    number, unit = value.split()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}[unit]


def _agents(trace, scenario, expect):
    # A trusted server releases for an owner; releases without a cause are made before the run begins.
    trusted = isinstance(scenario["protocol"], dict) and scenario["protocol"].get("trusted_server")
    down, computing = set(), set()
    for row in trace:
        agent, kind = row["agent"], row["event"]
        if kind == "up":
            expect(agent in down, "up and down", "agent %s comes up at %s s, and was up" % (agent, row["time_s"]))
            down.discard(agent)
        elif kind == "down":
            expect(agent not in down, "up and down", "agent %s goes down at %s s, and was down" % (agent, row["time_s"]))
            down.add(agent)
        elif kind == "reset":
            computing.discard(agent)
        elif kind == "computed":
            expect(agent in computing, "computations", "agent %s has computed at %s s nothing" % (agent, row["time_s"]))
            computing.discard(agent)
        elif kind in ("tick", "timer", "deliver", "compute") or kind == "release" and row["cause"] and not trusted:
            expect(agent not in down, "down", "%s of agent %s at %s s, which is down" % (kind, agent, row["time_s"]))
            if kind in ("tick", "timer", "compute"):
                expect(agent not in computing, "computations",
                       "%s of agent %s at %s s, which computes" % (kind, agent, row["time_s"]))
            if kind == "compute":
                computing.add(agent)
        elif kind == "skip" and row["detail"] == "down":
            expect(agent in down, "down", "agent %s skips a tick at %s s as down, and is up" % (agent, row["time_s"]))


def _ticks(trace, scenario, expect):
    last = {}
    clocks = scenario.get("clocks")
    again = isinstance(clocks, dict) and clocks.get("missed") == "defer"  # a tick may be missed more than once
    for row in trace:
        if row["event"] in ("tick", "skip") and row["detail"] != "deferred":
            number = int(row["cause"].split(":")[2])
            expect(number == last.get(row["agent"], -1) + 1 or again and row["event"] == "skip", "ticks",
                   "agent %s: tick %d after %d" % (row["agent"], number, last.get(row["agent"], -1)))
            last[row["agent"]] = max(number, last.get(row["agent"], -1))


def _tables(folder, scenario, expect):
    status = {}
    for row in machine.rows(folder, "runs.csv"):
        axes = list(row)[:list(row).index("repetition") + 1]
        status[tuple(row[axis] for axis in axes)] = row["status"]
    # An owner without test records has no test error, nor has a quarter of the owners without any.
    # owners.csv is that of the first repetition: which owners these are can differ where each draws its data.
    untested = {row["agent"] for row in machine.rows(folder, "owners.csv") if row["test_records"] == "0"}
    drawn = scenario.get("data", {}).get("draw") == "repetition"
    for name in ("series.csv", "scalars.csv"):
        for row in machine.rows(folder, name):
            axes = list(row)[:list(row).index("repetition") + 1]
            key = tuple(row[axis] for axis in axes)
            metric = row.get("metric") or row.get("name")
            if row["value"] == "nan" and re.search("test_error|accuracy", metric) and (
                    drawn or row["agent"] in untested or untested and re.search(r"\.q[1-4]$", metric)):
                continue
            if row["value"] == "nan" and metric.endswith((".honest", ".hostile")):  # there may be nobody of the kind
                continue
            if row["value"] == "nan" and re.match("(epsilon|first)_seen", metric):  # of an adversary itself; of what is unseen
                continue
            if row["value"] == "inf" and metric.endswith("relative_fitness"):  # of an objective whose least value is 0
                continue
            if row["repetition"] and status.get(key) == "done" and row["value"]:
                expect(math.isfinite(float(row["value"])), "finite",
                       "%s: %s is %s in a run that is done" % (name, metric, row["value"]))
    last = {}
    for row in machine.rows(folder, "series.csv"):
        key = tuple(list(row.values())[:list(row).index("agent") + 1])
        here = [float(row[column] or "nan") for column in ("iteration", "time_s", "vectors", "bytes")]
        before = last.get(key)
        expect(before is None or all(b <= h for b, h in zip(before, here)), "series",
               "%s: %s after %s" % (key, here, before))
        last[key] = here


def _limits(folder, scenario, expect):
    stop = scenario.get("stop", {})
    for row in machine.rows(folder, "runs.csv"):
        if scenario.get("sweep"):
            return
        limit = stop.get(row["end"])
        for key, column in (("iterations", "iterations"), ("events", "events")):
            if isinstance(stop.get(key), int) and row["status"] == "done":
                expect(int(row[column]) <= stop[key], "limits", "%s %s, limit %d" % (row[column], key, stop[key]))
        if row["end"] in ("iterations", "vectors", "bytes", "events") and isinstance(limit, (int, float)):
            expect(float(row[row["end"]]) >= limit, "limits",
                   "ended by %s at %s, limit %s" % (row["end"], row[row["end"]], limit))
        if isinstance(stop.get("time"), (int, float)):
            expect(float(row["time_s"]) <= stop["time"], "limits", "ends at %s s, limit %s s" % (row["time_s"], stop["time"]))
            if row["end"] == "time":
                expect(float(row["time_s"]) == stop["time"], "limits",
                       "ended by time at %s s, limit %s s" % (row["time_s"], stop["time"]))
