//! Do second moments exist? What a sample says of that, by the weight of its tail.
//!
//! No finite sample decides it without assumptions. Here they are that records are independent, and
//! that far out the tail is that of a power, `P(‖x̃ − m‖ > y) ≈ (y₀/y)^α`: the second moment is finite if
//! α > 2, infinite if α < 2. m, the median of the first records entry by entry, takes the place of x̃
//! off from the origin, which says nothing of its tail but would hide it: Hill's estimate looks at
//! ratios. With the k + 1 largest of n values, `y₍₁₎ ≥ … ≥ y₍ₖ₊₁₎`, Hill's estimate of 1/α is the mean
//! of `ln y₍ᵢ₎/y₍ₖ₊₁₎`, i ≤ k; for independent values and a power that is exact beyond the last of them
//! `2kα/α̂` has the χ² law with 2k degrees of freedom, so that bounds on α are exact for any k (Rényi).
//! Several k are asked, since a tail that is not a power yet answers differently: with n values other
//! than 0, ⌊√n⌋ (at most [`MOST`]), a half and an eighth of that (at least [`LEAST`]).
//!
//! * *holds*: for every token and every k, α > 2 with confidence [`CONFIDENCE`].
//! * *fails*: for some token and every k, α < 2 with that confidence, divided among the tokens.
//! * *cannot tell*: otherwise, and if ⌊√n⌋ < [`LEAST`].
//!
//! Under the two assumptions an infinite second moment is passed, or a finite one failed, in at most
//! 1 % of samples. Without them nothing is promised, and note 10 lists what goes wrong: outliers so
//! rare that a sample has hardly any are not seen, lognormal laws with deviations of 3 look like powers
//! below 2, and records that repeat each other count as more than they are. A lighter tail than any
//! power has small estimates of 1/α, which fall like 1/ln(n/k), and passes.

/// One-sided confidence of each verdict.
pub const CONFIDENCE: f64 = 0.99;

/// The largest k.
pub const MOST: usize = 1024;

/// The smallest k.
pub const LEAST: usize = 10;

/// The parts of the largest k that have to agree with it.
const PARTS: [usize; 2] = [2, 8];

/// Medians are those of so many first records.
pub const PREFIX: usize = 1001;

/// The median of every entry of the first [`PREFIX`] of some records of so many entries.
pub fn medians(records: &[f64], length: usize) -> Vec<f64> {
    let count = (records.len() / length.max(1)).min(PREFIX);
    let median = |entry: usize| {
        let entries = records.iter().skip(entry).step_by(length);
        let mut entries: Vec<f64> = entries.take(count).copied().collect();
        if entries.is_empty() {
            return 0.0;
        }
        let middle = entries.len() / 2;
        *entries.select_nth_unstable_by(middle, f64::total_cmp).1
    };
    (0..length).map(median).collect()
}

/// The largest values of a stream: which ones does not depend on its order.
#[derive(Clone, Debug, Default)]
pub struct Largest {
    kept: Vec<f64>,
    /// Nothing at or below this can be among the largest.
    floor: f64,
    /// How many values were above 0.
    positive: u64,
}

impl Largest {
    /// One more value, which is not negative.
    #[inline]
    pub fn push(&mut self, value: f64) {
        self.positive += u64::from(value > 0.0);
        self.keep(value);
    }

    /// So many more values are above 0, whether or not they are among the largest.
    pub fn count(&mut self, positive: u64) {
        self.positive += positive;
    }

    /// No value up to this can be among the largest any more.
    pub fn floor(&self) -> f64 {
        self.floor
    }

    /// A value that has been counted, which may be among the largest.
    #[inline]
    pub fn keep(&mut self, value: f64) {
        if value > self.floor || self.kept.len() <= MOST {
            self.kept.push(value);
            if self.kept.len() > 2 * MOST + 1 {
                self.prune();
            }
        }
    }

    /// Takes in those of another stream.
    pub fn merge(&mut self, other: &Self) {
        self.positive += other.positive;
        for &value in &other.kept {
            self.keep(value);
        }
    }

    /// How many values were above 0.
    pub fn positive(&self) -> u64 {
        self.positive
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
    /// The largest k.
    pub order: usize,
    /// α̂ there.
    pub estimate: f64,
    /// The least of what is below α with confidence [`CONFIDENCE`], over every k.
    pub least: f64,
    /// The largest of what is above α with confidence [`CONFIDENCE`], divided among the tokens.
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
/// a failure is declared with. None if too few are above 0 to say anything.
pub fn tail_index(squares: &Largest, n: u64, tokens: usize) -> Option<TailIndex> {
    let root = |count: u64| ((count as f64).sqrt() as usize).min(MOST);
    if root(n) < LEAST {
        return None;
    }
    if squares.positive == 0 {
        // Nothing but zeros has no tail.
        let index = f64::INFINITY;
        return Some(TailIndex { order: root(n), estimate: index, least: index, most: index });
    }
    let order = root(squares.positive);
    if order < LEAST {
        return None;
    }
    let sorted = squares.sorted(order + 1);
    let whole = at_order(&sorted, order, tokens)?;
    PARTS.iter().try_fold(whole, |all, part| {
        let index = at_order(&sorted, (order / part).max(LEAST), tokens)?;
        Some(TailIndex { least: all.least.min(index.least), most: all.most.max(index.most), ..all })
    })
}

/// The same by k largest values alone.
fn at_order(sorted: &[f64], order: usize, tokens: usize) -> Option<TailIndex> {
    let floor = *sorted.get(order)?;
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

    /// The largest squares of a sample of a law that is moved by `offset`, about its median.
    fn sampled(law: &Family, offset: f64, n: u64, seed: u64) -> Largest {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let values: Vec<f64> = (0..n).map(|_| law.sample(&mut random) + offset).collect();
        let centre = medians(&values, 1)[0];
        let mut largest = Largest::default();
        values.iter().for_each(|x| largest.push((x - centre).powi(2)));
        largest
    }

    /// How often of 200 samples of n = 10⁵ it holds, fails, and cannot be told.
    fn rates(law: &str, offset: f64) -> [usize; 3] {
        let family = Family::parse(law).unwrap();
        let verdicts: Vec<Verdict> = (0..200)
            .into_par_iter()
            .map(|seed| {
                verdict(&[tail_index(&sampled(&family, offset, 100_000, seed), 100_000, 1)])
            })
            .collect();
        let [holds, fails, open] = [Verdict::Holds, Verdict::Fails, Verdict::CannotTell]
            .map(|wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count());
        println!("{law} + {offset}: holds {holds}, fails {fails}, cannot tell {open} of 200");
        [holds, fails, open]
    }

    /// The stated rates of error; printed with --nocapture.
    #[test]
    fn rates_of_error() {
        for (law, offset) in [("t:1.9", 0.0), ("t:1.9", 100.0), ("cauchy", 1000.0)] {
            assert!(rates(law, offset)[0] <= 10);
        }
        for (law, offset) in [("t:5", 0.0), ("t:5", 100.0), ("exponential", 0.0)] {
            assert!(rates(law, offset)[1] <= 2);
        }
    }

    /// What is known to go wrong, for the note: run by hand, with --ignored --nocapture.
    #[test]
    #[ignore = "measures; asserts nothing"]
    fn rates_where_assumptions_fail() {
        for law in ["0.999*gaussian+0.001*cauchy", "lognormal:1", "lognormal:2", "lognormal:3"] {
            rates(law, 0.0);
        }
    }

    /// The index of an exact power is within its bounds as often as they say, up to four standard
    /// deviations of that share.
    #[test]
    fn bounds_on_an_index_have_their_confidence() {
        let law = Family::parse("pareto:3").unwrap();
        let indices: Vec<TailIndex> = (0..2000)
            .into_par_iter()
            .map(|seed| {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(1000 + seed);
                let mut largest = Largest::default();
                (0..2500).for_each(|_| largest.push(law.sample(&mut random).powi(2)));
                at_order(&largest.sorted(51), 50, 1).unwrap()
            })
            .collect();
        for outside in [
            indices.iter().filter(|index| index.least > 3.0).count(),
            indices.iter().filter(|index| index.most < 3.0).count(),
        ] {
            assert!((2..=38).contains(&outside), "{outside} of 2000, 20 expected");
        }
    }

    /// A tail that gets heavier further out is passed by its largest k, but not by all of them.
    #[test]
    fn every_k_has_to_agree() {
        let n = 10_000_u32;
        let mut largest = Largest::default();
        for at in 0..n {
            let share = (f64::from(at) + 0.5) / f64::from(n);
            // A power of index 8, and beyond its 12 largest values one of index 1.
            let value = share.powf(-0.125);
            let further = (share * f64::from(n) / 12.0).powf(-1.0).max(1.0);
            largest.push((value * further).powi(2));
        }
        let sorted = largest.sorted(101);
        assert!(at_order(&sorted, 100, 1).unwrap().least > 2.0);
        let index = tail_index(&largest, u64::from(n), 1);
        assert_eq!(verdict(&[index]), Verdict::CannotTell);
    }

    #[test]
    fn medians_are_those_of_the_first_records() {
        let records = [3.0, 10.0, 1.0, -5.0, 2.0, 7.0];
        assert_eq!(medians(&records, 2), [2.0, 7.0]);
        assert_eq!(medians(&[], 2), [0.0, 0.0]);
        let mut long = vec![1.0; PREFIX];
        long.extend(vec![9.0; 3 * PREFIX]);
        assert_eq!(medians(&long, 1), [1.0]);
    }

    #[test]
    fn the_largest_do_not_depend_on_order_or_split() {
        let values: Vec<f64> = (0..9000_u32).map(|at| f64::from(at * 7919 % 9001)).collect();
        // Some lengths at which what is kept has just been pruned.
        for count in [1500, 2050, 2051, 3074, 3075, 9000] {
            let values = &values[..count];
            let mut whole = Largest::default();
            values.iter().for_each(|&value| whole.push(value));
            let mut merged = Largest::default();
            for part in values.chunks(2500).rev() {
                let mut own = Largest::default();
                part.iter().rev().for_each(|&value| own.push(value));
                merged.merge(&own);
            }
            let mut sorted = values.to_vec();
            sorted.sort_unstable_by(|a, b| b.total_cmp(a));
            sorted.truncate(MOST + 1);
            assert_eq!(whole.sorted(MOST + 1), sorted, "{count}");
            assert_eq!(merged.sorted(MOST + 1), sorted, "{count}");
        }
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
