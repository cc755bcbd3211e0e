//! Nanoseconds per interval operation, side by side with inari and maryada.
//!
//! Each number is the best of some rounds over the same 512 intervals, in arrays. An argument names
//! the only operation to time.

use std::hint::black_box;
use std::time::Instant;

use maryada::{self as theirs, IntervalOps};
use popgd_core::scalar::{Scalar, interval::Interval};

type Ours = Interval<f64>;
type Inari = inari::Interval;
type Maryada = maryada::Interval;

const COUNT: usize = 512;

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Intervals between the two numbers.
    fn intervals(&mut self, from: f64, to: f64) -> Vec<(f64, f64)> {
        (0..COUNT)
            .map(|_| {
                let lo = from + (to - from) * 0.9 * self.uniform();
                (lo, lo + (to - from) * 0.1 * self.uniform())
            })
            .collect()
    }
}

/// Nanoseconds per operation, all pairs being worked through into a third array.
#[inline(never)]
fn time<T: Copy>(x: &[T], y: &[T], operation: impl Fn(T, T) -> T) -> f64 {
    let mut results = x.to_vec();
    let mut best = f64::INFINITY;
    let mut repeats = 1;
    let mut rounds = 0;
    while rounds < 15 {
        let start = Instant::now();
        for _ in 0..repeats {
            let (x, y) = (black_box(x), black_box(y));
            for ((result, &x), &y) in results.iter_mut().zip(x).zip(y) {
                *result = operation(x, y);
            }
            black_box(&mut results);
        }
        let elapsed = start.elapsed().as_nanos() as f64;
        if elapsed < 2e6 {
            repeats *= 2;
            continue;
        }
        best = best.min(elapsed / (repeats * COUNT) as f64);
        rounds += 1;
    }
    best
}

/// One line of the table, for arguments between the two numbers.
fn row(
    name: &str,
    (from, to): (f64, f64),
    ours: impl Fn(Ours, Ours) -> Ours,
    inari: impl Fn(Inari, Inari) -> Inari,
    maryada: impl Fn(Maryada, Maryada) -> Maryada,
) {
    if std::env::args().nth(1).is_some_and(|only| only != name) {
        return;
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (x, y) = (random.intervals(from, to), random.intervals(from, to));
    let all = |ends: &[(f64, f64)]| {
        ends.iter().map(|&(lo, hi)| Ours::new(lo, hi).expect("in order")).collect::<Vec<_>>()
    };
    let a = time(&all(&x), &all(&y), ours);
    let all = |ends: &[(f64, f64)]| {
        ends.iter().map(|&ends| Inari::try_from(ends).expect("in order")).collect::<Vec<_>>()
    };
    let b = time(&all(&x), &all(&y), inari);
    let all =
        |ends: &[(f64, f64)]| ends.iter().map(|&(lo, hi)| Maryada::new(lo, hi)).collect::<Vec<_>>();
    let c = time(&all(&x), &all(&y), maryada);
    println!("{name:8} {a:>9.1} {b:>9.1} {c:>9.1} {:>9.1} {:>9.1}", b / a, c / a);
}

fn main() {
    println!(
        "{:8} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "", "popgd", "inari", "maryada", "inari/", "maryada/"
    );
    let wide = (-4.0, 4.0);
    row("add", wide, |x, y| x + y, |x, y| x + y, theirs::add);
    row("sub", wide, |x, y| x - y, |x, y| x - y, theirs::sub);
    row("mul", wide, |x, y| x * y, |x, y| x * y, theirs::mul);
    row("div", (0.5, 4.0), |x, y| x / y, |x, y| x / y, theirs::div);
    row("sqrt", (0.5, 4.0), |x, _| x.sqrt(), |x, _| x.sqrt(), |x, _| theirs::sqrt(x));
    row("exp", (-20.0, 20.0), |x, _| x.exp(), |x, _| x.exp(), |x, _| theirs::exp(x));
    row("ln", (0.01, 100.0), |x, _| x.ln(), |x, _| x.ln(), |x, _| theirs::log(x));
    row("sin", wide, |x, _| x.sin(), |x, _| x.sin(), |x, _| theirs::sin(x));
    row("cos", wide, |x, _| x.cos(), |x, _| x.cos(), |x, _| theirs::cos(x));
    let unit = (-1.0, 1.0);
    row("asin", unit, |x, _| x.asin(), |x, _| x.asin(), |x, _| theirs::asin(x));
    row("acos", unit, |x, _| x.acos(), |x, _| x.acos(), |x, _| theirs::acos(x));
    row("atan2", wide, |x, y| x.atan2(y), |x, y| x.atan2(y), theirs::atan2);
}
