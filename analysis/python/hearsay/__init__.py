"""Run hearsay studies, read their results, draw their figures.

    import hearsay

    study = hearsay.run("quickstart.json", set={"privacy.epsilon": 1}, repeat=20)
    study.final()
    study.metric("relative_fitness", over="time_s")
    study.plot("relative_fitness").savefig("figure.pdf")

    study = hearsay.load("out/quickstart")    # a folder that `hearsay run` has written

The program itself must be installed. It is found on the PATH, or where the environment variable HEARSAY_PROGRAM says.
"""
from . import plots
from .program import HearsayError, HearsayWarning, InputError, OutputError, RefusedError, program, run
from .scenario import Scenario
from .study import Study, load
from .trace import Trace

__all__ = ["HearsayError", "HearsayWarning", "InputError", "OutputError", "RefusedError", "Scenario", "Study",
           "Trace", "load", "plots", "program", "run"]
__version__ = "0.2.0"
