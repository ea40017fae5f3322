"""Asynchronous FedProx whose server has a buffer: messages, a hub, local steps and private updates.

An owner asks for the model at a tick of its clock. It makes K proximal steps from the model w0 that it gets,

    w <- w - step (mean gradient of its records + gradient of the regulariser + mu (w - w0)),

bounds the L2 norm of w - w0, and sends it with noise. The server adds the mean of every B updates: an iteration.
Whatever an owner's data are, its update has an L2 norm of at most `bound`, so that two data sets' updates differ by at
most 2 bound. That is the sensitivity for the mechanism "gaussian". For "laplace" bound the L1 norm of updates instead: in
that norm these updates differ by up to 2 bound sqrt(p).
"""
import numpy as np

import hearsay


class BufferedProx(hearsay.Protocol):
    """Asynchronous FedProx with a buffer at the server."""
    hub = True
    counts_iterations = True
    step: float = hearsay.option(0.1, min=0, open_min=True, help="Step size of a local step.")
    mu: float = hearsay.option(0.0, min=0, help="Weight of the proximal term.")
    local_steps = hearsay.option(5, min=1, help="Number K of local steps.")
    buffer = hearsay.option(5, min=1, help="Number B of updates that the server averages.")
    bound: float = hearsay.option(0.1, min=0, open_min=True, help="Bound on the L2 norm of an update.")
    updates = hearsay.option(100, min=1, help="Updates of each owner, for which its budget is planned.")

    ASK, MODEL, UPDATE = range(3)  # tags of messages

    def on_start(self, run):
        self.waiting = []  # updates in the buffer
        for owner in range(run.owners):
            run.open_account(run.agent_of(owner), self.updates)

    def on_tick(self, i, run):
        if run.may_release(i):
            run.send(i, 0, self.ASK)

    def on_message(self, message, run):
        if message.tag == self.ASK:
            run.send(0, message.source, self.MODEL, run.iterations, run.model(0))
        elif message.tag == self.MODEL:
            self.train(message, run)
        else:
            self.collect(message, run)

    def train(self, message, run):
        i, start = message.target, message.payload
        w = start.copy()
        for _ in range(self.local_steps):
            gradient = run.keep_local(run.gradient(i, w)).inside_owner()
            w -= self.step * (gradient + run.regulariser_gradient(w) + self.mu * (w - start))
            run.project(w)
        update = w - start
        update *= min(1, self.bound / max(np.linalg.norm(update), 1e-300))
        run.compute(i)
        released = run.release(i, run.sensitive(update, 2 * self.bound))
        if released is not None:  # else the budget is exhausted
            run.send(i, 0, self.UPDATE, message.conversation, released)

    def collect(self, message, run):
        self.waiting.append(message.payload)
        run.count_staleness(run.iterations - message.conversation, run.now - message.sent)
        if len(self.waiting) == self.buffer:
            run.model(0)[:] += np.mean(self.waiting, axis=0)
            self.waiting = []
            run.count_iteration()

    def finished(self, run):
        return run.all_spent

    def reset(self, i, run):
        if i == 0:
            self.waiting = []

    @hearsay.metric(help="Updates in the server's buffer.")
    def buffered(self, run):
        return len(self.waiting)


if __name__ == "__main__":
    study = hearsay.run(
        {
            "version": 1,
            "data": {"type": "lending_like", "owners": 20, "records": 500, "features": 10},
            "model": {"theta_max": 10},
            "network": {"topology": "star", "latency": {"type": "uniform", "min": "0 ms", "max": "15 ms"}, "loss": 0.05},
            "protocol": {"type": BufferedProx},
            "privacy": {"mechanism": "gaussian", "epsilon": 100, "delta": 1e-5, "clip": 20},
            "stop": {"iterations": 200},
            "record": {"every": {"iterations": 20}, "metrics": ["relative_fitness", "buffered"]},
            "repeat": 5,
        },
        sweep={"protocol.mu": [0, 0.1, 1]},
    )
    print(study.final().to_string())
