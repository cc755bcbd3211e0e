//! Laws of inputs: independent entries of one law, or Gaussian tokens of any covariance.

use popgd_core::{Interval, Scalar};
use rand_distr::{
    Cauchy, Distribution, Exp1, Gumbel, LogNormal, Open01, Pareto, StandardNormal, StandardUniform,
    StudentT,
};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::number::Exact;

/// γ, the mean of the standard Gumbel law, but for rounding.
const EULER: f64 = 0.577_215_664_901_532_9;

/// The names that are known, for messages and help.
pub const NAMES: &str = "gaussian[:DEVIATION], exponential[:SCALE], laplace[:SCALE], \
                         uniform[:HALF-WIDTH], rademacher[:SCALE], gumbel[:SCALE], t:NU[:SCALE], \
                         lognormal[:DEVIATION], pareto:ALPHA[:SCALE], cauchy[:SCALE], or a mixture \
                         such as 0.9*gaussian+0.1*t:3";

/// A law on the real line.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// N(0, deviation²).
    Gaussian {
        /// Its deviation (of lognormal: that of the logarithm).
        deviation: f64,
    },
    /// Mean `scale`, from 0 on.
    Exponential {
        /// Its scale.
        scale: f64,
    },
    /// Two exponentials, back to back.
    Laplace {
        /// Its scale.
        scale: f64,
    },
    /// On (−half_width, half_width).
    Uniform {
        /// Where it ends.
        half_width: f64,
    },
    /// ±scale, each with probability ½.
    Rademacher {
        /// Its scale.
        scale: f64,
    },
    /// Gumbel's law of largest values, with location 0.
    Gumbel {
        /// Its scale.
        scale: f64,
    },
    /// Student's, with so many degrees of freedom.
    StudentT {
        /// ν.
        freedom: f64,
        /// ν − 2, rounded once: next to 2 that of the rounded ν is another number.
        excess: f64,
        /// Its scale.
        scale: f64,
    },
    /// e^z for z of N(0, deviation²).
    LogNormal {
        /// Its deviation (of lognormal: that of the logarithm).
        deviation: f64,
    },
    /// P(x > y) = (scale/y)^index for y ≥ scale.
    Pareto {
        /// α.
        index: f64,
        /// α − 2, rounded once.
        excess: f64,
        /// Its scale.
        scale: f64,
    },
    /// Cauchy's.
    Cauchy {
        /// Its scale.
        scale: f64,
    },
    /// The first with this probability, otherwise the second.
    Mixture {
        /// The probability of the first.
        weight: f64,
        /// The two.
        parts: Box<[Family; 2]>,
    },
}

/// Mean and variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// E x.
    pub mean: f64,
    /// Var x.
    pub variance: f64,
}

/// Mean and variance, enclosed.
#[derive(Clone, Copy, Debug)]
pub struct EnclosedMoments {
    /// E x.
    pub mean: Interval<f64>,
    /// Var x.
    pub variance: Interval<f64>,
}

/// What was written, of which this is the nearest float.
pub fn written(value: f64) -> Interval<f64> {
    Interval::new(value.next_down(), value.next_up()).unwrap_or(Interval::ENTIRE)
}

/// e^x − 1 for x > 0.
fn exp_less_one(x: Interval<f64>) -> Interval<f64> {
    let one = Interval::point(1.0);
    if x.hi() > 0.0625 {
        return x.exp() - one;
    }
    // Taylor's sum, whose remainder has a factor between 1 and e^x in the place of its last 1.
    let end = one.hull(x.exp());
    x * (2..=9).rev().fold(end, |sum, n| one + x * sum / one.integer(n))
}

impl Family {
    /// As on the command line.
    ///
    /// # Errors
    /// What is wrong, without the name of the flag.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('+').map(str::trim).collect();
        match parts[..] {
            [one] if !one.contains('*') => single(one),
            [first, second] => {
                let (weight, first) = weighted(first)?;
                let (other, second) = weighted(second)?;
                if (weight + other - 1.0).abs() > 1e-12 {
                    return Err(format!(
                        "the weights of a mixture must sum to 1, found {weight} and {other}"
                    ));
                }
                Ok(Self::Mixture { weight, parts: Box::new([first, second]) })
            }
            _ => Err(format!(
                "`{text}` is not understood: a mixture has two parts, each WEIGHT*FAMILY, such as \
                 0.9*gaussian+0.1*t:3"
            )),
        }
    }

    /// In words.
    pub fn name(&self) -> String {
        let scaled = |name: &str, scale: f64| {
            if scale == 1.0 { name.to_owned() } else { format!("{name} of scale {scale}") }
        };
        match self {
            Self::Gaussian { deviation } => scaled("gaussian", *deviation),
            Self::Exponential { scale } => scaled("exponential", *scale),
            Self::Laplace { scale } => scaled("laplace", *scale),
            Self::Uniform { half_width } => format!("uniform on ±{half_width}"),
            Self::Rademacher { scale } => scaled("rademacher", *scale),
            Self::Gumbel { scale } => scaled("gumbel", *scale),
            Self::StudentT { freedom, excess, scale } => {
                scaled(&format!("t({})", beside_two(*freedom, *excess)), *scale)
            }
            Self::LogNormal { deviation } => format!("lognormal of deviation {deviation}"),
            Self::Pareto { index, excess, scale } => {
                scaled(&format!("pareto({})", beside_two(*index, *excess)), *scale)
            }
            Self::Cauchy { scale } => scaled("cauchy", *scale),
            Self::Mixture { weight, parts } => {
                let [first, second] = &**parts;
                format!("{weight} {} + {} {}", first.name(), 1.0 - weight, second.name())
            }
        }
    }

    /// Mean and variance, or why there are none: which condition is not met.
    ///
    /// # Errors
    /// The condition, as a sentence.
    pub fn moments(&self) -> Result<Moments, String> {
        let EnclosedMoments { mean, variance } = self.enclosed_moments()?;
        Ok(Moments { mean: mean.midpoint(), variance: variance.midpoint() })
    }

    /// The same, rounding and the digits of π, γ and parameters included.
    ///
    /// # Errors
    /// As [`moments`](Self::moments).
    pub fn enclosed_moments(&self) -> Result<EnclosedMoments, String> {
        let zero = Interval::point(0.0);
        let (one, two) = (Interval::point(1.0), Interval::point(2.0));
        let of = |mean, variance| Ok(EnclosedMoments { mean, variance });
        match *self {
            Self::Gaussian { deviation } => of(zero, written(deviation).square()),
            Self::Exponential { scale } => of(written(scale), written(scale).square()),
            Self::Laplace { scale } => of(zero, two * written(scale).square()),
            Self::Uniform { half_width } => {
                of(zero, written(half_width).square() / Interval::point(3.0))
            }
            Self::Rademacher { scale } => of(zero, written(scale).square()),
            Self::Gumbel { scale } => {
                let scale = written(scale);
                of(written(EULER) * scale, (one.pi() * scale).square() / Interval::point(6.0))
            }
            Self::StudentT { excess, scale, .. } if excess > 0.0 => {
                of(zero, written(scale).square() * (one + two / written(excess)))
            }
            Self::StudentT { .. } => {
                Err(format!("{} has no finite second moment: it needs ν > 2", self.name()))
            }
            Self::LogNormal { deviation } => {
                let square = written(deviation).square();
                of((square / two).exp(), exp_less_one(square) * square.exp())
            }
            Self::Pareto { excess, scale, .. } if excess > 0.0 => {
                let (excess, scale) = (written(excess), written(scale));
                let (less, index) = (excess + one, excess + two);
                of(scale * index / less, scale.square() * index / (less.square() * excess))
            }
            Self::Pareto { .. } => {
                Err(format!("{} has no finite second moment: it needs α > 2", self.name()))
            }
            Self::Cauchy { .. } => {
                Err("Cauchy's law has no finite second moment, nor even a mean".to_owned())
            }
            Self::Mixture { weight, ref parts } => {
                let [first, second] = &**parts;
                let (a, b) = (first.enclosed_moments()?, second.enclosed_moments()?);
                let weight = written(weight);
                let other = one - weight;
                of(
                    weight * a.mean + other * b.mean,
                    weight * a.variance
                        + other * b.variance
                        + weight * other * (a.mean - b.mean).square(),
                )
            }
        }
    }

    /// Whether E x⁴ is finite, without which the error of a mean of squares cannot be told.
    pub fn fourth_moment_is_finite(&self) -> bool {
        match self {
            Self::StudentT { excess, .. } | Self::Pareto { excess, .. } => *excess > 2.0,
            Self::Cauchy { .. } => false,
            Self::Mixture { parts, .. } => parts.iter().all(Self::fourth_moment_is_finite),
            _ => true,
        }
    }

    /// How many samples, at the least, the standard error of a mean of squares is to be believed from:
    /// 25 E x⁴/(E x²)². With fewer of a law as heavy as that, the samples that matter are mostly
    /// missing, from the mean and from its error alike. Infinite without fourth moments.
    pub fn samples_for_errors(&self) -> f64 {
        const TIMES: f64 = 25.0;
        match (self.moments(), self.fourth_moment()) {
            (Ok(Moments { mean, variance }), Some(fourth)) => {
                TIMES * fourth / (variance + mean * mean).powi(2)
            }
            _ => f64::INFINITY,
        }
    }

    /// E x⁴, rounded; none where it is infinite.
    fn fourth_moment(&self) -> Option<f64> {
        Some(match *self {
            Self::Gaussian { deviation } => 3.0 * deviation.powi(4),
            Self::Exponential { scale } | Self::Laplace { scale } => 24.0 * scale.powi(4),
            Self::Uniform { half_width } => half_width.powi(4) / 5.0,
            Self::Rademacher { scale } => scale.powi(4),
            Self::Gumbel { scale } => {
                const APERY: f64 = 1.202_056_903_159_594;
                let square = std::f64::consts::PI.powi(2);
                let (variance, third) = (square / 6.0, 2.0 * APERY);
                let fourth = 3.0 * variance * variance + square * square / 15.0;
                let (mean, mean_square) = (EULER, EULER * EULER);
                scale.powi(4)
                    * (fourth
                        + 4.0 * third * mean
                        + 6.0 * variance * mean_square
                        + mean_square * mean_square)
            }
            Self::StudentT { freedom, excess, scale } if excess > 2.0 => {
                3.0 * (freedom * scale * scale).powi(2) / (excess * (excess - 2.0))
            }
            Self::LogNormal { deviation } => (8.0 * deviation * deviation).exp(),
            Self::Pareto { index, excess, scale } if excess > 2.0 => {
                scale.powi(4) * index / (excess - 2.0)
            }
            Self::StudentT { .. } | Self::Pareto { .. } | Self::Cauchy { .. } => return None,
            Self::Mixture { weight, ref parts } => {
                let [first, second] = &**parts;
                weight * first.fourth_moment()? + (1.0 - weight) * second.fourth_moment()?
            }
        })
    }

    /// Whether x and −x have the same law.
    pub fn is_symmetric(&self) -> bool {
        match self {
            Self::Gaussian { .. }
            | Self::Laplace { .. }
            | Self::Uniform { .. }
            | Self::Rademacher { .. }
            | Self::StudentT { .. }
            | Self::Cauchy { .. } => true,
            Self::Exponential { .. }
            | Self::Gumbel { .. }
            | Self::LogNormal { .. }
            | Self::Pareto { .. } => false,
            Self::Mixture { parts, .. } => parts.iter().all(Self::is_symmetric),
        }
    }

    /// Whether sums of entries may be 0 with positive probability.
    pub fn has_atoms(&self) -> bool {
        match self {
            Self::Rademacher { .. } => true,
            Self::Mixture { parts, .. } => parts.iter().any(Self::has_atoms),
            _ => false,
        }
    }

    /// One draw.
    pub fn sample(&self, random: &mut Xoshiro256PlusPlus) -> f64 {
        match *self {
            Self::Gaussian { deviation } => {
                deviation * Distribution::<f64>::sample(&StandardNormal, random)
            }
            Self::Exponential { scale } => scale * Distribution::<f64>::sample(&Exp1, random),
            Self::Laplace { scale } => {
                let size: f64 = Exp1.sample(random);
                scale * if StandardUniform.sample(random) { size } else { -size }
            }
            Self::Uniform { half_width } => {
                let unit: f64 = Open01.sample(random);
                half_width * (2.0 * unit - 1.0)
            }
            Self::Rademacher { scale } => {
                if StandardUniform.sample(random) {
                    scale
                } else {
                    -scale
                }
            }
            // The parameters were checked when they were read: none of these is refused.
            Self::Gumbel { scale } => draw(Gumbel::new(0.0, scale).ok(), random),
            Self::StudentT { freedom, scale, .. } => {
                scale * draw(StudentT::new(freedom).ok(), random)
            }
            Self::LogNormal { deviation } => draw(LogNormal::new(0.0, deviation).ok(), random),
            Self::Pareto { index, scale, .. } => draw(Pareto::new(scale, index).ok(), random),
            Self::Cauchy { scale } => draw(Cauchy::new(0.0, scale).ok(), random),
            Self::Mixture { weight, ref parts } => {
                let unit: f64 = StandardUniform.sample(random);
                let [first, second] = &**parts;
                if unit < weight { first.sample(random) } else { second.sample(random) }
            }
        }
    }
}

fn draw(law: Option<impl Distribution<f64>>, random: &mut Xoshiro256PlusPlus) -> f64 {
    law.map_or(f64::NAN, |law| law.sample(random))
}

fn weighted(text: &str) -> Result<(f64, Family), String> {
    let (weight, family) = text.split_once('*').ok_or_else(|| {
        format!("`{text}`: a part of a mixture begins with its weight, as in 0.1*{text}")
    })?;
    let weight = positive(weight.trim(), "the weight")?;
    if !(weight < 1.0) {
        return Err(format!("the weight of a part must be below 1, found {weight}"));
    }
    Ok((weight, single(family.trim())?))
}

fn positive(text: &str, what: &str) -> Result<f64, String> {
    positive_exact(text, what).map(|value| value.to_f64())
}

fn positive_exact(text: &str, what: &str) -> Result<Exact, String> {
    let value = Exact::parse(text).map_err(|error| format!("{what}: {error}"))?;
    if !value.is_positive() {
        return Err(format!("{what} must be above 0, found {text}"));
    }
    if value.to_f64() > 0.0 && value.to_f64().is_finite() {
        Ok(value)
    } else {
        Err(format!(
            "{what} is out of range: expected a number that a float can hold, found {text}"
        ))
    }
}

/// A parameter and how far it is above 2, each rounded once.
fn above_two(text: &str, what: &str) -> Result<(f64, f64), String> {
    let value = positive_exact(text, what)?;
    Ok((value.to_f64(), (&value - &Exact::integer(2)).to_f64()))
}

/// Such a parameter in words; next to 2 its float does not tell on which side.
fn beside_two(value: f64, excess: f64) -> String {
    match excess {
        _ if value - 2.0 == excess || (value - 2.0).abs() > 1e-9 => value.to_string(),
        excess if excess > 0.0 => format!("2 + {excess:e}"),
        excess => format!("2 − {:e}", -excess),
    }
}

fn single(text: &str) -> Result<Family, String> {
    let mut words = text.split(':').map(str::trim);
    let name = words.next().unwrap_or_default().to_lowercase();
    let parameters: Vec<&str> = words.collect();
    let most = match name.as_str() {
        "t" | "student-t" | "pareto" => 2,
        _ => 1,
    };
    if parameters.len() > most {
        return Err(format!("`{text}` has more parameters than {name} takes ({most})"));
    }
    let parameter = |at: usize, what: &str| match parameters.get(at) {
        Some(text) => positive(text, what).map(Some),
        None => Ok(None),
    };
    let scale = || Ok::<f64, String>(parameter(0, "the scale")?.unwrap_or(1.0));
    let second = || Ok::<f64, String>(parameter(1, "the scale")?.unwrap_or(1.0));
    match name.as_str() {
        "gaussian" | "normal" => Ok(Family::Gaussian { deviation: scale()? }),
        "exponential" => Ok(Family::Exponential { scale: scale()? }),
        "laplace" => Ok(Family::Laplace { scale: scale()? }),
        "uniform" => Ok(Family::Uniform { half_width: scale()? }),
        "rademacher" => Ok(Family::Rademacher { scale: scale()? }),
        "gumbel" => Ok(Family::Gumbel { scale: scale()? }),
        "lognormal" => Ok(Family::LogNormal { deviation: scale()? }),
        "cauchy" => Ok(Family::Cauchy { scale: scale()? }),
        "t" | "student-t" => match parameters.first() {
            Some(text) => {
                let (freedom, excess) = above_two(text, "the degrees of freedom")?;
                Ok(Family::StudentT { freedom, excess, scale: second()? })
            }
            None => Err("t needs its degrees of freedom, as in t:5".to_owned()),
        },
        "pareto" => match parameters.first() {
            Some(text) => {
                let (index, excess) = above_two(text, "the index")?;
                Ok(Family::Pareto { index, excess, scale: second()? })
            }
            None => Err("pareto needs its index, as in pareto:3".to_owned()),
        },
        _ => Err(format!(
            "`{text}` is neither a family nor a file: expected {NAMES}; or a file \
                          that ends in .csv, .npy or .jsonl"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    fn family(text: &str) -> Family {
        Family::parse(text).unwrap()
    }

    /// Exact moments against a million draws, within six standard errors, which the fourth moment
    /// of the draws gives.
    #[test]
    fn samplers_have_the_moments_that_are_claimed() {
        for text in [
            "gaussian:2",
            "exponential",
            "laplace:0.5",
            "uniform:3",
            "rademacher",
            "gumbel:2",
            "t:9",
            "t:7:0.5",
            "lognormal:0.3",
            "pareto:9",
            "pareto:12:2",
            "0.9*gaussian+0.1*gumbel:2",
        ] {
            let law = family(text);
            let Moments { mean, variance } = law.moments().unwrap();
            let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
            let n = 1_000_000;
            let (mut first, mut second, mut fourth) = (0.0, 0.0, 0.0);
            for _ in 0..n {
                let x = law.sample(&mut random) - mean;
                first += x;
                second += x * x;
                fourth += x.powi(4);
            }
            let count = f64::from(n);
            let (first, second, fourth) = (first / count, second / count, fourth / count);
            assert!(first.abs() < 6.0 * (variance / count).sqrt(), "{text}: mean {first}");
            let error = ((fourth - second * second) / count).sqrt();
            let off = (second - variance).abs();
            assert!(off <= 6.0 * error + 1e-9 * variance, "{text}: variance {second} {variance}");
        }
    }

    /// Against values computed by hand with more digits; next to 2 nothing cancels.
    #[test]
    fn moments_are_enclosed_tightly() {
        for (text, mean, variance) in [
            // 1 + 2/(ν − 2), and (2 + h)/((1 + h)² h).
            ("t:2.000001", 0.0, 2_000_001.0),
            ("t:2.0000000000000001", 0.0, 2e16 + 1.0),
            ("pareto:2.000001", 1.999_999_000_001, 1_999_997.000_004),
            ("lognormal:0.001", 1.000_000_500_000_125, 1.000_001_500_001_166_8e-6),
            ("lognormal:1", 1.648_721_270_700_128_2, 4.670_774_270_471_605),
            ("gumbel", 0.577_215_664_901_532_9, 1.644_934_066_848_226_4),
        ] {
            let found = family(text).enclosed_moments().unwrap();
            for (interval, value) in [(found.mean, mean), (found.variance, variance)] {
                // The digits above are good to 5·10⁻¹⁶.
                let wide = interval * Interval::new(1.0 - 5e-16, 1.0 + 5e-16).unwrap();
                assert!(wide.contains(value), "{text}: {interval:?} {value}");
                assert!(interval.width() <= 1e-14 * value, "{text}: {interval:?}");
            }
        }
        assert!(family("t:2.0000000000000001").name().contains("2 + 1e-16"));
    }

    #[test]
    fn fourth_moments_end_where_they_should() {
        for (text, finite) in [
            ("t:4", false),
            ("t:4.0001", true),
            ("pareto:4", false),
            ("pareto:5", true),
            ("cauchy", false),
            ("lognormal", true),
            ("0.5*gaussian+0.5*t:3", false),
        ] {
            assert_eq!(family(text).fourth_moment_is_finite(), finite, "{text}");
        }
    }

    #[test]
    fn second_moments_end_where_they_should() {
        for text in [
            "t:2",
            "t:1.5",
            "t:1.9999999999999999",
            "cauchy",
            "pareto:2",
            "pareto:1",
            "0.9*gaussian+0.1*cauchy",
        ] {
            assert!(family(text).moments().is_err(), "{text}");
        }
        for text in ["t:2.0001", "pareto:2.0001", "lognormal:3"] {
            assert!(family(text).moments().is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, word) in [
            ("t", "degrees of freedom"),
            ("pareto", "index"),
            ("gauss", "neither"),
            ("gaussian:0", "above 0"),
            ("gaussian:1:2", "more parameters"),
            ("0.5*gaussian+0.6*t:3", "sum to 1"),
            ("gaussian+t:3", "begins with its weight"),
            ("t:x", "degrees of freedom"),
        ] {
            let message = Family::parse(text).unwrap_err();
            assert!(message.contains(word), "{text}: {message}");
        }
    }

    #[test]
    fn fourth_moments_are_those_of_samples() {
        use rand_core::SeedableRng;
        let laws = [
            "gaussian:2",
            "exponential",
            "laplace",
            "uniform:3",
            "rademacher:2",
            "gumbel",
            "t:20",
            "pareto:30",
            "lognormal:0.3",
            "0.3*gaussian+0.7*laplace",
        ];
        for text in laws {
            let law = family(text);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
            let count = 400_000;
            let sum: f64 = (0..count).map(|_| law.sample(&mut random).powi(4)).sum();
            let ratio = sum / f64::from(count) / law.fourth_moment().unwrap();
            assert!((ratio - 1.0).abs() < 0.05, "{text}: {ratio}");
        }
        assert_eq!(family("t:4").fourth_moment(), None);
        for (text, enough) in [("gaussian", true), ("t:5", true), ("lognormal:3", false)] {
            assert_eq!(family(text).samples_for_errors() < 20_000.0, enough, "{text}");
        }
        let rare = family("0.999999*gaussian+0.000001*gaussian:3000");
        assert!(rare.samples_for_errors() > 1e7);
    }
}
