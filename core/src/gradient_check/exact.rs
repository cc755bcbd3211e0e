//! The exact proof: for every trained number, the coded derivative less the derivative of the
//! coded loss, as a formula, is 0.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::program::{Case, Entry, Program, Slope};
use super::random::Random;
use crate::Error;
use crate::scalar::interval::Interval;
use crate::scalar::symbolic::{Arena, Expr, Listing, NormalForm, ZeroTest};

/// What is known about a claim that a formula is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// Its normal form is 0: it is 0 wherever it is defined (note 6).
    Proven,
    /// At some point its value is certainly not 0 but in this enclosure.
    Refuted {
        /// The enclosure.
        value: Interval<f64>,
    },
    /// Its normal form is not 0, but it could be 0 at every point that was tried.
    Undecided,
}

/// What came out for one trained number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryProof {
    /// Which one.
    pub entry: Entry,
    /// Whether coded gradient and derivative agree.
    pub verdict: Verdict,
    /// The number of distinct operations in the difference of the two.
    pub operations: usize,
    /// The largest number of terms that a polynomial had in the proof, or the number that is left
    /// if there is none (0 if it was not looked at).
    pub terms: usize,
}

/// Judges claims that formulas of an arena are 0.
#[derive(Debug)]
pub struct Judge<'a> {
    test: ZeroTest<'a>,
    positive: Vec<String>,
    random: Random,
}

/// At how many points a formula that was not reduced to 0 is evaluated.
const POINTS: usize = 16;

impl<'a> Judge<'a> {
    /// For formulas of this arena; `seed` selects the points at which claims are put to the test.
    #[must_use]
    pub fn new(arena: &'a Arena, seed: u64) -> Self {
        Self { test: ZeroTest::new(arena), positive: Vec::new(), random: Random::new(seed) }
    }

    /// From now on the symbol of this name is taken to be positive.
    pub fn assume_positive(&mut self, name: &str) {
        self.test.assume_positive(name);
        self.positive.push(name.into());
    }

    /// Whether the formula is 0, and the number of terms that it took, or left.
    pub fn zero(&mut self, formula: Expr<'a>) -> (Verdict, usize) {
        // Most of what is wrong shows at once, and its normal form is long.
        let at_once = self.refute(formula, 2);
        if at_once != Verdict::Undecided {
            return (at_once, 0);
        }
        match self.test.form(formula) {
            NormalForm::Zero { terms } => (Verdict::Proven, terms),
            NormalForm::NonZero { terms } => (self.refute(formula, POINTS), terms),
            NormalForm::Unknown => (self.refute(formula, POINTS), 0),
        }
    }

    /// How many generators the formulas so far have needed.
    #[must_use]
    pub fn generators(&self) -> usize {
        self.test.generators()
    }

    /// Looks for a point where the value is certainly not 0.
    fn refute(&mut self, formula: Expr<'a>, points: usize) -> Verdict {
        let mut worst: Option<Interval<f64>> = None;
        for _ in 0..points {
            let (positive, random) = (&self.positive, &mut self.random);
            // Each symbol is asked for once.
            let value = formula.evaluate(Interval::point(0.0), |name| {
                let is_positive = positive.iter().any(|known| known == name);
                let drawn =
                    if is_positive { random.between(0.25, 2.0) } else { random.signed(0.25, 1.25) };
                Some(Interval::point(drawn))
            });
            let excludes_zero = |value: &Interval<f64>| value.lo() > 0.0 || value.hi() < 0.0;
            if let Some(value) = value.filter(excludes_zero) {
                if worst.is_none_or(|worst| worst.magnitude() < value.magnitude()) {
                    worst = Some(value);
                }
            }
        }
        worst.map_or(Verdict::Undecided, |value| Verdict::Refuted { value })
    }
}

/// Proves or refutes the gradient, entry by entry.
///
/// # Errors
/// What the program finds wrong with the sizes.
pub fn check<P: Program>(case: &Case, program: &P, seed: u64) -> Result<Vec<EntryProof>, Error> {
    let mut proofs = Vec::new();
    check_each(case, program, seed, |proof| {
        proofs.push(proof);
        ControlFlow::Continue(())
    })?;
    Ok(proofs)
}

/// The same, handing over what is found as it is found: proofs of many entries take long, and
/// `visit` may break off.
///
/// # Errors
/// What the program finds wrong with the sizes.
pub fn check_each<P: Program>(
    case: &Case,
    program: &P,
    seed: u64,
    mut visit: impl FnMut(EntryProof) -> ControlFlow<()>,
) -> Result<(), Error> {
    let (arena, any_slope) = (Arena::new(), Arena::new());
    let mut differences = Differences::new(&arena, case, program, seed)?;
    let mut general = None;
    for entry in case.entries() {
        let Some(mut proof) = differences.judge(case, entry) else { break };
        if proof.verdict == Verdict::Undecided && case.slope.is_generic() {
            // What is proven for every slope is proven for this one.
            let case = Case { slope: Slope::Symbol, ..*case };
            if general.is_none() {
                general = Some(Differences::new(&any_slope, &case, program, seed)?);
            }
            let found = general.as_mut().and_then(|general| general.judge(&case, entry));
            proof = found.filter(|found| found.verdict == Verdict::Proven).unwrap_or(proof);
        }
        if visit(proof).is_break() {
            break;
        }
    }
    Ok(())
}

/// Loss and gradient as formulas, and a judge of their differences.
struct Differences<'a> {
    loss: Expr<'a>,
    gradient: Vec<Expr<'a>>,
    judge: Judge<'a>,
}

impl<'a> Differences<'a> {
    fn new<P: Program>(
        arena: &'a Arena,
        case: &Case,
        program: &P,
        seed: u64,
    ) -> Result<Self, Error> {
        let inputs = case.inputs(|name| arena.symbol(name));
        let loss = program.loss(&inputs)?;
        let gradient = program.gradient(&inputs)?.fits(case.shape)?.iter().collect();
        let mut judge = Judge::new(arena, seed);
        judge.assume_positive("tau");
        Ok(Self { loss, gradient, judge })
    }

    fn judge(&mut self, case: &Case, entry: Entry) -> Option<EntryProof> {
        let place = case.entries().position(|other| other == entry)?;
        let coded = *self.gradient.get(place)?;
        let difference = coded - self.loss.derivative(&case.name(entry));
        let (verdict, terms) = self.judge.zero(difference);
        Some(EntryProof { entry, verdict, operations: difference.node_count(), terms })
    }
}

/// Hands the formulas of loss and gradient over, with names for them and for what they share, which
/// all begin with `prefix`.
///
/// # Errors
/// What the program finds wrong with the sizes.
pub fn with_formulas<P: Program, R>(
    case: &Case,
    program: &P,
    prefix: &str,
    visit: impl FnOnce(&Listing<'_>) -> R,
) -> Result<R, Error> {
    let arena = Arena::new();
    let inputs = case.inputs(|name| arena.symbol(name));
    let loss = (String::from("L"), program.loss(&inputs)?);
    let gradient = program.gradient(&inputs)?.fits(case.shape)?;
    let entries = case.entries().zip(gradient.iter());
    let named = entries.map(|(entry, coded)| {
        let mut name = String::from("d");
        name.push_str(&case.name(entry));
        (name, coded)
    });
    let listing = Listing::new(core::iter::once(loss).chain(named));
    Ok(visit(&listing.with_prefix(prefix)))
}

/// Whether there are entries and every one is proven.
#[must_use]
pub fn all_proven(proofs: &[EntryProof]) -> bool {
    !proofs.is_empty() && proofs.iter().all(|proof| proof.verdict == Verdict::Proven)
}
