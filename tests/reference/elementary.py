"""Writes elementary.txt: values of elementary functions between neighbouring floats.

Each line is a function, its arguments, the largest float below and the smallest one above the
value, as bits in hexadecimal. Needs mpmath:
    python3 tests/reference/elementary.py > tests/reference/elementary.txt
"""

import math
import random
import struct
from mpmath import mp, mpf

mp.prec = 2400
random.seed(1788)


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(n):
    return struct.unpack("<d", struct.pack("<Q", n))[0]


def bounds(value):
    """The floats around a value that is none."""
    nearest = float(value)
    if math.isinf(nearest):
        return (math.nextafter(nearest, 0), nearest)
    if mpf(nearest) < value:
        return (nearest, math.nextafter(nearest, math.inf))
    assert mpf(nearest) > value
    return (math.nextafter(nearest, -math.inf), nearest)


def line(name, arguments, value):
    print(name, *(f"{bits(x):016x}" for x in (*arguments, *bounds(value))))


def beside(x):
    y = from_bits((bits(x) + random.randint(-3, 3)) % 2**64)
    return y if math.isfinite(y) else x


def any_float():
    while True:
        x = from_bits(random.getrandbits(64))
        if math.isfinite(x):
            return x


def subnormal():
    return from_bits(random.getrandbits(random.randint(1, 52)) | 1)


def sign():
    return random.choice([-1, 1])


def unit():
    """In (-1, 1), often near an end or 0."""
    x = random.choice([random.random(), random.random(), random.random() * 2.0 ** -random.randint(1, 70)])
    return sign() * random.choice([x, 1 - x]) if x < 1 and 1 - x < 1 else sign() * 0.5


def circular():
    k = 1 + int(random.random() * 2.0 ** random.randint(1, 73))
    return sign() * random.choice(
        [random.random() * 10, beside(float(k * mp.pi / 2)), abs(any_float()), subnormal(), 10 ** random.uniform(-20, 22)]
    )


FUNCTIONS = {
    "exp": (
        mp.exp,
        lambda: random.choice([random.uniform(-745, 710), random.uniform(-745, -700), unit(), subnormal()]),
    ),
    "ln": (
        mp.log,
        lambda: random.choice([abs(any_float()), 1 + unit() / 2, beside(1.0), subnormal(), random.random() * 4]),
    ),
    "sin": (mp.sin, circular),
    "cos": (mp.cos, circular),
    "atan": (mp.atan, lambda: random.choice([any_float(), unit(), subnormal(), 10 * unit()])),
    "asin": (mp.asin, lambda: random.choice([unit(), subnormal()])),
    "acos": (mp.acos, unit),
    "one_minus_cos": (lambda x: 2 * mp.sin(x / 2) ** 2, lambda: random.choice([circular(), unit()])),
    "sin_minus_angle_cos": (
        lambda x: mp.sin(x) - x * mp.cos(x),
        lambda: random.choice([unit(), random.uniform(-10, 10), random.uniform(-1e6, 1e6), beside(4.493409457909064)]),
    ),
}

for name, (function, argument) in FUNCTIONS.items():
    count = 0
    while count < 200:
        x = argument()
        value = function(mpf(x))
        if x in (0, 1, -1) or value == 0 or abs(value) < mpf(2) ** -1022 and name not in ("exp", "sin", "atan", "asin"):
            continue
        line(name, [x], value)
        count += 1
for _ in range(300):
    y = random.choice([any_float(), unit(), subnormal()])
    x = random.choice([any_float(), unit(), subnormal(), beside(y), y * unit() * 2.0 ** random.randint(-70, 70)])
    if x == 0 or y == 0 or math.isinf(x):
        continue
    line("atan2", [y, x], mp.atan2(mpf(y), mpf(x)))
