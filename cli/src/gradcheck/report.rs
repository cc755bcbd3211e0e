//! What was found.

use popgd_core::gradient_check::claim::Claim;
use popgd_core::gradient_check::exact::{self, EntryProof};
use popgd_core::gradient_check::{Encodings, Entry};

/// What a check says of the gradient, or of another claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is right, as far as the check can see.
    Agrees,
    /// The check cannot see.
    Undecided,
    /// It is wrong.
    Refuted,
}

impl From<&exact::Verdict> for Verdict {
    fn from(verdict: &exact::Verdict) -> Self {
        match verdict {
            exact::Verdict::Proven => Self::Agrees,
            exact::Verdict::Refuted { .. } => Self::Refuted,
            _ => Self::Undecided,
        }
    }
}

/// Gradient and derivative of one number, enclosed over random boxes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enclosed {
    /// The worst over all boxes.
    pub verdict: Verdict,
    /// The largest difference that the enclosures allow, over all boxes.
    pub difference_at_most: f64,
    /// The largest difference that there certainly is, over all boxes.
    pub difference_at_least: f64,
}

/// What was found about one trained number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryFindings {
    /// Which one.
    pub entry: Entry,
    /// Its proof, if one was tried.
    pub proof: Option<EntryProof>,
    /// Its enclosures, if there were boxes.
    pub enclosed: Option<Enclosed>,
}

impl EntryFindings {
    /// Whether a proof has decided what wide enclosures leave open.
    pub fn is_settled(&self) -> bool {
        let proven = self.proof.is_some_and(|proof| proof.verdict == exact::Verdict::Proven);
        proven && self.enclosed.is_none_or(|boxes| boxes.verdict != Verdict::Refuted)
    }
}

/// The order of the Taylor remainder when some of the trained numbers move.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// What moves.
    pub block: &'static str,
    /// At how many points the order is 2.
    pub right: u64,
    /// At how many points it is 1.
    pub wrong: u64,
    /// At how many points rounding hides it.
    pub silent: u64,
    /// The median of the orders.
    pub order: Option<f64>,
    /// At how many of those an enclosure shows that the gradient is wrong: the order is measured.
    pub refuted: u64,
    /// There: how large |⟨coded gradient − derivative, direction⟩| certainly is at most.
    pub difference: f64,
    /// Steps and remainders at the first point.
    pub first: Vec<(f64, f64)>,
}

impl Order {
    /// What the points say together.
    pub fn verdict(&self) -> Verdict {
        if self.refuted > 0 {
            Verdict::Refuted
        } else if self.right > 0 && self.wrong == 0 {
            Verdict::Agrees
        } else {
            Verdict::Undecided
        }
    }
}

/// What was found about the gradient for one kind of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientFindings {
    /// P.
    pub encodings: Encodings,
    /// If the gradient was not proven: about how many seconds that would take.
    pub proof_left_out: Option<f64>,
    /// Of each trained number.
    pub entries: Vec<EntryFindings>,
    /// Of W_V and of W_KQ.
    pub orders: Vec<Order>,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A step on full matrices, for these positions.
    DenseStep(Encodings),
    /// A step on few scalars.
    LumpedStep,
    /// Lumped and dense steps.
    LumpedIsDense,
    /// Invariants of every step.
    Invariant,
}

/// All that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// For each kind of positions.
    pub gradients: Vec<GradientFindings>,
    /// The lumped step, enclosed: of c and of each logit.
    pub lumped: Vec<(String, Enclosed)>,
    /// The order of the remainder of the lumped loss.
    pub lumped_order: Option<Order>,
    /// Claims about steps.
    pub claims: Vec<(Topic, Claim)>,
    /// Claims about steps that were left out with the proofs.
    pub claims_left_out: bool,
    /// If lumped and dense steps were not compared because that would take long: about how many
    /// seconds.
    pub comparison_left_out: Option<f64>,
    /// Whether the user broke it off.
    pub interrupted: bool,
}

/// A check that does not agree: what it was about, how it was found, and how far off it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Objection {
    /// Refuted or undecided.
    pub verdict: Verdict,
    /// Block and entry, or the claim.
    pub subject: String,
    /// By which check.
    pub check: Check,
    /// The size of the difference, if it is known not to be 0.
    pub difference: Option<f64>,
}

/// A kind of check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// By normal forms.
    Proof,
    /// By intervals.
    Enclosure,
    /// By the order of the remainder.
    Remainder,
}

impl Check {
    /// As messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Proof => "proof",
            Self::Enclosure => "enclosure",
            Self::Remainder => "order of the remainder",
        }
    }
}

/// The words for positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positions {
    /// In formulas.
    pub formula: &'static str,
    /// The same in LaTeX.
    pub latex: &'static str,
    /// In flags and results.
    pub name: &'static str,
    /// Before the names of a listing that has both.
    pub prefix: &'static str,
}

/// What positions are called.
pub fn positions(encodings: Encodings) -> Positions {
    match encodings {
        Encodings::Identity => {
            Positions { formula: "P = I", latex: "P = I", name: "identity", prefix: "i" }
        }
        Encodings::General => {
            Positions { formula: "any P", latex: r"\text{any } P", name: "general", prefix: "g" }
        }
    }
}

/// How large what was found not to be 0 is.
pub fn size(verdict: &exact::Verdict) -> Option<f64> {
    match verdict {
        exact::Verdict::Refuted { value } => Some(value.magnitude()),
        _ => None,
    }
}

impl Report {
    /// Everything that does not agree, refutations first.
    pub fn objections(&self) -> Vec<Objection> {
        let mut all = Vec::new();
        let mut object = |check, verdict, subject: String, difference: Option<f64>| {
            if verdict != Verdict::Agrees {
                all.push(Objection { verdict, subject, check, difference });
            }
        };
        let enclosed = |enclosed: &Enclosed| {
            let sure = enclosed.verdict == Verdict::Refuted;
            sure.then_some(enclosed.difference_at_least)
        };
        let off = |order: &Order| (order.refuted > 0).then_some(order.difference);
        for gradient in &self.gradients {
            let place = positions(gradient.encodings).formula;
            for found in &gradient.entries {
                let subject = format!("{} with {place}", found.entry);
                if let Some(proof) = &found.proof {
                    let (verdict, size) = ((&proof.verdict).into(), size(&proof.verdict));
                    object(Check::Proof, verdict, subject.clone(), size);
                }
                if let Some(boxes) = found.enclosed.as_ref().filter(|_| !found.is_settled()) {
                    object(Check::Enclosure, boxes.verdict, subject, enclosed(boxes));
                }
            }
            for order in &gradient.orders {
                let subject = format!("{} with {place}", order.block);
                object(Check::Remainder, order.verdict(), subject, off(order));
            }
        }
        let mut of_lumped = self.claims.iter().filter(|(topic, _)| *topic == Topic::LumpedStep);
        let settled = of_lumped.clone().next().is_some()
            && of_lumped.all(|(_, claim)| claim.verdict == exact::Verdict::Proven);
        for (name, boxes) in &self.lumped {
            if settled && boxes.verdict == Verdict::Undecided {
                continue;
            }
            let subject = format!("the lumped step of {name}");
            object(Check::Enclosure, boxes.verdict, subject, enclosed(boxes));
        }
        if let Some(order) = &self.lumped_order {
            object(Check::Remainder, order.verdict(), order.block.to_owned(), off(order));
        }
        for (_, claim) in &self.claims {
            let (verdict, size) = ((&claim.verdict).into(), size(&claim.verdict));
            object(Check::Proof, verdict, format!("\"{}\"", claim.name), size);
        }
        all.sort_by_key(|objection| std::cmp::Reverse(objection.verdict));
        all
    }

    /// Whether every trained number has a proof.
    pub fn is_proven(&self) -> bool {
        let proven = |found: &EntryFindings| {
            found.proof.is_some_and(|proof| proof.verdict == exact::Verdict::Proven)
        };
        let all = |gradient: &GradientFindings| {
            !gradient.entries.is_empty() && gradient.entries.iter().all(proven)
        };
        !self.gradients.is_empty() && self.gradients.iter().all(all)
    }
}
