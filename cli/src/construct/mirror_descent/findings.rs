//! What is measured: transformer against algorithm, leakage of finite masks, and how close a step is
//! to exact Bayes.

use popgd_core::in_context::mirror_descent::posterior;
use popgd_core::{Error, Interval};
use rayon::prelude::*;

use super::instance::{Instance, Outcome, RunScalar};
use super::settings::MirrorDescent;
use crate::error::Failure;
use crate::interrupt;
use crate::number::Exact;
use crate::progress::Progress;
use crate::scalar::Number;
use crate::settings::ScalarKind;

/// On so many instances leakage and orders are measured.
const FEW: usize = 8;
/// Of few instances the posterior is computed up to the states that core takes on, of many up to so
/// many, not to wait for it.
const STATES_OF_MANY: usize = 50_000;
/// On the way to uniform up to so many.
const STATES_NEAR_UNIFORM: usize = 5_000;
/// So many roundings of the largest logit may lie between transformer and algorithm over floats.
const ROUNDINGS: f64 = 4.0;
/// Enclosures wider than this, relative to what they enclose, decide nothing.
pub const WIDEST: f64 = 1e-2;
/// Leakage and remainders below this are rounding, and have no slope.
const ROUNDING: f64 = 1e-13;
/// An order is settled if the last two pairs of ε give it up to this, and is then as claimed up to this.
const ORDER_TOLERANCE: f64 = 0.05;

/// Everything that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Of every instance, in order.
    pub sequences: Vec<Sequence>,
    /// Leakage of finite masks, of the three layers.
    pub leakage: Vec<Leak>,
    /// How one step nears the posterior mean as π nears uniform.
    pub remainders: Vec<Remainder>,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

/// What was found for a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// T.
    pub length: usize,
    /// λ by the transformer.
    pub transformer: Vec<Number>,
    /// λ by the algorithm.
    pub algorithm: Vec<Number>,
    /// The largest difference of the two, for certain if they are enclosures.
    pub difference: f64,
    /// The same of the distributions of the next token.
    pub next_difference: f64,
    /// The largest width of an enclosure relative to what it encloses.
    pub relative_width: Option<f64>,
    /// Whether both are the same: up to rounding, or as far as enclosures tell.
    pub agrees: bool,
    /// The largest η ∂ at the uniform λ, a rounding of which neither can do without.
    pub largest_logit: f64,
    /// The largest difference of λ by the algorithm and the posterior mean, if that was computed.
    pub from_bayes: Option<f64>,
    /// The same of the uniform λ.
    pub uniform_from_bayes: Option<f64>,
    /// By how much the log-likelihood of the uniform λ rose; nothing if λ ends where the sequence is
    /// impossible.
    pub gain: Option<f64>,
    /// 1/L, if there is such a rate.
    pub safe_rate: Option<f64>,
    /// By how much a step of that rate raises the log-likelihood.
    pub safe_gain: Option<f64>,
}

/// Leakage of a finite mask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leak {
    /// δ.
    pub strength: f64,
    /// The largest difference to the true mask, over a few sequences.
    pub error: f64,
    /// The slope of its logarithm from the strength before; nothing at the first, and where rounding
    /// is all that is left.
    pub slope: Option<f64>,
    /// Whether it is at most ½ηm² e^{−δ}, up to e^{−2δ}; nothing where that is below rounding.
    pub within: Option<bool>,
}

/// Differences of a step and the posterior mean along `π = 1/q + ε D`.
#[derive(Clone, Debug, PartialEq)]
pub struct Remainder {
    /// η, as it is written.
    pub rate: String,
    /// Whether it is 1/(ma+1).
    pub right: bool,
    /// The order of the remainder: 1 at a wrong rate; at the right one 2, and 3 with two lags.
    pub claimed: u32,
    /// ε and the largest difference, over a few sequences.
    pub points: Vec<(f64, f64)>,
    /// The order between the last two ε; nothing if nothing differs.
    pub order: Option<f64>,
    /// Whether that is the claimed one; nothing where it has not settled yet.
    pub as_claimed: Option<bool>,
}

impl Findings {
    /// The slope of ln leakage in δ between the two largest strengths that tell.
    pub fn leakage_slope(&self) -> Option<f64> {
        self.leakage.iter().rev().find_map(|leak| leak.slope)
    }

    /// Whether transformer and algorithm agree on all sequences; nothing where enclosures are too wide
    /// to tell.
    pub fn verdict(&self) -> Option<bool> {
        match (self.refuted(), self.too_wide()) {
            (Some(_), _) => Some(false),
            (None, Some(_)) => None,
            (None, None) => Some(true),
        }
    }

    /// The first sequence on which transformer and algorithm certainly differ.
    pub fn refuted(&self) -> Option<usize> {
        self.sequences.iter().position(|sequence| !sequence.agrees)
    }

    /// The first sequence on which a step of rate 1/L lowers the likelihood.
    pub fn lowered(&self) -> Option<usize> {
        let lowers = |sequence: &Sequence| sequence.safe_gain.is_some_and(|gain| gain < 0.0);
        self.sequences.iter().position(lowers)
    }

    /// The first sequence whose enclosures are too wide to tell.
    pub fn too_wide(&self) -> Option<usize> {
        let wide = |sequence: &Sequence| sequence.relative_width.is_some_and(|w| !(w <= WIDEST));
        self.sequences.iter().position(wide)
    }
}

/// Measures all of it.
///
/// # Errors
/// [`Failure::Usage`] for a sequence that is impossible, [`Failure::NotFinite`] if numbers leave
/// the range of the scalar.
pub fn measure(settings: &MirrorDescent, progress: &Progress) -> Result<Findings, Failure> {
    let count = usize::try_from(settings.shared.instances).unwrap_or(usize::MAX);
    let mut sequences: Vec<Sequence> = Vec::with_capacity(count.min(1 << 16));
    let numbers: Vec<usize> = (0..count).collect();
    for chunk in numbers.chunks(16) {
        if interrupt::requested() {
            break;
        }
        let found: Result<Vec<Sequence>, Failure> =
            chunk.par_iter().map(|&number| sequence(settings, number)).collect();
        sequences.extend(found?);
        progress.reached(sequences.len() as u64);
    }
    let interrupted = sequences.len() < count;
    let few: Result<Vec<Instance>, Failure> = (0..sequences.len().min(FEW))
        .map(|number| told(settings, number, Instance::new(settings, number)))
        .collect();
    let few = few?;
    let leakage = leakage(settings, &few)?;
    let remainders = remainders(settings, &few)?;
    Ok(Findings { sequences, leakage, remainders, interrupted })
}

/// What core refuses, in the words of the command line.
fn told<T>(
    settings: &MirrorDescent,
    number: usize,
    result: Result<T, Error>,
) -> Result<T, Failure> {
    result.map_err(|error| {
        let place = match settings.sequences {
            Some(_) => format!("--sequences, row {}", number + 1),
            None => format!("sequence {}", number + 1),
        };
        match error {
            Error::Impossible { position } => Failure::usage(format!(
                "{place}, column {}: no earlier token within the order leads to this one: all \
                 transitions have probability 0; take another sequence, order or π",
                position + 1
            )),
            Error::NotFinite { what } => Failure::NotFinite(format!(
                "{place}: the {what} left the range of the scalar; choose a smaller --rate, fewer \
                 --steps, or --scalar f64"
            )),
            other => Failure::usage(format!("{place}: {other}")),
        }
    })
}

/// One sequence, in the scalar that was asked for.
fn sequence(settings: &MirrorDescent, number: usize) -> Result<Sequence, Failure> {
    let found = Instance::new(settings, number).and_then(|instance| match settings.shared.scalar {
        ScalarKind::F32 => run::<f32>(settings, &instance),
        ScalarKind::F64 => run::<f64>(settings, &instance),
        ScalarKind::Interval32 => run::<Interval<f32>>(settings, &instance),
        ScalarKind::Interval64 => run::<Interval<f64>>(settings, &instance),
    });
    told(settings, number, found)
}

fn run<S: RunScalar>(settings: &MirrorDescent, instance: &Instance) -> Result<Sequence, Error> {
    let rate = S::from_exact(&settings.rate);
    let (transformer, next) = instance.attend(rate, settings.steps, None)?;
    let (algorithm, expected) = instance.descend(rate, settings.steps)?;
    let a = settings.concentration.to_f64();
    let in_floats: Outcome<f64> = instance.descend(settings.rate.to_f64(), settings.steps)?;
    let few = settings.shared.instances <= FEW as u64;
    let bayes = instance.bayes(a, if few { posterior::MOST_STATES } else { STATES_OF_MANY })?;
    let even = vec![1.0 / instance.order as f64; instance.order];
    let gradient = instance.first_gradient()?;
    let eta = settings.rate.to_f64();
    let largest_logit = gradient.iter().fold(1.0, |most: f64, slope| most.max(eta * slope));
    let safe_rate = instance.safe_rate()?;
    let safe_gain = match safe_rate {
        Some(rate) => instance.gain(rate, 1)?,
        None => None,
    };

    let numbers = |values: &[S]| values.iter().map(|x| x.report()).collect::<Vec<Number>>();
    let (found, wanted) = (numbers(&transformer), numbers(&algorithm));
    let both = |weights: &[S], next: &[S]| numbers(&[weights, next].concat());
    let pairs: Vec<(Number, Number)> =
        both(&transformer, &next).into_iter().zip(both(&algorithm, &expected)).collect();
    let (difference, next_difference) =
        (largest(&transformer, &algorithm), largest(&next, &expected));
    let relative_width = pairs.iter().flat_map(|&(x, y)| [width(x), width(y)]).flatten();
    let relative_width = relative_width.reduce(greater);
    let agrees = match relative_width {
        Some(_) => pairs.iter().all(|&(x, y)| overlap(x, y)),
        None => {
            let unit = match settings.shared.scalar {
                ScalarKind::F32 => f64::from(f32::EPSILON),
                _ => f64::EPSILON,
            };
            let steps = settings.steps as f64;
            difference.max(next_difference) <= ROUNDINGS * unit * largest_logit * steps.powi(2)
        }
    };
    Ok(Sequence {
        length: instance.tokens.len(),
        transformer: found,
        algorithm: wanted,
        difference,
        next_difference,
        relative_width,
        agrees,
        largest_logit,
        from_bayes: bayes.as_ref().map(|bayes| largest(&in_floats.0, bayes)),
        uniform_from_bayes: bayes.as_ref().map(|bayes| largest(&even, bayes)),
        gain: instance.gain(eta, settings.steps)?,
        safe_rate,
        safe_gain,
    })
}

/// The largest |x − y|, rounded up if enclosed.
fn largest<S: RunScalar>(values: &[S], others: &[S]) -> f64 {
    let differences = values.iter().zip(others).map(|(&x, &y)| match (x - y).absolute().report() {
        Number::Float(size) => size,
        Number::Single(size) => f64::from(size),
        Number::Interval { hi, .. } => hi,
        Number::SingleInterval { hi, .. } => f64::from(hi),
    });
    differences.fold(0.0, greater)
}

/// The larger of two figures; one that is no number is larger than all.
fn greater(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

fn ends(number: Number) -> Option<(f64, f64)> {
    match number {
        Number::Interval { lo, hi } => Some((lo, hi)),
        Number::SingleInterval { lo, hi } => Some((f64::from(lo), f64::from(hi))),
        Number::Float(_) | Number::Single(_) => None,
    }
}

/// The width of an enclosure, relative to the least size within, or to what is as good as 0.
fn width(number: Number) -> Option<f64> {
    let least = match number {
        Number::SingleInterval { .. } => 1e-30,
        _ => 1e-290,
    };
    ends(number).map(|(lo, hi)| (hi - lo) / lo.abs().min(hi.abs()).max(least))
}

fn overlap(x: Number, y: Number) -> bool {
    match (ends(x), ends(y)) {
        (Some((a, b)), Some((c, d))) => a <= d && c <= b,
        _ => false,
    }
}

/// Leakage, over floats: it is measured, not proven.
fn leakage(settings: &MirrorDescent, few: &[Instance]) -> Result<Vec<Leak>, Failure> {
    let rate = settings.rate.to_f64();
    let mut leaks: Vec<Leak> = Vec::new();
    for strength in &settings.mask_strengths {
        let strength = strength.to_f64();
        let mut error = 0.0;
        for (number, instance) in few.iter().enumerate() {
            let masked = told(settings, number, instance.attend(rate, 1, None))?;
            let leaking = told(settings, number, instance.attend(rate, 1, Some(strength)))?;
            error = greater(error, largest(&masked.0, &leaking.0));
        }
        // δ takes the last digits of the logarithms that it is added to.
        let rounding = ROUNDING.max(4.0 * f64::EPSILON * strength);
        let slope = leaks
            .last()
            .filter(|_| error > rounding)
            .map(|before| (error / before.error).ln() / (strength - before.strength));
        let bound = 0.5 * rate * (settings.order as f64).powi(2) * (-strength).exp();
        // Up to terms of the second order, and the rounding of the two that are compared.
        let within = (bound > rounding).then_some(error <= bound * (1.0 + bound) + rounding);
        leaks.push(Leak { strength, error, slope, within });
    }
    Ok(leaks)
}

/// Remainders at 1/(ma+1) and at twice that.
fn remainders(settings: &MirrorDescent, few: &[Instance]) -> Result<Vec<Remainder>, Failure> {
    let a = &settings.concentration;
    let whole = &(&Exact::integer(settings.order as u64) * a) + &Exact::one();
    let right = whole.reciprocal().unwrap_or_else(Exact::one);
    let wrong = &Exact::integer(2) * &right;
    let mut remainders = Vec::new();
    for (rate, is_right) in [(right, true), (wrong, false)] {
        let mut points = Vec::new();
        for power in 4..=10 {
            let epsilon = Exact::ratio(1, 1 << power).unwrap_or_else(Exact::one);
            let mut error = 0.0;
            for (number, instance) in few.iter().enumerate() {
                let Some(near) = instance.nearly_uniform(&epsilon, STATES_NEAR_UNIFORM) else {
                    continue;
                };
                let step: Outcome<f64> = told(settings, number, near.descend(rate.to_f64(), 1))?;
                let bayes = told(settings, number, near.bayes(a.to_f64(), STATES_NEAR_UNIFORM))?;
                if let Some(bayes) = bayes {
                    error = greater(error, largest(&step.0, &bayes));
                }
            }
            points.push((epsilon.to_f64(), error));
        }
        // A remainder of rounding alone has no order.
        let order_of = |before: f64, last: f64| (last > ROUNDING).then(|| (before / last).log2());
        let (order, earlier) = match points[..] {
            [.., (_, first), (_, before), (_, last)] => {
                (order_of(before, last), order_of(first, before))
            }
            _ => (None, None),
        };
        let claimed = match (is_right, settings.order) {
            (false, _) => 1,
            (true, 2) => 3,
            (true, _) => 2,
        };
        let rate = rate.to_string();
        let as_claimed = order.zip(earlier).and_then(|(order, earlier)| {
            let is_near = (order - f64::from(claimed)).abs() <= ORDER_TOLERANCE;
            // Near a claim that it comes nearer to it need not have settled.
            let has_settled = (order - earlier).abs() <= ORDER_TOLERANCE;
            (is_near || has_settled).then_some(is_near)
        });
        remainders.push(Remainder { rate, right: is_right, claimed, points, order, as_claimed });
    }
    Ok(remainders)
}
