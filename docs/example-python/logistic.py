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

    # Quicker than n gradients, and optional: their weighted sum, and their norms for clipping.
    def sum_gradients(self, theta, X, y, weights):
        return (weights * -y / (1 + np.exp(y * (X @ theta)))) @ X

    def gradient_norms(self, theta, X, y, order):
        return np.linalg.norm(X, order, axis=1) / (1 + np.exp(y * (X @ theta)))

    def errors(self, theta, X, y):
        return (np.where(X @ theta >= 0, 1, -1) != y).astype(float)
