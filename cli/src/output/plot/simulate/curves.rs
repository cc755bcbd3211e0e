//! A panel of curves over T, with its legend.

use plotters::style::RGBColor;

use super::super::axis::Axis;
use super::super::canvas::{Canvas, Lettering, Marker, Stroke};
use super::super::panel::Panel;
use super::{INK, LEFT, RIGHT};
use crate::error::Failure;

/// More markers than these on a curve would hide it.
const MARKERS: usize = 40;

/// What is drawn.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// What the legend says; nothing for a curve that goes with the one before.
    pub(super) label: String,
    /// (T, value).
    pub(super) points: Vec<(u64, f64)>,
    /// Its line, if it has one.
    pub(super) stroke: Option<Stroke>,
    /// Its markers, if it has them.
    pub(super) marker: Option<(Marker, RGBColor)>,
}

/// Where they are drawn.
#[derive(Debug)]
pub(super) struct Curves<'c, 's> {
    pub(super) canvas: &'c Canvas<'s>,
    pub(super) across: Axis,
    pub(super) top: f64,
    pub(super) height: f64,
    pub(super) name: &'static str,
}

impl<'s> Curves<'_, 's> {
    /// Their sizes, on a logarithmic axis.
    pub(super) fn draw(&self, curves: &[Curve]) -> Result<(), Failure> {
        let mut curves = curves.to_vec();
        for point in curves.iter_mut().flat_map(|curve| &mut curve.points) {
            point.1 = point.1.abs();
        }
        let curves = &curves[..];
        let figures = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
        let values = Axis::decades(figures, self.top + self.height, self.top);
        let panel = self.panel();
        panel.draw(
            &self.across.power_ticks(),
            &values.power_ticks(),
            self.name,
            Some("steps T"),
        )?;
        self.draw_on(&panel, &values, curves)
    }

    /// On a linear axis that ends at 1.
    pub(super) fn draw_cosines(&self, curves: &[Curve]) -> Result<(), Failure> {
        let figures = curves.iter().flat_map(|curve| &curve.points);
        // Before the first step there is no direction yet.
        let least = figures.filter(|(t, _)| *t > 0).map(|point| point.1).fold(1.0, f64::min);
        let (low, step, decimals) = match least {
            x if x > 0.99 => (0.99, 0.005, 3),
            x if x > 0.9 => (0.9, 0.05, 2),
            x if x > 0.0 => (0.0, 0.5, 1),
            _ => (-1.0, 0.5, 1),
        };
        let values = Axis::linear((low, 1.0), self.top + self.height, self.top);
        let ticks = values.even_ticks(step, decimals);
        let panel = self.panel();
        panel.draw(&self.across.power_ticks(), &ticks, self.name, Some("steps T"))?;
        self.draw_on(&panel, &values, curves)
    }

    fn panel(&self) -> Panel<'_, 's> {
        let (top, bottom) = (self.top, self.top + self.height);
        Panel { canvas: self.canvas, across: self.across, left: LEFT, right: RIGHT, top, bottom }
    }

    fn draw_on(
        &self,
        panel: &Panel<'_, '_>,
        values: &Axis,
        curves: &[Curve],
    ) -> Result<(), Failure> {
        let shown = |curve: &Curve| {
            curve.points.clone().into_iter().filter(|(t, _)| *t > 0).map(|(t, y)| (t as f64, y))
        };
        for curve in curves {
            if let Some(stroke) = curve.stroke {
                panel.curve(values, shown(curve), stroke)?;
            }
        }
        for curve in curves {
            let Some((marker, color)) = curve.marker else { continue };
            let every = curve.points.len().div_ceil(MARKERS).max(1);
            for point in shown(curve).step_by(every) {
                if let Some(at) = panel.place(values, point) {
                    self.canvas.marker(at, marker, color)?;
                }
            }
        }
        self.draw_legend(curves)
    }

    fn draw_legend(&self, curves: &[Curve]) -> Result<(), Failure> {
        // A letter is about 0.58 of its size wide.
        let width = |curve: &Curve| 48.0 + 7.0 * curve.label.chars().count() as f64 + 22.0;
        let shown = || curves.iter().filter(|curve| !curve.label.is_empty());
        // A second line, above, where one is not enough.
        let whole: f64 = shown().map(width).sum();
        let (mut x, mut y) = (LEFT, self.top - if whole > RIGHT - LEFT { 34.0 } else { 18.0 });
        for curve in shown() {
            if x > LEFT && x + width(curve) > RIGHT + 22.0 {
                (x, y) = (LEFT, y + 16.0);
            }
            if let Some(stroke) = curve.stroke {
                self.canvas.line(&[(x, y), (x + 40.0, y)], stroke)?;
            }
            if let Some((marker, color)) = curve.marker {
                self.canvas.marker((x + 20.0, y), marker, color)?;
            }
            self.canvas.text(&curve.label, (x + 48.0, y), Lettering::new(12.0, INK))?;
            x += width(curve);
        }
        Ok(())
    }
}
