"""What `run` may refuse although `validate` accepts it, because only the data can tell. Everything else is a failure: it
belongs where options are checked without data (models/run/setting.hpp, scenarios/study/point_fit.hpp)."""
import re

# Messages, with why the data are needed.
NEEDS_DATA = [(re.compile(pattern), why) for pattern, why in [
    (r"Lipschitz constant of the gradient|expected a step below 2/L|alpha_1 \(L \+ 2 tau\)",
     "the step is compared with a constant of the records"),
    (r"needs a Hessian of full rank|data that are not all 0|best model lies outside",
     "the step or the box is compared with the Hessian or the minimiser"),
    (r"no minimiser found|classes are separable", "whether there is a minimiser depends on the records"),
    (r"expected two classes|expected training targets that differ|expected targets within|needs targets within",
     "targets are drawn"),
    (r"no threshold connects|components of the data's similarity graph", "the similarity graph is of the data"),
    # Not of the data, but the noise of a plan is solved for when a run is assembled: accountants may take seconds.
    (r"epsilon: expected at most \S+ with calibration classic", "the noise is solved for when a run is assembled"),
    (r"expected at least one training record|whiten: owner", "sizes and features are drawn"),
]]
# The same of data from a file, which says how many owners there are and what they hold, and of the network among them.
NEEDS_FILE = [(re.compile(pattern), why) for pattern, why in [
    (r": /data\b", "the file is read"),
    (r": /(network|clocks|events|record/trace/agent)\b|neighbour of every agent|no neighbour|complete with oracle|"
     r"smallest possible round trip|take no time", "the number of agents is in the data file"),
    (r"expected a list of \d+ numbers|owners? from 1 to|at most n - 1|at most the number of owners|expected agents|one value for all owners",
     "the number of owners is in the data file"),
    (r"expected targets -1 and \+1|expected classes 0|expected a class 0|requires test records", "targets and records are in the data file"),
]]
# Where the similarity graph of the data is the network.
NEEDS_GRAPH = re.compile(r": /(network|clocks|events)\b|neighbour of every agent|no neighbour|complete with oracle|"
                         r"smallest possible round trip")


def reason(text, scenario):
    """Why a refusal of a scenario needs the data; None if it does not."""
    data, network = scenario.get("data"), scenario.get("network") or {}
    patterns = list(NEEDS_DATA)
    if isinstance(data, dict) and ("path" in data or "files" in data):
        patterns += NEEDS_FILE
    topology = network.get("topology")
    if "similarity" in (topology, topology.get("type") if isinstance(topology, dict) else None):
        patterns.append((NEEDS_GRAPH, "the network is a graph of the data"))
    return next((why for pattern, why in patterns if pattern.search(text)), None)
