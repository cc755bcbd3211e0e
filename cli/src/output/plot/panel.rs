//! A panel of a picture: two axes with their ticks, grid and names.

use super::axis::{Axis, Tick};
use super::canvas::{Canvas, Lettering, Point, Stroke};
use super::{GREY, GRID, INK};
use crate::error::Failure;

/// A panel, and its axis across.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel<'c, 's> {
    pub(super) canvas: &'c Canvas<'s>,
    pub(super) across: Axis,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Panel<'_, '_> {
    /// Its grid, ticks and names; across only where there is a name for that, in the lowest panel.
    pub(super) fn draw(
        &self,
        across: &[Tick],
        values: &[Tick],
        name: &str,
        name_across: Option<&str>,
    ) -> Result<(), Failure> {
        let line = |color, width| Stroke { color, width, dashes: &[] };
        let label = Lettering::new(12.0, INK);
        for tick in across {
            let x = tick.place;
            if tick.label.is_some() {
                self.canvas.line(&[(x, self.top), (x, self.bottom)], line(GRID, 1.0))?;
            }
            let length = if tick.label.is_some() { 7.0 } else { 4.0 };
            self.canvas.line(&[(x, self.bottom), (x, self.bottom + length)], line(GREY, 1.0))?;
            if let Some(text) = tick.label.as_ref().filter(|_| name_across.is_some()) {
                self.canvas.text(text, (x, self.bottom + 20.0), label.centered())?;
            }
        }
        for tick in values {
            let y = tick.place;
            if tick.label.is_some() {
                self.canvas.line(&[(self.left, y), (self.right, y)], line(GRID, 1.0))?;
            }
            let length = if tick.label.is_some() { 7.0 } else { 4.0 };
            self.canvas.line(&[(self.left - length, y), (self.left, y)], line(GREY, 1.0))?;
            if let Some(text) = &tick.label {
                self.canvas.text(text, (self.left - 12.0, y), label.ending())?;
            }
        }
        self.canvas.line(
            &[(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)],
            line(GREY, 1.0),
        )?;
        let name_at = (self.left - 66.0, 0.5 * (self.top + self.bottom));
        let heading = Lettering::new(13.0, INK).centered();
        self.canvas.text(name, name_at, heading.upright())?;
        if let Some(name) = name_across {
            let middle = 0.5 * (self.left + self.right);
            self.canvas.text(name, (middle, self.bottom + 44.0), heading)?;
        }
        Ok(())
    }

    /// Where a point is; nothing for what is not on an axis.
    pub(super) fn place(&self, values: &Axis, (at, value): (f64, f64)) -> Option<Point> {
        let inside = self.across.covers(at) && values.covers(value);
        inside.then(|| self.across.place(at).zip(values.place(value))).flatten()
    }

    /// A line through points, broken where they leave the panel; returns those within.
    ///
    /// # Errors
    /// As [`Canvas::line`].
    pub(super) fn curve(
        &self,
        values: &Axis,
        points: impl Iterator<Item = (f64, f64)>,
        stroke: Stroke,
    ) -> Result<Vec<Point>, Failure> {
        let places: Vec<Option<Point>> = points.map(|point| self.place(values, point)).collect();
        for part in places.split(Option::is_none) {
            let part: Vec<Point> = part.iter().copied().flatten().collect();
            if part.len() > 1 {
                self.canvas.line(&part, stroke)?;
            }
        }
        Ok(places.into_iter().flatten().collect())
    }
}
