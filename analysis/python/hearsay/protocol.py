"""Protocols written in Python.

    class Gossip(hearsay.Protocol):
        \"""Asynchronous gossip averaging.\"""
        step = hearsay.option(0.5, min=0, max=1, help="How far an agent moves.")

        def on_tick(self, i, run):
            run.model(i)[:] += self.step * (run.heard(i).mean(axis=0) - run.model(i))
            run.publish(i, run.model(i))
"""
import difflib
import inspect

from . import code
from .code import refuse

# What the engine calls, with the parameters besides self.
_HOOKS = {"on_start": 1, "on_tick": 2, "on_message": 2, "on_timer": 4, "on_up": 2, "on_down": 2, "reset": 2,
          "finished": 1, "timer_name": 3}
_FLAGS = {"hub": bool, "broadcasts": bool, "joint": bool, "any_model": bool, "own_models": bool,
          "counts_iterations": bool, "vectors": int, "tail": int, "step_name": str}


class Protocol:
    """What agents do. A subclass defines what it needs of:

    on_start(self, run)                       once, at time 0
    on_tick(self, i, run)                     agent i's clock ticks
    on_message(self, message, run)            message has source, target, tag, conversation, sent, payload
    on_timer(self, i, tag, number, run)       set by run.after
    on_up(self, i, run), on_down(self, i, run)
    reset(self, i, run)                       agent i is back from a crash and has lost its state
    finished(self, run)                       asked after every event; True ends the run
    timer_name(self, i, tag, number)          of a timer, in the trace

    Options are class attributes made by hearsay.option; in an object they are their values, from __init__ on. One object
    per run owns the state that is not the agents' public models. It must not depend on anything that differs from one
    run to the next, such as the time of day or a random generator of its own.
    """
    hub = False  #: agent 0 is a learner that holds no data
    vectors = 1  #: most p-vectors in one message
    tail = 0  #: numbers at the end of a message, such as a weight, that hostile agents leave as they are
    broadcasts = None  #: publishes and never sends, which is faster; by default whether there is no on_message
    joint = True  #: learns one model for all
    any_model = False  #: works with several scores and hidden layers
    own_models = False  #: every owner has a model of its own, and agent 0, the hub, has none
    counts_iterations = False  #: calls run.count_iteration itself; else every tick is an iteration
    step_name = "the step size"  #: what to reduce when a run diverges

    @staticmethod
    def _check_class(cls):
        if (cls.__basicsize__, cls.__itemsize__) != (Protocol.__basicsize__, Protocol.__itemsize__):
            refuse(cls, "a state of a run keeps attributes alone: leave out __slots__ and bases such as dict or list, and keep "
                        "what they would hold in attributes")
        _check_hooks(cls)
        return {**_flags_of(cls), "metrics": _metrics_of(cls)}


def metric(help="", unit="", per_agent=False, higher_is_better=None):
    """Marks a method of a protocol as a metric, which record.metrics can name: it returns a number, or with per_agent one
    for each owner. It sees the run, and changes nothing of it. higher_is_better: True or False where
    one is: tables mark the best value, and worst_decile is of the worst owners."""
    if higher_is_better not in (None, True, False):
        raise TypeError(f"higher_is_better: expected True, False or None, found {higher_is_better!r}")

    def mark(method):
        method.hearsay_metric = {"name": method.__name__, "help": help, "unit": unit, "per_agent": bool(per_agent),
                                 "higher_is_better": higher_is_better}
        return method
    return mark


def _check_hooks(cls):
    for name in dir(cls):
        method = getattr(cls, name)
        if name in _HOOKS:
            if not callable(method) or inspect.iscoroutinefunction(method) or inspect.isgeneratorfunction(method):
                refuse(cls, f"{name}: expected a plain function, neither async nor with yield")
            code.require_arguments(cls, name, _HOOKS[name], "Protocol")
        elif callable(method) and not name.startswith("_") and not hasattr(method, "hearsay_metric"):
            close = difflib.get_close_matches(name.lower(), _HOOKS, 1, 0.75)
            if name.startswith("on_") or (close and close[0] != "reset" and close[0] != "finished"):
                refuse(cls, f"{name} is never called" + (f"; did you mean {close[0]}?" if close else
                                                          f"; expected one of {', '.join(_HOOKS)}"))


def _flags_of(cls):
    if not hasattr(cls, "on_tick"):
        refuse(cls, "a protocol defines on_tick")
    flags = {}
    for name, kind in _FLAGS.items():
        flags[name] = getattr(cls, name)
        if name == "broadcasts" and flags[name] is None:
            flags[name] = not hasattr(cls, "on_message")
        if type(flags[name]) is not kind:
            refuse(cls, f"{name}: expected {kind.__name__}, found {flags[name]!r}")
    if flags["vectors"] < 1:
        refuse(cls, f"vectors: expected at least 1, found {flags['vectors']}")
    if flags["tail"] < 0:
        refuse(cls, f"tail: expected at least 0, found {flags['tail']}")
    for name in set(dir(cls)) - set(dir(Protocol)):
        near = difflib.get_close_matches(name, _FLAGS, 1, 0.85)
        if near and not name.startswith("_") and not isinstance(getattr(cls, name), code.option):
            refuse(cls, f"{name} has no meaning; did you mean {near[0]}?")
    return flags


def _metrics_of(cls):
    marks = (getattr(getattr(cls, name), "hearsay_metric", None) for name in dir(cls))
    return [mark for mark in marks if mark]


class Metrics:
    """Metrics of any protocol: methods marked by hearsay.metric, of `self` and `run`. One object measures many runs, in any
    order: it keeps nothing after __init__."""

    _made = False

    def __setattr__(self, name, value):
        if self._made:
            raise AttributeError(f"metrics keep nothing between measurements, which are of many runs; found self.{name} = ...")
        super().__setattr__(name, value)

    @staticmethod
    def _check_class(cls):
        found = _metrics_of(cls)
        if not found:
            refuse(cls, "metrics are methods that @hearsay.metric marks; it has none")
        return {"metrics": found}


def metrics(*functions):
    """The "metrics" of a scenario: functions of the run, marked by hearsay.metric or not."""
    members = {}
    for function in functions:
        if not callable(function) or not hasattr(function, "__name__"):
            raise TypeError(f"a metric is a function of the run, made by def; found {function!r}")
        try:
            inspect.signature(function).bind(None)
        except TypeError:
            raise TypeError(f"the metric {function.__name__} is called with one argument, the run") from None
        if function.__name__ in members:
            raise TypeError(f"two metrics are functions of the name {function.__name__!r}: rename one")
        mark = getattr(function, "hearsay_metric", None) or {"help": inspect.getdoc(function) or ""}
        mark = {key: value for key, value in mark.items() if key != "name"}

        def measure(self, run, function=function):
            return function(run)
        measure.__name__ = function.__name__
        members[function.__name__] = metric(**mark)(measure)
    return {"type": type("Functions", (Metrics,), members)}


