//! The picture of `popgd precision`: relative errors of the excess loss, and relative widths of its
//! enclosures, against the number of steps.

use plotters::style::RGBColor;
use serde_json::Value;

use super::axis::Axis;
use super::canvas::{Canvas, Lettering, Marker, Stroke};
use super::panel::Panel;
use super::target::{Caption, Target};
use super::{GREY, INK, LEFT, RIGHT, WIDTH, thin};
use crate::error::Failure;
use crate::output::digits::grouped;
use crate::output::{json, words};
use crate::precision::judge::Size;
use crate::precision::{Findings, Way};
use crate::provenance::{LIBM, Provenance, VERSION};
use crate::settings::Settings;

const HEIGHT: u32 = 760;
const TOP: f64 = 158.0;

/// How a way looks: floats full, intervals dashed; the same colour for the same number of digits.
fn look(way: Way) -> (Stroke, Marker) {
    const SINGLE: RGBColor = RGBColor(0xc4, 0x4e, 0x00);
    const SINGLE_LIGHT: RGBColor = RGBColor(0xe0, 0x9a, 0x3c);
    const DOUBLE: RGBColor = RGBColor(0x00, 0x5f, 0xa8);
    const DOUBLE_LIGHT: RGBColor = RGBColor(0x52, 0xa3, 0xd9);
    let (color, dashes, marker): (_, &'static [f64], _) = match way {
        Way::SinglePlain => (SINGLE, &[], Marker::Circle),
        Way::SingleCompensated => (SINGLE_LIGHT, &[], Marker::Triangle),
        Way::DoublePlain => (DOUBLE, &[], Marker::Circle),
        Way::DoubleCompensated => (DOUBLE_LIGHT, &[], Marker::Triangle),
        Way::SingleIntervals => (SINGLE_LIGHT, &[3.0, 3.0], Marker::Square),
        Way::DoubleIntervals => (DOUBLE_LIGHT, &[3.0, 3.0], Marker::Square),
        Way::SingleEnclosure => (SINGLE, &[11.0, 5.0], Marker::Square),
        Way::DoubleEnclosure => (DOUBLE, &[11.0, 5.0], Marker::Square),
    };
    (Stroke { color, width: 2.0, dashes }, marker)
}

/// What is to be drawn.
#[derive(Debug)]
pub struct PrecisionPicture<'a> {
    settings: &'a Settings,
    findings: &'a Findings,
}

impl<'a> PrecisionPicture<'a> {
    /// Of these findings.
    pub fn new(settings: &'a Settings, findings: &'a Findings) -> Self {
        Self { settings, findings }
    }

    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        let model = &self.settings.model;
        let caption = Caption {
            title: format!("Precision: {}", words::teacher(model)),
            description: format!(
                "Relative error of the excess loss in single and double precision, with plain and \
                 compensated sums, and relative width of its enclosures, against the number of \
                 steps T, both axes logarithmic. {}.",
                words::training(model)
            ),
            metadata: Value::Object(json::document("precision", self.settings, &[])).to_string(),
        };
        target.write((WIDTH, HEIGHT), &caption, |canvas| self.draw(canvas))
    }

    /// The errors of a way, at the steps where it has one other than 0; and whether each is one, or
    /// only what an error is at most.
    fn curve(&self, way: Way) -> Vec<((f64, f64), bool)> {
        let errors =
            self.findings.steps().into_iter().filter(|&t| t > 0).filter_map(|t| {
                match self.findings.judge(way, t)?.size() {
                    Size::Of(size) => Some(((t as f64, size), true)),
                    Size::AtMost(most) => Some(((t as f64, most), false)),
                    Size::Zero => None,
                }
            });
        errors.collect()
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<(), Failure> {
        let model = &self.settings.model;
        canvas.text(&words::teacher(model), (LEFT, 32.0), Lettering::new(18.0, INK).bold())?;
        canvas.text(&words::training(model), (LEFT, 58.0), Lettering::new(13.0, GREY))?;
        for (at, way) in (0_u8..).zip(Way::ALL) {
            let (row, column) = (f64::from(at / 4), f64::from(at % 4));
            let (x, y) = (LEFT + 224.0 * column, 88.0 + 24.0 * row);
            let (stroke, marker) = look(way);
            canvas.line(&[(x, y), (x + 46.0, y)], stroke)?;
            canvas.marker((x + 23.0, y), marker, stroke.color)?;
            let kind = if way.encloses() { "width of " } else { "" };
            let label = format!("{kind}{}", way.name());
            canvas.text(&label, (x + 56.0, y), Lettering::new(12.5, INK))?;
        }

        let bottom = f64::from(HEIGHT) - 92.0;
        let curves = Way::ALL.map(|way| (way, self.curve(way)));
        let all = || curves.iter().flat_map(|(_, points)| points.iter().map(|(point, _)| point));
        let across = Axis::span(
            self.findings.steps().into_iter().map(|t| t as f64),
            LEFT + 6.0,
            RIGHT - 6.0,
        );
        // An enclosure that says nothing is as wide as it likes.
        let values = Axis::decades(all().map(|&(_, size)| size.min(10.0)), bottom, TOP);
        let panel = Panel { canvas, across, left: LEFT, right: RIGHT, top: TOP, bottom };
        let name = "relative error, relative width";
        panel.draw(&across.power_ticks(), &values.power_ticks(), name, Some("steps T"))?;
        self.draw_stalls(&panel)?;
        for (way, points) in &curves {
            let (stroke, marker) = look(*way);
            // A line joins errors, not bounds of them.
            for part in points.split(|&(_, is_known)| !is_known) {
                panel.curve(&values, part.iter().map(|&(point, _)| point), stroke)?;
            }
            for &(point, is_known) in points {
                let Some((x, y)) = panel.place(&values, point) else { continue };
                if is_known {
                    canvas.marker((x, y), marker, stroke.color)?;
                } else {
                    canvas.arrow((x, y + 14.0), 1.0, stroke.color)?;
                }
            }
        }
        let bounds = curves.iter().flat_map(|(_, points)| points).any(|&(_, is_known)| !is_known);
        if bounds {
            let note = "↓: at most so large";
            let at = (LEFT + 12.0, TOP + 16.0);
            canvas.text(note, at, Lettering::new(11.0, GREY))?;
        }

        let provenance = Provenance::of(self.settings);
        let source = format!(
            "popgd {VERSION} · configuration {} · seed {} · libm {LIBM}",
            provenance.config_hash, provenance.seed
        );
        let at = (RIGHT, f64::from(HEIGHT) - 20.0);
        canvas.text(&source, at, Lettering::new(10.0, GREY).ending())
    }

    /// Where plain sums are predicted to stand still, as far as that is in the picture.
    fn draw_stalls(&self, panel: &Panel<'_, '_>) -> Result<(), Failure> {
        for stall in &self.findings.stalls {
            let Some(predicted) = stall.predicted.filter(|p| panel.across.covers(p.steps)) else {
                continue;
            };
            let Some(x) = panel.across.place(predicted.steps) else { continue };
            panel.canvas.line(&[(x, panel.top), (x, panel.bottom)], thin(GREY))?;
            let label = format!(
                "plain {} predicted to stand still after {} steps",
                stall.scalar,
                grouped(predicted.steps.round() as u64)
            );
            let at = (x.min(panel.right), panel.top - 12.0);
            panel.canvas.text(&label, at, Lettering::new(11.0, GREY).ending())?;
        }
        Ok(())
    }
}
