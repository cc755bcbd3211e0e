//! Laws of inputs: independent entries of one law, or Gaussian tokens of any covariance.

use rand_distr::{
    Cauchy, Distribution, Exp1, Gumbel, LogNormal, Open01, Pareto, StandardNormal, StandardUniform,
    StudentT,
};
use rand_xoshiro::Xoshiro256PlusPlus;

/// γ, the mean of the standard Gumbel law.
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
            Self::StudentT { freedom, scale } => scaled(&format!("t({freedom})"), *scale),
            Self::LogNormal { deviation } => format!("lognormal of deviation {deviation}"),
            Self::Pareto { index, scale } => scaled(&format!("pareto({index})"), *scale),
            Self::Cauchy { scale } => scaled("cauchy", *scale),
            Self::Mixture { weight, parts } => {
                let [first, second] = &**parts;
                format!("{weight} {} + {} {}", first.name(), 1.0 - weight, second.name())
            }
        }
    }

    /// Mean and variance, or why there are none: which condition is not met.
    pub fn moments(&self) -> Result<Moments, String> {
        let of = |mean: f64, variance: f64| Ok(Moments { mean, variance });
        match *self {
            Self::Gaussian { deviation } => of(0.0, deviation * deviation),
            Self::Exponential { scale } => of(scale, scale * scale),
            Self::Laplace { scale } => of(0.0, 2.0 * scale * scale),
            Self::Uniform { half_width } => of(0.0, half_width * half_width / 3.0),
            Self::Rademacher { scale } => of(0.0, scale * scale),
            Self::Gumbel { scale } => {
                of(EULER * scale, (std::f64::consts::PI * scale).powi(2) / 6.0)
            }
            Self::StudentT { freedom, .. } if !(freedom > 2.0) => {
                Err(format!("t({freedom}) has no finite second moment: it needs ν > 2"))
            }
            Self::StudentT { freedom, scale } => of(0.0, scale * scale * freedom / (freedom - 2.0)),
            Self::LogNormal { deviation } => {
                let square = deviation * deviation;
                of((0.5 * square).exp(), square.exp_m1() * square.exp())
            }
            Self::Pareto { index, .. } if !(index > 2.0) => {
                Err(format!("Pareto({index}) has no finite second moment: it needs α > 2"))
            }
            Self::Pareto { index, scale } => {
                let less = index - 1.0;
                of(scale * index / less, scale * scale * index / (less * less * (index - 2.0)))
            }
            Self::Cauchy { .. } => {
                Err("Cauchy's law has no finite second moment, nor even a mean".to_owned())
            }
            Self::Mixture { weight, ref parts } => {
                let [first, second] = &**parts;
                let (a, b) = (first.moments()?, second.moments()?);
                let other = 1.0 - weight;
                let apart = a.mean - b.mean;
                of(
                    weight * a.mean + other * b.mean,
                    weight * a.variance + other * b.variance + weight * other * apart * apart,
                )
            }
        }
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
            Self::StudentT { freedom, scale } => scale * draw(StudentT::new(freedom).ok(), random),
            Self::LogNormal { deviation } => draw(LogNormal::new(0.0, deviation).ok(), random),
            Self::Pareto { index, scale } => draw(Pareto::new(scale, index).ok(), random),
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
    let value = crate::number::Exact::parse(text).map_err(|error| format!("{what}: {error}"))?;
    let value = value.to_f64();
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(format!("{what} must be above 0, found {text}"))
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
        "t" | "student-t" => match parameter(0, "the degrees of freedom")? {
            Some(freedom) => Ok(Family::StudentT { freedom, scale: second()? }),
            None => Err("t needs its degrees of freedom, as in t:5".to_owned()),
        },
        "pareto" => match parameter(0, "the index")? {
            Some(index) => Ok(Family::Pareto { index, scale: second()? }),
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

    #[test]
    fn second_moments_end_where_they_should() {
        for text in
            ["t:2", "t:1.5", "cauchy", "pareto:2", "pareto:1", "0.999*gaussian+0.001*cauchy"]
        {
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
}
