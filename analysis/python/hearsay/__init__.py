"""Run hearsay studies, read their results, draw their figures; write protocols.

    import hearsay

    study = hearsay.run("quickstart.json", set={"privacy.epsilon": 1}, repeat=20)
    study.final()
    study.metric("relative_fitness", over="time_s")
    study.plot("relative_fitness").savefig("figure.pdf")

    study = hearsay.load("out/quickstart")    # a folder that `hearsay run` has written

    class Mine(hearsay.Protocol): ...         # see hearsay.Protocol
    hearsay.run({..., "protocol": {"type": Mine}})

The wheel of hearsay contains all that this needs, except pandas and matplotlib for tables and figures. Elsewhere the
program itself must be installed. It is found on the PATH, or where the environment variable HEARSAY_PROGRAM says.
"""
from .code import explain, option
from .engine import core
from .model import Model, check_gradients
from .program import HearsayError, HearsayWarning, InputError, OutputError, RefusedError, program, run, with_pandas
from .protocol import Metrics, Protocol, metric, metrics
from .records import Data, data
from .scenario import Scenario
from .states import snapshot

__all__ = ["Data", "HearsayError", "HearsayWarning", "InputError", "Metrics", "Model", "OutputError", "Protocol",
           "RefusedError", "Scenario", "Study", "Trace", "check_gradients", "data", "explain", "load", "metric", "metrics",
           "option", "plots", "program", "run", "snapshot"]
__version__ = "0.2.0"

_LATE = {"Study": ".study", "load": ".study", "Trace": ".trace", "plots": ".plots",  # what needs pandas
         "torch": ".torch"}


def __getattr__(name):
    if name in ("Run", "Message"):  # what handlers get, for help() and pickle
        return getattr(core(), name)
    if name not in _LATE:
        raise AttributeError(f"module 'hearsay' has no attribute {name!r}")
    module = with_pandas(_LATE[name])
    return module if name in ("plots", "torch") else getattr(module, name)
