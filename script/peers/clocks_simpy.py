#!/usr/bin/python3
"""N agents on Poisson clocks of rate 1 in SimPy: processes that wait. clocks_simpy.py N TICKS"""
import json
import random
import sys
import time

import simpy


def agent(env, done):
    while True:
        yield env.timeout(random.expovariate(1))
        done[0] += 1
        if done[0] == done[1]:
            done[2].succeed()


env = simpy.Environment()
done = [0, int(sys.argv[2]), env.event()]
random.seed(1)
for _ in range(int(sys.argv[1])):
    env.process(agent(env, done))
begin = time.perf_counter()
env.run(until=done[2])
print(json.dumps({"operations": done[0], "seconds": time.perf_counter() - begin, "end": env.now}))
