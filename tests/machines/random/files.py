"""The small files that drawn scenarios read."""
import os
import random


def _table(rows, separator=","):
    return "\n".join(separator.join(str(x) for x in row) for row in rows) + "\n"


def _records(rng, owners):
    rows = [("site", "u", "v", "w", "kind", "level", "budget", "pace", "id", "y", "class")]
    for owner in range(owners):
        for k in range(12):
            u, v, w = (round(rng.gauss(0, 1), 3) for _ in range(3))
            y = round(u - v / 2 + owner / 10 + rng.gauss(0, 0.2), 3)
            rows.append(("site %d" % owner, u, "?" if k == 7 and owner == 2 else v, w, rng.choice(["red", "blue", "green"]),
                         rng.randint(1, 3), 1 + owner, 1 + owner / 4, "%d-%d" % (owner, k), y, "yes" if y > 0 else "no"))
    return rows


# A folder with the same files, but for one record: other numbers, and values that no other record has.
NEIGHBOURS = "neighbours"


def write_neighbours(folder):
    os.makedirs(os.path.join(folder, NEIGHBOURS), exist_ok=True)
    write(os.path.join(folder, NEIGHBOURS), True)


def write(folder, neighbours=False):
    rng = random.Random(16)
    files = {}
    rows = _records(rng, 6)
    if neighbours:
        site, u, v, w, _, _, budget, pace, name, y, _ = rows[5]
        rows[5] = (site, 10 * u, -v, w + 3, "violet", 9, budget, pace, name, y + 50, "no" if y > 0 else "yes")
    files["owners.csv"] = _table(rows)
    head, body = rows[0], rows[1:]
    for i, name in enumerate("abc"):
        files[name + ".csv"] = _table([head] + [r for r in body if r[0] == "site %d" % i])
    files["plain.txt"] = _table([(round(rng.gauss(0, 1), 2), round(rng.gauss(0, 1), 2), rng.randint(0, 1))
                                 for _ in range(40)], ";")
    files["u.data"] = _table([(user, item, rng.randint(1, 5), 880000000 + user)
                              for user in range(1, 8) for item in rng.sample(range(1, 31), 9)], "\t")
    times = sorted(round(rng.uniform(0, 20), 2) for _ in range(80))
    files["ticks.csv"] = _table([("time", "agent")] + [(t, rng.randint(1, 2)) for t in times])
    n = 16
    rtt = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            rtt[i][j] = rtt[j][i] = round(rng.uniform(1, 300), 1)
    files["rtt.txt"] = _table(rtt, " ")
    links = [(i, (i + 1) % n) for i in range(n)] + [(i, (i + 5) % n) for i in range(n)]
    files["loss.csv"] = _table([("from", "to", "loss"), (0, 1, 0.4)])
    files["states.csv"] = _table([("agent", "time", "state")] + [
        (agent, t, state) for agent in range(1, 3)
        for t, state in zip(sorted(round(rng.uniform(0, 20), 2) for _ in range(6)), ["down", "up"] * 3)])
    files["sessions.csv"] = _table([("agent", "start", "end"), (1, 0, 3.3), (1, 4.7, 9.1), (2, 0.5, 20.1), (1, 21, 50)])
    weighted = [(a, b, round(rng.uniform(0.1, 2), 2), round(rng.uniform(0.001, 0.2), 4)) for a, b in links]
    files["graph.edges"] = _table([("source", "target", "weight", "latency")] + weighted)
    files["hub.edges"] = _table([("source", "target", "weight", "latency")] +
                                [(0, i, 1, round(rng.uniform(0.001, 0.2), 4)) for i in range(1, n)])
    files["graph.dot"] = "graph G {\n" + "".join(
        '  %d [x="%g", y="%g"];\n' % (i, rng.uniform(0, 1e6), rng.uniform(0, 1e6)) for i in range(n)) + "".join(
            '  %d -- %d [weight="%g", latency="%g"];\n' % link for link in weighted) + "}\n"
    keys = "".join('<key id="%s" for="%s" attr.name="%s" attr.type="double"/>' % key for key in [
        ("lon", "node", "Longitude"), ("lat", "node", "Latitude"), ("w", "edge", "weight"), ("l", "edge", "latency")])
    nodes = "".join('<node id="n%d"><data key="lon">%g</data><data key="lat">%g</data></node>'
                    % (i, rng.uniform(-170, 170), rng.uniform(-80, 80)) for i in range(n))
    edges = "".join('<edge source="n%d" target="n%d"><data key="w">%g</data><data key="l">%g</data></edge>' % link
                    for link in weighted)
    files["graph.graphml"] = ('<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">%s'
                              '<graph edgedefault="undirected">%s%s</graph></graphml>\n' % (keys, nodes, edges))
    for name, content in files.items():
        with open("%s/%s" % (folder, name), "w") as f:
            f.write(content)
