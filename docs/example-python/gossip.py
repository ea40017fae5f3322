"""Asynchronous gossip averaging. A scenario names this file; run it as it stands to compare three steps."""
import hearsay


class Gossip(hearsay.Protocol):
    """Moves each model towards the mean of its neighbours' latest models."""
    step: float = hearsay.option(0.5, min=0, max=1, open_min=True, help="How far an agent moves.")

    def on_start(self, run):
        for i in range(run.agents):
            run.model(i)[:] = i

    def on_tick(self, i, run):
        model = run.model(i)
        model += self.step * (run.heard(i).mean(axis=0) - model)
        run.publish(i, model)


if __name__ == "__main__":
    study = hearsay.run(
        {
            "version": 1,
            "data": {"type": "lending_like", "owners": 20, "records": 10, "features": 2},
            "network": {"topology": "ring", "latency": {"type": "uniform", "min": "0 ms", "max": "15 ms"}},
            "protocol": {"type": Gossip},
            "privacy": {"mechanism": "none"},
            "stop": {"iterations": 4000},
            "record": {"every": {"iterations": 100}, "metrics": ["consensus_distance"]},
            "repeat": 10,
        },
        sweep={"protocol.step": [0.1, 0.5, 1]},
    )
    print(study.final().to_string())
