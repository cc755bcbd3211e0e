//! Checks that the coded gradient is the derivative of the coded loss, and what follows from it:
//! which checks, in which order, and what they found. The checks themselves are the library's.

pub mod cost;
pub mod formulas;
pub mod report;
pub mod settings;

use std::cell::Cell;
use std::ops::ControlFlow;

use popgd_core::gradient_check::enclosure::EntryEnclosure;
use popgd_core::gradient_check::lumped_numbers::{self, LumpedInputs};
use popgd_core::gradient_check::taylor::{self, Remainders};
use popgd_core::gradient_check::{
    Block, Case, Encodings, Gradient, Program, Random, Slope, enclosure, exact, invariants, lumped,
    step,
};
use popgd_core::scalar::interval::Interval;

use self::report::{Enclosed, EntryFindings, GradientFindings, Order, Report, Topic, Verdict};
use self::settings::GradcheckSettings;
use crate::error::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// How far the checks are, for whoever watches or wants them to end.
#[derive(Debug)]
pub struct Watch<'a> {
    progress: &'a Progress,
    done: Cell<u64>,
}

impl<'a> Watch<'a> {
    /// From the beginning.
    pub fn new(progress: &'a Progress) -> Self {
        Self { progress, done: Cell::new(0) }
    }

    /// One more check is done; breaks off if that is wanted.
    fn tick(&self) -> ControlFlow<()> {
        self.done.set(self.done.get() + 1);
        self.progress.reached(self.done.get());
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// How many checks there are.
pub fn count(settings: &GradcheckSettings) -> u64 {
    let case = |encodings| settings.case(encodings);
    let of_positions = |&encodings: &Encodings| {
        let proven = cost::is_proven(settings, encodings).is_ok();
        let entries = if proven { case(encodings).entries().count() + 1 } else { 0 };
        entries as u64 + settings.boxes + settings.remainders
    };
    let gradients: u64 = settings.positions.iter().map(of_positions).sum();
    let compared = if cost::is_compared(settings).is_ok() { settings.groups().len() } else { 0 };
    let claims = if settings.proof == settings::Proof::Never { 0 } else { compared + 2 };
    gradients + settings.boxes + settings.remainders + claims as u64
}

/// Runs all checks. The gradient is that of `program`: of descent, or in tests one that is wrong.
///
/// # Errors
/// What the program finds wrong with the sizes.
pub fn check<P: Program>(
    settings: &GradcheckSettings,
    program: &P,
    watch: &Watch<'_>,
) -> Result<Report, Failure> {
    let mut report = Report::default();
    let complete = run(settings, program, watch, &mut report).map_err(out_of_order)?;
    report.interrupted = complete.is_break();
    Ok(report)
}

/// Sizes are checked before: what is left is a gradient that is too short.
fn out_of_order(error: popgd_core::Error) -> Failure {
    Failure::Refuted(format!("the gradient is not one of these matrices: {error}"))
}

fn run<P: Program>(
    settings: &GradcheckSettings,
    program: &P,
    watch: &Watch<'_>,
    report: &mut Report,
) -> Result<ControlFlow<()>, popgd_core::Error> {
    for &encodings in &settings.positions {
        let case = settings.case(encodings);
        report.gradients.push(GradientFindings {
            encodings,
            proof_left_out: cost::is_proven(settings, encodings).err(),
            entries: case
                .entries()
                .map(|entry| EntryFindings { entry, proof: None, enclosed: None })
                .collect(),
            orders: Vec::new(),
        });
        let Some(found) = report.gradients.last_mut() else { continue };
        if gradient(settings, &case, program, watch, found)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if found.proof_left_out.is_none() {
            let claims = step::check(&case, settings.seed)?;
            let topic = Topic::DenseStep(encodings);
            report.claims.extend(claims.into_iter().map(|claim| (topic, claim)));
            if watch.tick().is_break() {
                return Ok(ControlFlow::Break(()));
            }
        } else {
            report.claims_left_out = true;
        }
    }
    if lumped_step(settings, watch, report)?.is_break() {
        return Ok(ControlFlow::Break(()));
    }
    claims(settings, watch, report)
}

/// The gradient for one kind of positions.
fn gradient<P: Program>(
    settings: &GradcheckSettings,
    case: &Case,
    program: &P,
    watch: &Watch<'_>,
    found: &mut GradientFindings,
) -> Result<ControlFlow<()>, popgd_core::Error> {
    if found.proof_left_out.is_none() {
        let mut slots = found.entries.iter_mut();
        let mut flow = ControlFlow::Continue(());
        exact::check_each(case, program, settings.seed, |proof| {
            if let Some(slot) = slots.next() {
                slot.proof = Some(proof);
            }
            flow = watch.tick();
            flow
        })?;
        if flow.is_break() {
            return Ok(flow);
        }
    }
    let mut random = Random::new(settings.seed.wrapping_add(1));
    for _ in 0..settings.boxes {
        let inputs = enclosure::random_box::<f64>(case, &mut random, settings.radius);
        let entries = enclosure::check(case, program, &inputs)?;
        for (slot, seen) in found.entries.iter_mut().zip(enclosed(&entries)) {
            slot.enclosed = Some(worse(slot.enclosed, seen));
        }
        if watch.tick().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    let mut random = Random::new(settings.seed.wrapping_add(2));
    let mut seen: [(&'static str, Vec<Remainders>); 2] =
        [("W_V", Vec::new()), ("W_KQ", Vec::new())];
    for _ in 0..settings.remainders {
        let inputs = enclosure::random_inputs(case, &mut random);
        let direction = taylor::random_direction(case, &inputs, &mut random)?;
        for ((_, all), block) in seen.iter_mut().zip([Block::Value, Block::KeyQuery]) {
            all.push(taylor::check(program, &inputs, &only(block, &direction))?);
        }
        if watch.tick().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    if settings.remainders > 0 {
        // A single token has a single score, 1, whatever W_KQ is.
        let moves = |block: &str| block == "W_V" || case.shape.tokens > 1;
        let seen = seen.into_iter().filter(|(block, _)| moves(block));
        found.orders.extend(seen.map(|(block, all)| order(block, all)));
    }
    Ok(ControlFlow::Continue(()))
}

/// A direction in which only one of the matrices moves.
fn only(block: Block, direction: &Gradient<f64>) -> Gradient<f64> {
    let mut direction = direction.clone();
    match block {
        Block::Value => direction.key_query.fill(0.0),
        Block::KeyQuery => direction.value_matrix.fill(0.0),
    }
    direction
}

fn order(block: &'static str, all: Vec<Remainders>) -> Order {
    let count = |verdict| all.iter().filter(|seen| seen.verdict == verdict).count() as u64;
    let mut orders: Vec<f64> = all.iter().filter_map(|seen| seen.order).collect();
    orders.sort_by(f64::total_cmp);
    Order {
        block,
        right: count(taylor::Verdict::Right),
        wrong: count(taylor::Verdict::Wrong),
        silent: count(taylor::Verdict::Silent),
        order: orders.get(orders.len() / 2).copied(),
        refuted: all.iter().filter(|seen| seen.distance() > 0.0).count() as u64,
        difference: all.iter().map(Remainders::distance).fold(0.0, f64::max),
        first: all.into_iter().next().map(|seen| seen.points).unwrap_or_default(),
    }
}

/// The lumped step against the lumped loss, in numbers.
fn lumped_step(
    settings: &GradcheckSettings,
    watch: &Watch<'_>,
    report: &mut Report,
) -> Result<ControlFlow<()>, popgd_core::Error> {
    let mut random = Random::new(settings.seed.wrapping_add(3));
    for _ in 0..settings.boxes {
        let inputs = lumped_box(&lumped_inputs(settings, &mut random), settings.radius);
        let entries = lumped_numbers::enclose(&inputs);
        let sizes = entries.iter().map(|&(coded, ..)| enclosure::distance_from_zero(coded));
        let largest = sizes.fold(0.0, f64::max);
        for (at, (coded, derivative, verdict)) in entries.into_iter().enumerate() {
            let apart =
                [enclosure::width(coded, derivative), enclosure::distance(coded, derivative)];
            let seen = judged(verdict, apart, largest);
            match report.lumped.get_mut(at) {
                Some((_, known)) => *known = worse(Some(*known), seen),
                None => {
                    let name = if at == 0 { "c".to_owned() } else { format!("z{at}") };
                    report.lumped.push((name, seen));
                }
            }
        }
        if watch.tick().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    let mut all = Vec::new();
    for _ in 0..settings.remainders {
        let inputs = lumped_inputs(settings, &mut random);
        all.push(lumped_numbers::remainders(&inputs, &mut random)?);
        if watch.tick().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    report.lumped_order = (settings.remainders > 0).then(|| order("the lumped step", all));
    Ok(ControlFlow::Continue(()))
}

fn lumped_inputs(settings: &GradcheckSettings, random: &mut Random) -> LumpedInputs<f64> {
    let mut inputs = lumped_numbers::random_inputs(random);
    if let Slope::Fraction(numerator, denominator) = settings.slope {
        inputs.slope = numerator as f64 / denominator as f64;
    }
    inputs
}

/// A box around a point; what is 0 stays 0, as the weight of a level outside of the group.
fn lumped_box(centre: &LumpedInputs<f64>, radius: f64) -> LumpedInputs<Interval<f64>> {
    centre.map(|x| {
        let reach = if x == 0.0 { 0.0 } else { radius };
        Interval::new(x - reach, x + reach).unwrap_or(Interval::EMPTY)
    })
}

/// What a box says, entry by entry. Enclosures that meet speak for the gradient only if they are
/// narrow: against the largest entry of their matrix, or of all if that is 0.
fn enclosed(entries: &[EntryEnclosure<f64>]) -> Vec<Enclosed> {
    let largest = |block: Option<Block>| {
        let of_block = |entry: &&EntryEnclosure<f64>| block.is_none_or(|b| entry.entry.block == b);
        let entries = entries.iter().filter(of_block);
        entries.map(EntryEnclosure::size).fold(0.0, f64::max)
    };
    let all = largest(None);
    let [values, key_query] = [Block::Value, Block::KeyQuery].map(|block| {
        let of_block = largest(Some(block));
        if of_block > 0.0 { of_block } else { all }
    });
    let judge = |entry: &EntryEnclosure<f64>| {
        let largest = if entry.entry.block == Block::Value { values } else { key_query };
        judged(entry.verdict, [entry.width(), entry.distance()], largest)
    };
    entries.iter().map(judge).collect()
}

/// Enclosures as wide as this, in parts of the largest entry, say nothing.
const NARROW: f64 = 0.01;

fn judged(verdict: enclosure::Verdict, [at_most, at_least]: [f64; 2], largest: f64) -> Enclosed {
    let verdict = match verdict {
        enclosure::Verdict::Refuted => Verdict::Refuted,
        enclosure::Verdict::Consistent if at_most <= NARROW * largest => Verdict::Agrees,
        _ => Verdict::Undecided,
    };
    Enclosed { verdict, difference_at_most: at_most, difference_at_least: at_least }
}

/// What two boxes say together.
fn worse(known: Option<Enclosed>, seen: Enclosed) -> Enclosed {
    let Some(known) = known else { return seen };
    Enclosed {
        verdict: known.verdict.max(seen.verdict),
        difference_at_most: known.difference_at_most.max(seen.difference_at_most),
        difference_at_least: known.difference_at_least.max(seen.difference_at_least),
    }
}

/// Claims about steps that do not depend on the positions.
fn claims(
    settings: &GradcheckSettings,
    watch: &Watch<'_>,
    report: &mut Report,
) -> Result<ControlFlow<()>, popgd_core::Error> {
    if settings.proof == settings::Proof::Never {
        report.claims_left_out = true;
        return Ok(ControlFlow::Continue(()));
    }
    let (slope, seed) = (settings.slope, settings.seed);
    let all = lumped::step_is_the_gradient(slope, seed)?;
    report.claims.extend(all.into_iter().map(|claim| (Topic::LumpedStep, claim)));
    if watch.tick().is_break() {
        return Ok(ControlFlow::Break(()));
    }
    let groups = match cost::is_compared(settings) {
        Ok(()) => settings.groups(),
        Err(seconds) => {
            report.comparison_left_out = Some(seconds);
            Vec::new()
        }
    };
    for (tokens, group) in groups {
        let all = lumped::is_dense(tokens, group, slope, seed)?;
        report.claims.extend(all.into_iter().map(|claim| (Topic::LumpedIsDense, claim)));
        if watch.tick().is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    if cost::is_proven(settings, Encodings::Identity).is_ok() {
        let all = invariants::check(settings.shape, slope, seed)?;
        report.claims.extend(all.into_iter().map(|claim| (Topic::Invariant, claim)));
    } else {
        report.claims_left_out = true;
    }
    Ok(watch.tick())
}
