#!/usr/bin/env python3
"""The same run in Arb's ball arithmetic and in popgd's enclosures: relative widths of the excess loss.

    pip install python-flint
    cargo build --release -p popgd
    python3 tests/peers/arb_balls.py

Balls are evaluated step after step in c and the gap of the logits (note 2), as anyone would write it
down; nothing is done against the growth of errors. popgd's widths are those of `popgd certify`.
"""

import json
import os
import subprocess
import time

from flint import arb, ctx

TOKENS, GROUP, MARKS = 8, 2, [100, 1000, 10_000, 100_000]


def balls(bits):
    """Relative widths of the excess loss at MARKS, inf once a ball is not finite; and seconds."""
    ctx.prec = bits
    pi = arb.pi()
    d, k = arb(TOKENS), arb(GROUP)
    gain, bend = arb(1) / 2, arb(1) / 2 / pi
    rate, logit_gain = k / (4 * gain * d), 1 / d
    target = 1 / k.sqrt()
    ratio = ((d - k) / k).sqrt()
    c, gap = rate / 2, arb(0)
    widths, start = {}, time.perf_counter()
    for t in range(1, MARKS[-1] + 1):
        q = (-gap).exp()
        total = k + (d - k) * q
        out, leak = q / total, (d - k) * q / total
        norm = (k + (d - k) * q * q).sqrt() / total
        theta = (q * ratio).atan()
        sine, cosine = theta.sin(), theta.cos()
        kernel = gain * cosine + bend * (sine - theta * cosine)
        if t in MARKS:
            size = c * norm
            excess = d * (gain / 2 * (size - target) ** 2 + size * target * (gain - kernel))
            finite = excess.is_finite() and not excess.contains(0)
            widths[t] = float(excess.rad() / abs(excess.mid())) * 2 if finite else float("inf")
        best = target * kernel / (gain * norm)
        mean = gain * c * norm * norm * (c - best)
        outside = c * out * (gain * c - bend * sine * target / norm)
        step = c - rate * d * gain * norm * norm * (c - best)
        gap = gap + rate * logit_gain * (d * leak / (k * (d - k))) * (outside - mean)
        c = step
        if not (c.is_finite() and gap.is_finite()):
            widths |= {mark: float("inf") for mark in MARKS if mark > t}
            print(f"  {bits} bits: not finite from step {t + 1} on")
            break
    return widths, time.perf_counter() - start


def popgd():
    """The same of popgd, with the time of the whole certificate."""
    program = os.environ.get("POPGD", "target/release/popgd")
    command = [program, "certify", "-D", str(TOKENS), "-K", str(GROUP), "--teacher-norm", "1",
               "--activation", "relu", "--from-step", str(MARKS[-1]), "--quiet",
               "--at", ",".join(map(str, MARKS)), "--format", "json"]
    start = time.perf_counter()
    document = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    seconds = time.perf_counter() - start
    widths = {}
    for reading in document["certificate"]["claims"]["at"]:
        excess = reading["excess_loss"]
        widths[reading["t"]] = (excess["hi"] - excess["lo"]) / excess["lo"]
    return widths, seconds


def main():
    print(f"D = {TOKENS}, K = {GROUP}, ReLU, κ = 1/D, ‖V*‖ = 1, λ = 1/4")
    rows = [(f"Arb, {bits} bits", balls(bits)) for bits in (53, 128, 256)]
    rows.append(("popgd", popgd()))
    print("relative width of the excess loss".ljust(16), *(f"{mark:>10}" for mark in MARKS), "   seconds")
    for name, (widths, seconds) in rows:
        print(name.ljust(33), *(f"{widths[mark]:>10.1e}" for mark in MARKS), f"{seconds:>10.2f}")


main()
