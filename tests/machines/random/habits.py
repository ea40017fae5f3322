"""What a drawn scenario gets so that most are accepted: the options that a protocol and its data go with. Whatever the
scenario is drawn for stays; one in ten scenarios gets none of this."""

HUBS = ("central_async", "central_sync", "async_mtl", "sync_mtl", "amtl")
PUBLIC = ("p2p_admm", "local_only", "pooled", "amtl")  # have no private form
BY_TURN = ("async_mtl", "sync_mtl")
LINEAR = ("ad_psgd", "dpsgd_gossip", "muffliato", "epidemic", "gossip_learning", "push_sum", "p2p_coordinate_descent",
          "central_async", "central_sync", "fedavg", "fedprox", "fedasync", "fedbuff", "scaffold", "dp_fedavg", "dp_ftrl")
LOSSES = {"lending_like": ["squared"], "hospital_like": ["squared"], "movielens": ["squared"],
          "fraud_like": ["logistic", "smoothed_hinge", "hinge"], "linear_separators": ["logistic", "smoothed_hinge"],
          "synthetic": ["softmax"]}
CSV = {"path": "owners.csv", "target": "y", "owner": {"type": "column", "column": "site"}, "impute": "mean",
       "drop": ["kind", "id", "class"], "missing": ["?"]}
PLACED = ("random_geometric", "file")


def follow(scenario, drawer):
    rng, on_route = drawer.rng, drawer.on_route
    if rng.random() < 0.1:
        return
    protocol, data = kind(scenario["protocol"]), scenario["data"]
    privacy, network, model = scenario["privacy"], scenario.get("network", {}), scenario.get("model", {})

    if protocol in LINEAR and rng.random() < 0.5 and not on_route(["data"]):
        # Nothing of these data is used without noise, so that audits accept them.
        data = scenario["data"] = {"type": rng.choice(["lending_like", "hospital_like", "fraud_like"]),
                                   "owners": rng.randint(2, 9), "records": rng.choice([1, 2, 5, 30])}

    def drop(place, *path):
        if place is not None and path[-1] in place and not on_route(list(path)):
            del place[path[-1]]

    if protocol in HUBS:
        topology = network.get("topology")
        if kind(topology) not in PLACED:
            drop(network, "network", "topology")
        elif isinstance(topology, dict):
            topology["overlay"] = {"type": "star", "hub": "centre"}
    elif not on_route(["network", "delayed_direction"]):
        network.pop("delayed_direction", None)
    if isinstance(network.get("topology"), dict) and kind(network["topology"]) not in PLACED:
        drop(network["topology"], "network", "topology", "overlay")
    if protocol not in HUBS or protocol in BY_TURN + ("amtl",):
        for key in ("l2", "l2_half", "theta_max"):
            drop(model, "model", key)
    if kind(data) in LOSSES and not on_route(["model", "loss"]):
        scenario.setdefault("model", {})["loss"] = {"type": rng.choice(LOSSES[kind(data)])}
    if protocol in PUBLIC and not on_route(["privacy", "mechanism"]):
        privacy["mechanism"] = {"type": "none"}
    if protocol in BY_TURN:
        for key in ("epsilon", "epsilon_warm", "steps", "schedule"):
            drop(privacy, "privacy", key)
        if kind(privacy.get("mechanism")) != "none":
            drawer.fill(privacy, "privacy", "epsilon_1")
            if not on_route(["privacy", "mechanism"]):
                privacy["mechanism"] = {"type": "exponential_norm"}
    else:
        drop(privacy, "privacy", "epsilon_1")
        drop(privacy, "privacy", "epsilon_2")
    if protocol == "p2p_coordinate_descent" and kind(privacy.get("mechanism")) != "none":
        drawer.fill(privacy, "privacy", "steps")
    else:
        drop(privacy, "privacy", "steps")
        drop(privacy, "privacy", "schedule")
        drop(privacy, "privacy", "epsilon_warm")
    if protocol.startswith("central"):
        drawer.fill(scenario["stop"], "stop", "iterations")
    if kind(data) == "csv":
        for key, value in CSV.items():
            if not on_route(["data", key]) and not (key in ("owner", "path") and "files" in data):
                data[key] = value
        drop(data, "data", "classes")
        drop(data, "data", "test_split")
        if not data.get("standardise"):
            drop(data, "data", "standardise_by")
        if rng.random() < 0.5 and not on_route(["data", "target_transform"]):
            data.pop("target_transform", None)
            data.update({"target": "class", "positive": {"type": "equals", "equals": "yes"}, "drop": ["kind", "id", "y"]})
            scenario.setdefault("model", {})["loss"] = {"type": rng.choice(["logistic", "smoothed_hinge"])}
    if kind(data) == "linear_separators" and kind(network.get("topology")) == "similarity":
        drop(data, "data", "similarity")
        drop(data, "data", "weight_threshold")
    bounds = [key for key in ("clip", "gradient_bound", "bound_from_data") if privacy.get(key)]
    for key in bounds[1:]:
        drop(privacy, "privacy", key)
    hostile = scenario.get("adversaries")
    for group in hostile if isinstance(hostile, list) else hostile.get("of", [hostile]) if isinstance(hostile, dict) else []:
        if isinstance(group, dict) and "behaviour" in group:
            if "agents" in group and not on_route(["adversaries", "share"]):
                group.pop("share", None)
                group["agents"] = [rng.choice([1, 2])]
            elif "share" not in group:
                group["share"] = 0.4
    if protocol in LINEAR and rng.random() < 0.4 and not on_route(["privacy", "adversaries"]):
        if rng.random() < 0.7 and not on_route(["privacy", "mechanism"]) and kind(privacy.get("mechanism")) != "none":
            privacy.update({"mechanism": {"type": "gaussian"}, "accountant": rng.choice(["zcdp", "rdp", "pld"]),
                            "delta": 1e-5})
        together = {"agents": [1, 2]} if hostile in (None, "none") else "hostile"
        privacy["adversaries"] = ["everybody", {"agents": [rng.randint(1, 3)]}, together][rng.randint(0, 2):]
        metrics = scenario.setdefault("record", {}).setdefault("metrics", ["objective"])
        metrics += [m for m in ("epsilon_seen", "first_seen") if m not in metrics]


def kind(value):
    return value.get("type") if isinstance(value, dict) else value
