#!/usr/bin/python3
"""An M/M/1 queue of load 0.8 in SimPy, after Cimba's benchmark/MM1_single.py. mm1_simpy.py CUSTOMERS"""
import json
import random
import sys
import time

import simpy


def arrivals(env, store, customers):
    for _ in range(customers):
        yield env.timeout(random.expovariate(0.8))
        yield store.put(env.now)


def service(env, store, served):
    while True:
        arrived = yield store.get()
        yield env.timeout(random.expovariate(1))
        served[0] += 1
        served[1] += env.now - arrived


env = simpy.Environment()
store, served = simpy.Store(env), [0, 0.0]
random.seed(1)
begin = time.perf_counter()
env.process(arrivals(env, store, int(sys.argv[1])))
env.process(service(env, store, served))
env.run()
print(json.dumps({"operations": 2 * served[0], "seconds": time.perf_counter() - begin, "number": served[1] / env.now}))
