"""Logistic regression as a model of one's own: -ln(1/(1 + exp(-y theta.x))) for targets y of -1 and +1."""
import numpy as np

import hearsay


class Logistic(hearsay.Model):
    """Logistic regression."""

    def size(self, features):
        return features

    def loss(self, theta, X, y):
        return np.logaddexp(0, -y * (X @ theta))

    def gradients(self, theta, X, y):
        slopes = -y / (1 + np.exp(y * (X @ theta)))
        return slopes[:, None] * X

    def errors(self, theta, X, y):
        return (y * (X @ theta) <= 0).astype(float)
