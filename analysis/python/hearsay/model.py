"""Models written in Python: losses and gradients of records."""
from . import code


class Model:
    """A model with its loss. A subclass defines, for theta of p numbers, n records X (n x d) and targets y (n):

    size(self, features)          p, for d features
    loss(self, theta, X, y)       the n losses
    gradients(self, theta, X, y)  their gradients, n x p
    errors(self, theta, X, y)     optional: what test_error averages; by default the losses

    Both optional, and quicker than n gradients where their sum can be computed at once:

    sum_gradients(self, theta, X, y, weights)   sum of the gradients times n weights: p numbers
    gradient_norms(self, theta, X, y, order)    the norms of the n gradients, L1 or L2 for an order of 1 or 2: for clipping

    Options are class attributes made by hearsay.option. All functions are pure: the same arguments give the same numbers.
    """

    @classmethod
    def _has_errors(cls):
        return getattr(cls, "errors", None) is not None

    @staticmethod
    def _check_class(cls):
        for name, count in _FUNCTIONS.items():
            function = getattr(cls, name, None)
            if function is None and name in _REQUIRED:
                code.refuse(cls, f"a model defines {name}")
            if function is not None:
                code.require_arguments(cls, name, count, "Model")
        return {"has_errors": cls._has_errors()}


_FUNCTIONS = {"size": 1, "loss": 3, "gradients": 3, "errors": 3, "sum_gradients": 4, "gradient_norms": 4}
_REQUIRED = ("size", "loss", "gradients")


def check_gradients(model, theta, X, y, step=1e-6):
    """The largest difference between a model's gradients and central differences of its losses, relative to the largest
    gradient; where it has sum_gradients and gradient_norms, also between these and its gradients, likewise."""
    import numpy as np
    model = model() if isinstance(model, type) else model
    theta = np.asarray(theta, dtype=float)
    given = np.asarray(model.gradients(theta, X, y))
    found = np.empty_like(given)
    for j in range(theta.size):
        e = np.zeros_like(theta)
        e[j] = step * max(1.0, abs(theta[j]))
        found[:, j] = (model.loss(theta + e, X, y) - model.loss(theta - e, X, y)) / (2 * e[j])
    pairs = [(found, given)]
    if getattr(model, "sum_gradients", None) is not None:
        weights = 1 / np.arange(1.0, len(given) + 1)
        pairs.append((np.asarray(model.sum_gradients(theta, X, y, weights)), weights @ given))
    if getattr(model, "gradient_norms", None) is not None:
        pairs += [(np.asarray(model.gradient_norms(theta, X, y, order)), np.linalg.norm(given, order, axis=1))
                  for order in (1, 2)]
    return float(np.max([np.max(np.abs(a - b), initial=0.0) / max(float(np.max(np.abs(b), initial=0.0)), 1e-300)
                         for a, b in pairs]))  # which is NaN if one is
