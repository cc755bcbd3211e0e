//! Plain charts: panels one above the other, each with curves over an axis of its own.

use plotters::style::RGBColor;

use super::axis::{Axis, Tick};
use super::canvas::{Lettering, Marker, Stroke};
use super::panel::Panel;
use super::target::{Caption, Target};
use super::{GREY, INK, LEFT, RIGHT, WIDTH};
use crate::error::Failure;

const HEAD: f64 = 96.0;
const HEIGHT: f64 = 330.0;
const GAP: f64 = 116.0;
const FOOT: f64 = 30.0;

const LOOKS: [(RGBColor, Marker); 5] = [
    (RGBColor(0x1b, 0x6c, 0xa8), Marker::Circle),
    (RGBColor(0xc4, 0x4e, 0x1f), Marker::Triangle),
    (RGBColor(0x2f, 0x85, 0x4b), Marker::Square),
    (RGBColor(0x7a, 0x4f, 0xa3), Marker::Diamond),
    (RGBColor(0x9a, 0x7b, 0x1c), Marker::Inverted),
];

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its heading.
    pub title: String,
    /// A line below.
    pub subtitle: String,
    /// What is drawn, for those who do not see it.
    pub description: String,
    /// Where it comes from, as JSON.
    pub metadata: String,
    /// The same, in small letters at the foot.
    pub source: String,
    /// Its panels.
    pub panels: Vec<ChartPanel>,
}

/// A panel.
#[derive(Clone, Debug)]
pub struct ChartPanel {
    /// What is across.
    pub across: String,
    /// Whether that is logarithmic.
    pub logarithmic_across: bool,
    /// What is upwards; always logarithmic.
    pub upwards: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name.
    pub label: String,
    /// Its points, from left to right; what is not above 0 has no place.
    pub points: Vec<(f64, f64)>,
    /// Whether it is a law or a bound: dashed and without markers.
    pub is_law: bool,
}

impl Chart {
    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        let count = self.panels.len().max(1) as f64;
        let height = HEAD + count * (HEIGHT + GAP) + FOOT;
        let caption = Caption {
            title: self.title.clone(),
            description: self.description.clone(),
            metadata: self.metadata.clone(),
        };
        target.write((WIDTH, height as u32), &caption, |canvas| {
            canvas.text(&self.title, (LEFT, 32.0), Lettering::new(18.0, INK).bold())?;
            canvas.text(&self.subtitle, (LEFT, 58.0), Lettering::new(13.0, GREY))?;
            let mut top = HEAD;
            for panel in &self.panels {
                let points = || panel.curves.iter().flat_map(|curve| curve.points.iter().copied());
                let span = points().filter(|&(_, y)| y > 0.0).map(|(x, _)| x);
                let (from, to) = (LEFT + 6.0, RIGHT - 6.0);
                let (across, ticks) = if panel.logarithmic_across {
                    let axis = Axis::span(span, from, to);
                    (axis, axis.power_ticks())
                } else {
                    linear(span, from, to)
                };
                let (top_line, bottom) = (top + 30.0, top + HEIGHT);
                let values = Axis::decades(points().map(|(_, y)| y), bottom, top_line);
                let place =
                    Panel { canvas, across, left: LEFT, right: RIGHT, top: top_line, bottom };
                place.draw(&ticks, &values.power_ticks(), &panel.upwards, Some(&panel.across))?;
                let mut x = LEFT;
                for (curve, (color, marker)) in panel.curves.iter().zip(LOOKS.iter().cycle()) {
                    let dashes: &'static [f64] = if curve.is_law { &[6.0, 4.0] } else { &[] };
                    let stroke = Stroke { color: *color, width: 2.0, dashes };
                    let places = place.curve(&values, curve.points.iter().copied(), stroke)?;
                    canvas.line(&[(x, top + 8.0), (x + 34.0, top + 8.0)], stroke)?;
                    if !curve.is_law {
                        canvas.marker((x + 17.0, top + 8.0), *marker, *color)?;
                        for at in places {
                            canvas.marker(at, *marker, *color)?;
                        }
                    }
                    let lettering = Lettering::new(12.5, INK);
                    canvas.text(&curve.label, (x + 42.0, top + 8.0), lettering)?;
                    x += 62.0 + 8.2 * curve.label.chars().count() as f64;
                }
                top += HEIGHT + GAP;
            }
            let foot = Lettering::new(10.0, GREY).ending();
            canvas.text(&self.source, (RIGHT, height - 16.0), foot)
        })
    }
}

/// A linear axis over figures, with some ten ticks at round places.
fn linear(figures: impl Iterator<Item = f64>, from: f64, to: f64) -> (Axis, Vec<Tick>) {
    let (low, high) = figures
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    let high = if high > low { high } else { low + 1.0 };
    let rough = (high - low) / 8.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let axis = Axis::linear((low, high), from, to);
    (axis, axis.even_ticks(step, decimals))
}
