//! A lumped run enclosed for long: bounds on the exact state after millions of steps.
//!
//! Plain interval arithmetic forgets that the errors of c and of the logits belong together, and
//! blows up within a thousand steps. Here the state lies in a small skew box, `centre + A b` with
//! |bᵢ| ≤ rᵢ, and a step F takes it into
//!
//! ```text
//! F(centre) + J A b,    J = an enclosure of F′ on a box around it      (mean-value theorem)
//! ```
//!
//! so that rounding enters by F(centre) alone, and errors spread as the derivative says. In the
//! axes A, eigenvectors in the metric of descent, they shrink as descent does (note 8). What rounding
//! takes from the centre is carried along with it, as in [compensated](super::accumulate) sums, so
//! that millions of small increments lose next to nothing.
//!
//! J is evaluated on a box somewhat larger than needed and kept until the run leaves it: late in
//! training that takes thousands of steps.
//!
//! ```
//! use popgd_core::descent::enclosure::{Enclosure, Memory, sizes};
//! use popgd_core::descent::lumped::LumpedModel;
//! use popgd_core::model::classes::{Class, TwoLevel};
//! use popgd_core::{Activation, Dual, Interval, Scalar};
//!
//! let one = Interval::point(1.0_f64);
//! let teacher = TwoLevel::new(one.integer(16), one.integer(4));
//! let classes = [teacher.class()];
//! let model = LumpedModel {
//!     activation: Activation::relu(one),
//!     classes: &classes,
//!     teacher_norm: one,
//!     logit_gain: one.rational(1, 16),
//!     rate: one.rational(1, 8),
//!     slope_at_zero: one,
//! };
//! let mut numbers = [Dual::constant(one); 4];
//! let mut tangent_classes = [Class { columns: numbers[0], counts: &[], weights: &[] }];
//! let tangent = model.mapped(Dual::constant, &mut numbers, &mut tangent_classes)?;
//!
//! let sizes = sizes(&model);
//! assert_eq!((sizes.floats, sizes.intervals, sizes.duals), (24, 18, 6));
//! let (mut floats, mut intervals, mut duals) = ([0.0; 24], [one; 18], [Dual::constant(one); 6]);
//! let memory = Memory { floats: &mut floats, intervals: &mut intervals, duals: &mut duals };
//! let mut run = Enclosure::from_zero(model, tangent, memory)?;
//! run.advance(20_000);
//! let loss = run.quantities().excess_loss;
//! assert!(loss.width() < 1e-10 * loss.lo());
//! # Ok::<(), popgd_core::Error>(())
//! ```

mod axes;
mod bounds;
mod propagate;

use crate::error::check_length;
use crate::model::Quantities;
use crate::model::classes::Class;
use crate::model::lumped::LumpedModel;
use crate::scalar::dual::Dual;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;
use crate::slices::{split_off, split_off_mut};
use crate::{Error, Scalar};
use bounds::dot_above;

/// A number and its derivative in one direction, both enclosed.
pub type Tangent<F> = Dual<Interval<F>, 1>;

/// How much memory an [`Enclosure`] needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Entries of [`Memory::floats`].
    pub floats: usize,
    /// Entries of [`Memory::intervals`].
    pub intervals: usize,
    /// Entries of [`Memory::duals`].
    pub duals: usize,
}

/// Memory of an [`Enclosure`], of any content; see [`sizes`].
#[derive(Debug)]
pub struct Memory<'a, F> {
    /// For centre, radii and axes.
    pub floats: &'a mut [F],
    /// For the state, boxes and derivatives.
    pub intervals: &'a mut [Interval<F>],
    /// For the evaluation of derivatives.
    pub duals: &'a mut [Tangent<F>],
}

/// The memory for a run of this model.
pub fn sizes<F: Float>(model: &LumpedModel<'_, Interval<F>>) -> Sizes {
    let (side, levels) = (coordinates(model), model.levels());
    let square = side.saturating_mul(side);
    Sizes {
        floats: square.saturating_mul(4).saturating_add(side.saturating_mul(4)),
        intervals: square
            .saturating_mul(2)
            .saturating_add(side.saturating_mul(2))
            .saturating_add(levels.saturating_mul(3)),
        duals: levels.saturating_mul(3),
    }
}

/// c, and one logit difference for every level but the last of each class.
fn coordinates<F: Float>(model: &LumpedModel<'_, Interval<F>>) -> usize {
    1 + model.classes.iter().map(|class| class.counts.len().saturating_sub(1)).sum::<usize>()
}

/// An enclosed lumped run.
#[derive(Debug)]
pub struct Enclosure<'a, F> {
    model: LumpedModel<'a, Interval<F>>,
    tangent: LumpedModel<'a, Tangent<F>>,
    steps: u64,
    blocks: u64,
    /// The number of coordinates.
    side: usize,
    /// The centre is the sum of these two, the second less than a rounding of the first.
    centre: &'a mut [F],
    carry: &'a mut [F],
    /// r, along the axes.
    radius: &'a mut [F],
    /// Those of the next step.
    next: &'a mut [F],
    /// A, whose columns are the axes, and roughly its inverse B.
    axes: &'a mut [F],
    inverse: &'a mut [F],
    /// Bounds on |A⁻¹ J A|, with which radii grow in a step, and on |A⁻¹|.
    growth: &'a mut [F],
    spread: &'a mut [F],
    /// The box on which J holds; empty before the first.
    domain: &'a mut [Interval<F>],
    /// J − I, and its product with A.
    slope: &'a mut [Interval<F>],
    product: &'a mut [Interval<F>],
    /// What is added to a vector of coordinates.
    image: &'a mut [Interval<F>],
    logits: &'a mut [Interval<F>],
    scores: &'a mut [Interval<F>],
    increments: &'a mut [Interval<F>],
    tangent_logits: &'a mut [Tangent<F>],
    tangent_scores: &'a mut [Tangent<F>],
    tangent_increments: &'a mut [Tangent<F>],
}

impl<'a, F: Float> Enclosure<'a, F> {
    /// A run from W_V = W_KQ = 0, exactly. `tangent` is the same model
    /// [over duals](LumpedModel::mapped).
    ///
    /// # Errors
    /// What [`LumpedModel::check`] finds, [`Error::Length`] for the memory, and
    /// [`Error::NotTheSame`] if the two models differ.
    pub fn from_zero(
        model: LumpedModel<'a, Interval<F>>,
        tangent: LumpedModel<'a, Tangent<F>>,
        memory: Memory<'a, F>,
    ) -> Result<Self, Error> {
        model.check()?;
        check_same(&model, &tangent)?;
        let (side, levels) = (coordinates(&model), model.levels());
        let square = side.saturating_mul(side);
        let needed = sizes(&model);
        check_length("floats of an enclosure", needed.floats, memory.floats.len())?;
        check_length("intervals of an enclosure", needed.intervals, memory.intervals.len())?;
        check_length("duals of an enclosure", needed.duals, memory.duals.len())?;
        memory.floats.fill(F::ZERO);
        memory.intervals.fill(Interval::point(F::ZERO));
        memory.duals.fill(Dual::constant(Interval::point(F::ZERO)));
        let (mut floats, mut intervals, mut duals) =
            (memory.floats, memory.intervals, memory.duals);
        let lack = Error::Length { what: "memory of an enclosure", expected: 0, found: 0 };
        let mut run = Self {
            model,
            tangent,
            steps: 0,
            blocks: 0,
            side,
            centre: split_off_mut(&mut floats, side).ok_or(lack)?,
            carry: split_off_mut(&mut floats, side).ok_or(lack)?,
            radius: split_off_mut(&mut floats, side).ok_or(lack)?,
            next: split_off_mut(&mut floats, side).ok_or(lack)?,
            axes: split_off_mut(&mut floats, square).ok_or(lack)?,
            inverse: split_off_mut(&mut floats, square).ok_or(lack)?,
            growth: split_off_mut(&mut floats, square).ok_or(lack)?,
            spread: split_off_mut(&mut floats, square).ok_or(lack)?,
            domain: split_off_mut(&mut intervals, side).ok_or(lack)?,
            slope: split_off_mut(&mut intervals, square).ok_or(lack)?,
            product: split_off_mut(&mut intervals, square).ok_or(lack)?,
            image: split_off_mut(&mut intervals, side).ok_or(lack)?,
            logits: split_off_mut(&mut intervals, levels).ok_or(lack)?,
            scores: split_off_mut(&mut intervals, levels).ok_or(lack)?,
            increments: split_off_mut(&mut intervals, levels).ok_or(lack)?,
            tangent_logits: split_off_mut(&mut duals, levels).ok_or(lack)?,
            tangent_scores: split_off_mut(&mut duals, levels).ok_or(lack)?,
            tangent_increments: split_off_mut(&mut duals, levels).ok_or(lack)?,
        };
        run.take_natural_axes();
        Ok(run)
    }

    /// Goes on from a box: c and one logit for every level of every class, of which only
    /// differences within a class count, after `steps` steps.
    ///
    /// # Errors
    /// [`Error::Length`] for the logits.
    pub fn restart(
        &mut self,
        steps: u64,
        c: Interval<F>,
        logits: &[Interval<F>],
    ) -> Result<(), Error> {
        check_length("logits", self.logits.len(), logits.len())?;
        self.steps = steps;
        if let Some(slot) = self.image.first_mut() {
            *slot = c;
        }
        for ((own, reference), slot) in
            free_levels(self.model.classes).zip(self.image.iter_mut().skip(1))
        {
            let (Some(&own), Some(&common)) = (logits.get(own), logits.get(reference)) else {
                continue;
            };
            *slot = own - common;
        }
        for (centre, image) in self.centre.iter_mut().zip(self.image.iter_mut()) {
            *centre = image.midpoint();
            *image = *image - Interval::point(*centre);
        }
        // What is known along coordinates becomes what is known along the natural axes.
        self.take_natural_axes();
        self.radius.fill(F::ZERO);
        self.carry.fill(F::ZERO);
        self.spread_image();
        Ok(())
    }

    /// How many steps were made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How often a derivative was evaluated: what a run costs beside its steps.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// An enclosure of c.
    pub fn c(&self) -> Interval<F> {
        self.hull(0)
    }

    /// Enclosures of the logits, relative to the last of their class.
    pub fn logits(&mut self) -> &[Interval<F>] {
        self.place_logits();
        let mut rest = &mut *self.logits;
        for class in self.model.classes {
            let Some(own) = split_off_mut(&mut rest, class.counts.len()) else { break };
            let Some((last, others)) = own.split_last_mut() else { continue };
            if !last.is_zero() {
                for logit in others {
                    *logit = *logit - *last;
                }
                *last = Interval::point(F::ZERO);
            }
        }
        self.logits
    }

    /// Whether the state is still enclosed by a bounded set.
    pub fn is_bounded(&self) -> bool {
        self.radius.iter().chain(self.centre.iter()).all(|x| x.is_finite())
    }

    /// Enclosures of the quantities of Theorem 3.1 now.
    pub fn quantities(&mut self) -> Quantities<Interval<F>> {
        let c = self.c();
        self.place_logits();
        self.model.quantities(c, self.logits, self.scores, self.increments)
    }

    /// Enclosures of the scores now, one for every level of every class.
    pub fn scores(&mut self) -> &[Interval<F>] {
        self.place_logits();
        let (mut logits, mut scores) = (&*self.logits, &mut *self.scores);
        for class in self.model.classes {
            let levels = class.counts.len();
            if let (Some(z), Some(s)) =
                (split_off(&mut logits, levels), split_off_mut(&mut scores, levels))
            {
                Interval::softmax(Some(class.counts), z, s);
            }
        }
        self.scores
    }

    /// Puts the enclosures of coordinates at their levels.
    fn place_logits(&mut self) {
        for (index, (own, reference)) in free_levels(self.model.classes).enumerate() {
            let hull = self.hull(index + 1);
            if let Some(slot) = self.logits.get_mut(own) {
                *slot = hull;
            }
            if let Some(slot) = self.logits.get_mut(reference) {
                *slot = Interval::point(F::ZERO);
            }
        }
    }

    /// The range of one coordinate.
    fn hull(&self, index: usize) -> Interval<F> {
        let terms = self.radius.iter().enumerate().map(|(column, &r)| {
            (axes::at(self.axes, self.side, index, column).unwrap_or(F::INFINITY).abs(), r)
        });
        let reach = dot_above(terms);
        let around = Interval::new(-reach, reach).unwrap_or(Interval::ENTIRE);
        let place = |part: &[F]| Interval::point(part.get(index).copied().unwrap_or(F::NAN));
        let centre = place(self.centre) + place(self.carry);
        if centre.is_empty() { Interval::ENTIRE } else { centre + around }
    }

    /// Makes so many steps, or fewer if the enclosure becomes unbounded; returns how many were made.
    pub fn advance(&mut self, steps: u64) -> u64 {
        for made in 0..steps {
            if !self.is_bounded() {
                return made;
            }
            self.step();
        }
        steps
    }
}

/// The levels whose logits are coordinates, and the one of their class to which they count: as
/// indices among all levels.
///
/// That one is a level of the group. Late in training its logits rise together, and relative to a
/// level outside of it that would be a sum of large derivatives that cancel.
fn free_levels<F: Float>(
    classes: &[Class<'_, Interval<F>>],
) -> impl Iterator<Item = (usize, usize)> {
    let starts = classes.iter().scan(0, |end, class| {
        let start = *end;
        *end += class.counts.len();
        Some((start, *end, start + reference(class)))
    });
    starts.flat_map(|(start, end, reference)| {
        (start..end).filter(move |&own| own != reference).map(move |own| (own, reference))
    })
}

/// The first of the levels with the largest weight.
fn reference<F: Float>(class: &Class<'_, Interval<F>>) -> usize {
    let weights = class.weights.iter().enumerate();
    let largest = weights.fold((0, F::NEG_INFINITY), |(best, largest), (index, weight)| {
        if weight.lo() > largest { (index, weight.lo()) } else { (best, largest) }
    });
    largest.0
}

/// Whether both models are one, and the parameters of the second are constants.
fn check_same<F: Float>(
    model: &LumpedModel<'_, Interval<F>>,
    tangent: &LumpedModel<'_, Tangent<F>>,
) -> Result<(), Error> {
    let same =
        |a: Interval<F>, b: Tangent<F>| a == b.value && b.derivative.iter().all(|d| d.is_zero());
    let mut alike = model.classes.len() == tangent.classes.len();
    let pairs = [
        (model.activation.slope(), tangent.activation.slope()),
        (model.teacher_norm, tangent.teacher_norm),
        (model.logit_gain, tangent.logit_gain),
        (model.rate, tangent.rate),
        (model.slope_at_zero, tangent.slope_at_zero),
    ];
    alike &= pairs.into_iter().all(|(a, b)| same(a, b));
    for (class, other) in model.classes.iter().zip(tangent.classes) {
        alike &= same(class.columns, other.columns) && class.counts.len() == other.counts.len();
        let levels = class.levels().zip(other.levels());
        alike &= levels.into_iter().all(|((m, w), (n, x))| same(m, n) && same(w, x));
    }
    if alike { Ok(()) } else { Err(Error::NotTheSame) }
}
