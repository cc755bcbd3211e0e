//! A transformer and its algorithm, number by number.

use super::report::{Claim, Status, Verdict};
use crate::scalar::Number;
use crate::settings::ScalarKind;

/// Enclosures may be so many units in the last place wide, relative to what they are compared by, and
/// what they enclose so far apart: 1e−12 of doubles.
const WIDTH: f64 = 1e-12 / f64::EPSILON;

/// The worst of all that was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison {
    compared: u64,
    disjoint: u64,
    apart: Nearest,
    width: Nearest,
}

/// Of figures and what is allowed for them, the pair that comes nearest to its limit or is farthest beyond.
#[derive(Clone, Copy, Debug, Default)]
struct Nearest {
    found: f64,
    allowed: f64,
    share: f64,
    is_used: bool,
}

impl Nearest {
    fn add(&mut self, found: f64, allowed: f64) {
        let share = match found / allowed {
            // Nothing is found where nothing is allowed.
            _ if found == 0.0 && allowed >= 0.0 => 0.0,
            // What is no number is as far off as can be, and nothing is within an allowance that is none.
            share if share.is_nan() => f64::INFINITY,
            share => share,
        };
        if !self.is_used || share > self.share {
            *self = Self { found, allowed, share, is_used: true };
        }
    }

    fn merge(&mut self, other: Self) {
        if other.is_used {
            self.add(other.found, other.allowed);
        }
    }
}

/// The distance of 1 and the next number of this type.
pub fn epsilon(kind: ScalarKind) -> f64 {
    match kind {
        ScalarKind::F64 | ScalarKind::Interval64 => f64::EPSILON,
        ScalarKind::F32 | ScalarKind::Interval32 => f64::from(f32::EPSILON),
    }
}

/// Whether results are enclosed.
pub fn is_rigorous(kind: ScalarKind) -> bool {
    matches!(kind, ScalarKind::Interval32 | ScalarKind::Interval64)
}

/// What is said of results of this type.
pub fn status(kind: ScalarKind) -> Status {
    if is_rigorous(kind) { Status::Proven } else { Status::Measured }
}

fn ends(number: Number) -> (f64, f64) {
    match number {
        Number::Float(x) => (x, x),
        Number::Single(x) => (x.into(), x.into()),
        Number::Interval { lo, hi } => (lo, hi),
        Number::SingleInterval { lo, hi } => (lo.into(), hi.into()),
    }
}

/// The lower end of an enclosure, or the number itself.
pub fn lower(number: Number) -> f64 {
    ends(number).0
}

/// The upper end of an enclosure, or the number itself.
pub fn upper(number: Number) -> f64 {
    ends(number).1
}

/// The width of an enclosure.
pub fn width(number: Number) -> f64 {
    let (lo, hi) = ends(number);
    hi - lo
}

impl Comparison {
    /// Compares two numbers, relative to `scale`. `roundings` is how many units in the last place of
    /// that two floats may be apart, which is derived from what was rounded on the way to them.
    /// Enclosures may be no wider than 1e−12, and what they enclose no farther apart.
    pub fn add(&mut self, kind: ScalarKind, a: Number, b: Number, scale: f64, roundings: f64) {
        self.compared += 1;
        let unit = epsilon(kind) * scale;
        let relative = |size: f64| if size == 0.0 { 0.0 } else { size / unit };
        let ((a_lo, a_hi), (b_lo, b_hi)) = (ends(a), ends(b));
        // The largest |x − y|, x and y being anywhere in their enclosures.
        let apart = relative(greater((a_hi - b_lo).abs(), (b_hi - a_lo).abs()));
        if is_rigorous(kind) {
            self.disjoint += u64::from(a_lo > b_hi || b_lo > a_hi);
            self.apart.add(apart * (1.0 + f64::EPSILON), WIDTH);
            self.width.add(greater(relative(width(a)), relative(width(b))), WIDTH);
        } else {
            self.apart.add(apart, roundings);
        }
    }

    /// What another has compared, too.
    pub fn merge(&mut self, other: &Self) {
        self.compared += other.compared;
        self.disjoint += other.disjoint;
        self.apart.merge(other.apart);
        self.width.merge(other.width);
    }

    /// Whether anything was compared.
    pub fn is_used(&self) -> bool {
        self.compared > 0
    }

    /// That both are the same: in floats up to what they round; in intervals up to what is proven, the
    /// width of enclosures being told beside. Of enclosures that do not meet it is refuted, of wide ones
    /// it is open.
    pub fn claims(&self, kind: ScalarKind, name: &'static str, title: &str) -> Vec<Claim> {
        let claim = |name, of: Nearest, unit: f64, title: String| {
            let (found, most) = (of.found * unit, of.allowed * unit);
            Claim::at_most(name, title, self.compared, found, most, status(kind))
        };
        if !is_rigorous(kind) {
            let mut claim = claim(name, self.apart, 1.0, format!("{title}: ulps apart"));
            if self.apart.allowed.is_nan() {
                claim.verdict = Verdict::Open;
            }
            return vec![claim];
        }
        let unit = epsilon(kind);
        let mut claims = vec![
            claim(name, self.apart, unit, format!("{title}: apart at most")),
            claim("width", self.width, unit, format!("{title}: width of enclosures")),
        ];
        for claim in claims.iter_mut().filter(|claim| claim.verdict == Verdict::Fails) {
            // What is enclosed may be the same all the same.
            claim.verdict = Verdict::Open;
        }
        if let Some(claim) = claims.first_mut().filter(|_| self.disjoint > 0) {
            claim.verdict = Verdict::Fails;
        }
        claims
    }
}

/// The greater of two; what is no number counts as the greatest.
pub fn greater(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// How many units in the last place of the largest value two means by softmax weights may be apart:
/// both are of n values, and each logit is a sum of `terms` products whose sizes come to `products`
/// at most, itself at most `logit`. A logit off by δ moves the mean by 2δ times the largest value.
pub fn softmax_roundings(terms: usize, products: f64, logit: f64, values: usize) -> f64 {
    let of_logits = terms as f64 * products + 2.0 * logit;
    // Exponentials, sums by halves, quotients, and what is added to them.
    2.0 * (of_logits + (values as f64).log2().max(0.0) + 8.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(figures: &[(f64, f64, f64)]) -> Verdict {
        let (mut whole, mut parts) = (Comparison::default(), Comparison::default());
        for &(a, b, roundings) in figures {
            let (a, b) = (Number::Float(a), Number::Float(b));
            whole.add(ScalarKind::F64, a, b, 1.0, roundings);
            let mut part = Comparison::default();
            part.add(ScalarKind::F64, a, b, 1.0, roundings);
            parts.merge(&part);
        }
        let [whole, parts] =
            [whole, parts].map(|all| all.claims(ScalarKind::F64, "equal", "equal"));
        assert_eq!(whole[0].verdict, parts[0].verdict);
        whole[0].verdict
    }

    #[test]
    fn no_figure_is_thrown_away() {
        let off = 1.0 + 8.0 * f64::EPSILON;
        assert_eq!(verdict(&[(1.0, 1.0, 4.0), (1.0, off, 10.0)]), Verdict::Holds);
        assert_eq!(verdict(&[(1.0, off, 4.0), (1.0, 1.0, 4.0)]), Verdict::Fails);
        // Nothing is allowed, and nothing found; or something.
        assert_eq!(verdict(&[(1.0, 1.0, 0.0), (1.0, off, 10.0)]), Verdict::Holds);
        assert_eq!(verdict(&[(1.0, off, 0.0), (1.0, 1.0, 10.0)]), Verdict::Fails);
        // An allowance that is no number allows nothing, and hides nothing.
        assert_eq!(verdict(&[(1.0, off, f64::NAN), (1.0, 1.0, 4.0)]), Verdict::Open);
        assert_eq!(verdict(&[(1.0, 1.0, 4.0), (1.0, off, f64::NAN)]), Verdict::Open);
        assert_ne!(verdict(&[(f64::NAN, 1.0, 4.0), (1.0, 1.0, 4.0)]), Verdict::Holds);
    }
}
