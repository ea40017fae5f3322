"""Models written in Python: losses and gradients of records."""
import inspect

from . import code


class Model:
    """A model with its loss. A subclass defines, for theta of p numbers, n records X (n x d) and targets y (n):

    size(self, features)          p, for d features
    loss(self, theta, X, y)       the n losses
    gradients(self, theta, X, y)  their gradients, n x p
    errors(self, theta, X, y)     optional: what test_error averages; by default the losses

    Options are class attributes made by hearsay.option. All functions are pure: the same arguments give the same numbers.
    """


_FUNCTIONS = {"size": 1, "loss": 3, "gradients": 3, "errors": 3}


def describe(cls):
    """What the program needs to know of a class; raises TypeError for what it cannot use."""
    if not (isinstance(cls, type) and issubclass(cls, Model)):
        raise TypeError(f"{getattr(cls, '__name__', cls)!r} is no subclass of hearsay.Model")
    for name, count in _FUNCTIONS.items():
        function = getattr(cls, name, None)
        if function is None and name != "errors":
            code.refuse(cls, f"a model defines {name}")
        if function is not None:
            try:
                inspect.signature(function).bind(*[None] * (count + 1))
            except TypeError:
                code.refuse(cls, f"{name} is called with {count} arguments besides self; see hearsay.Model")
    return code.describe(cls)


def check_gradients(model, theta, X, y, step=1e-6):
    """The largest difference between a model's gradients and central differences of its losses, relative to the largest
    gradient."""
    import numpy as np
    theta = np.asarray(theta, dtype=float)
    given = np.asarray(model.gradients(theta, X, y))
    found = np.empty_like(given)
    for j in range(theta.size):
        e = np.zeros_like(theta)
        e[j] = step * max(1.0, abs(theta[j]))
        found[:, j] = (model.loss(theta + e, X, y) - model.loss(theta - e, X, y)) / (2 * e[j])
    return float(np.max(np.abs(given - found), initial=0.0) / max(float(np.max(np.abs(given), initial=0.0)), 1e-300))
