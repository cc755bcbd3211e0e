//! `f64` ranges of points against MPFR.
//!
//! Usage: `mpfr [points] [function]`, by default 10⁷ points of every function. Prints, per function,
//! how many points were tried, how many ranges did not contain the value (none must), and by how
//! many floats ends were farther out than the best ones.

use std::cmp::Ordering;

use popgd_core::scalar::{Scalar, interval::Interval};
use rug::Float;
use rug::float::{Constant, Round};

type I = Interval<f64>;

/// Of the reference. Where it is a float only after rounding, MPFR says on which side it is.
const PRECISION: u32 = 160;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    /// In [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn signed(&mut self, x: f64) -> f64 {
        if self.next() & 1 << 40 == 0 { x } else { -x }
    }

    /// Any finite float, all exponents alike.
    fn any(&mut self) -> f64 {
        loop {
            let bits = self.next() ^ self.next() << 32;
            let x = f64::from_bits(bits);
            if x.is_finite() {
                return x;
            }
        }
    }

    fn subnormal(&mut self) -> f64 {
        let bits = self.next() & ((1 << 52) - 1);
        f64::from_bits(bits >> self.below(52))
    }

    /// A float up to some tens of floats away from x.
    fn beside(&mut self, x: f64) -> f64 {
        let steps = self.below(129) as i64 - 64;
        if x == 0.0 {
            return f64::from_bits(steps.unsigned_abs());
        }
        f64::from_bits((x.to_bits() as i64 + steps) as u64)
    }

    /// Near x at a distance of any order.
    fn near(&mut self, x: f64) -> f64 {
        let distance = self.uniform() * 2_f64.powi(-(self.below(60) as i32));
        x + self.signed(distance)
    }

    /// Floats near multiples of π/2 up to 10²².
    fn near_multiple(&mut self, half_pi: &Float) -> f64 {
        let k = (self.uniform() * 2_f64.powi(self.below(73) as i32)).floor();
        let x = Float::with_val(PRECISION, half_pi * k).to_f64();
        let x = self.beside(x);
        self.signed(x)
    }

    fn argument(&mut self, name: &str, half_pi: &Float) -> f64 {
        match name {
            "exp" => match self.below(8) {
                0 => self.any(),
                1 => self.near(709.782_712_893_384),
                2 => self.near(-708.396_418_532_264_1),
                3 => self.near(-745.133_219_101_941_1),
                4 => self.near(0.0),
                5 => self.signed(1.0) * self.subnormal(),
                6 => -708.0 - 38.0 * self.uniform(),
                _ => (self.uniform() - 0.5) * 1500.0,
            },
            "ln" => match self.below(6) {
                0 | 1 => self.any().abs(),
                2 => self.near(1.0).abs(),
                3 => self.beside(1.0),
                4 => self.subnormal(),
                _ => self.uniform() * 4.0,
            },
            "asin" | "acos" => match self.below(6) {
                0 => self.uniform() - 0.5,
                1 => {
                    let x = self.near(1.0);
                    let x = if x > 1.0 { 2.0 - x } else { x };
                    self.signed(x)
                }
                2 => {
                    let bits = 1.0_f64.to_bits() - self.below(1000);
                    self.signed(f64::from_bits(bits))
                }
                3 => self.near(0.0).clamp(-1.0, 1.0),
                4 => self.signed(1.0) * self.subnormal(),
                _ => 2.0 * self.uniform() - 1.0,
            },
            "atan" => match self.below(5) {
                0 => self.any(),
                1 => self.near(1.0),
                2 => self.near(0.0),
                3 => self.signed(1.0) * self.subnormal(),
                _ => (self.uniform() - 0.5) * 100.0,
            },
            // Circular.
            _ => match self.below(8) {
                0 => self.any(),
                1 | 2 => self.near_multiple(half_pi),
                3 => self.near(0.0),
                4 => self.signed(1.0) * self.subnormal(),
                5 => (self.uniform() - 0.5) * 8.0,
                6 => (self.uniform() - 0.5) * 2e22,
                _ => (self.uniform() - 0.5) * 200.0,
            },
        }
    }
}

/// Place of a float in the order of all floats; the two zeros are one.
fn place(x: f64) -> i128 {
    let bits = i128::from(x.to_bits() & (u64::MAX >> 1));
    if x.is_sign_negative() { -bits } else { bits }
}

#[derive(Default)]
struct Counts {
    points: u64,
    failures: u64,
    excess: u128,
    largest: i128,
    wide: u64,
}

impl Counts {
    fn judge(
        &mut self,
        range: I,
        (value, rounded): (&Float, Ordering),
        describe: &dyn Fn() -> String,
    ) {
        self.points += 1;
        let mut lo = value.to_f64_round(Round::Down);
        let mut hi = value.to_f64_round(Round::Up);
        if lo == hi {
            match rounded {
                Ordering::Less => hi = hi.next_up(),
                Ordering::Equal => {}
                Ordering::Greater => lo = lo.next_down(),
            }
        }
        if !(range.lo() <= lo && hi <= range.hi()) {
            if self.failures < 5 {
                println!("FAILURE {}: {range} does not contain [{lo:e}, {hi:e}]", describe());
            }
            self.failures += 1;
            return;
        }
        let excess = (place(lo) - place(range.lo())).max(place(range.hi()) - place(hi));
        if excess > self.largest {
            self.largest = excess;
            if excess > 2 {
                println!("excess {excess} at {}: {range}", describe());
            }
        }
        self.wide += u64::from(excess > 0);
        self.excess += excess as u128;
    }

    fn report(&self, name: &str) {
        println!(
            "{name:10} {:>9} points, {} failures, excess at most {}, mean {:.2e}, on {:.3} %",
            self.points,
            self.failures,
            self.largest,
            self.excess as f64 / self.points as f64,
            100.0 * self.wide as f64 / self.points as f64,
        );
    }
}

/// Name, range, and the function in place, with the way it was rounded (equal: unknown).
type Case = (&'static str, fn(I) -> I, fn(&mut Float) -> Ordering);

/// sin x − x cos x with enough digits for the cancellation near 0.
fn sin_minus_angle_cos(value: &mut Float) -> Ordering {
    let x = value.clone();
    let exponent = x.get_exp().unwrap_or(0);
    let precision =
        if exponent < 0 { PRECISION + 3 * exponent.unsigned_abs() } else { 2 * PRECISION };
    let x = Float::with_val(precision, x);
    let (sine, cosine) = x.clone().sin_cos(Float::new(precision));
    *value = Float::with_val(PRECISION, sine - x * cosine);
    Ordering::Equal
}

fn one_minus_cos(value: &mut Float) -> Ordering {
    let half_sine = (value.clone() / 2_u32).sin();
    *value = half_sine.square() * 2_u32;
    Ordering::Equal
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let points: u64 = arguments.next().map_or(10_000_000, |n| n.parse().expect("a number"));
    let only = arguments.next();
    let half_pi = Float::with_val(1400, Constant::Pi) / 2_u32;
    let cases: [Case; 9] = [
        ("exp", |x| x.exp(), |x| x.exp_round(Round::Nearest)),
        ("ln", |x| x.ln(), |x| x.ln_round(Round::Nearest)),
        ("sin", |x| x.sin(), |x| x.sin_round(Round::Nearest)),
        ("cos", |x| x.cos(), |x| x.cos_round(Round::Nearest)),
        ("atan", |x| x.atan(), |x| x.atan_round(Round::Nearest)),
        ("asin", |x| x.asin(), |x| x.asin_round(Round::Nearest)),
        ("acos", |x| x.acos(), |x| x.acos_round(Round::Nearest)),
        ("1-cos", |x| x.one_minus_cos(), one_minus_cos),
        ("sin-x*cos", |x| x.sin_minus_angle_cos(), sin_minus_angle_cos),
    ];
    for (name, range, function) in cases {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut counts = Counts::default();
        while counts.points < points {
            let mut x = random.argument(name, &half_pi);
            if name == "sin-x*cos" && x.abs() < 1e-18 {
                // Hundreds of digits would be needed.
                x = 1e-18 + x.abs();
            }
            if name == "ln" && x == 0.0 {
                continue;
            }
            let mut value = Float::with_val(PRECISION, x);
            let rounded = function(&mut value);
            counts.judge(range(I::point(x)), (&value, rounded), &|| format!("{name} {x:e}"));
        }
        counts.report(name);
        assert_eq!(counts.failures, 0);
    }
    if only.as_ref().is_none_or(|only| only == "atan2") {
        atan2(points);
    }
}

fn atan2(points: u64) {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut counts = Counts::default();
    while counts.points < points {
        let y = match random.below(4) {
            0 => random.any(),
            1 => random.near(0.0),
            2 => random.signed(1.0) * random.subnormal(),
            _ => random.uniform() - 0.5,
        };
        let x = match random.below(5) {
            0 => random.any(),
            1 => random.beside(y),
            2 => random.near(y),
            3 => random.signed(1.0) * random.subnormal(),
            _ => y * (random.uniform() - 0.5) * 2_f64.powi(random.below(140) as i32 - 70),
        };
        if !x.is_finite() || !y.is_finite() || (x == 0.0 && y == 0.0) || (y == 0.0 && x < 0.0) {
            continue;
        }
        let mut value = Float::with_val(PRECISION, y);
        let rounded = value.atan2_round(&Float::with_val(PRECISION, x), Round::Nearest);
        let range = I::point(y).atan2(I::point(x));
        counts.judge(range, (&value, rounded), &|| format!("atan2 {y:e} {x:e}"));
    }
    counts.report("atan2");
    assert_eq!(counts.failures, 0);
}
