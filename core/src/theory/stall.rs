//! Where plain sums of rounded increments stand still.
//!
//! Late in a two-level run a step moves the gap δ between logits by `h = ½ ln(u′/u) ≈ 1/(2T)`,
//! u = 1/tan²θ = e^{2δ}/r². Floats near δ have a spacing q, and δ, once a multiple of it, moves by
//! whole multiples: by n q while h is within (n ± ½) q, and not at all once h < ½ q. As the next
//! increment is computed from the same state, that is for ever (note 9).
//!
//! ```
//! use popgd_core::Activation;
//! use popgd_core::theory::clock::Clock;
//!
//! let (tokens, group) = (36.0, 4.0);
//! let relu = Activation::relu(1.0);
//! let clock = Clock::new(relu, tokens, group, 4.0, 1.0 / tokens, 1.0 / 18.0);
//! let stall = clock.and_then(|clock| clock.stall(f32::MANTISSA_DIGITS)).unwrap();
//! assert!((1.8e6..1.9e6).contains(&stall.steps));
//! ```

use super::clock::Clock;
use super::rates::PAST_BURN_IN;

/// Increments of fewer spacings at the beginning of the late law were rounded badly before it.
const LEAST_AT_BEGINNING: f64 = 16.0;

/// Above so many multiples of the spacing, rounding to a whole one changes the pace by less than
/// it matters: their errors alternate, and are of relative size 1/n² in all.
const LEVELS: f64 = 512.0;

/// Spacings by which rounded forces move a standstill.
const ROUNDING: f64 = 16.0;

/// Twice as many as the exponents that a gap can have on its way.
const BINADES: u32 = 64;

/// Where a plain sum stalls.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stall {
    /// δ, the gap between the logits from there on.
    pub gap: f64,
    /// How far from it the rounded run may stand still, because its c is a plain sum as well and rests
    /// beside its optimum (note 9).
    pub within: f64,
    /// q, the spacing of floats there.
    pub spacing: f64,
    /// The number of steps after which the rounded run is there.
    pub steps: f64,
    /// The number of steps after which an unrounded run passes there.
    pub passed: f64,
}

impl Clock {
    /// Where a run from zero stalls, if its logits are plain sums of floats with so many binary
    /// digits (24 for `f32`, 53 for `f64`). A prediction: it takes increments as exact but for
    /// their sum. `None` if it does not come to that while the clock can tell, or so early that the
    /// late law of increments does not hold yet: where they are below 16 spacings at its beginning,
    /// as for very small teachers and rates.
    pub fn stall(&self, digits: u32) -> Option<Stall> {
        let digits = i32::try_from(digits).ok()?;
        let tangent = PAST_BURN_IN.min(0.5 * self.ratio());
        let mut gap = self.gap_at(tangent);
        let mut steps = self.predicted_burn_in() + self.reading(tangent) / self.rate();
        for binade in 0..BINADES {
            if !(gap > 0.0 && gap.is_finite() && steps.is_finite()) {
                return None;
            }
            let exponent = libm::ilogb(gap);
            let spacing = libm::ldexp(1.0, exponent.saturating_add(1).checked_sub(digits)?);
            if !(spacing > 0.0) {
                return None;
            }
            let end = libm::ldexp(1.0, exponent.saturating_add(1));
            let mut level = libm::floor(self.increment(gap) / spacing + 0.5);
            if binade == 0 && level < LEAST_AT_BEGINNING {
                return None;
            }
            if level > LEVELS {
                let next = self.gap_moving(spacing * (LEVELS + 0.5), gap, end);
                let time = |gap| self.reading(self.tangent_of(gap)) / self.rate();
                steps += time(next) - time(gap);
                gap = next;
                level = LEVELS;
            }
            while gap < end {
                if level < 1.0 {
                    let passed =
                        self.predicted_burn_in() + self.reading(self.tangent_of(gap)) / self.rate();
                    let within = self.reach_of_factor(gap, digits) + ROUNDING * spacing;
                    return Some(Stall { gap, within, spacing, steps, passed });
                }
                let next = self.gap_moving(spacing * (level - 0.5), gap, end);
                steps += (next - gap) / (level * spacing);
                gap = next;
                level -= 1.0;
            }
        }
        None
    }

    /// Half of the relative error that c makes in h: it moves until its own increment λ(c − c*) is
    /// below half of its spacing, or goes to and fro by one.
    fn reach_of_factor(&self, gap: f64, digits: i32) -> f64 {
        let exponent = libm::ilogb(self.factor_at(self.tangent_of(gap)));
        let spacing = libm::ldexp(1.0, exponent.saturating_add(1).saturating_sub(digits));
        let aside = spacing * f64::max(0.5 / self.contraction(), 1.0);
        0.5 * aside * libm::exp(gap)
    }

    /// h, by how much a late step moves the gap.
    fn increment(&self, gap: f64) -> f64 {
        0.5 * libm::log1p(self.advance(gap))
    }

    /// The gap within \[from, to\] that a step moves by `increment`, or the end that is nearest to
    /// it: increments shrink as the gap grows.
    fn gap_moving(&self, increment: f64, from: f64, to: f64) -> f64 {
        let (mut low, mut high) = (from, to);
        for _ in 0..64 {
            let middle = 0.5 * (low + high);
            if self.increment(middle) > increment {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}
