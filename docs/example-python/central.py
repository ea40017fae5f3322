"""An asynchronous central learner: the shortest protocol with private data.

At a tick of its clock an owner sends the gradient of its records, with noise, at the model that it has last received. The
learner makes a step with it, and answers with its new model.
"""
import hearsay


class Central(hearsay.Protocol):
    """Steps of a central learner with gradients that its owners release."""
    hub = True
    counts_iterations = True
    step: float = hearsay.option(0.01, min=0, open_min=True, help="Step size.")
    releases = hearsay.option(100, min=1, help="Releases of each owner, for which its budget is planned.")

    def on_start(self, run):
        self.known = [run.model(0).copy()] * run.agents  # by owner: the model that it has last received
        for owner in range(run.owners):
            run.open_account(run.agent_of(owner), self.releases)

    def on_tick(self, i, run):
        if i == 0:
            return
        released = run.release(i, run.gradient(i, self.known[i]))
        if released is not None:  # else the budget is exhausted
            run.send(i, 0, payload=released)

    def on_message(self, message, run):
        if message.target != 0:
            self.known[message.target] = message.payload
            return
        model = run.model(0)
        model -= self.step * (message.payload + run.regulariser_gradient(model))
        run.project(model)
        run.send(0, message.source, payload=model)
        run.count_iteration()

    def reset(self, i, run):
        self.known[i] = run.model(i).copy()  # that of the start


if __name__ == "__main__":
    study = hearsay.run(
        {
            "version": 1,
            "data": {"type": "lending_like", "owners": 20, "records": 500, "features": 10},
            "model": {"theta_max": 10},
            "network": {"topology": "star", "latency": {"type": "uniform", "min": "0 ms", "max": "15 ms"}, "loss": 0.05},
            "protocol": {"type": Central},
            "privacy": {"mechanism": "laplace", "gradient_bound": 100},
            "stop": {"budgets_spent": True, "time": 200},
            "record": {"every": {"iterations": 100}},
            "repeat": 5,
        },
        sweep={"privacy.epsilon": [1, 10, 100]},
    )
    print(study.final().to_string())
