"""What holds of what adversaries see: never more than the ledger says, never less later, nothing before a message that a
release can be in."""
import json
import math

import machine
import study


def check(folder, trace, scenario, expect):
    if not scenario.get("privacy", {}).get("adversaries"):
        return
    # Some hostile agents know what nothing has brought them.
    knows_all = any(word in json.dumps(scenario) for word in ("omniscient", "dissensus", "spectral"))
    seen, whole = {}, {}
    for row in study.first_point(folder, "scalars.csv"):
        if row["repetition"] == "0" and row["name"].startswith("seen."):
            adversary, what = row["name"][len("seen."):].rsplit(".", 1)
            (seen if row["agent"] else whole).setdefault((adversary, row["agent"]), {})[what] = float(row["value"])
    for (adversary, agent), values in seen.items():
        place = "%s, owner at agent %s: " % (adversary, agent)
        expect(-1e-12 <= values["epsilon"] <= values["ledger"] * (1 + 1e-9) + 1e-12, "views",
               place + "epsilon %r, ledger %r" % (values["epsilon"], values["ledger"]))
        expect("first" in values or values["epsilon"] == 0, "views", place + "epsilon of something never seen")
        if "mu_squared" in values and "local_mu_squared" in values:  # of Gaussian releases
            local = values["local_mu_squared"]
            expect(-1e-9 <= values["mu_squared"] <= local * (1 + 1e-9) + 1e-12, "views",
                   place + "mu^2 %r, local %r" % (values["mu_squared"], local))
            expect(adversary != "everybody" or abs(values["mu_squared"] - local) <= 1e-9 * max(1, local), "views",
                   place + "mu^2 %r of everybody, local %r" % (values["mu_squared"], local))
        if "one_label_mu_squared" in values and "local_mu_squared" in values:
            expect(values["one_label_mu_squared"] <= values["local_mu_squared"] * (1 + 1e-7) + 1e-9, "views",
                   place + "one label %r, local %r" % (values["one_label_mu_squared"], values["local_mu_squared"]))
        earliest = None if knows_all else _earliest(trace, adversary, agent)
        if earliest is not None and "first" in values:
            expect(values["first"] >= earliest, "views",
                   place + "seen at %r s, the first path is there at %r s" % (values["first"], earliest))
    for (adversary, _), values in whole.items():
        expect(adversary != "everybody" or values["exact"] == 1, "views", "everybody is not exact")
    last = {}
    for row in machine.rows(folder, "series.csv"):
        if row["metric"] != "epsilon_seen" or row["value"] in ("", "nan"):
            continue
        key = tuple(list(row.values())[:list(row).index("repetition") + 1]) + (row["agent"],)
        value = float(row["value"])
        expect(value >= last.get(key, 0) - 1e-9, "views", "epsilon_seen of agent %s falls from %r to %r"
               % (row["agent"], last.get(key, 0), value))
        last[key] = value


def _earliest(trace, adversary, agent):
    """When a release of an agent can first have reached an adversary: whoever has heard of somebody who has it may have it.
    None where that is not known: starts, and sums of a trusted server."""
    kind, _, names = adversary.partition(":")
    if kind in ("everybody", "hostile") or not trace:
        return None
    members = {"0"} if kind == "hub" else set(names.split("+")) if kind.startswith("agent") else set()
    links = {tuple(link.split("-")) for link in names.split("+")} if kind.startswith("link") else set()
    has, carries = set(), set()
    computes = any(row["event"] == "compute" for row in trace)
    for row in trace:
        event = row["event"]
        if event == "release":
            if row["cause"] == "":
                return None
            if row["agent"] == agent:
                has.add(agent)
        elif event in ("send", "publish") and row["agent"] in has:
            carries.add(row["message"])
            # What waits for an agent that computes has reached it before it is delivered.
            if (row["agent"], row["peer"]) in links or (computes and row["peer"] in members):
                return float(row["time_s"])
        elif event == "deliver" and row["message"] in carries:
            has.add(row["agent"])
        if has & members:
            return float(row["time_s"])
    return math.inf
