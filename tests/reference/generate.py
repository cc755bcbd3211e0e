#!/usr/bin/env python3
"""Reference values for the popgd tests, computed without any of its code.

    pip install mpmath          # gmpy2, if installed, makes it some five times faster
    python3 generate.py         # writes extra.json beside this file; about two minutes with it
    python3 generate.py a b     # only checks and regenerates the named groups

Everything is worked out in WORKING_DIGITS digits and printed to PRINTED_DIGITS.

How it is kept independent of the library
-----------------------------------------
The library collapses a run to a few scalars, measures angles by wedge and atan2, and uses
rearranged forms that do not cancel.  Here nothing is collapsed or rearranged: the state is the
full pair (W, Z) of an M x d and a D x D matrix, and the loss of an entry is the textbook sum

    1/2 g (A^2 + B^2) - [ alpha^2 C + beta^2 (2/pi) ( sqrt(A^2 B^2 - C^2) + C asin(C/(AB)) ) ]

in the variances A^2, B^2 and the covariance C.  The gradient is taken by the chain rule in the
coordinates (A^2, C), in which no angle appears:

    d/dC   = -alpha^2 - beta^2 (2/pi) asin(C/(AB)),
    d/dA^2 = g/2 - (beta^2/pi) sqrt(A^2 B^2 - C^2) / A^2.

These forms cancel badly; that is what the spare digits are for.  The script asserts, before it
writes anything, that
  * the two expectations agree with Gaussian quadrature (1-D along the angle, and 2-D);
  * the gradient agrees with numerical differentiation of the loss;
  * the dense run reproduces dense.json (general P, temperature and start) and the first
    thousand steps of reduced.json, both of which come from somewhere else;
  * the closed-form limits of group `limits` agree with extrapolated runs.

Schema of extra.json
--------------------
An object with five keys.  Numbers in *strings* are decimals: in configurations they are exact
("0.1" is one tenth), in results they are rounded to 25 significant digits.  JSON *numbers* in
configurations are counts, or (groups `classes` and `limits`) the binary doubles that their
decimals round to.  A slope s means sigma(x) = max(x, 0) + s min(x, 0).

expectations: [{ slope, angle, sin, cos, kappa, gap, pull,
                 moments: [{ a, b, second_moment, product }] }]
    u, v centred, jointly Gaussian, deviations a and b, correlation cos(angle).
    `angle` is the exact decimal expansion of a double (so "pi" is the double next to pi).
    second_moment = E sigma(u)^2, product = E sigma(u) sigma(v) = a b kappa, gap = g - kappa,
    pull = d kappa / d cos(angle) = g - b angle; sin and cos are of the angle.

small_excess: [{ tokens, group, slope, teacher_norm, c1, delta, f32,
                 ratio, x, excess_loss, score_error, value_error }]
    Single states of the two-level class.  c1 and delta are exact expansions of doubles, and of
    f32 numbers too where `f32` is true.  delta is next to -ln(x/r), c1 next to the
    quasi-stationary factor c*(x) of that delta; `ratio` is excess_loss over its value at the
    zero start, `x` = r exp(-delta).

lumped: [{ config: { tokens, group, slope, teacher_norm, rate, logit_gain, start: {c1, delta} },
           trajectory: [{ t, c1, delta, excess_loss, score_error, value_error }] }]
    Two-level runs (sigma'(0) = 1).  c1 is the factor in W_V = c1 V*, delta = z_in - z_out.

classes: [{ config: { v, s, slope, rate, logit_gain },
            trajectory: [{ t, excess_loss, score_error, value_error }] }]
    Dense runs from zero (sigma'(0) = 1) with any column-stochastic s: s[i][j] is row i, column j,
    and every column sums to 1 up to the rounding of the doubles; v[m][f] likewise.  The logits
    follow Z <- Z - rate * logit_gain * dL/dZ.

limits: [{ config: { tokens, columns: [{ count, weights }], slope, teacher_norm, rate, logit_gain },
           excess_constant, gamma, value_constant, score_constant,
           agreement: { steps, excess, value, score } }]
    `weights` lists the positive target weights of a column, the other tokens - len(weights) are
    zero.  As T grows: rate*T*excess_loss -> excess_constant, rate*T*value_error^2 ->
    value_constant = gamma^2 teacher_norm^2, rate*T*score_error^2 -> score_constant.
    `agreement` holds the relative differences from runs of `steps` steps, extrapolated.
"""

import json
import math
import struct
import sys
from decimal import Decimal
from pathlib import Path

from mpmath import mp, mpf

WORKING_DIGITS = 80  # never fewer than 50
PRINTED_DIGITS = 25
HERE = Path(__file__).resolve().parent

mp.dps = WORKING_DIGITS


def show(x):
    """A result, as a decimal string."""
    return mp.nstr(mpf(x), PRINTED_DIGITS)


def exact(double):
    """The exact decimal expansion of a double."""
    return str(Decimal(double))


def nearest_double(x):
    return float(mp.nstr(x, 40))


def nearest_f32(x):
    return struct.unpack("f", struct.pack("f", nearest_double(x)))[0]


def number(x):
    """Exact value of a configuration entry: decimal string, integer, or binary double."""
    return mpf(x)


def close(a, b, relative, what):
    scale = max(abs(a), abs(b))
    if abs(a - b) > relative * scale:
        raise AssertionError(f"{what}: {mp.nstr(a, 30)} against {mp.nstr(b, 30)}")


# ----------------------------------------------------------------------------------------------
# the activation and its expectations


class Activation:
    def __init__(self, slope):
        self.slope = number(slope)
        self.alpha2 = ((1 + self.slope) / 2) ** 2
        self.beta2 = ((1 - self.slope) / 2) ** 2
        self.g = self.alpha2 + self.beta2

    def __call__(self, x):
        return x if x > 0 else self.slope * x

    def product(self, a2, b2, c):
        """E sigma(u) sigma(v) from the variances and the covariance."""
        ab = mp.sqrt(a2 * b2)
        if ab == 0:
            return mpf(0)
        root = mp.sqrt(max(a2 * b2 - c * c, mpf(0)))
        return self.alpha2 * c + self.beta2 * (2 / mp.pi) * (root + c * self.arcsine(c, ab))

    def d_covariance(self, a2, b2, c):
        """d/dC of the loss of an entry."""
        ab = mp.sqrt(a2 * b2)
        angle = self.arcsine(c, ab) if ab != 0 else mpf(0)
        return -self.alpha2 - self.beta2 * (2 / mp.pi) * angle

    def d_variance(self, a2, b2, c):
        """d/d(A^2) of the loss of an entry; A > 0."""
        root = mp.sqrt(max(a2 * b2 - c * c, mpf(0)))
        return self.g / 2 - self.beta2 / mp.pi * root / a2

    @staticmethod
    def arcsine(c, ab):
        return mp.asin(max(mpf(-1), min(mpf(1), c / ab)))


# ----------------------------------------------------------------------------------------------
# the dense run


def dot(a, b):
    return mp.fdot(a, b)


def softmax(logits):
    top = max(logits)
    powers = [mp.exp(z - top) for z in logits]
    total = mp.fsum(powers)
    return [p / total for p in powers]


class Dense:
    """The student in full, over the logits Z (columns) and the value matrix W (rows)."""

    def __init__(self, v, target_columns, slope, w=None, z=None):
        self.sigma = Activation(slope)
        self.v = v
        self.target = target_columns
        size = len(target_columns)
        self.w = w or [[mpf(0)] * len(row) for row in v]
        self.z = z or [[mpf(0)] * size for _ in range(size)]

    def scores(self):
        return [softmax(column) for column in self.z]

    def entries(self, scores):
        """Per row: |w|^2, |v|^2, <w,v>; per column: |s|^2, |s*|^2, <s,s*>."""
        rows = [(dot(w, w), dot(v, v), dot(w, v)) for w, v in zip(self.w, self.v)]
        columns = [(dot(s, s), dot(t, t), dot(s, t)) for s, t in zip(scores, self.target)]
        return rows, columns

    def measures(self):
        scores = self.scores()
        rows, columns = self.entries(scores)
        loss = mpf(0)
        for ww, vv, wv in rows:
            for ss, tt, st in columns:
                a2, b2, c = ww * ss, vv * tt, wv * st
                loss += self.sigma.g * (a2 + b2) / 2 - self.sigma.product(a2, b2, c)
        score = mp.fsum((x - y) ** 2 for s, t in zip(scores, self.target) for x, y in zip(s, t))
        value = mp.fsum((x - y) ** 2 for w, v in zip(self.w, self.v) for x, y in zip(w, v))
        return loss, mp.sqrt(score), mp.sqrt(value)

    def gradient(self):
        """dL/dW and dL/dZ; at a zero row of W, sigma'(0) = 1."""
        scores = self.scores()
        rows, columns = self.entries(scores)
        d_w = [[mpf(0)] * len(w) for w in self.w]
        d_s = [[mpf(0)] * len(s) for s in scores]
        alpha = (1 + self.sigma.slope) / 2
        for m, (ww, vv, wv) in enumerate(rows):
            if ww == 0:
                overlap = mp.fsum(st for _, _, st in columns)
                d_w[m] = [-alpha * overlap * x for x in self.v[m]]
                continue
            own, other = mpf(0), mpf(0)
            for j, (ss, tt, st) in enumerate(columns):
                a2, b2, c = ww * ss, vv * tt, wv * st
                by_variance = 2 * self.sigma.d_variance(a2, b2, c)
                by_covariance = self.sigma.d_covariance(a2, b2, c)
                own += by_variance * ss
                other += by_covariance * st
                f, h = by_variance * ww, by_covariance * wv
                d_s[j] = [d + f * x + h * y for d, x, y in zip(d_s[j], scores[j], self.target[j])]
            d_w[m] = [own * x + other * y for x, y in zip(self.w[m], self.v[m])]
        d_z = []
        for s, d in zip(scores, d_s):
            mean = dot(s, d)
            d_z.append([x * (y - mean) for x, y in zip(s, d)])
        return d_w, d_z

    def step(self, rate, gain):
        d_w, d_z = self.gradient()
        self.w = [[x - rate * y for x, y in zip(a, b)] for a, b in zip(self.w, d_w)]
        self.z = [[x - rate * gain * y for x, y in zip(a, b)] for a, b in zip(self.z, d_z)]


def transpose(m):
    return [list(row) for row in zip(*m)]


def matrix(rows):
    return [[number(x) for x in row] for row in rows]


def product(a, b):
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def check_gradient():
    """The gradient against differentiation of the loss, away from the kink."""
    v = matrix([["0.3", "-0.7"], ["0.9", "0.2"]])
    target = matrix([["0.5", "0.5", "0"], ["0.2", "0.3", "0.5"], ["0", "0", "1"]])
    w = matrix([["0.4", "0.1"], ["-0.2", "0.6"]])
    z = matrix([["0.1", "-0.3", "0.7"], ["0", "0.2", "-0.5"], ["1", "0.4", "0.3"]])
    copy = lambda m: [list(row) for row in m]
    d_w, d_z = Dense(v, target, "-0.3", copy(w), copy(z)).gradient()
    for i in range(2):
        for k in range(2):
            def loss(x):
                w2 = copy(w)
                w2[i][k] = x
                return Dense(v, target, "-0.3", w2, copy(z)).measures()[0]
            close(d_w[i][k], mp.diff(loss, w[i][k]), mpf(10) ** -25, "dL/dW")
    for j in range(3):
        for k in range(3):
            def loss(x):
                z2 = copy(z)
                z2[j][k] = x
                return Dense(v, target, "-0.3", copy(w), z2).measures()[0]
            close(d_z[j][k], mp.diff(loss, z[j][k]), mpf(10) ** -25, "dL/dZ")


SLOPES = {"identity": "1", "relu": "0", "leaky-relu:0.1": "0.1"}


def check_dense_json():
    """General P, temperature and start; descent on W_KQ, not on Z."""
    for case in json.loads((HERE / "dense.json").read_text()):
        config = case["config"]
        p, kq = matrix(config["p"]), matrix(config["kq0"])
        scale, rate = number(config["logit_scale"]), number(config["rate"])
        # every number is the double its decimal rounds to, but the slope, a string, is exact
        run = Dense(matrix(config["v"]), transpose(matrix(config["s"])),
                    SLOPES[config["activation"]], matrix(config["w0"]))
        t = 0
        for point in case["trajectory"]:
            while True:
                logits = product(transpose(p), product(kq, p))
                run.z = [[x / scale for x in column] for column in transpose(logits)]
                d_w, d_z = run.gradient()
                d_kq = product(p, product(transpose(d_z), transpose(p)))
                d_kq = [[x / scale for x in row] for row in d_kq]
                if t == point["t"]:
                    break
                run.w = [[x - rate * y for x, y in zip(a, b)] for a, b in zip(run.w, d_w)]
                kq = [[x - rate * y for x, y in zip(a, b)] for a, b in zip(kq, d_kq)]
                t += 1
            for name, value in zip(("excess_loss", "score_error", "value_error"), run.measures()):
                close(value, mpf(point[name]), mpf(10) ** -22, f"dense.json {name} at {t}")
            for name, mine in (("grad_w", d_w), ("grad_kq", d_kq)):
                if name in point:
                    size = max(abs(x) for row in mine for x in row)
                    for row, theirs in zip(mine, point[name]):
                        for x, y in zip(row, theirs):
                            assert abs(x - mpf(y)) < mpf(10) ** -22 * size, (name, t)


# ----------------------------------------------------------------------------------------------
# group a: expectations


ANGLES = [0.0, 1e-12, 1e-8, 1e-4, 0.1, 0.5, 1.0, 1.5707963267948966, 2.0, 3.0, 3.1415926, math.pi]
EXPECTATION_SLOPES = ["1", "0.4", "0", "-0.3", "2", "-1"]
DEVIATIONS = [("1", "1"), ("0.5", "3")]


def along_the_angle(f, g, theta):
    """E f(u) g(v) at unit deviations, by one integral in polar coordinates.

    With u = r cos t, v = r cos(t - theta), both positively homogeneous, and E r^2 = 2.
    """
    half = mp.pi / 2
    kinks = sorted([-half, half, 3 * half, theta - half, theta + half])
    kinks = [-half] + [k for k in kinks if -half < k < 3 * half] + [3 * half]
    integrand = lambda t: f(mp.cos(t)) * g(mp.cos(t - theta))
    return mp.quad(integrand, kinks) / mp.pi


def over_the_plane(f, g, theta):
    """The same by a double integral of the density, quadrant by quadrant of the kinks."""
    density = lambda r: r * mp.exp(-r * r / 2)
    half = mp.pi / 2
    kinks = sorted([-half, half, 3 * half, theta - half, theta + half])
    integrand = lambda r, t: (f(r * mp.cos(t)) * g(r * mp.cos(t - theta)) * density(r)) / (2 * mp.pi)
    return mp.quad(integrand, [0, 2, 5, 9], kinks)


@mp.workdps(2 * WORKING_DIGITS)  # for slope 0 at the double next to pi, kappa is 1e-49
def expectations():
    out = []
    for slope in EXPECTATION_SLOPES:
        sigma = Activation(slope)
        for angle in ANGLES:
            theta = mpf(angle)
            cosine, sine = mp.cos(theta), mp.sin(theta)
            kappa = sigma.product(mpf(1), mpf(1), cosine)
            gap = sigma.g - kappa
            if angle == 0:
                gap, kappa = mpf(0), sigma.g
            pull = -sigma.d_covariance(mpf(1), mpf(1), cosine)
            # the rearranged gap, which cancels at neither end (note 3 of proofs-notes)
            phi = min(theta, mp.pi - theta)
            bracket = (1 - mp.cos(phi)) - (2 / mp.pi) * (mp.sin(phi) - phi * mp.cos(phi))
            close(gap, sigma.alpha2 * (1 - cosine) + sigma.beta2 * bracket, mpf(10) ** -28, "gap")
            with mp.workdps(40):
                integral = along_the_angle(sigma, sigma, theta)
                assert abs(integral - kappa) < mpf(10) ** -30, (slope, angle)
                gap_integral = along_the_angle(sigma, sigma, mpf(0)) - integral
                assert abs(gap_integral - gap) < mpf(10) ** -30, (slope, angle)
            if slope in ("0", "-0.3") and angle in (0.5, 2.0):
                with mp.workdps(20):
                    plane = over_the_plane(sigma, sigma, theta)
                    close(plane, kappa, mpf(10) ** -15, f"2-D quadrature {slope} {angle}")
            moments = []
            for a, b in DEVIATIONS:
                da, db = number(a), number(b)
                moments.append({
                    "a": a,
                    "b": b,
                    "second_moment": show(sigma.g * da * da),
                    "product": show(sigma.product(da * da, db * db, da * db * cosine)),
                })
                with mp.workdps(40):
                    second = along_the_angle(lambda x: sigma(da * x), lambda x: sigma(da * x), mpf(0))
                    close(second, sigma.g * da * da, mpf(10) ** -25, "second moment")
                    both = along_the_angle(lambda x: sigma(da * x), lambda x: sigma(db * x), theta)
                    assert abs(both - da * db * kappa) < mpf(10) ** -28
            out.append({
                "slope": slope,
                "angle": exact(angle),
                "sin": show(sine),
                "cos": show(cosine),
                "kappa": show(kappa),
                "gap": show(gap),
                "pull": show(pull),
                "moments": moments,
            })
    return out


# ----------------------------------------------------------------------------------------------
# groups b and c: the two-level class, run densely


def two_level(tokens, group, slope, teacher_norm, c1, delta):
    """The dense state with W = c1 V*, logits delta in the group and 0 outside it.

    The tokens are dealt to groups of `group` as far as they go; a column beyond the last full
    group attends to the last `group` tokens, which gives it the same size of group.
    """
    norm = number(teacher_norm)
    target, logits = [], []
    for j in range(tokens):
        first = min(j // group * group, tokens - group)
        inside = [first <= i < first + group for i in range(tokens)]
        target.append([mpf(1) / group if x else mpf(0) for x in inside])
        logits.append([mpf(delta) if x else mpf(0) for x in inside])
    return Dense([[norm]], target, slope, [[mpf(c1) * norm]], logits)


def read_two_level(run):
    column, target = run.z[0], run.target[0]
    inside = next(z for z, t in zip(column, target) if t != 0)
    outside = next((z for z, t in zip(column, target) if t == 0), None)
    delta = inside - outside if outside is not None else mpf(0)
    return run.w[0][0] / run.v[0][0], delta


def quasi_stationary(tokens, group, slope, x):
    """The factor c at which dL/dW vanishes, from the dense gradient (which is affine in c)."""
    r = mp.sqrt(mpf(tokens - group) / group)
    delta = mp.log(r / x)
    at = lambda c: two_level(tokens, group, slope, 1, c, delta).gradient()[0][0][0]
    low, high = at(mpf(1)), at(mpf(2))
    return 1 - low / (high - low)


SMALL_EXCESS = [("16", "4", "0", "1"), ("8", "2", "1", "1.5"),
                ("64", "8", "0.1", "1"), ("12", "3", "-0.3", "2")]
RATIOS = ["1e-2", "1e-4", "1e-6", "1e-8", "1e-12", "1e-13"]


def small_excess():
    out = []
    for tokens, group, slope, teacher_norm in SMALL_EXCESS:
        d, k = int(tokens), int(group)
        start = two_level(d, k, slope, teacher_norm, 0, 0).measures()[0]
        for ratio in RATIOS:
            # 1 - (excess / initial) = (kappa/g)^2 at c = c*, about 1 - x^2
            narrow = ratio == "1e-6"
            rounding = nearest_f32 if narrow else nearest_double
            r = mp.sqrt(mpf(d - k) / k)
            delta = rounding(mp.log(r / mp.sqrt(mpf(ratio))))
            x = r * mp.exp(-mpf(delta))
            c1 = rounding(quasi_stationary(d, k, slope, x))
            loss, score, value = two_level(d, k, slope, teacher_norm, c1, delta).measures()
            assert mpf(ratio) / 2 < loss / start < mpf(ratio) * 2, (tokens, ratio, loss / start)
            out.append({
                "tokens": d,
                "group": k,
                "slope": slope,
                "teacher_norm": teacher_norm,
                "c1": exact(c1),
                "delta": exact(delta),
                "f32": narrow,
                "ratio": show(loss / start),
                "x": show(x),
                "excess_loss": show(loss),
                "score_error": show(score),
                "value_error": show(value),
            })
    return out


def configuration(tokens, group, slope, teacher_norm, rate, logit_gain, c1="0", delta="0"):
    return {"tokens": tokens, "group": group, "slope": slope, "teacher_norm": teacher_norm,
            "rate": rate, "logit_gain": logit_gain, "start": {"c1": c1, "delta": delta}}


TIMES = [0, 1, 2, 3, 10, 100, 1000, 5000]
LUMPED = [
    configuration(12, 3, "-0.3", "1", "0.0625", "0.0625"),
    configuration(8, 2, "2", "1.5", "0.03125", "0.125"),
    configuration(6, 6, "0", "1", "0.0625", "0.25"),       # D = K: only c moves
    configuration(12, 4, "0", "2", "0.05", "0.5"),         # gain not 1/D, rate not a double
    configuration(8, 2, "0.1", "1.25", "0.1", "2"),
    configuration(8, 2, "1", "1", "0.4", "0.125"),         # 1 < lambda < 2
    configuration(6, 1, "0", "1", "0.125", "0.2"),         # a group of one
    configuration(6, 4, "-1", "1", "0.125", "1", "0.5", "0.25"),  # cannot start from zero
    configuration(6, 2, "0.4", "3", "0.0625", "1", "0.75", "-0.5"),  # starts outside the group
]


def lumped():
    out = []
    for config in LUMPED:
        norm = config["teacher_norm"]
        run = two_level(config["tokens"], config["group"], config["slope"], norm,
                        config["start"]["c1"], config["start"]["delta"])
        rate, gain = number(config["rate"]), number(config["logit_gain"])
        trajectory = []
        # where every column is full the errors fall geometrically, soon below any precision
        times = [t for t in TIMES if config["tokens"] > config["group"] or t <= 1000]
        for t in range(times[-1] + 1):
            if t in times:
                c1, delta = read_two_level(run)
                loss, score, value = run.measures()
                trajectory.append({"t": t, "c1": show(c1), "delta": show(delta),
                                   "excess_loss": show(loss), "score_error": show(score),
                                   "value_error": show(value)})
            run.step(rate, gain)
        out.append({"config": config, "trajectory": trajectory})
        print("lumped", config["tokens"], config["group"], config["slope"],
              "excess", trajectory[-1]["excess_loss"], file=sys.stderr)
    return out


def check_reduced_json():
    for case in json.loads((HERE / "reduced.json").read_text()):
        config = case["config"]
        d, k = config["tokens"], config["group"]
        run = two_level(d, k, SLOPES[config["activation"]], config["teacher_norm"], 0, 0)
        rate, gain = number(config["rate"]), number(config["logit_gain"])
        points = {p["t"]: p for p in case["trajectory"] if p["t"] <= 1000}
        for t in range(1001):
            if t in points:
                names = ("c1", "delta", "excess_loss", "score_error", "value_error")
                for name, value in zip(names, (*read_two_level(run), *run.measures())):
                    close(value, mpf(points[t][name]), mpf(10) ** -22, f"reduced.json {name} {t}")
            run.step(rate, gain)


# ----------------------------------------------------------------------------------------------
# group d: mixed classes and non-uniform teachers


def columns_to_rows(columns):
    return [list(row) for row in zip(*columns)]


def partition(sizes):
    total, first, columns = sum(sizes), 0, []
    for size in sizes:
        column = [1.0 / size if first <= i < first + size else 0.0 for i in range(total)]
        columns += [column] * size
        first += size
    return columns_to_rows(columns)


def cyclic(weights):
    n = len(weights)
    return columns_to_rows([[weights[(i - j) % n] for i in range(n)] for j in range(n)])


CLASSES = [
    {"v": [[0.6, -0.8], [0.5, 0.25]], "s": partition([1, 2, 3]),
     "slope": 0.0, "rate": 0.125, "logit_gain": 0.5},
    {"v": [[1.0, 0.5, -0.25], [-0.75, 0.3, 0.8]], "s": partition([1, 2, 3]),
     "slope": 0.1, "rate": 0.0625, "logit_gain": 1.0},
    {"v": [[1.0]], "s": cyclic([0.5, 0.3, 0.2, 0.0, 0.0]),
     "slope": 0.0, "rate": 0.25, "logit_gain": 1.0},
    {"v": [[0.8, 0.6], [-0.6, 0.8]], "s": cyclic([0.5, 0.3, 0.2, 0.0, 0.0]),
     "slope": 1.0, "rate": 0.125, "logit_gain": 0.2},
    # full columns beside one with a zero: the zero drags all of them
    {"v": [[1.5, -0.5]], "s": columns_to_rows([[0.25] * 4, [0.4, 0.3, 0.2, 0.1],
                                               [0.5, 0.25, 0.25, 0.0], [0.0, 0.0, 1.0, 0.0]]),
     "slope": -0.3, "rate": 0.125, "logit_gain": 1.0},
    # every column full: geometric
    {"v": [[1.0, 1.0]], "s": columns_to_rows([[0.5, 0.25, 0.25], [0.2, 0.3, 0.5], [0.6, 0.2, 0.2]]),
     "slope": 0.5, "rate": 0.25, "logit_gain": 2.0},
]


def classes():
    out = []
    times = [0, 1, 2, 10, 100, 400]
    for config in CLASSES:
        run = Dense(matrix(config["v"]), transpose(matrix(config["s"])), config["slope"])
        rate, gain = number(config["rate"]), number(config["logit_gain"])
        trajectory = []
        for t in range(times[-1] + 1):
            if t in times:
                loss, score, value = run.measures()
                trajectory.append({"t": t, "excess_loss": show(loss), "score_error": show(score),
                                   "value_error": show(value)})
            run.step(rate, gain)
        out.append({"config": config, "trajectory": trajectory})
        print("classes excess", trajectory[-1]["excess_loss"], file=sys.stderr)
    return out


# ----------------------------------------------------------------------------------------------
# group e: sharp constants


def closed_form_limits(config):
    d = mpf(config["tokens"])
    g = Activation(config["slope"]).g
    kappa, v2 = number(config["logit_gain"]), number(config["teacher_norm"]) ** 2
    columns = []
    for column in config["columns"]:
        weights = [number(w) for w in column["weights"]]
        columns += [(mpf(len(weights)), dot(weights, weights))] * column["count"]
    assert len(columns) == config["tokens"]

    def zeros_share(gamma, k):
        """a_j, the mass on the zeros of a column, times sqrt(rate T)."""
        m = d - k
        # sigma_j solves sigma (D sigma - gamma) = k^2 / (2 D kappa v^2 g)
        sigma = (gamma + mp.sqrt(gamma ** 2 + 2 * k ** 2 / (kappa * v2 * g))) / (2 * d)
        return m * sigma

    inverse = mp.fsum(1 / k for k, _ in columns)
    excess = mp.fsum(k * (d - k) for k, _ in columns) / (4 * kappa * d)
    mismatch = lambda gamma: mp.fsum((gamma - zeros_share(gamma, k)) / k for k, _ in columns) / inverse
    gamma = mp.findroot(mismatch, mpf(1))
    score = mpf(0)
    for k, weight_square in columns:
        a = zeros_share(gamma, k)
        e = gamma - a
        score += e ** 2 / k - 2 * gamma * e / k + gamma ** 2 * weight_square
        if d > k:
            score += a ** 2 / (d - k)
    return excess, gamma, gamma ** 2 * v2, score


def run_classes(config, times):
    """The lumped run in doubles, from zero; checked against the dense run in `limits`."""
    slope = float(config["slope"])
    alpha, beta = (1 + slope) / 2, (1 - slope) / 2
    g, b = alpha ** 2 + beta ** 2, 2 * beta ** 2 / math.pi
    v2 = float(config["teacher_norm"]) ** 2
    rate, gain = float(config["rate"]), float(config["logit_gain"])
    classes = []
    for column in config["columns"]:
        levels = sorted(column["weights"], reverse=True)
        counted = [(float(levels.count(w)), w) for w in sorted(set(levels), reverse=True)]
        zeros = config["tokens"] - len(levels)
        if zeros:
            counted.append((float(zeros), 0.0))
        m, w = [x for x, _ in counted], [y for _, y in counted]
        norm = math.sqrt(sum(x * y * y for x, y in zip(m, w)))
        classes.append((float(column["count"]), m, w, norm, [0.0] * len(m)))
    c, out = 0.0, {}
    for t in range(max(times) + 1):
        force, excess, score, overlaps = 0.0, 0.0, 0.0, 0.0
        pending = []
        for n, m, w, target, z in classes:
            powers = [math.exp(x - max(z)) for x in z]
            total = sum(x * y for x, y in zip(m, powers))
            s = [x / total for x in powers]
            own = math.sqrt(sum(x * y * y for x, y in zip(m, s)))
            wedge = math.sqrt(sum(m[i] * m[j] * (s[i] * w[j] - s[j] * w[i]) ** 2
                                  for i in range(len(m)) for j in range(i)))
            inner = sum(x * y * q for x, y, q in zip(m, s, w))
            theta = math.atan2(wedge, inner)
            if theta < 0.05:
                bracket = theta ** 3 / 3 * (1 - theta ** 2 / 10 * (1 - theta ** 2 / 28))
            else:
                bracket = math.sin(theta) - theta * math.cos(theta)
            gap = 2 * g * math.sin(theta / 2) ** 2 - b * bracket
            if t in times:
                excess += n * v2 * (0.5 * g * (c * own - target) ** 2 + c * own * target * gap)
                score += n * sum(x * (y - q) ** 2 for x, y, q in zip(m, s, w))
            overlaps += n * inner
            if c == 0.0:
                continue
            pull, drag = g - b * theta, b * wedge / own ** 2
            forces = [c * ((g * c - drag) * y - pull * q) for y, q in zip(s, w)]
            mean = sum(x * y * f for x, y, f in zip(m, s, forces))
            force += n * mean / c
            pending.append((z, [rate * gain * v2 * y * (f - mean) for y, f in zip(s, forces)]))
        if t in times:
            out[t] = (excess, score, (c - 1) ** 2 * v2)
        c -= rate * (force if c != 0.0 else -alpha * overlaps)
        for z, change in pending:
            for i, x in enumerate(change):
                z[i] -= x
    return out


def extrapolate(values):
    """The limit of T*quantity from samples at T = 2^j, in powers of T^-1/2 with logarithms."""
    basis = [
        lambda t: mpf(1),
        lambda t: t ** mpf("-0.5"),
        lambda t: mp.log(t) / t,
        lambda t: 1 / t,
        lambda t: mp.log(t) * t ** mpf("-1.5"),
        lambda t: t ** mpf("-1.5"),
        lambda t: mp.log(t) ** 2 / t ** 2,
    ]
    points = sorted(values)[-len(basis):]
    a = mp.matrix([[f(mpf(t)) for f in basis] for t in points])
    y = mp.matrix([mpf(values[t]) for t in points])
    return mp.lu_solve(a, y)[0]


LIMITS = [
    {"tokens": 16, "columns": [{"count": 16, "weights": [0.25] * 4}],
     "slope": "0", "teacher_norm": "2", "rate": "0.25", "logit_gain": "2"},
    {"tokens": 6, "columns": [{"count": 1, "weights": [1.0]}, {"count": 2, "weights": [0.5] * 2},
                              {"count": 3, "weights": [1 / 3] * 3}],
     "slope": "0", "teacher_norm": "1", "rate": "0.25", "logit_gain": "2"},
    {"tokens": 4, "columns": [{"count": 2, "weights": [0.25] * 4}, {"count": 1, "weights": [0.5] * 2},
                              {"count": 1, "weights": [1.0]}],
     "slope": "1", "teacher_norm": "1", "rate": "0.25", "logit_gain": "1"},
    {"tokens": 5, "columns": [{"count": 5, "weights": [0.5, 0.3, 0.2]}],
     "slope": "0", "teacher_norm": "1.5", "rate": "0.25", "logit_gain": "2"},
    {"tokens": 12, "columns": [{"count": 12, "weights": [1 / 9] * 9}],
     "slope": "-0.3", "teacher_norm": "4", "rate": "0.5", "logit_gain": "4"},
    {"tokens": 8, "columns": [{"count": 8, "weights": [1.0]}],
     "slope": "1", "teacher_norm": "1", "rate": "0.0625", "logit_gain": "1"},
    {"tokens": 6, "columns": [{"count": 2, "weights": [0.5, 0.3, 0.2]}, {"count": 3, "weights": [0.75, 0.25]},
                              {"count": 1, "weights": [0.25, 0.25, 0.2, 0.15, 0.1, 0.05]}],
     "slope": "0.1", "teacher_norm": "1.25", "rate": "0.25", "logit_gain": "1.5"},
    {"tokens": 10, "columns": [{"count": 9, "weights": [0.5] * 2}, {"count": 1, "weights": [0.125] * 8}],
     "slope": "2", "teacher_norm": "1", "rate": "0.0625", "logit_gain": "2"},
]


def dense_of(config):
    """A dense teacher with the columns of a `limits` configuration."""
    columns = []
    for column in config["columns"]:
        for _ in range(column["count"]):
            weights = column["weights"]
            columns.append([number(w) for w in weights] + [mpf(0)] * (config["tokens"] - len(weights)))
    norm = number(config["teacher_norm"])
    return Dense([[norm]], columns, config["slope"])


def limits():
    out = []
    steps = 2 ** 17
    times = [2 ** j for j in range(10, 18)]
    for config in LIMITS:
        early = 30
        run = dense_of(config)
        for _ in range(early):
            run.step(number(config["rate"]), number(config["logit_gain"]))
        lump = run_classes(config, [early] + times)
        for dense, mine in zip(run.measures(), (lump[early][0], math.sqrt(lump[early][1]), math.sqrt(lump[early][2]))):
            close(dense, mpf(mine), mpf(10) ** -11, "lumped doubles against dense")
        excess, gamma, value, score = closed_form_limits(config)
        agreement = {"steps": steps}
        for name, index, closed in (("excess", 0, excess), ("value", 2, value), ("score", 1, score)):
            rate = mpf(config["rate"])
            measured = extrapolate({t: rate * t * mpf(lump[t][index]) for t in times})
            last = rate * steps * mpf(lump[steps][index])
            difference = abs(measured / closed - 1)
            print("limits", name, mp.nstr(closed, 8), "extrapolated", mp.nstr(measured, 8),
                  "relative", mp.nstr(difference, 2), "| at the last step", mp.nstr(last / closed - 1, 2),
                  file=sys.stderr)
            assert difference < mpf("1e-4"), (config, name, difference)
            agreement[name] = mp.nstr(difference, 2)
        out.append({"config": config, "excess_constant": show(excess), "gamma": show(gamma),
                    "value_constant": show(value), "score_constant": show(score),
                    "agreement": agreement})
    return out


# ----------------------------------------------------------------------------------------------

GROUPS = {"expectations": expectations, "small_excess": small_excess, "lumped": lumped,
          "classes": classes, "limits": limits}


def write(data):
    """One record a line: small, and readable in a diff."""
    parts = []
    for name, records in data.items():
        lines = ",\n  ".join(json.dumps(record) for record in records)
        parts.append(f' "{name}": [\n  {lines}\n ]')
    (HERE / "extra.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


def main(chosen):
    check_gradient()
    check_dense_json()
    if not chosen:
        check_reduced_json()
    print("checks passed", file=sys.stderr)
    path = HERE / "extra.json"
    data = json.loads(path.read_text()) if path.exists() and chosen else {}
    for letter, (name, compute) in zip("abcde", GROUPS.items()):
        if not chosen or letter in chosen or name in chosen:
            data[name] = compute()
    write({name: data[name] for name in GROUPS if name in data})


if __name__ == "__main__":
    main(sys.argv[1:])
