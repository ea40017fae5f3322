#!/usr/bin/python3
"""Gossip learning of a support vector machine as a loop over a heap of events, with numpy for the vectors.

  gossip_numpy.py DATA rw|last|own PERIODS EVERY FIRST END PROCESSES

A received model is updated (rw), or first merged with the model received before (last) or with the agent's own (own).
Prints for the seeds FIRST, ..., END - 1 the mean over agents of the test error after every EVERY periods.
"""
import heapq
import json
import multiprocessing
import sys

import numpy as np

PERIOD, LONGEST_DELAY, WEIGHT = 100, 10, 0.01


def load(path):
    """The features of training records, one for each agent, and those of test records, all times the class."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    signed, is_test = table[:, 3:] * table[:, 2:3], table[:, 1] > 0
    return signed[~is_test], signed[is_test]


def step(model, age, record):
    """One step of Pegasos on a record times its class."""
    rate = 1 / (WEIGHT * (age + 1))
    inside = model @ record < 1
    model *= 1 - rate * WEIGHT
    if inside:
        model += rate * record


def run(train, test, rule, periods, every, seed):
    random = np.random.default_rng(seed)
    agents = len(train)
    models, ages = np.zeros_like(train), [0] * agents
    last, last_ages = models.copy(), [0] * agents
    queue = [(phase, i, None, 0) for i, phase in enumerate(random.uniform(0, PERIOD, agents))]
    heapq.heapify(queue)
    number, errors = agents, []
    for k in range(every, periods + 1, every):
        while queue[0][0] < k * PERIOD:
            now, order, message, age = heapq.heappop(queue)
            if message is None:
                sender = order % agents
                receiver = (sender + 1 + random.integers(agents - 1)) % agents
                number += agents
                delay = random.uniform(0, LONGEST_DELAY)
                heapq.heappush(queue, (now + delay, number + receiver, models[sender].copy(), ages[sender]))
                heapq.heappush(queue, (now + PERIOD, number + sender, None, 0))
                continue
            j = order % agents
            model = message
            if rule != "rw":
                other, other_age = (models[j], ages[j]) if rule == "own" else (last[j], last_ages[j])
                model = (message + other) / 2
                last[j], last_ages[j] = message, age
                age = max(age, other_age)
            step(model, age, train[j])
            models[j], ages[j] = model, age + 1
        errors.append(float(np.mean(test @ models.T <= 0)))
    return errors


def main():
    path, rule, periods, every, first, end, processes = (int(word) if word.isdigit() else word for word in sys.argv[1:])
    data = load(path)
    runs = [(*data, rule, periods, every, seed) for seed in range(first, end)]
    if processes == 1:
        errors = [run(*arguments) for arguments in runs]
    else:
        with multiprocessing.Pool(processes) as pool:
            errors = pool.starmap(run, runs, chunksize=10)
    print(json.dumps({"errors": errors}))


if __name__ == "__main__":
    main()
