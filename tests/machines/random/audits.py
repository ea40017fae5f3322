"""What an audit certifies of a run: at most what is guaranteed; the same bytes again, and with two threads."""
import copy
import json
import random
import re

import machine
import study

RUNS = 1000
# An audit certifies too much with a probability of at most LEVEL. One of 1000 audits does with at most 1e-4 (union bound).
LEVEL = 1e-7
REFUSALS = re.compile("|".join([
    r": /privacy: no guarantee covers all that is used, and none can be audited: ",
    r": /privacy: with privacy.adjacency add_remove a record of a model with a hidden layer cannot be made absent: ",
    r": /privacy: privacy.gradient_bound is not enforced, and a planted record can exceed it: ",
    r"^hearsay: --adversary: the models of protocol \w+ cannot be followed: use everybody, or --final$",
    r"^hearsay: --adversary: protocol \w+ has no hub$",
    r"^hearsay: --adversary: (no agent is hostile|what (adversaries see can not|omniscient agents send is))",
    r"^hearsay: --adversary: the hub is trusted \(privacy.trust aggregator\): ",
    r"^hearsay: the order of events depends on values, which an audit does not follow$",  # some of its runs diverge
    r"^hearsay: no owner who is not part of the adversary releases anything$",
    r"^hearsay: releases of agent \d+ cost less because only random records or owners take part in each, ",
]), re.MULTILINE)


def adversary(folder, rng):
    """Options of somebody who sees something, of the agents and links of the first run."""
    agents = sorted({row["agent"] for row in study.first_point(folder, "owners.csv")}, key=int)
    links = [row["source"] + "-" + row["target"] for row in machine.rows(folder, "links.csv") if row["network"] == "0"]
    names = ["agent:" + rng.choice(agents), "agents:" + "+".join(rng.sample(agents, min(2, len(agents)))),
             "link:" + rng.choice(links or ["0-1"]), "hub", "hostile", "everybody"]
    return rng.choice([["--adversary", name] for name in names] + [["--final"]])


def check(examination, seed):
    """Audits the first point. Who the adversary is follows from the seed."""
    rng, seen = random.Random("%s/audit" % seed), examination.seen
    audited = copy.deepcopy(examination.scenario)
    for limit in ("target", "wall"):  # others end the run
        audited["stop"].pop(limit, None)
    examination.write("audited.json", audited)
    command = ["audit", "audited.json", "--point", "0", *adversary(examination.folder + "/a", rng), "--runs", str(RUNS),
               "--level", str(LEVEL), "--json", "--no-progress", "-j"]
    # Of a small budget so few runs certify nothing.
    larger = ["--set", "privacy.epsilon=%d" % rng.choice([10, 30, 100])]
    if rng.random() < 0.7 and examination.program.run(examination.folder, "validate", "audited.json", *larger).code == 0:
        command[2:2] = larger
    outcome = examination.run(*command, "1", allowed=(0, 2))
    if outcome.code == 2:
        seen["audit refused"] = outcome.err
        if len(outcome.err.splitlines()) != 1 or not REFUSALS.search(outcome.err):
            examination.fail("audit", "%s: refused for another reason: %s" % (command, outcome.err))
    if outcome.code != 0 or outcome.signal:
        return
    again = examination.run(*command, rng.choice("12"), allowed=(0,))
    if again.out != outcome.out:
        examination.fail("audit", "%s: another result: %s, %s" % (command, outcome.out, again.out))
    found = json.loads(outcome.out)
    seen.update({"audits": 1, "audit share": 0.0})
    for name in ("ledger", "view", "linear"):
        for certificate, value in (("any", "epsilon"), ("gaussian", "mu")):
            most, certified = found.get(name, {}).get(value), found.get(certificate, {}).get(value)
            # Unknown: null. A view need not be a guarantee.
            if most is None or certified is None or not found[name]["guarantee"]:
                continue
            if certified > most * (1 + 1e-9):
                examination.fail("audit", "%s: certified %s %r, %s %r" % (command, value, certified, name, most))
            seen["audit share"] = max(seen["audit share"], certified / most if most else 0)
