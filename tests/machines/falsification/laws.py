"""Privacy losses: the law of a score of what an owner gives out, on either of two neighbouring data sets.

A law has cells {score: (probability on the first data set, on the second)} and score(release), an integer. Where the
score is the loss ln(p(x)/q(x)) in units of STEP, rounded, the cells are exact: rounding is part of the event. An event
is {score >= cut}; the cut is chosen from the cells alone.
"""
from math import cos, erfc, exp, expm1, hypot, inf, log, log1p, pi, sqrt

from bounds import bisect, guaranteed, rough_guarantee

STEP = 0.01


def phi(x):
    return erfc(-x / sqrt(2)) / 2


class Law:
    def __init__(self, cells, score):
        self.cells, self.score = cells, score

    def __mul__(self, other):
        """Independent releases, one after the other: scores add up."""
        cells = {}
        for a, (p, q) in self.cells.items():
            for b, (r, s) in other.cells.items():
                u, v = cells.get(a + b, (0.0, 0.0))
                cells[a + b] = (u + p * r, v + q * s)
        return Law(cells, lambda x: self.score(x[0]) + other.score(x[1]))

    def tails(self):
        """(cut, P(score >= cut), Q(score >= cut)), from the highest cut down."""
        p = q = 0.0
        for cut in sorted(self.cells, reverse=True):
            p, q = p + self.cells[cut][0], q + self.cells[cut][1]
            yield cut, p, q

    def chances(self, cut):
        """P(score >= cut) on either data set."""
        return [min(sum(cell[side] for score, cell in self.cells.items() if score >= cut), 1) for side in (0, 1)]

    def attainable(self, delta):
        """The largest epsilon that any of the events shows: ln((P - delta)/Q)."""
        return max((log((p - delta) / q) for _, p, q in self.tails() if p > delta and q > 0), default=0)

    def event(self, n, delta):
        """The cut that certifies most from n releases a side, and what it certifies at least."""
        cut, p, q = max(self.tails(), key=lambda t: rough_guarantee(t[1], t[2], n, delta))
        return cut, guaranteed(min(p, 1), min(q, 1), n, delta)


def product(*laws):
    """The law of a tuple of independent releases."""
    whole = laws[0]
    for law in laws[1:]:
        whole = whole * law
    def score(xs, each=laws):
        return sum(law.score(x) for law, x in zip(each, xs))
    return Law(whole.cells, score)


def laplace(epsilon, one, other):
    """Laplace noise of scale |one - other|/epsilon around either centre. epsilon lies in the middle of a cell: half
    of all releases have this loss."""
    scale, top = abs(one - other) / epsilon, max(round(epsilon / STEP), 1)
    step = epsilon / top
    cells = {}
    for cell in range(-top, top + 1):
        # The loss is epsilon - 2 s at a distance s scale from the first centre towards the second.
        s = [min(max((epsilon - (cell + side) * step) / 2, 0), epsilon) for side in (0.5, -0.5)]
        p = (exp(-s[0]) - exp(-s[1])) / 2
        q = (exp(s[1] - epsilon) - exp(s[0] - epsilon)) / 2
        if cell == top:
            p, q = p + 0.5, q + exp(-epsilon) / 2
        if cell == -top:
            p, q = p + exp(-epsilon) / 2, q + 0.5
        cells[cell] = (p, q)
    return Law(cells, lambda x: round((abs(x - other) - abs(x - one)) / (scale * step)))


def gaussian(z, one, other, releases=1):
    """The mean of so many Gaussian releases with noise multiplier z."""
    z /= sqrt(releases)
    distance, cells = 1 / z, {}  # the loss is distance (t - distance/2), t from the second centre towards the first
    reach = round((distance * distance / 2 + 9 * distance) / STEP)
    for cell in range(-reach, reach + 1):
        t = [(cell + side) * STEP / distance + distance / 2 for side in (-0.5, 0.5)]
        t = [-inf if cell == -reach else t[0], inf if cell == reach else t[1]]
        cells[cell] = (phi(distance - t[0]) - phi(distance - t[1]), phi(-t[0]) - phi(-t[1]))
    unit = (one - other) * z  # a standard deviation
    return Law(cells, lambda x: round(distance * ((x - other) / unit - distance / 2) / STEP))


def sampled_gaussian(z, rate, one, other):
    """A Gaussian release with noise multiplier z, in which an owner takes part with probability `rate`: centre `one`
    or, as without it, `other`. The loss is ln(1 - rate + rate e^((t - 1/2)/z^2)), t from the second centre to the
    first."""
    low, high, cells = round(log1p(-rate) / STEP), round((0.5 / z + 9) / z / STEP), {}
    def distance(loss):
        rest = (exp(loss) - (1 - rate)) / rate
        return 0.5 + z * z * log(rest) if rest > 0 else -inf
    for cell in range(low, high + 1):
        t = [distance((cell + side) * STEP) for side in (-0.5, 0.5)]
        t = [-inf if cell == low else t[0], inf if cell == high else t[1]]
        q = phi(-t[0] / z) - phi(-t[1] / z)
        cells[cell] = (rate * (phi((1 - t[0]) / z) - phi((1 - t[1]) / z)) + (1 - rate) * q, q)
    def score(x):
        shift = ((x - other) / (one - other) - 0.5) / (z * z)
        loss = log1p(rate * expm1(shift)) if shift < 500 else shift + log(rate)
        return min(max(round(loss / STEP), low), high)
    return Law(cells, score)


def exchanged(law):
    """The same releases, with the data sets in the other order."""
    return Law({-cell: (q, p) for cell, (p, q) in law.cells.items()}, lambda x: -law.score(x))


def norm_plane(epsilon, one, other):
    """Density ~ exp(-norm_2 epsilon/Delta) in the plane, centres Delta apart, by the midpoint rule in polar
    coordinates around the first: radius in equal shares of the Gamma(2) law, angle in equal steps."""
    beta = epsilon / hypot(one[0] - other[0], one[1] - other[1])
    def score(x):
        return round(beta * (hypot(x[0] - other[0], x[1] - other[1]) - hypot(x[0] - one[0], x[1] - one[1])) / STEP)
    cells, rings, rays, r = {}, 1500, 400, 0.0
    for ring in range(rings):
        share = (ring + 0.5) / rings
        r = bisect(lambda r: 1 - exp(-r) * (1 + r) < share, 0.0, 60.0, 40)[0]
        for ray in range(rays):
            angle = pi * (ray + 0.5) / rays  # half of the plane: the other half is its mirror image
            loss = sqrt(r * r + epsilon * epsilon + 2 * r * epsilon * cos(angle)) - r
            p = 1 / (rings * rays)
            u, v = cells.get(round(loss / STEP), (0.0, 0.0))
            cells[round(loss / STEP)] = (u + p, v + p * exp(-loss))
    return Law(cells, score)


def beyond(p, q, inside):
    """The one event `inside`, of probabilities p and q."""
    return Law({1: (p, q), 0: (1 - p, 1 - q)}, lambda x: int(inside(x)))


def subsampled_laplace(epsilon, rate, one, other, absent=None):
    """A record takes part with probability `rate`; noise of epsilon for the distance between the centres `one` and
    `other`. add_remove (absent is None): without the record the centre is `other`. replace_one: `absent` is the
    centre where neither record takes part, half way between. The event lies beyond the first centre, where the ratio
    is largest."""
    side = 1 if one > other else -1
    def inside(x):
        return side * (x - one) >= -1e-9 * abs(one - other)
    if absent is None:
        return beyond(rate / 2 + (1 - rate) * exp(-epsilon) / 2, exp(-epsilon) / 2, inside)
    half = (1 - rate) * exp(-epsilon / 2) / 2
    return beyond(half + rate / 2, half + rate * exp(-epsilon) / 2, inside)


# --- Noise multipliers and amplification, by the theorems that docs/privacy.md names ---


def gaussian_delta(epsilon, z):
    """Balle and Wang 2018, Theorem 8."""
    return phi(1 / (2 * z) - epsilon * z) - exp(epsilon) * phi(-1 / (2 * z) - epsilon * z)


def analytic(epsilon, delta):
    return bisect(lambda z: gaussian_delta(epsilon, z) > delta, 1e-3, 1e3)[1]


def classic(epsilon, delta, factor=1.25):
    return sqrt(2 * log(factor / delta)) / epsilon


def zcdp(epsilon, delta, releases):
    """rho + 2 sqrt(rho ln(1/delta)) = epsilon, rho = releases/(2 z^2)."""
    root = sqrt(log(1 / delta) + epsilon) - sqrt(log(1 / delta))
    return sqrt(releases / 2) / root


def from_renyi(divergence, order, delta):
    """Canonne, Kamath, Steinke 2020, Proposition 12."""
    return divergence + log1p(-1 / order) - (log(delta) + log(order)) / (order - 1)


def rdp(epsilon, delta, releases):
    """At the best order."""
    def total(z):
        return min(from_renyi(a * releases / (2 * z * z), a, delta)
                   for a in (1 + exp(k / 200) for k in range(-1200, 1400)))
    return bisect(lambda z: total(z) > epsilon, 1e-2, 1e2, 40)[1]


def sampled_analytic(epsilon, delta, rate):
    """P(loss > epsilon) - e^epsilon Q(loss > epsilon), P the law with the owner. The other direction has less."""
    def excess(z):
        t = 0.5 + z * z * log1p(expm1(epsilon) / rate)
        return rate * phi((1 - t) / z) - (exp(epsilon) - 1 + rate) * phi(-t / z)
    return bisect(lambda z: excess(z) > delta, 1e-2, 1e2)[1]


def sampled_rdp(epsilon, delta, rate):
    """Mironov, Talwar, Zhang 2019: the divergence of order a is ln E[(1 - rate + rate e^((t - 1/2)/z^2))^a]/(a - 1)
    over t ~ N(0, z^2), here by the trapezoidal rule; at the best of the orders 1.1, 1.2, ..., 10.9."""
    def total(order, z):
        nodes = [k * z / 2 for k in range(-18, round(2 * order / z) + 18)]
        moment = sum(exp(order * log1p(rate * expm1((t - 0.5) / (z * z))) - t * t / (2 * z * z)) for t in nodes)
        return from_renyi(log(moment / (2 * sqrt(2 * pi))) / (order - 1), order, delta)
    def best(z):
        return min(total(1 + k / 10, z) for k in range(1, 100))
    return bisect(lambda z: best(z) > epsilon, 0.1, 10, 30)[1]


def amplified(epsilon, rate):
    return log(1 + rate * (exp(epsilon) - 1))
