"""Makes a scenario smaller while the same check fails."""
import copy
import time


def shrunk(scenario, fails, seconds):
    """fails(scenario): whether the same check still fails."""
    end = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for path in sorted(_paths(scenario), key=len):
            if time.monotonic() > end:
                break
            for candidate in _smaller(scenario, path):
                if fails(candidate):
                    scenario, changed = candidate, True
                    break
    return scenario


def _paths(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield path + (key,)
        yield from _paths(one, path + (key,))


def _smaller(scenario, path):
    parent = scenario
    try:
        for key in path[:-1]:
            parent = parent[key]
        value = parent[path[-1]]
    except (KeyError, IndexError, TypeError):
        return  # it is gone
    if path[-1] != "type":
        yield _with(scenario, path, None)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        simpler = {1, 0, int(value), int(value / 2), value / 2 if abs(value) > 1e-3 else 0}
        for number in sorted(simpler, key=lambda x: (len(repr(x)), x)):
            if len(repr(number)) < len(repr(value)) or abs(number) < abs(value) and isinstance(value, int):
                yield _with(scenario, path, type(value)(number) if isinstance(value, int) else number)


def _with(scenario, path, value):
    changed = copy.deepcopy(scenario)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    if value is None:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return changed
