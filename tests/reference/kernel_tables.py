"""Writes core/src/scalar/interval/kernel/tables.rs to standard output.

Needs mpmath. Run it again only to check that the tables are what they should be:
    python3 tests/reference/kernel_tables.py | diff - core/src/scalar/interval/kernel/tables.rs
"""

import struct
from mpmath import mp, mpf, floor, ln, sin, cos, atan, pi, nint

mp.prec = 2400


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", float(x)))[0]


def hexadecimal(x):
    digits = f"{bits(x):016x}"
    return "0x" + "_".join(digits[i : i + 4] for i in range(0, 16, 4))


def pair(x):
    high = mpf(float(x))
    low = mpf(float(x - high))
    assert abs(x - high - low) <= abs(x) * mpf(2) ** -106
    return high, low


def cut(x, step):
    """x, rounded to a multiple of 2**step."""
    return nint(x / mpf(2) ** step) * mpf(2) ** step


def constant(name, doc, x):
    print(f"\n/// {doc}\npub(super) const {name}: f64 = f64::from_bits({hexadecimal(x)});")


def table(name, doc, rows):
    width = len(rows[0])
    print(f"\n/// {doc}")
    print("#[rustfmt::skip]")
    print(f"pub(super) static {name}: [[u64; {width}]; {len(rows)}] = [")
    for row in rows:
        print("    [" + ", ".join(hexadecimal(x) for x in row) + "],")
    print("];")


print("""//! Constants and tables of the kernels, as bits of `f64`.
//!
//! Written by `tests/reference/kernel_tables.py`. A number that no float is near enough to is split
//! into a sum: each part but the last has the length that its use asks for, the last one is
//! rounded to nearest.""")

# exp: ln 2/128 = A + B + C, A and B with at most 35 bits.
x = ln(2) / 128
a = cut(x, -42)
b = cut(x - a, -78)
assert a * mpf(2) ** 42 < 2**35 and abs(b) * mpf(2) ** 78 < 2**35
c = mpf(float(x - a - b))
assert abs(x - a - b - c) <= mpf(2) ** -132
constant("LN2_128_A", "ln 2 / 128, a multiple of 2⁻⁴².", a)
constant("LN2_128_B", "ln 2 / 128 − A, a multiple of 2⁻⁷⁸.", b)
constant("LN2_128_C", "ln 2 / 128 − A − B.", c)
constant("STEPS_PER_UNIT", "128 / ln 2, rounded.", mpf(float(1 / x)))
table("EXP2", "2^(j/128) as a sum of two.", [pair(mpf(2) ** (mpf(j) / 128)) for j in range(128)])

# ln: ln 2 = A + B, A a multiple of 2^-42.
a = cut(ln(2), -42)
b = mpf(float(ln(2) - a))
constant("LN2_A", "ln 2, a multiple of 2⁻⁴².", a)
constant("LN2_B", "ln 2 − A.", b)
rows = []
for i in range(90, 183):
    # A reciprocal of few bits; exactly 1 at 128.
    c = cut(mpf(128) / i, -9)
    largest = max(abs(c * (2 * i + side) / 256 - 1) for side in (-1, 1))
    assert largest <= mpf(2) ** -7, (i, c)
    value = -ln(c)
    a = cut(value, -42)
    assert i == 128 or abs(a) > 3 * largest / 2, i
    rows.append((c, a, mpf(float(value - a))))
assert rows[128 - 90] == (1, 0, 0)
table(
    "LN",
    "For i = 90 … 182: a short reciprocal c of i/128, and −ln c as a multiple of 2⁻⁴² plus a rest.",
    rows,
)

table(
    "SIN_COS",
    "sin and cos of i/64, i = 0 … 51, each as a sum of two.",
    [pair(sin(mpf(i) / 64)) + pair(cos(mpf(i) / 64)) for i in range(52)],
)
table("ATAN", "arctan of i/64, i = 0 … 64, as a sum of two.", [pair(atan(mpf(i) / 64)) for i in range(65)])
high, low = pair(pi / 2)
constant("HALF_PI", "π/2, rounded.", high)
constant("HALF_PI_REST", "π/2 − `HALF_PI`.", low)

words = 22
digits = int(floor(2 / pi * mpf(2) ** (64 * (words - 1))))
print("\n/// 64 zeros and the first 1344 binary digits of 2/π, from the most significant word down.")
print("#[rustfmt::skip]")
print(f"pub(super) static TWO_OVER_PI: [u64; {words}] = [")
for k in range(words):
    word = digits >> (64 * (words - 1 - k)) & (2**64 - 1)
    text = f"{word:016x}"
    print("    0x" + "_".join(text[i : i + 4] for i in range(0, 16, 4)) + ",")
print("];")
