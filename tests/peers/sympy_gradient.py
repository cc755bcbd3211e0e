"""An independent system on the printed formulas: sympy differentiates the loss.

    pip install sympy
    python tests/peers/sympy_gradient.py

Prints loss and gradient with `popgd gradcheck --print` for a number of sizes, activations and
positions, reads them with sympy, lets sympy differentiate every line, and compares the derivative
of the loss with the printed gradient at random rational points. Works with 60 digits; the two must
agree to 30 of the largest entry.

The formulas share their parts: `t7 = ...` is a line of its own. Every line is differentiated by
sympy with respect to the symbols and earlier lines in it, and the lines are put together by the
chain rule; written out, the loss would be too long to differentiate.
"""

import random
import re
import subprocess
import sys
from pathlib import Path

import mpmath
import sympy

ROOT = Path(__file__).resolve().parents[2]
CASES = [
    (channels, features, tokens, activation, positions)
    for channels, features, tokens in [(1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 2, 2), (2, 2, 3)]
    for activation in ["identity", "relu", "leaky-relu"]
    for positions in ["identity", "general"]
]
FUNCTIONS = ["sqrt", "exp", "sin", "cos", "atan2", "sign", "pi"]
DIGITS = 30


def formulas(case):
    """The printed lines, as pairs of a name and a sympy expression."""
    flags = ["--channels", "--features", "--tokens", "--activation", "--positions"]
    command = ["cargo", "run", "--quiet", "--release", "-p", "popgd", "--", "gradcheck", "--print"]
    command += [str(part) for pair in zip(flags, case) for part in pair]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    known = {name: getattr(sympy, name) for name in FUNCTIONS}
    lines = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, formula = line.split(" = ", 1)
        for symbol in set(re.findall(r"[A-Za-z_]\w*", formula)) - set(known):
            known[symbol] = sympy.Symbol(symbol, real=True)
        lines.append((name, sympy.sympify(formula.replace("^", "**"), locals=known)))
    return lines


def compile_lines(lines):
    """For every line: its symbols, and functions for its value and its partial derivatives."""
    compiled = []
    for name, formula in lines:
        symbols = sorted(formula.free_symbols, key=str)
        partials = [sympy.diff(formula, symbol) for symbol in symbols]
        evaluate = sympy.lambdify(symbols, [formula] + partials, modules="mpmath", cse=False)
        compiled.append((name, [str(symbol) for symbol in symbols], evaluate))
    return compiled


def check(case, points=3):
    lines = formulas(case)
    compiled = compile_lines(lines)
    defined = {name for name, _ in lines}
    inputs = sorted({s for _, symbols, _ in compiled for s in symbols} - defined)
    trained = [name for name in inputs if re.fullmatch(r"[wq][\d_]+", name)]
    worst = mpmath.mpf(0)
    for _ in range(points):
        values, gradients = {}, {}
        for name in inputs:
            size = mpmath.mpf(random.randint(250, 1250)) / 1000
            positive = name == "tau" or re.fullmatch(r"s[\d_]+", name)
            values[name] = size if positive else size * random.choice([-1, 1])
            gradients[name] = {name: mpmath.mpf(1)} if name in trained else {}
        for name, symbols, evaluate in compiled:
            value, *partials = evaluate(*(values[symbol] for symbol in symbols))
            values[name], gradient = value, {}
            for symbol, partial in zip(symbols, partials):
                for entry, slope in gradients[symbol].items():
                    gradient[entry] = gradient.get(entry, mpmath.mpf(0)) + partial * slope
            gradients[name] = gradient
        scale = max(abs(values["d" + entry]) for entry in trained)
        for entry in trained:
            derivative = gradients["L"].get(entry, mpmath.mpf(0))
            worst = max(worst, abs(derivative - values["d" + entry]) / scale)
    return len(lines), len(trained), worst


def main():
    mpmath.mp.dps = 60
    random.seed(2026)
    bad = 0
    for case in CASES:
        lines, entries, worst = check(case)
        good = worst < mpmath.mpf(10) ** -DIGITS
        bad += not good
        label = "M={} d={} D={} {} positions {}".format(*case)
        print(f"{label}: {lines} lines, {entries} entries, {mpmath.nstr(worst, 3)}", flush=True)
        if not good:
            print("  DISAGREES")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
