"""What holds of every ledger: traced releases are numbered, compose to what was spent, and stay within the budget."""
import math

import study
from habits import kind as _kind


def check(folder, trace, scenario, expect):
    privacy = scenario["privacy"]
    private = _kind(privacy.get("mechanism")) != "none"
    budget = {row["agent"]: (float(row["epsilon"] or "nan"), float(row["delta"] or "nan"))
              for row in study.first_point(folder, "owners.csv") if row.get("network", "0") in ("0", "")}
    pure = _kind(privacy.get("mechanism")) != "gaussian"
    # A warm start and a subsampled release are charged in other ways.
    composed = pure and "epsilon_warm" not in privacy and not _members(scenario["protocol"], "batch_fraction", "initial", "local")
    state = {}
    for row in trace:
        if row["event"] != "release":
            continue
        agent, found = row["agent"], study.details(row["detail"])
        releases, spent = state.setdefault(agent, ([], 0.0))
        expect(found["release"] == len(releases) + 1, "ledger",
               "agent %s: release %g after %d" % (agent, found["release"], len(releases)))
        releases.append(found["epsilon"])
        if not private:
            expect(found["epsilon"] == found["spent"] == found["delta"] == 0, "ledger", "a charge without privacy")
        else:
            # Within a large delta a release can cost no epsilon.
            expect((found["spent"] > 0 or found["delta"] > 0) and found["spent"] >= spent * (1 - 1e-12), "ledger",
                   "agent %s: spent %r after %r" % (agent, found["spent"], spent))
            total = _total(privacy.get("accountant", "basic"), releases, found["delta"]) if composed else None
            expect(total is None or math.isclose(found["spent"], total, rel_tol=1e-9), "ledger",
                   "agent %s: spent %r, the releases compose to %r" % (agent, found["spent"], total))
            if agent in budget and math.isfinite(budget[agent][0]):
                expect(found["spent"] <= budget[agent][0] * (1 + 1e-9), "budget",
                       "agent %s: spent %r of epsilon %r" % (agent, found["spent"], budget[agent][0]))
                expect(found["delta"] <= budget[agent][1] * (1 + 1e-9), "budget",
                       "agent %s: delta %r of %r" % (agent, found["delta"], budget[agent][1]))
        state[agent] = (releases, found["spent"])
    trusted = privacy.get("trust") == "aggregator" or _kind(scenario["protocol"]) in ("dp_fedavg", "dp_ftrl")
    if trusted and set(state) <= {"0"}:
        # The releases of agent 0 are charged to every owner.
        state = {row["agent"]: state["0"] for row in study.first_point(folder, "owners.csv") if "0" in state}
    _recorded(folder, state, expect)
    _accounted(trace, scenario, expect)


def _members(value, *names):
    return isinstance(value, dict) and any(name in value for name in names)


# The composition of pure releases by the accountants whose theorems are closed forms; None for the others.
def _total(accountant, releases, delta):
    total, square = math.fsum(releases), math.fsum(e * e for e in releases)
    if accountant == "basic":
        return total
    if accountant == "kairouz":  # Kairouz, Oh, Viswanath 2015, Theorem 3.5
        drift, root = math.fsum(e * math.tanh(e / 2) for e in releases), math.sqrt(square)
        return min(total, drift + root * math.sqrt(2 * math.log(math.e + root / delta)),
                   drift + root * math.sqrt(2 * math.log(1 / delta)))
    if accountant == "zcdp":  # Bun and Steinke 2016
        return min(total, square / 2 + 2 * math.sqrt(square / 2 * math.log(1 / delta)))
    return None


# The last samples of the ledger's metrics are what the trace sums to.
def _recorded(folder, state, expect):
    last = {}
    for row in study.first_point(folder, "series.csv"):
        if row["repetition"] == "0":
            last[row["metric"], row["agent"]] = row["value"]
    for (metric, agent), value in last.items():
        if not value:
            continue
        releases, spent = state.get(agent, ([], 0.0))
        if metric == "releases_by_owner":
            expect(float(value) == len(releases), "ledger",
                   "releases of agent %s: %s, traced %d" % (agent, value, len(releases)))
        elif metric == "epsilon_spent_by_owner":
            expect(math.isclose(float(value), spent, rel_tol=1e-12), "ledger",
                   "spent by agent %s: %s, traced %r" % (agent, value, spent))
        elif metric == "epsilon_spent":
            most = max([one[1] for one in state.values()], default=0.0)
            expect(math.isclose(float(value), most, rel_tol=1e-12), "ledger", "spent: %s, traced %r" % (value, most))


# A vector that an owner sends to a learner is one that the same owner has released: answers do not outnumber releases.
def _accounted(trace, scenario, expect):
    if _kind(scenario["protocol"]) not in ("central_async", "central_sync"):
        return
    if _members(scenario["protocol"], "groups", "learner_is_owner"):
        return
    # Without a vector: the requests of central_async, and refusals of both, shorter than the queries of central_sync.
    sizes = [int(row["bytes"]) for row in trace if row["event"] == "send"]
    queries = [int(row["bytes"]) for row in trace if row["event"] == "send" and row["agent"] == "0"]
    least = min(sizes, default=0) if _kind(scenario["protocol"]) == "central_async" else min(queries, default=0) - 1
    released, answers = {}, {}
    for row in trace:
        if row["event"] == "release":
            released[row["agent"]] = released.get(row["agent"], 0) + 1
        elif row["event"] == "send" and row["agent"] != "0" and int(row["bytes"]) > least:
            answers[row["agent"]] = answers.get(row["agent"], 0) + 1
            expect(answers[row["agent"]] <= released.get(row["agent"], 0), "unaccounted",
                   "agent %s sends %s, and has made %d releases" % (row["agent"], row["message"], released.get(row["agent"], 0)))
