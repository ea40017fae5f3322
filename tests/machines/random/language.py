"""The language of scenarios as `hearsay schema` prints it, made from the descriptions of the options.

A *unit* is what a draw can cover: an option, an alternative or short form of an option, a value of an enumeration.
Equal alternatives have one definition in the schema, so that a unit is named by the definition it belongs to, such as
"poisson.rate<mixture>". A *route* is a way to a unit from the root of a scenario.
"""
import json
import re

SKIPPED = ("$schema", "extends", "sweep", "branches", "tune")


class Shape:
    """What may stand at a place."""

    def __init__(self, schema, node):
        self.alternatives = {}  # name: name of its definition
        self.number = self.text = self.boolean = False
        self.unit = self.items = self.members = self.by_agent = self.values = None
        self.short = {}         # kind of a short form: name of the alternative that it stands for
        self.named = ()         # alternatives by their name alone
        self.inner = []         # shapes of short forms that are alternatives themselves
        last = None
        parts = node.get("anyOf", [node])
        is_variant = any("$ref" in part for part in parts)
        for part in parts:
            if part.get("type") == "null":
                continue
            if isinstance(part.get("type"), list):  # null stands for the default
                part = {**part, "type": next(kind for kind in part["type"] if kind != "null")}
            if "$ref" in part:
                definition = part["$ref"].split("/")[-1]
                last = schema.definitions[definition]["properties"]["type"]["const"]
                self.alternatives[last] = definition
            elif "enum" in part:
                if is_variant:
                    self.named = tuple(part["enum"])
                else:
                    self.values = part["enum"]
            elif "anyOf" in part and any("$ref" in p for p in part["anyOf"]):
                self.inner.append((last, part))
            else:
                self._plain(part, last)

    def _plain(self, part, last):
        kind = part.get("type")
        if kind in ("number", "integer") or "pattern" in part:  # a bare number, or one with a unit
            self.number = part
            self.short["number"] = last
            if "pattern" in part:
                unit = re.search(r" \?\((.*)\)\$$", part["pattern"])
                if unit is not None:  # else names of agents, which no drawn graph has
                    self.unit = unit.group(1).split("|")
        elif kind == "string":
            self.text = True
            self.short["text"] = last
        elif kind == "boolean":
            self.boolean = True
        elif kind == "array":
            self.items = part["items"]
            self.short["list"] = last
        elif "properties" in part:
            self.members = part["properties"]
        elif "additionalProperties" in part:
            self.by_agent = part["additionalProperties"]


class Language:
    """text: of `hearsay schema`; reference: of `hearsay explain --all`, which says what is required."""

    def __init__(self, text, reference):
        self.root = json.loads(text)
        self.definitions = self.root["$defs"]
        self.root["properties"] = {k: v for k, v in self.root["properties"].items() if k not in SKIPPED}
        self._shapes = {}
        self.routes = {}  # unit: routes to it
        self._collect(self.root, "", (), 0)

        self._required, section = set(), ""
        for line in reference.splitlines():
            if line.startswith("##"):
                section = line.strip("# `").split(".")[-1]
            option = re.match(r"\| `(\w+)` \| .* \| required \|", line)
            if option:
                self._required.add((section, option.group(1)))

    def is_required(self, path, key):
        return (re.split(r"[.<]", path)[-1].rstrip(">[]{}"), key) in self._required

    def shape(self, node):
        if id(node) not in self._shapes:
            self._shapes[id(node)] = Shape(self, node)
        return self._shapes[id(node)]

    def members(self, definition):
        return {k: v for k, v in self.definitions[definition]["properties"].items() if k != "type"}

    def _unit(self, base, step, route):
        unit = base + step
        self.routes.setdefault(unit, []).append(route)
        return unit

    def _collect(self, node, base, route, depth):
        shape = self.shape(node)
        for name, definition in shape.alternatives.items():
            self._unit(base, "<%s>" % name, route + (("type", name),))
            for key, member in self.members(definition).items():
                self._unit(definition, "." + key, route + (("type", name), ("key", key)))
                self._collect(member, definition + "." + key, route + (("type", name), ("key", key)), depth + 1)
        if shape.alternatives:
            for kind, name in shape.short.items():
                if name:
                    self._unit(base, "<%s> as a %s" % (name, kind), route + (("short", kind),))
        for value in shape.values or ():
            self._unit(base, "=%s" % value, route + (("value", value),))
        if shape.boolean:
            for value in (True, False):
                self._unit(base, "=%s" % value, route + (("value", value),))
        for key, member in (shape.members or {}).items():
            self._unit(base, "." + key, route + (("key", key),))
            self._collect(member, base + "." + key, route + (("key", key),), depth + 1)
        if shape.items is not None:
            self._collect(shape.items, base + "[]", route + (("item",),), depth + 1)
        if shape.by_agent is not None:
            self._collect(shape.by_agent, base + "{}", route + (("agent",),), depth + 1)

    def units_of(self, scenario):
        """The units that a scenario covers."""
        found = set()
        self._cover(scenario, self.root, "", found)
        return found

    def _cover(self, value, node, base, found):
        shape = self.shape(node)
        if value is None:
            return
        if isinstance(value, dict):
            if value.get("type") in shape.alternatives:
                definition = shape.alternatives[value["type"]]
                found.add("%s<%s>" % (base, value["type"]))
                self._cover_members(value, self.members(definition), definition, found)
            elif shape.alternatives:
                for _, part in shape.inner:
                    self._cover(value, part, base, found)
                for name, definition in shape.alternatives.items():  # by the key that it alone has
                    if set(value) <= set(self.members(definition)) and not shape.members:
                        found.add("%s<%s>" % (base, name))
                        self._cover_members(value, self.members(definition), definition, found)
                        break
            elif shape.members is not None:
                self._cover_members(value, shape.members, base, found)
            elif shape.by_agent is not None:
                for one in value.values():
                    self._cover(one, shape.by_agent, base + "{}", found)
        elif isinstance(value, list):
            if shape.alternatives and shape.short.get("list"):
                found.add("%s<%s>" % (base, shape.short["list"]))
                found.add("%s<%s> as a list" % (base, shape.short["list"]))
            for one in value if shape.items is not None else ():
                self._cover(one, shape.items, base + "[]", found)
        elif shape.values and value in shape.values or isinstance(value, bool):
            found.add("%s=%s" % (base, value))
        elif isinstance(value, str) and value in shape.alternatives:
            found.add("%s<%s>" % (base, value))
        elif shape.alternatives:
            kind = "number" if shape.number else "text"
            if shape.short.get(kind):
                found.add("%s<%s>" % (base, shape.short[kind]))
                found.add("%s<%s> as a %s" % (base, shape.short[kind], kind))

    def _cover_members(self, value, members, base, found):
        for key, one in value.items():
            if key in members and one is not None:
                found.add(base + "." + key)
                self._cover(one, members[key], base + "." + key, found)
