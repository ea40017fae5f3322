"""Repairs a scenario that the program refuses, by what the message says: the path, and the options and values that it
names. So drawn scenarios need no second list of what goes together."""
import copy
import re

import habits

_LINE = re.compile(r"^(?:warning: )?\S.*?: (/\S*?): (.*)$", re.M)
_DOTTED = re.compile(r"\b[a-z_]+(?:\.[a-z_0-9]+)+\b")
_AWAY = re.compile(r"leave (it |them )?out|leave out|has no effect|give (only )?one of|is a variant of|alternative to|does not|"
                   r"cannot|are refused|not both|is not used")
_OFTEN = (["model", "loss"], ["privacy", "mechanism"], ["network", "topology"], ["protocol"], ["data"])
_KEPT = (["protocol"], ["data"], ["privacy"], ["stop"], ["privacy", "mechanism"])


def refusals(text):
    """The (path, message) of each line of a refusal."""
    return [([k.replace("~1", "/").replace("~0", "~") for k in pointer.split("/")[1:]], message)
            for pointer, message in _LINE.findall(text)]


def repaired(drawer, scenario, text, number):
    """The scenario after the number-th refusal of it, with the text that was printed."""
    fixed = copy.deepcopy(scenario)
    found = refusals(text)
    if not found:
        found = [([drawer.rng.choice(["data", "network", "privacy", "protocol"])], "")]
    for keys, message in reversed(found):  # elements of a list from the last to the first
        _repair(drawer, fixed, keys, message, number)
    return fixed


def _repair(drawer, scenario, keys, message, number):
    rng = drawer.rng
    if "limit that it is sure to reach" in message:
        scenario["stop"]["events"] = rng.randint(20, 300)
        return
    if "expected a column of the data" in message and drawer.on_route(keys):
        scenario["data"] = {"type": "csv", **habits.CSV}
        return
    if rng.random() < 0.8 and _fitted(_value(scenario, keys), message, rng):
        return
    above = re.search(r"(?:below|at most|end of the run \()(?: [^=,]*=)? ?([0-9][0-9.e+-]*)", message)
    if above and isinstance(_value(scenario, keys), (int, float, str)) and keys[-1] not in ("repeat", "path"):
        _set(scenario, keys, float(above.group(1)) / 2)
        return
    protocols = re.search(r" is a (?:metric|variant) of ([\w, ]+?)(?:, not of .*|: .*)?$", message)
    if protocols and drawer.on_route(keys):
        _choose(drawer, scenario, ["protocol"], re.findall(r"\w+", protocols.group(1)))
        return
    if keys[:2] == ["record", "metrics"] and len(keys) == 3 and not drawer.on_route(keys) and rng.random() < 0.9:
        _remove(scenario, keys)
        return
    if rng.random() < 0.85 and _advised(drawer, scenario, keys, message):
        return
    missing = "required key is missing" in message
    if number > 3 and len(keys) > 1 and not missing and rng.random() < 0.4:
        keys = keys[:-1]  # perhaps what surrounds it is wrong
    if not missing and keys not in _KEPT and not drawer.on_route(keys) and rng.random() < (0.5 if number < 10 else 1):
        _remove(scenario, keys)
    else:
        drawer.draw_at(scenario, keys)


# Follows the advice of a message: options to leave out, to set, and their values.
def _advised(drawer, scenario, keys, message):
    rng = drawer.rng
    named = [name.split(".") for name in _DOTTED.findall(message) if name.split(".")[0] in drawer.language.root["properties"]]
    around = keys if isinstance(_value(scenario, keys), dict) else keys[:-1]
    siblings = drawer.siblings(scenario, around)
    named += [around + [word] for word in re.findall(r"\b[a-z_0-9]+\b", message) if word in siblings]
    named += [[word] for word in re.findall(r"\b[a-z_]+\b", message) if len(word) > 5 and word in ("baselines", "clocks")]
    present = [path for path in named if _value(scenario, path) is not None]
    if _AWAY.search(message):
        removable = [path for path in present if path not in _KEPT and not drawer.on_route(path)]
        if removable:
            _remove(scenario, rng.choice(removable))
            return True
    words = re.findall(r"\w+", message)
    choices = [path for path in named + [keys, *_OFTEN] if _values(drawer, scenario, path, words)]
    if choices:
        path = rng.choice(choices)
        _choose(drawer, scenario, path, _values(drawer, scenario, path, words))
        return True
    absent = [path for path in named if path not in present]
    if absent and rng.random() < 0.7:
        drawer.draw_at(scenario, rng.choice(absent))
        return True
    others = [path for path in present if path != keys and not drawer.on_route(path)]
    if others and rng.random() < 0.7:
        path = rng.choice(others)
        _remove(scenario, path) if path not in _KEPT and rng.random() < 0.5 else drawer.draw_at(scenario, path)
        return True
    return False


# The names of alternatives or values of an option among the words of a message, without the present one.
def _values(drawer, scenario, path, words):
    place = drawer.node_at(scenario, path)
    if place is None:
        return []
    shape = drawer.language.shape(place[2])
    value = _value(scenario, path)
    present = value.get("type") if isinstance(value, dict) else value
    known = set(shape.alternatives) | set(shape.values or ())
    return [word for word in words if word in known and word != present]


def _choose(drawer, scenario, path, names):
    parent, key, node = drawer.node_at(scenario, path)
    name = drawer.rng.choice(names)
    shape = drawer.language.shape(node)
    if name in shape.alternatives:
        drawer.draw_alternative(scenario, path, name)
    else:
        parent[key] = name


def _value(scenario, keys):
    value = scenario
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def _set(scenario, keys, value):
    parent = _value(scenario, keys[:-1])
    parent[int(keys[-1]) if isinstance(parent, list) else keys[-1]] = value


def _remove(scenario, keys):
    parent = _value(scenario, keys[:-1])
    if isinstance(parent, dict):
        parent.pop(keys[-1], None)
    elif isinstance(parent, list) and keys[-1].isdigit() and int(keys[-1]) < len(parent):
        del parent[int(keys[-1])]


# Lists below a value get the length, or agents, that a message asks for.
def _fitted(value, message, rng):
    length = re.search(r"expected (?:a list of )?(\d+) (?:numbers|values)", message)
    agents = re.search(r"expected (?:agents|owners)(?: from)? (\d+) to (\d+), found", message)
    if not length and not agents:
        return False
    changed = False
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        changed = _fitted(one, message, rng) or changed
    if isinstance(value, list) and value and not isinstance(value[0], (dict, list)):
        if length and int(length.group(1)) <= 20:
            value[:] = [value[i % len(value)] for i in range(int(length.group(1)))]
            changed = True
        elif agents and all(isinstance(one, int) for one in value):
            low, high = int(agents.group(1)), int(agents.group(2))
            value[:] = list(dict.fromkeys(min(max(one, low), high) for one in value))
            changed = True
    return changed
