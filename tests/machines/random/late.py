"""What `run` may refuse although `validate` accepts it, because only the data can tell. Everything else is a failure: it
belongs where options are checked without data (models/run/setting.hpp, scenarios/study/point_fit.hpp)."""
import json
import re


def _reasons(pairs):
    return [(re.compile(pattern), why) for pattern, why in pairs]


# Messages, with why the data are needed.
NEEDS_DATA = _reasons([
    (r"Lipschitz constant of the gradient|expected a step below 2/L|alpha_1 \(L \+ 2 tau\)",
     "the step is compared with a constant of the records"),
    (r"needs a Hessian of full rank|data that are not all 0|best model lies outside",
     "the step or the box is compared with the Hessian or the minimiser"),
    (r"no minimiser found|classes are separable", "whether there is a minimiser depends on the records"),
    (r"expected two classes|expected training targets that differ|expected targets within|needs targets within",
     "targets are drawn"),
    (r"no threshold connects|components of the data's similarity graph", "the similarity graph is of the data"),
    (r"expected at least one training record|whiten: owner|requires test records: reduce data.train_fraction|"
     r"is of validation records, and none is held out",
     "sizes and features are drawn"),
])
# The same of data from a file.
NEEDS_FILE = _reasons([
    (r": /data\b", "the file is read"),
    (r"column '.*': expected .* for owner \d+$|expected a column of the data with one number for each owner",
     "the values are a column of the file"),
    (r"expected targets -1 and \+1, found -?[\d.]|expected classes 0|expected a class 0|requires test records",
     "targets and records are in the file"),
    (r"exponential_norm in one dimension", "the number of features is in the file"),
])
# Where the file says how many owners there are: it has a column of owners, or some of them may be left out.
NEEDS_NUMBER = [(re.compile(pattern), "the number of owners is in the file: " + why) for pattern, why in [
    (r"expected a list of \d+ numbers, found \d+$", "as long as a list has to be"),
    (r"expected agents \d+ to \d+, found agent \d+$|/record/trace/agent: expected an agent from 0 to \d+, found \d+$|"
     r"/adversaries\S*: (expected (an agent that holds data|at least one honest agent)|agent \d+ is the learner)|/adversaries/behaviour: expected 2 to \d+ honest agents|"
     r"/privacy/adversaries/\S+: (expected an agent from 0 to \d+, found \d+|there is no link from agent \d+ to agent \d+)$|"
     r"expected owners? from 1 to \d+, found \d+$", "an agent or owner may not be there"),
    (r"at most the number of owners \(\d+\)|at most n - 1 = \d+", "a number is compared with it"),
    (r"one value for all owners with trust aggregator|expected a jitter of at most the period|"
     r"/privacy/epsilon: expected a number from \S+ to \S+, found|expected at most 1 with calibration classic|epsilon_label: expected a part of privacy.epsilon",
     "values are drawn for each owner"),
    (r"requires a link from agent 0 to every owner; agent \d+ has none", "which nodes of the graph have agents"),
    (r"expected at least \d+ nodes, one for each agent, found \d+|size: expected at least \d+, a node for each agent",
     "as many nodes as there have to be"),
    (r"expected a divisor of \d+ agents as columns", "a grid has rows of equal length"),
    (r"expected 2\^(d|\d+ = \d+) agents in a hypercube", "a hypercube has a power of two of corners"),
    (r"expected a connected network, found \d+ components|expected at least \d+ agents for |"
     r"no simple graph of \d+ agents|found fewer than \d+ different links between \d+ agents", "a graph is drawn for it"),
    (r"expected a neighbour of every agent, found none of agent \d+|agent \d+ has no neighbour with a weight above 0|"
     r"expected network.topology complete with oracle, found agent \d+|expected weights of links with a sum of at most 1 with links",
     "which links there are"),
    (r"/network/availability: \S+:\d+: ", "nothing is sized by the agents of a file of sessions before"),
    (r"no message can arrive: |smallest possible round trip|rounds( and trainings)? take no time",
     "the laws of all links and agents are compared"),
]]
# Where the similarity graph of the data is the network.
NEEDS_GRAPH = _reasons([
    (r"requires a link from agent 0 to every owner; agent \d+ has none|expected a neighbour of every agent|"
     r"there is no link from agent \d+ to agent \d+|"
     r"agent \d+ has no neighbour with a weight above 0|expected network.topology complete with oracle, found agent \d+|"
     r"weights: the graph has no weights|cannot connect the \d+ components|smallest possible round trip|rounds( and trainings)? take no time|no message can arrive",
     "the network is a graph of the data"),
])


def _file_says_number(data):
    """As models::owners_of()."""
    if data["type"] != "csv":
        return True  # of ratings
    owner = data.get("owner")
    kind = owner.get("type") or next(iter(owner)) if isinstance(owner, dict) else owner
    if data.get("min_records", 1) > 1:
        return True
    if owner is None:
        return len(data.get("files", ())) + ("path" in data) > 1 and data.get("impute", "none") != "none"
    return kind == "column" or isinstance(owner, dict) and owner.get("min_records") == 0


def reason(text, scenario):
    """Why a refusal of a scenario needs the data; None if it does not."""
    data, network = scenario.get("data"), scenario.get("network") or {}
    patterns = list(NEEDS_DATA)
    if isinstance(data, dict) and ("path" in data or "files" in data):
        patterns += NEEDS_FILE
        laws = [network, scenario.get("clocks"), scenario.get("events"), scenario.get("privacy")]
        # A law that names a column has values once the file is read, and is then checked with the others.
        if _file_says_number(data) or '"column"' in json.dumps(laws):
            patterns += NEEDS_NUMBER
        if "column" in json.dumps((scenario.get("privacy") or {}).get("steps")):
            patterns += _reasons([(r"privacy.steps: expected whole numbers", "the values are a column of the file")])
    if (scenario.get("privacy") or {}).get("steps") in ("expected", {"type": "expected"}):
        patterns += _reasons([(r"expected at most 1 with calibration classic|pld: expected at most \d+ steps|expected a jitter of at most",
                               "the number of releases is planned by runs without data")])
    topology = network.get("topology")
    if "similarity" in (topology, topology.get("type") if isinstance(topology, dict) else None):
        patterns += NEEDS_GRAPH
    return next((why for pattern, why in patterns if pattern.search(text)), None)
