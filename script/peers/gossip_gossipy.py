#!/usr/bin/python3
"""Gossip learning of a support vector machine by gossipy, after its main_ormandi_2013.py.

  gossip_gossipy.py CHECKOUT DATA rw|own PERIODS EVERY SEED

Prints the mean over a tenth of the agents of the test error after every EVERY periods.
"""
import json
import logging
import sys

import pandas
import torch

checkout, path, rule, periods, every, seed = (int(word) if word.isdigit() else word for word in sys.argv[1:])
sys.path.insert(0, checkout)
from gossipy import LOG, set_seed  # noqa: E402
from gossipy.core import AntiEntropyProtocol, CreateModelMode, StaticP2PNetwork, UniformDelay  # noqa: E402
from gossipy.data import DataDispatcher  # noqa: E402
from gossipy.data.handler import ClassificationDataHandler  # noqa: E402
from gossipy.model.handler import PegasosHandler  # noqa: E402
from gossipy.model.nn import AdaLine  # noqa: E402
from gossipy.node import GossipNode  # noqa: E402
from gossipy.simul import GossipSimulator, SimulationReport  # noqa: E402


class Handler(PegasosHandler):
    """Measures the accuracy alone; gossipy's own also computes precision, recall, F1 and AUC."""

    def evaluate(self, data):
        x, y = data
        return {"accuracy": float(((2 * (self.model(x) >= 0) - 1) == y).float().mean())}


LOG.setLevel(logging.ERROR)
set_seed(seed)
torch.set_num_threads(1)
table = pandas.read_csv(path)
train, test = table[table["test"] == 0], table[table["test"] == 1]
parts = [tensor for part in (train, test) for tensor in (torch.tensor(part.iloc[:, 3:].to_numpy("float32")),
                                                         torch.tensor(part["y"].to_numpy("float32")))]
dispatcher = DataDispatcher(ClassificationDataHandler(*parts), eval_on_user=False, auto_assign=True)
mode = CreateModelMode.UPDATE if rule == "rw" else CreateModelMode.MERGE_UPDATE
nodes = GossipNode.generate(data_dispatcher=dispatcher, p2p_net=StaticP2PNetwork(dispatcher.size(), None),
                            model_proto=Handler(net=AdaLine(table.shape[1] - 3), learning_rate=.01,
                                                create_model_mode=mode),
                            round_len=100, sync=True)
simulator = GossipSimulator(nodes=nodes, data_dispatcher=dispatcher, delta=100, protocol=AntiEntropyProtocol.PUSH,
                            delay=UniformDelay(0, 10), sampling_eval=.1)
report = SimulationReport()
simulator.add_receiver(report)
# init_nodes() would train each model on its owner's record first.
for node in nodes.values():
    node.init_model(local_train=False)
simulator.initialized = True
simulator.start(n_rounds=periods)
errors = [1 - float(values["accuracy"]) for _, values in report.get_evaluation(False)]
print(json.dumps({"errors": [errors[every - 1::every]]}))
