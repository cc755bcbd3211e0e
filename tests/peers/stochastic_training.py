#!/usr/bin/env python3
"""The same stochastic training in popgd, NumPy and PyTorch: samples a second, and how they end.

    apt install python3-torch python3-numpy        (or from PyPI)
    cargo build --release -p popgd
    python3 tests/peers/stochastic_training.py

A step draws a batch of fresh Gaussian inputs, labels them by the teacher with noise, and moves W_V and the
logits against the gradient, in f64. NumPy's gradient is written out, PyTorch's is its own; both may use
two threads. popgd gives a run one thread and makes two runs at once. The median of five measurements.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import torch

BATCH, NOISE, THREADS = 100, 0.1, 2
POPGD = os.environ.get("CARGO_TARGET_DIR", "target") + "/release/popgd"
SETTINGS = [
    # name, D, K, M, d, steps
    ("CNN", 36, 4, 2, 4, 2000),
    ("CNN, as large as MNIST's", 81, 9, 16, 9, 200),
]
torch.set_num_threads(THREADS)
torch.set_default_dtype(torch.float64)


def popgd(tokens, group, channels, features, steps, runs):
    """Seconds, and the excess loss at the end."""
    values, *_ = problem(tokens, group, channels, features)
    with (
        tempfile.NamedTemporaryFile("w", suffix=".toml") as config,
        tempfile.NamedTemporaryFile(suffix=".json") as file,
    ):
        print("v =", values.tolist(), file=config, flush=True)
        words = f"""{POPGD} simulate --quiet --config {config.name} --preset cnn
            -D {tokens} -K {group} --batch {BATCH} --noise {NOISE} --steps {steps} --at {steps}
            --seeds {runs} --threads {THREADS} --evaluation 1 --format json
            --output {file.name}""".split()
        start = time.perf_counter()
        subprocess.run(words, check=True)
        seconds = time.perf_counter() - start
        found = json.load(open(file.name))
    losses = [run["trajectory"][-1]["excess_loss"] for run in found["runs"]]
    return seconds, statistics.mean(losses)


def problem(tokens, group, channels, features):
    values = np.random.default_rng(0).normal(size=(channels, features))
    values *= 20 / np.linalg.norm(values)
    scores = np.kron(np.eye(tokens // group), np.full((group, group), 1 / group))
    return values, scores, 0.25 * group / (0.5 * tokens), 1 / tokens


def excess(values, scores, student, attention):
    """Half the mean square of the difference, from samples."""
    inputs = np.random.default_rng(1).normal(size=(2000, values.shape[1], scores.shape[0]))
    relu = lambda x: np.maximum(x, 0)
    error = relu(student @ inputs @ attention) - relu(values @ inputs @ scores)
    return 0.5 * np.mean(np.sum(error**2, axis=(1, 2)))


def numpy_training(tokens, group, channels, features, steps):
    values, scores, rate, gain = problem(tokens, group, channels, features)
    random = np.random.default_rng(2)
    weights, logits = np.zeros_like(values), np.zeros_like(scores)
    start = time.perf_counter()
    for _ in range(steps):
        inputs = random.normal(size=(BATCH, features, tokens))
        labels = np.maximum(values @ inputs @ scores, 0)
        labels += NOISE * random.normal(size=labels.shape)
        attention = np.exp(logits - logits.max(axis=0))
        attention /= attention.sum(axis=0)
        projected = weights @ inputs
        outputs = projected @ attention
        residuals = (np.maximum(outputs, 0) - labels) * (outputs >= 0)
        back = residuals @ attention.T
        by_weights = np.tensordot(back, inputs, axes=((0, 2), (0, 2))) / BATCH
        by_scores = (projected.reshape(-1, tokens).T @ residuals.reshape(-1, tokens)) / BATCH
        weights = weights - rate * by_weights
        mean = (attention * by_scores).sum(axis=0)
        logits = logits - rate * gain * attention * (by_scores - mean)
    seconds = time.perf_counter() - start
    attention = np.exp(logits - logits.max(axis=0))
    return seconds, excess(values, scores, weights, attention / attention.sum(axis=0))


def torch_training(tokens, group, channels, features, steps):
    values, scores, rate, gain = problem(tokens, group, channels, features)
    teacher, target = torch.from_numpy(values), torch.from_numpy(scores)
    torch.manual_seed(2)
    # At W_V = 0 its relu has the slope 0, not 1: a first step by hand, from the same gradient.
    weights = torch.zeros(channels, features, requires_grad=True)
    logits = torch.zeros(tokens, tokens, requires_grad=True)
    start = time.perf_counter()
    for step in range(steps):
        inputs = torch.randn(BATCH, features, tokens)
        with torch.no_grad():
            labels = torch.relu(teacher @ inputs @ target)
            labels += NOISE * torch.randn(labels.shape)
        outputs = weights @ inputs @ torch.softmax(logits, dim=0)
        activated = outputs if step == 0 else torch.relu(outputs)
        loss = 0.5 / BATCH * ((activated - labels) ** 2).sum()
        by_weights, by_logits = torch.autograd.grad(loss, (weights, logits))
        with torch.no_grad():
            weights -= rate * by_weights
            logits -= rate * gain * by_logits
    seconds = time.perf_counter() - start
    student, attention = weights.detach().numpy(), torch.softmax(logits, 0).detach().numpy()
    return seconds, excess(values, scores, student, attention)


def main():
    print(f"NumPy {np.__version__}, PyTorch {torch.__version__}, {THREADS} threads, batches of {BATCH}")
    for name, tokens, group, channels, features, steps in SETTINGS:
        sizes = (tokens, group, channels, features)
        popgd(*sizes, 1, 1)
        rates = {"popgd, one run": [], "popgd, two runs": [], "NumPy": [], "PyTorch": []}
        for _ in range(5):
            for runs, key in [(1, "popgd, one run"), (2, "popgd, two runs")]:
                # The exact descent runs beside it, which the others do not have: it is counted.
                seconds, loss = popgd(*sizes, steps, runs)
                rates[key].append((runs * steps * BATCH / seconds, loss))
            for key, training in [("NumPy", numpy_training), ("PyTorch", torch_training)]:
                seconds, loss = training(*sizes, steps)
                rates[key].append((steps * BATCH / seconds, loss))
        print(f"\n{name}: D = {tokens}, K = {group}, M = {channels}, d = {features}, {steps} steps")
        best = max(statistics.median(rate for rate, _ in rates[key]) for key in ("NumPy", "PyTorch"))
        for key, found in rates.items():
            rate = statistics.median(rate for rate, _ in found)
            print(f"  {key:16} {rate:12,.0f} samples/s  {rate / best:5.2f} × the faster peer"
                  f"   excess loss at the end {found[0][1]:.4g}")


if __name__ == "__main__":
    main()
