"""Models of PyTorch, with the exact gradient of every record by functorch.

    net = hearsay.torch.Model(torch.nn.Linear(10, 1), torch.nn.functional.mse_loss)
    hearsay.run({..., "model": {"network": {"type": net}}})
"""
import copy
import os
import threading

try:
    import functorch
    import numpy as np
    import torch
except ImportError as error:
    raise ImportError(f"hearsay.torch needs torch and functorch (apt install python3-torch): {error}") from error

from . import model

_one_at_a_time = threading.Lock()  # a functional module holds the parameters of the call
_CHUNK = 2 ** 23  # numbers of gradients that are computed at once: 64 MB

# A forked process has no threads of its parent, for which OpenMP would wait for ever.
os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


class Model(model.Model):
    """Model(module, loss, error=None) is a class for a scenario: of a torch.nn.Module, or a function of d that makes it.

    The module takes n x d features and returns n or n x C outputs. loss(output, target) and error(output, target), by
    default the loss, are of one record: its C outputs, or a number, and its target; all are of float64, below vmap.

    A subclass defines module(self, features), record_loss(self, output, target) and perhaps record_error likewise.
    """
    module = record_loss = record_error = None

    def __new__(cls, module=None, loss=None, error=None):
        if cls is not Model:
            return super().__new__(cls)
        if not callable(module) or not callable(loss):
            raise TypeError("hearsay.torch.Model: expected a torch.nn.Module, or a function that makes it, and a loss, "
                            f"found {type(module).__name__} and {type(loss).__name__}")
        name, members = f"Torch{type(module).__name__}", {}
        if isinstance(module, torch.nn.Module):
            _check_pure(module, name)
            module = copy.deepcopy(module)
            for one in module.parameters():
                if one.requires_grad:
                    one.data.zero_()  # learning does not start there: no part of the digest
            members["module"] = lambda self, features: module
        else:
            members["module"] = lambda self, features: module(features)
        loss, error = (copy.deepcopy(f).double() if isinstance(f, torch.nn.Module) else f for f in (loss, error))
        members["record_loss"] = lambda self, output, target: loss(output, target)
        if error is not None:
            members["record_error"] = lambda self, output, target: error(output, target)
        return type(name, (Model,), members)

    @classmethod
    def _has_errors(cls):
        return cls.record_error is not None

    def _with(self, features):
        """The functions for d features."""
        made = vars(self).setdefault("_made", {})
        if features not in made:
            made[features] = _Functions(self, features)
        return made[features]

    def size(self, features):
        with _one_at_a_time:
            return self._with(features).p

    def _call(self, name, theta, X, *more):
        with _one_at_a_time:
            threads = torch.get_num_threads()
            torch.set_num_threads(1)  # sums of several threads have other bits
            try:
                function = getattr(self._with(np.shape(X)[1]), name)
                return function(*(_tensor(part) for part in (theta, X, *more))).numpy()
            finally:
                torch.set_num_threads(threads)

    def _in_chunks(self, take, theta, X, y):
        rows = max(1, _CHUNK // len(theta))
        return [take(self._call("gradients", theta, X[k:k + rows], y[k:k + rows])) for k in range(0, len(X), rows)]

    def loss(self, theta, X, y):
        return self._call("losses", theta, X, y)

    def errors(self, theta, X, y):
        return self._call("errors", theta, X, y)

    def gradients(self, theta, X, y):
        return np.concatenate(self._in_chunks(lambda part: part, theta, X, y))

    def sum_gradients(self, theta, X, y, weights):
        return self._call("sum_gradients", theta, X, y, weights)

    def gradient_norms(self, theta, X, y, order):
        return np.concatenate(self._in_chunks(lambda part: np.linalg.norm(part, order, axis=1), theta, X, y))


class _Functions:
    """Of theta, and of one record or, below vmap, of many."""

    def __init__(self, of, features):
        name = type(of).__name__
        if of.module is None or of.record_loss is None:
            raise TypeError(f"{name}: a model of torch defines module and record_loss")
        with torch.random.fork_rng(devices=[]):  # what it draws is the same each time
            torch.manual_seed(0)
            module = of.module(features)
        if not isinstance(module, torch.nn.Module):
            raise TypeError(f"{name}: module: expected a torch.nn.Module, found {type(module).__name__}")
        _check_pure(module, name)
        module = copy.deepcopy(module).to("cpu", torch.float64)
        self._learned = [one.requires_grad for one in module.parameters()]
        self._call, self._values, self._buffers = functorch.make_functional_with_buffers(module, True)
        self._sizes = [value.numel() for value, learned in zip(self._values, self._learned) if learned]
        self.p = sum(self._sizes)
        if not self.p:
            raise TypeError(f"{name}: the module has no parameters to learn")

        def measured(function, what):
            def of_record(theta, x, y):
                value = torch.as_tensor(function(self._output(theta, x), y))
                if value.numel() != 1:
                    raise ValueError(f"{what}: expected one number for a record, found shape {tuple(value.shape)}")
                return value.reshape(()).double()
            return of_record

        loss = measured(of.record_loss, "loss")
        records = (None, 0, 0)
        self.losses = functorch.vmap(loss, records)
        self.errors = functorch.vmap(measured(of.record_error, "error"), records) if of.record_error else self.losses
        self.gradients = functorch.vmap(functorch.grad(loss), records)
        self.sum_gradients = functorch.grad(lambda theta, X, y, weights: weights @ self.losses(theta, X, y))
        try:
            functorch.vmap(self._output, (None, 0))(_tensor(np.zeros(self.p)), _tensor(np.zeros((2, features))))
        except Exception as error:
            raise TypeError(f"{name}: the module does not take {features} features: {error}") from error

    def _output(self, theta, x):
        parts = iter(theta.split(self._sizes))
        values = [next(parts).view(v.shape) if learned else v for v, learned in zip(self._values, self._learned)]
        output = self._call(values, self._buffers, x[None])  # one record, of which modules know as a batch
        if output.numel() == 1:
            return output.reshape(())
        if len(output) != 1:
            raise ValueError(f"expected n x C outputs of n records, found {tuple(output.shape)} of one")
        return output[0]


def _tensor(numbers):
    """A copy: records are read-only, which a tensor cannot be."""
    return torch.from_numpy(np.array(numbers, dtype=np.float64, order="C"))


def _check_pure(module, name):
    """Refuses, by its layer, a module whose output for a record depends on other records or on draws."""
    for path, layer in module.named_modules():
        where = f"{name}: {type(layer).__name__}{f' {path!r}' if path else ''}"
        if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm) and (layer.training or layer.running_mean is None):
            raise TypeError(f"{where} makes a record's gradient depend on other records; use GroupNorm, or module.eval()")
        if layer.training and (isinstance(layer, torch.nn.RReLU) or
                               isinstance(layer, torch.nn.modules.dropout._DropoutNd) and layer.p > 0):
            raise TypeError(f"{where} draws at random, and not from the run's streams; use module.eval()")
