//! Do second moments exist? What a sample says of that, by the weight of its tail.
//!
//! No finite sample decides it without an assumption. Here it is that far out the tail is that of a
//! power, `P(‖x̃‖ > y) ≈ (y₀/y)^α`: the second moment is finite if α > 2, infinite if α < 2. With the
//! k + 1 largest of n values, `y₍₁₎ ≥ … ≥ y₍ₖ₊₁₎`, Hill's estimate of 1/α is the mean of
//! `ln y₍ᵢ₎/y₍ₖ₊₁₎`, i ≤ k; for an exact power `2kα/α̂` has the χ² law with 2k degrees of freedom,
//! so that bounds on α are exact for any k (Rényi). k = ⌊√n⌋, at most [`MOST`]: far enough out for
//! tails that become powers only slowly, and deciding before any data are seen.
//!
//! * *holds*: for every token α > 2 with confidence [`CONFIDENCE`]. A token with α ≤ 2 passes in at
//!   most 1 % of all samples, however many tokens there are, since all have to pass.
//! * *fails*: for some token α < 2 with that confidence, divided among the tokens.
//! * *cannot tell*: otherwise, and if k < [`LEAST`].
//!
//! A lighter tail than any power has small estimates of 1/α, which fall like 1/ln(n/k), and passes.
//! Outliers so rare that a sample has none of them cannot be seen by any rule.

/// One-sided confidence of each verdict.
pub const CONFIDENCE: f64 = 0.99;

/// The largest k.
pub const MOST: usize = 1024;

/// The smallest k.
pub const LEAST: usize = 10;

/// The largest values of a stream: which ones does not depend on its order.
#[derive(Clone, Debug, Default)]
pub struct Largest {
    kept: Vec<f64>,
    /// Nothing at or below this can be among the largest.
    floor: f64,
}

impl Largest {
    /// One more value, which is not negative.
    #[inline]
    pub fn push(&mut self, value: f64) {
        if value > self.floor || self.kept.len() <= MOST {
            self.kept.push(value);
            if self.kept.len() > 2 * MOST + 1 {
                self.prune();
            }
        }
    }

    /// Takes in those of another stream.
    pub fn merge(&mut self, other: &Self) {
        for &value in &other.kept {
            self.push(value);
        }
    }

    fn prune(&mut self) {
        let (_, &mut least, _) = self.kept.select_nth_unstable_by(MOST, |a, b| b.total_cmp(a));
        self.kept.truncate(MOST + 1);
        self.floor = least;
    }

    /// The largest, in decreasing order, at most so many.
    fn sorted(&self, count: usize) -> Vec<f64> {
        let mut sorted = self.kept.clone();
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        sorted.truncate(count);
        sorted
    }
}

/// A tail index and its bounds; ∞ for tails without one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TailIndex {
    /// k.
    pub order: usize,
    /// α̂.
    pub estimate: f64,
    /// Below α with confidence [`CONFIDENCE`].
    pub least: f64,
    /// Above α with confidence [`CONFIDENCE`], divided among the tokens.
    pub most: f64,
}

/// What the moment check says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Second moments are finite.
    Holds,
    /// They are not.
    Fails,
    /// Open.
    CannotTell,
}

impl Verdict {
    /// In results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::CannotTell => "cannot_tell",
        }
    }
}

/// The tail index of the roots of the values, of which there were n; `tokens` share the doubt that
/// a failure is declared with.
pub fn tail_index(squares: &Largest, n: u64, tokens: usize) -> Option<TailIndex> {
    let order = ((n as f64).sqrt() as usize).min(MOST);
    if order < LEAST {
        return None;
    }
    let sorted = squares.sorted(order + 1);
    let floor = *sorted.get(order)?;
    if !(floor > 0.0) {
        // Nothing but zeros has no tail; few other numbers say nothing of one.
        let none = sorted.first() == Some(&0.0);
        let index = f64::INFINITY;
        return none.then_some(TailIndex { order, estimate: index, least: index, most: index });
    }
    // ln of a ratio of squares is twice that of the values.
    let logs: f64 = sorted.iter().take(order).map(|y| 0.5 * (y / floor).ln()).sum();
    let (count, freedom) = (order as f64, 2.0 * order as f64);
    let doubt = 1.0 - CONFIDENCE;
    let shared = doubt / tokens.max(1) as f64;
    // 2α · Σ logs is χ² with 2k degrees of freedom.
    Some(TailIndex {
        order,
        estimate: count / logs,
        least: chi_square(freedom, -normal_quantile(1.0 - doubt)) / (2.0 * logs),
        most: chi_square(freedom, normal_quantile(1.0 - shared)) / (2.0 * logs),
    })
}

/// The verdict over all tokens; nothing where there is no index.
pub fn verdict(indices: &[Option<TailIndex>]) -> Verdict {
    if indices.iter().flatten().any(|index| index.most < 2.0) {
        Verdict::Fails
    } else if indices.iter().all(|index| index.is_some_and(|index| index.least > 2.0)) {
        Verdict::Holds
    } else {
        Verdict::CannotTell
    }
}

/// The quantile of χ² at which a standard normal variable has the quantile z: Wilson and Hilferty's
/// cube, within 0.5 % at 1 % and 99 % for 20 degrees of freedom, and closer for more.
fn chi_square(freedom: f64, z: f64) -> f64 {
    let small = 2.0 / (9.0 * freedom);
    freedom * (1.0 - small + z * small.sqrt()).max(0.0).powi(3)
}

/// z with P(Z ≤ z) = p, for p in [½, 1): by bisection of erfc.
pub fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if 0.5 * libm::erfc(middle / std::f64::consts::SQRT_2) > 1.0 - p {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rayon::prelude::*;

    use super::*;
    use crate::ood::family::Family;

    /// The index of a sample of a law.
    fn sampled(law: &Family, n: u64, seed: u64) -> Option<TailIndex> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut largest = Largest::default();
        (0..n).for_each(|_| largest.push(law.sample(&mut random).powi(2)));
        tail_index(&largest, n, 1)
    }

    /// The stated rates of error, at n = 10⁵ over 200 seeds; printed with --nocapture.
    #[test]
    fn rates_of_error() {
        let count = |law: &str| {
            let law = Family::parse(law).unwrap();
            let verdicts: Vec<Verdict> = (0..200)
                .into_par_iter()
                .map(|seed| verdict(&[sampled(&law, 100_000, seed)]))
                .collect();
            [Verdict::Holds, Verdict::Fails, Verdict::CannotTell]
                .map(|wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count())
        };
        let show = |law: &str| {
            let [holds, fails, open] = count(law);
            println!("{law}: holds {holds}, fails {fails}, cannot tell {open} of 200");
            (holds, fails)
        };
        assert!(show("t:1.9").0 <= 10);
        assert!(show("t:5").1 <= 2);
        assert!(show("exponential").1 <= 2);
    }

    /// The index of an exact power is within its bounds as often as they say, up to four standard
    /// deviations of that share.
    #[test]
    fn bounds_on_an_index_have_their_confidence() {
        let law = Family::parse("pareto:3").unwrap();
        let indices: Vec<TailIndex> = (0..2000)
            .into_par_iter()
            .map(|seed| sampled(&law, 2500, 1000 + seed).unwrap())
            .collect();
        for outside in [
            indices.iter().filter(|index| index.least > 3.0).count(),
            indices.iter().filter(|index| index.most < 3.0).count(),
        ] {
            assert!((2..=38).contains(&outside), "{outside} of 2000, 20 expected");
        }
    }

    #[test]
    fn the_largest_do_not_depend_on_order_or_split() {
        let values: Vec<f64> = (0..9000_u32).map(|at| f64::from(at * 7919 % 9001)).collect();
        let mut whole = Largest::default();
        values.iter().for_each(|&value| whole.push(value));
        let mut merged = Largest::default();
        for part in values.chunks(2500).rev() {
            let mut own = Largest::default();
            part.iter().rev().for_each(|&value| own.push(value));
            merged.merge(&own);
        }
        let mut sorted = values;
        sorted.sort_unstable_by(|a, b| b.total_cmp(a));
        sorted.truncate(MOST + 1);
        assert_eq!(whole.sorted(MOST + 1), sorted);
        assert_eq!(merged.sorted(MOST + 1), sorted);
    }

    #[test]
    fn special_samples() {
        let of = |values: &[f64]| {
            let mut largest = Largest::default();
            values.iter().for_each(|&value| largest.push(value));
            tail_index(&largest, values.len() as u64, 1)
        };
        // All equal, and all 0: no tail at all.
        assert_eq!(of(&[2.0; 400]).unwrap().least, f64::INFINITY);
        assert_eq!(of(&[0.0; 400]).unwrap().least, f64::INFINITY);
        // Hardly any that is not 0; too few.
        let mut sparse = [0.0; 400];
        sparse[7] = 1.0;
        assert_eq!(of(&sparse), None);
        assert_eq!(of(&[1.0; 99]), None);
        assert_eq!(verdict(&[None]), Verdict::CannotTell);
    }

    #[test]
    fn quantiles() {
        assert!((normal_quantile(0.99) - 2.326_347_874_040_841).abs() < 1e-12);
        // χ² with 20 degrees of freedom at 1 % and 99 %, from tables.
        let z = normal_quantile(0.99);
        assert!((chi_square(20.0, z) / 37.566_23 - 1.0).abs() < 5e-3);
        assert!((chi_square(20.0, -z) / 8.260_40 - 1.0).abs() < 5e-3);
    }
}
