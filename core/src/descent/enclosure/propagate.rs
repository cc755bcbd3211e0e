//! One step of a skew box, and the derivatives that carry it.

use super::axes::{self, at};
use super::bounds::{dot_above, sum_above};
use super::{Enclosure, free_levels};
use crate::Scalar;
use crate::scalar::dual::Dual;
use crate::scalar::float::Float;
use crate::scalar::interval::Interval;

/// J is evaluated on a box that leaves at most so much room: for c as a part of it, for logits as
/// such.
const ROOM: f64 = 1.0 / 2048.0;

impl<F: Float> Enclosure<'_, F> {
    /// One step of gradient descent.
    pub fn step(&mut self) {
        self.steps = self.steps.saturating_add(1);
        self.evaluate_increments();
        // A point has no need of derivatives; c = 0, where there are none, is one.
        if self.radius.iter().chain(self.carry.iter()).any(|&r| r != F::ZERO) {
            if !self.is_in_domain() {
                self.enter_domain();
            }
            times_above(self.side, self.growth, self.radius, self.next);
        } else {
            self.next.fill(F::ZERO);
            self.slope.fill(Interval::point(F::ZERO));
        }
        self.move_centre();
        for (radius, &next) in self.radius.iter_mut().zip(self.next.iter()) {
            *radius = next;
        }
        self.spread_image();
    }

    /// Leaves in `image` what a step adds to the centre.
    fn evaluate_increments(&mut self) {
        for ((own, reference), &x) in
            free_levels(self.model.classes).zip(self.centre.iter().skip(1))
        {
            if let Some(slot) = self.logits.get_mut(own) {
                *slot = Interval::point(x);
            }
            if let Some(slot) = self.logits.get_mut(reference) {
                *slot = Interval::point(F::ZERO);
            }
        }
        let c = Interval::point(self.centre.first().copied().unwrap_or(F::NAN));
        let increment = self.model.increments(c, self.logits, self.scores, self.increments);
        if let Some(slot) = self.image.first_mut() {
            *slot = increment;
        }
        for ((own, reference), slot) in
            free_levels(self.model.classes).zip(self.image.iter_mut().skip(1))
        {
            let (Some(&own), Some(&common)) =
                (self.increments.get(own), self.increments.get(reference))
            else {
                continue;
            };
            *slot = own - common;
        }
    }

    /// Moves the centre to the middle of its image, and leaves in `image` what is around it.
    ///
    /// With the centre a + e, e the carry, the image is in `a + F(a) − a + e + (J − I) e`.
    fn move_centre(&mut self) {
        let side = self.side;
        for (row, slot) in self.image.iter_mut().enumerate() {
            let reach = dot_above(self.carry.iter().enumerate().map(|(column, e)| {
                let slope =
                    at(self.slope, side, row, column).map_or(F::INFINITY, |x| x.magnitude());
                (slope, e.abs())
            }));
            let (Some(centre), Some(carry)) = (self.centre.get_mut(row), self.carry.get_mut(row))
            else {
                continue;
            };
            let increment = *slot + Interval::point(*carry);
            let middle = increment.midpoint();
            (*centre, *carry) = centre.two_sum(middle);
            *slot = increment - Interval::point(middle)
                + Interval::new(-reach, reach).unwrap_or(Interval::ENTIRE);
        }
    }

    /// Adds what `image` reaches, a box along coordinates, to the radii.
    pub(super) fn spread_image(&mut self) {
        for (row, radius) in self.radius.iter_mut().enumerate() {
            let reach =
                dot_above(self.image.iter().enumerate().map(|(column, x)| {
                    (entry(self.spread, self.side, row, column), x.magnitude())
                }));
            *radius = sum_above(*radius, reach);
        }
    }

    fn is_in_domain(&self) -> bool {
        self.domain.iter().enumerate().all(|(index, &domain)| {
            let now = self.hull(index);
            !domain.is_empty() && domain.contains_interval(now)
        })
    }

    /// Puts a box around the state, encloses the derivative on it, and turns the axes towards its
    /// eigenvectors.
    fn enter_domain(&mut self) {
        self.blocks = self.blocks.saturating_add(1);
        // Room for many steps like the next one: c leads the logits along a narrow path, and a box
        // wider than that would make little of J.
        let room_of = |index: usize, now: Interval<F>| {
            F::from_f64(ROOM) * if index == 0 { now.magnitude() } else { F::ONE }
        };
        let mut steps = F::MAX;
        for (index, increment) in self.image.iter().enumerate() {
            let now = self.hull(index);
            steps = steps.min(room_of(index, now) / increment.magnitude());
        }
        for index in 0..self.side {
            let now = self.hull(index);
            let increment = self.image.get(index).map_or(F::INFINITY, |x| x.magnitude());
            let moved = (steps * increment).min(room_of(index, now));
            let pad = moved.max(F::from_f64(4.0) * now.width());
            if let Some(slot) = self.domain.get_mut(index) {
                *slot = now + Interval::new(-pad, pad).unwrap_or(Interval::ENTIRE);
            }
        }
        self.differentiate();

        // `growth`, `spread` and `product` are made anew below, and serve until then.
        for (slot, slope) in self.growth.iter_mut().zip(self.slope.iter()) {
            *slot = slope.midpoint();
        }
        for (slot, &a) in self.product.iter_mut().zip(self.axes.iter()) {
            *slot = Interval::point(a);
        }
        axes::turn(self.side, self.growth, self.axes, self.inverse, self.spread);
        let defect = self.invert();
        self.change_axes(defect);
        self.bound_growth(defect);
    }

    /// The natural axes, with a state that is a point.
    pub(super) fn take_natural_axes(&mut self) {
        axes::natural(&self.model, self.side, self.axes, self.inverse);
        self.domain.fill(Interval::EMPTY);
        self.invert();
    }

    /// J − I on the domain, column by column.
    fn differentiate(&mut self) {
        for direction in 0..self.side {
            let coordinate = |index: usize| {
                let value = self.domain.get(index).copied().unwrap_or(Interval::ENTIRE);
                if index == direction { Dual::variable(value, 0) } else { Dual::constant(value) }
            };
            for (index, (own, reference)) in free_levels(self.model.classes).enumerate() {
                if let Some(slot) = self.tangent_logits.get_mut(own) {
                    *slot = coordinate(index + 1);
                }
                if let Some(slot) = self.tangent_logits.get_mut(reference) {
                    *slot = Dual::constant(Interval::point(F::ZERO));
                }
            }
            let increment = self.tangent.increments(
                coordinate(0),
                self.tangent_logits,
                self.tangent_scores,
                self.tangent_increments,
            );
            let side = self.side;
            let slope = &mut *self.slope;
            let mut row = 0;
            let mut put = |derivative: [Interval<F>; 1]| {
                if let Some(slot) = slope.get_mut(row * side + direction) {
                    [*slot] = derivative;
                }
                row += 1;
            };
            put(increment.derivative);
            for (own, reference) in free_levels(self.model.classes) {
                let increments = &self.tangent_increments;
                if let (Some(&own), Some(&common)) =
                    (increments.get(own), increments.get(reference))
                {
                    put((own - common).derivative);
                }
            }
        }
    }

    /// Bounds |A⁻¹| in `spread`, and returns by how much, as a part of the largest entry of a
    /// vector Bw, A⁻¹w may differ from it: `A⁻¹ = (I + E)⁻¹ B` with E = BA − I, so that
    /// `|A⁻¹w − Bw|∞ ≤ ‖E‖∞/(1 − ‖E‖∞) · |Bw|∞`.
    fn invert(&mut self) -> F {
        let side = self.side;
        let mut worst = F::ZERO;
        for row in 0..side {
            let mut sum = F::ZERO;
            for column in 0..side {
                let error = product(side, self.inverse, self.axes, row, column)
                    - Interval::point(if row == column { F::ONE } else { F::ZERO });
                sum = sum_above(sum, error.magnitude());
            }
            worst = worst.max(sum);
        }
        let error = Interval::point(worst);
        let defect = if worst < F::from_f64(0.5) {
            (error / (error.one() - error)).hi()
        } else {
            F::INFINITY
        };
        for (slot, &b) in self.spread.iter_mut().zip(self.inverse.iter()) {
            *slot = b.abs();
        }
        widen(side, defect, self.spread);
        defect
    }

    /// From radii along the axes in `product` to radii along the axes of now.
    fn change_axes(&mut self, defect: F) {
        let side = self.side;
        for row in 0..side {
            for column in 0..side {
                let mut sum = Interval::point(F::ZERO);
                for k in 0..side {
                    let old = at(self.product, side, k, column).unwrap_or(Interval::ENTIRE);
                    sum = sum + Interval::point(entry(self.inverse, side, row, k)) * old;
                }
                if let Some(slot) = self.growth.get_mut(row * side + column) {
                    *slot = sum.magnitude();
                }
            }
        }
        widen(side, defect, self.growth);
        times_above(side, self.growth, self.radius, self.next);
        for (radius, &next) in self.radius.iter_mut().zip(self.next.iter()) {
            *radius = next;
        }
    }

    /// Bounds |A⁻¹ J A| = |A⁻¹A + A⁻¹ (J − I) A| in `growth`.
    fn bound_growth(&mut self, defect: F) {
        let side = self.side;
        for row in 0..side {
            for column in 0..side {
                let mut sum = Interval::point(F::ZERO);
                for k in 0..side {
                    let slope = at(self.slope, side, row, k).unwrap_or(Interval::ENTIRE);
                    sum = sum + slope * Interval::point(entry(self.axes, side, k, column));
                }
                if let Some(slot) = self.product.get_mut(row * side + column) {
                    *slot = sum;
                }
            }
        }
        for row in 0..side {
            for column in 0..side {
                let mut sum = product(side, self.inverse, self.axes, row, column);
                for k in 0..side {
                    let moved = at(self.product, side, k, column).unwrap_or(Interval::ENTIRE);
                    sum = sum + Interval::point(entry(self.inverse, side, row, k)) * moved;
                }
                if let Some(slot) = self.growth.get_mut(row * side + column) {
                    *slot = sum.magnitude();
                }
            }
        }
        widen(side, defect, self.growth);
    }
}

fn entry<F: Float>(matrix: &[F], side: usize, row: usize, column: usize) -> F {
    at(matrix, side, row, column).unwrap_or(F::INFINITY)
}

/// An enclosure of an entry of B A.
fn product<F: Float>(side: usize, b: &[F], a: &[F], row: usize, column: usize) -> Interval<F> {
    (0..side).fold(Interval::point(F::ZERO), |sum, k| {
        sum + Interval::point(entry(b, side, row, k)) * Interval::point(entry(a, side, k, column))
    })
}

/// At least the product of a matrix and a vector, both ≥ 0.
fn times_above<F: Float>(side: usize, matrix: &[F], vector: &[F], image: &mut [F]) {
    for (row, slot) in image.iter_mut().enumerate() {
        let terms = vector.iter().enumerate().map(|(k, &x)| (entry(matrix, side, row, k), x));
        *slot = dot_above(terms);
    }
}

/// From bounds on |B X| to bounds on |A⁻¹ X|: adds to every entry that part of the largest in its
/// column.
fn widen<F: Float>(side: usize, defect: F, matrix: &mut [F]) {
    for column in 0..side {
        let largest = (0..side).fold(F::ZERO, |largest, row| {
            let own = entry(matrix, side, row, column);
            if own.is_nan() { F::INFINITY } else { largest.max(own) }
        });
        let more = dot_above([(defect, largest)]);
        for row in 0..side {
            if let Some(slot) = matrix.get_mut(row * side + column) {
                *slot = sum_above(*slot, more);
            }
        }
    }
}
