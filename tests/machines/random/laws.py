"""Which numbers and texts are drawn where: small studies of a few hundred events. Paths are those of units' routes, such
as ".network.latency<uniform>.max"; the first rule that matches holds."""
import math
import re


def ints(low, high):
    return lambda rng: rng.randint(low, high)


def flat(low, high):
    return lambda rng: rng.uniform(low, high)


def log(low, high):
    return lambda rng: math.exp(rng.uniform(math.log(low), math.log(high)))


def one(*values):
    return lambda rng: rng.choice(values)


NUMBERS = [(re.compile(pattern), law) for pattern, law in [
    (r"^\.version", one(1)),
    (r"^\.seed", one(1, 7, 2**32, 2**63 - 1)),
    (r"^\.repeat", one(1, 2, 2, 3)),
    (r"^\.splitting\.effort", ints(2, 6)),
    (r"^\.splitting.*(values|last)", flat(-0.5, 1.5)),
    (r"jitter.*(mean|median)$|jitter.*<pareto>\.min$", one(0)),  # others are without bound, and refused
    (r"\.data.*sigma$", flat(0, 0.7)),
    (r"\.data.*alpha$", flat(2, 4)),
    (r"sigma$", flat(0, 2)),
    (r"<pareto>\.alpha", flat(0.5, 4)),
    (r"shape$", log(0.3, 5)),
    (r"weight$", log(0.1, 10)),
    (r"separators>\.owners", ints(2, 8)),
    (r"\.(owners|tasks)$", ints(1, 7)),
    (r"\.users", ints(3, 8)),
    (r"\.items", ints(20, 30)),
    (r"\.ratings", ints(20, 150)),
    (r"\.data.*\.test_records", ints(0, 15)),
    (r"\.data.*\.min_records", ints(1, 12)),
    (r"\.data.*uniform_integer>\.min", ints(1, 20)),
    (r"\.data.*uniform_integer>\.max", ints(5, 60)),
    (r"\.data.*\.records", ints(1, 50)),
    (r"\.data.*\.features", ints(2, 5)),
    (r"<synthetic>\.classes", ints(2, 4)),
    (r"\.shards$", ints(1, 3)),
    (r"\.data.*\.rank", ints(1, 3)),
    (r"\.data.*fraction", flat(0, 0.6)),
    (r"\.data.*\.positives", flat(0.1, 0.5)),
    (r"\.components", ints(1, 3)),
    (r"\.fit_on_last", ints(0, 12)),
    (r"<blocks>\.blocks", ints(1, 6)),
    (r"\.data.*\.neighbours", ints(1, 4)),
    (r"\.sweeps", ints(1, 3)),
    (r"\.bounds\.(features|target)", flat(1, 8)),
    (r"privacy\.delta", one(0, 1e-9, 1e-6, 1e-5, 1e-3, 0.01)),
    (r"delta_step", log(1e-10, 1e-6)),
    (r"privacy\.epsilon_warm", log(0.01, 0.5)),
    (r"epsilon", log(0.05, 30)),
    (r"privacy\.steps", ints(1, 15)),
    (r"stop\.iterations", ints(1, 80)),
    (r"stop\.events", ints(1, 400)),
    (r"stop\.vectors", ints(1, 200)),
    (r"stop\.bytes", ints(64, 20000)),
    (r"stop\.time", log(0.5, 40)),
    (r"stop\.wall", flat(1000, 5000)),
    (r"check_every", ints(1, 20)),
    (r"every\.iterations", ints(1, 30)),
    (r"every\.time", log(0.3, 10)),
    (r"every\.vectors", ints(1, 50)),
    (r"every\.bytes", ints(50, 5000)),
    (r"trace\.(point|repetition)", one(0)),
    (r"<links>\.links", ints(0, 3)),
    (r"learner_is_owner|groups", ints(1, 4)),
    (r"overlap", ints(1, 3)),
    (r"group>.*agents\[\]|<(crash|partition|join|leave)>\.\w+\[\]", ints(1, 2)),
    (r"agents\[\]|<(crash|partition|join|leave)>\.\w+\[\]|trace\.agent", ints(0, 4)),
    (r"<\w+>\.at$", flat(0, 15)),
    (r"clocks<trace>\.times", flat(0, 20)),
    (r"clocks.*(phase|jitter)", log(0.01, 0.5)),
    (r"clocks", log(0.2, 4)),
    (r"<diurnal>\.mean", flat(0.3, 0.7)),
    (r"<diurnal>\.amplitude", flat(0, 0.15)),
    (r"<diurnal>\.memory", log(0.01, 0.2)),
    (r"<diurnal>\.period", log(1, 60)),
    (r"availability.*(phase|probability)", flat(0, 1)),
    (r"availability.*\.down", log(0.05, 10)),
    (r"availability", log(0.3, 30)),
    (r"(latency|compute_time)<(matrix|distance)>\.(unit|speed)", log(1e-4, 1e8)),
    (r"latency|compute_time|\.plus", log(1e-3, 1)),
    (r"bandwidth|linkrate", log(1e2, 1e6)),
    (r"network\.header", ints(0, 100)),
    (r"bytes_per_number", ints(1, 16)),
    (r"topology.*\.size", ints(4, 14)),
    (r"topology.*\.(degree|columns|links|dimension)", ints(1, 3)),
    (r"topology.*\.blocks", ints(1, 3)),
    (r"watts_strogatz>\.neighbours", one(2, 2, 4)),
    (r"topology.*\.neighbours", ints(1, 4)),
    (r"mean_degree", flat(0.5, 4)),
    (r"\.(side|radius)$", one(50.0, 80.0, 100.0)),
    (r"<rmat>\.[abc]$", flat(0.05, 0.33)),
    (r"exponent", flat(2.01, 4)),
    (r"(from|to|for|unit)$", log(0.1, 20)),
    (r"timeout|interval", log(0.05, 5)),
    (r"horizon", ints(2, 80)),
    (r"turns", ints(1, 15)),
    (r"local_steps", ints(1, 4)),
    (r"theta_max", log(0.1, 50)),
    (r"l2$", log(1e-5, 1)),
]]

# Files that files.py writes.
TEXTS = [(re.compile(pattern), values) for pattern, values in [
    (r"data<csv>\.path", ("owners.csv", "owners.csv", "owners.csv", "plain.txt")),
    (r"data<csv>\.files", ("a.csv", "b.csv", "c.csv")),
    (r"<csv>\.delimiter", (",", "auto", ";")),
    (r"<csv>\.columns", ("u", "v", "y")),
    (r"<csv>\.missing", ("", "?", "NA")),
    (r"<csv>\.target", ("y", "class")),
    (r"<equals>", ("yes", "1")),
    (r"<csv>\.owner", ("site",)),
    (r"<csv>\.features", ("u", "v", "w", "kind")),
    (r"<csv>\.drop", ("w", "kind", "id", "site", "class", "budget", "pace")),
    (r"<csv>\.categorical", ("level", "kind")),
    (r"<csv>\.numeric", ("u", "v")),
    (r"<csv>\.similarity", ("budget", "pace")),
    (r"movielens>\.path", ("u.data",)),
    (r"clocks<trace>\.path", ("ticks.csv",)),
    (r"<matrix>\.path", ("rtt.txt",)),
    (r"<edge_attribute>.*\.path", ("loss.csv",)),
    (r"availability.*\.path", ("sessions.csv", "states.csv")),
    (r"topology<file>\.path", ("graph.graphml", "graph.dot", "graph.edges", "hub.edges")),
    (r"overlay.*\.hub", ("centre", "0", "2", "5")),
    (r"<column>\.column", ("budget", "pace")),
    (r"topology<file>\.(weight|latency)", ("weight", "latency")),
    (r"slopes\[\]\.over", ("privacy.epsilon", "seed")),
    (r"(slopes|bounds)\[\]\.of", ("objective", "relative_fitness", "distance", "cost_of_privacy")),
    (r"where", ("", "privacy.epsilon > 0")),
    (r"groups\[\]\.name", ("site A", "site B")),
    (r"name|description", ("", "a name", "\u00e4\u00f6 \u6c34, \"quoted\", <b>", "=1+1")),
]]


class Quantity:
    """A number in the SI unit of its place, until it is written."""

    def __init__(self, value, units, whole):
        self.value, self.units, self.whole = value, units, whole

    def written(self, rng):
        factors = {"ms": 1e-3, "s": 1, "us": 1e-6, "min": 60, "B": 1, "kB": 1e3, "B/s": 1, "kB/s": 1e3, "kbit/s": 125,
                   "1/s": 1, "/s": 1, "km/s": 1e3, "m/s": 1}
        usable = [u for u in self.units if u in factors]
        if self.whole:
            usable = [u for u in usable if factors[u] == 1]
        if not usable or rng.random() < 0.3:
            return self.value
        unit = rng.choice(usable)
        return "%s %s" % (repr(self.value / factors[unit]), unit)


def number(shape, path, rng):
    """A number that the range of the shape allows (nearly always)."""
    spec = shape.number
    whole = "integer" in spec["type"]
    low = spec.get("minimum", spec.get("exclusiveMinimum", -math.inf))
    high = spec.get("maximum", spec.get("exclusiveMaximum", math.inf))
    law = next((law for pattern, law in NUMBERS if pattern.search(path)), None)
    edge = rng.random()
    if edge < 0.01 and not whole and law is not None and "stop" not in path:
        value = rng.choice([0.0, low, high, 1e-12, 1e6, 1.0])
    elif law is not None:
        value = law(rng)
    elif whole:
        value = rng.randint(int(max(low, 0)), int(min(high, max(low, 0) + 5)))
    elif math.isfinite(low) and math.isfinite(high):
        value = rng.choice([low, high]) if edge < 0.08 else rng.uniform(low, high)
    else:
        value = math.exp(rng.uniform(math.log(1e-3), math.log(10)))
    if not math.isfinite(value):
        value = 1.0
    if low <= high:
        value = min(max(value, low), high)
    value = int(value) if whole else float("%.4g" % value)
    if value == low and "exclusiveMinimum" in spec or value == high and "exclusiveMaximum" in spec:
        value = (low + high) / 2 if math.isfinite(high) else low + 1
    return Quantity(value, shape.unit or (), whole)


def text(path, rng):
    values = next((values for pattern, values in TEXTS if pattern.search(path)), ("text",))
    return rng.choice(values)
