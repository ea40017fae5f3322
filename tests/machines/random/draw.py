"""Draws scenarios from the language."""
import re

import habits
import laws

OFTEN = {"data": 1, "model": 0.7, "network": 0.9, "clocks": 0.6, "events": 0.25, "protocol": 1, "privacy": 1, "stop": 1,
         "record": 0.9, "baselines": 0.15, "analysis": 0.04, "repeat": 0.5, "seed": 1, "name": 0.1, "description": 0.1,
         "version": 1, "metrics": 0.1, "splitting": 0.05, "adversaries": 0.2}
# Members of which a scenario without them, or with all of them, says little or is refused.
SHARES = [(re.compile(pattern), share) for pattern, share in [
    (r"^\.privacy\.(mechanism)$", 1), (r"^\.privacy\.(epsilon|clip)$", 0.85), (r"^\.privacy\.delta$", 0.5),
    (r"^\.privacy\.steps$", 0.5), (r"^\.privacy", 0.12), (r"^\.stop\.", 0.15), (r"^\.record\.metrics$", 0.95),
    (r"^\.record\.every", 0.8), (r"^\.record\.keep", 0.1), (r"^\.record\.trace$", 0.2), (r"overlay", 0.1),
    (r"<csv>\.(target|path)$", 0.95), (r"<csv>\.", 0.15), (r"topology<.*>\.size", 0.15), (r"topology<.*>\.", 0.25),
    (r"data<.*>\.(owners|tasks|users|items|ratings|features|records)$", 0.97), (r"<matrix>\.unit|speed", 0.5),
    (r"\.name$", 0.1)]]


class Drawer:
    def __init__(self, language, rng, route):
        self.language, self.rng, self.route = language, rng, route
        self._depth = 0  # of the place that was found last

    def scenario(self):
        """A scenario that follows the route. It may be refused."""
        route = self.route
        drawn = self._value(self.language.root, "", route)
        if "stop" not in drawn:
            drawn["stop"] = {}
        self._limits(drawn["stop"])
        habits.follow(drawn, self)
        return written(drawn, self.rng)

    def _limits(self, stop):
        limit = self.rng.random()
        if limit < 0.7 and "events" not in stop:
            stop["events"] = self.rng.randint(20, 400)
        if limit > 0.5 and "iterations" not in stop:
            stop["iterations"] = self.rng.randint(2, 80)
        if limit > 0.7 and "time" not in stop:
            stop["time"] = self.rng.choice([3, 10, 30, 40])

    def draw_at(self, scenario, keys):
        """Draws the value at a path again; along the route, what it demands."""
        place = self._find(scenario, keys)
        if place is None:
            return
        parent, key, node, path = place
        if isinstance(parent, dict) or key < len(parent):
            parent[key] = written(self._value(node, path, self._rest(keys[:self._depth])), self.rng)

    def on_route(self, keys):
        """Whether a path leads to, or lies in, what the scenario is drawn for."""
        wanted = self._keys_of_route()
        return all(a in (b, "*") or b == "*" for a, b in zip(wanted, keys))

    def _keys_of_route(self):
        names = {"key": lambda s: s[1], "item": lambda s: "0", "agent": lambda s: "*"}
        return [names[step[0]](step) for step in self.route if step[0] in names]

    def _rest(self, keys):
        wanted = self._keys_of_route()
        if not self.on_route(keys) or len(keys) > len(wanted):
            return ()
        left, rest = len(keys), list(self.route)
        while left and rest:
            left -= rest.pop(0)[0] in ("key", "item", "agent")
        return tuple(rest)

    def node_at(self, scenario, keys):
        """The parent, the key and the node of a path; None if the language has no such path."""
        place = self._find(scenario, keys)
        return place[:3] if place and len(keys) == self._depth else None

    def fill(self, parent, section, key):
        """Gives an object of the scenario's top level an option that it lacks."""
        if key not in parent:
            node = self.language.shape(self.language.root["properties"][section]).members[key]
            parent[key] = self._value(node, ".%s.%s" % (section, key), ())

    def draw_alternative(self, scenario, keys, name):
        parent, key, node, path = self._find(scenario, keys)
        rest = self._rest(keys)
        if not rest or rest[0] != ("type", name):
            rest = (("type", name),)
        parent[key] = written(self._value(node, path, rest), self.rng)

    def siblings(self, scenario, keys):
        """The keys that the object at a path may have."""
        place = self._find(scenario, keys) if keys else None
        if place is None or self._depth != len(keys):
            return ()
        parent, key, node, path = place
        value = parent.get(key) if isinstance(parent, dict) else parent[key]
        members, _ = self._members(value, node, path)
        return members if isinstance(members, dict) else ()

    # The parent, the key, the node and the path of the deepest part of a path that the language knows.
    def _find(self, value, keys):
        node, path, found = self.language.root, "", None
        self._depth = 0
        for key in keys:
            members, path_of = self._members(value, node, path)
            if isinstance(value, list) and key.isdigit() and int(key) < len(value) and members:
                found = (value, int(key), members, path + "[]")
            elif isinstance(value, dict) and isinstance(members, dict) and key in members:
                found = (value, key, members[key], path_of + "." + key)
            elif isinstance(value, dict) and key in value:
                return (value, key, found[2], found[3]) if found else None
            else:
                break
            self._depth += 1
            parent, key, node, path = found
            value = parent.get(key) if isinstance(parent, dict) else parent[key]
            if value is None:
                break
        return found

    def _members(self, value, node, path):
        shape = self.language.shape(node)
        if isinstance(value, list):
            return shape.items, path
        if isinstance(value, dict):
            if value.get("type") in shape.alternatives:
                return self.language.members(shape.alternatives[value["type"]]), path + "<%s>" % value["type"]
            if shape.by_agent is not None:
                return {key: shape.by_agent for key in value}, path + "{}"
            return shape.members, path
        return None, path

    def _value(self, node, path, route):
        shape, rng = self.language.shape(node), self.rng
        step = route[0] if route else None
        if step and step[0] == "value":
            return step[1]
        if shape.alternatives and not (step and step[0] in ("item", "short")):
            return self._alternative(shape, path, route)
        kind = step[1] if step and step[0] == "short" else None
        if kind == "number" or shape.number and kind is None and not step:
            return laws.number(shape, path, rng)
        if kind == "list" or step and step[0] == "item" or shape.items is not None:
            return self._list(shape, path, route[1:] if step and step[0] == "item" else ())
        if kind == "text" or shape.text:
            return laws.text(path, rng)
        if shape.boolean:
            return rng.random() < 0.5
        if shape.values:
            return rng.choice(shape.values)
        if shape.members is not None:
            return self._object(shape.members, path, route)
        if shape.by_agent is not None:
            inside = route[1:] if step and step[0] == "agent" else ()
            agents = sorted(rng.sample(range(0, 4), rng.randint(1, 2)))
            return {str(i): self._value(shape.by_agent, path + "{}", inside) for i in agents}
        return {}

    def _alternative(self, shape, path, route):
        rng = self.rng
        if route and route[0][0] == "type":
            name, route = route[0][1], route[1:]
        else:
            rare = ("mixture", "by_agent", "column", "values", "all", "any", "movielens")
            names = [n for n in shape.alternatives for _ in range(1 if n in rare else 4)]
            if len(names) > 30 and path.count("<") > 1:  # a distribution inside another value
                names += ["constant"] * 20
            name = rng.choice(names)
            if shape.number and shape.short.get("number") == name and rng.random() < 0.6:
                return laws.number(shape, path, rng)
            if shape.items is not None and shape.short.get("list") == name and rng.random() < 0.6:
                return self._list(shape, path, ())
        definition = shape.alternatives[name]
        drawn = {"type": name}
        drawn.update(self._object(self.language.members(definition), path + "<%s>" % name, route))
        return drawn

    def _list(self, shape, path, route):
        size = self.rng.randint(1, 3) if path != ".record.metrics" else self.rng.randint(2, 9)
        drawn = [self._value(shape.items, path + "[]", route if k == 0 else ()) for k in range(size)]
        if all(isinstance(one, str) for one in drawn):
            drawn = list(dict.fromkeys(drawn))
        return drawn

    def _object(self, members, path, route):
        drawn = {}
        forced = route[0][1] if route and route[0][0] == "key" else None
        for key, node in members.items():
            share = OFTEN[key] if path == "" else next(
                (share for pattern, share in SHARES if pattern.search(path + "." + key)), 0.4)
            if self.language.is_required(path, key):
                share = 1
            if key == forced or self.rng.random() < share:
                drawn[key] = self._value(node, path + "." + key, route[1:] if key == forced else ())
        self._order(drawn)
        if path == ".record.every" and drawn:
            kept = forced or self.rng.choice(sorted(drawn))
            drawn = {kept: drawn[kept]}
            if kept == "time" and isinstance(drawn[kept], laws.Quantity):  # else a run would be nothing but samples
                drawn[kept].value = max(drawn[kept].value, 1e-3)
        return drawn

    def _order(self, drawn):
        for low, high in (("min", "max"), ("from", "to")):
            a, b = drawn.get(low), drawn.get(high)
            if isinstance(a, laws.Quantity) and isinstance(b, laws.Quantity) and a.value > b.value:
                a.value, b.value = b.value, a.value


def written(value, rng):
    if isinstance(value, laws.Quantity):
        return value.written(rng)
    if isinstance(value, dict):
        return {key: written(one, rng) for key, one in value.items()}
    if isinstance(value, list):
        return [written(one, rng) for one in value]
    return value
