"""Bounds of a probability after k successes of n, and what they certify about epsilon.

Clopper and Pearson 1934: the lower bound solves P(Bin(n, p) >= k) = alpha, the upper one P(Bin(n, p) <= k) = alpha;
both tails are regularised incomplete beta functions, here by Lentz's continued fraction (DLMF 8.17.22).
"""
from math import exp, lgamma, log, log1p, sqrt

ALPHA = 1e-9  # of each bound, and of each quantile of a count


def beta_tail(a, b, x):
    """I_x(a, b), the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_tail(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    result, m = d, 0
    while True:
        m += 1
        for numerator in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                          -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1 / (1 + numerator * d), 1 + numerator / c
            result *= d * c
        if abs(d * c - 1) < 1e-15 or m > 100_000:
            return front * result


def at_least(k, n, p):
    """P(Bin(n, p) >= k)."""
    return 1.0 if k <= 0 else 0.0 if k > n else beta_tail(k, n - k + 1, p)


def at_most(k, n, p):
    """P(Bin(n, p) <= k)."""
    return 1.0 if k >= n else 0.0 if k < 0 else beta_tail(n - k, k + 1, 1 - p)


def bisect(below, low, high, steps=200):
    """The point up to which `below` holds, between low (it does) and high (it does not)."""
    for _ in range(steps):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if below(middle) else (low, middle)
    return low, high


def lower(k, n, alpha=ALPHA):
    """The probability is at least this, but for one case in 1/alpha."""
    return 0.0 if k == 0 else bisect(lambda p: at_least(k, n, p) < alpha, 0.0, k / n)[0]


def upper(k, n, alpha=ALPHA):
    return 1.0 if k == n else bisect(lambda p: at_most(k, n, p) > alpha, k / n, 1.0)[1]


def certified(ones, others, n, delta):
    """Epsilon is at least this if an event happens `ones` times of n on one data set and `others` on its neighbour:
    P(E) <= e^epsilon Q(E) + delta."""
    excess = lower(ones, n) - delta
    return log(excess / upper(others, n)) if excess > 0 else float("-inf")


def guaranteed(p, q, n, delta):
    """What `certified` reaches but for two cases in 1/ALPHA, where the event has probabilities p and q."""
    def fewest():  # P(Bin(n, p) < k) <= ALPHA
        low, high = 0, int(n * p)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if at_most(middle - 1, n, p) <= ALPHA else (low, middle - 1)
        return low

    def most():  # P(Bin(n, q) > k) <= ALPHA
        low, high = int(n * q), n
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if at_least(middle + 1, n, q) <= ALPHA else (middle + 1, high)
        return low

    return certified(fewest(), most(), n, delta)


def rough_guarantee(p, q, n, delta):
    """The same by normal quantiles, to choose between events."""
    z = 2 * 6.0  # of the count and of its bound
    low = p - z * sqrt(max(p * (1 - p), 0) / n)
    high = q + z * sqrt(max(q * (1 - q), 0) / n) + z * z / 4 / n
    return log((low - delta) / high) if low > delta else float("-inf")
