//! The picture of `popgd ood`: gaps and bounds against T.

use plotters::style::RGBColor;
use serde_json::Value;

use super::axis::Axis;
use super::canvas::{Canvas, Lettering, Marker, Stroke};
use super::panel::Panel;
use super::target::{Caption, Target};
use super::{GREY, INK, LEFT, RIGHT, TOP, WIDTH};
use crate::error::Failure;
use crate::ood::report::{Report, Row};
use crate::ood::settings::OodSettings;
use crate::output::digits::grouped;
use crate::output::json;
use crate::output::ood::question;
use crate::output::words;
use crate::provenance::{LIBM, Provenance, VERSION};
use crate::settings::Settings;

const HEIGHT: u32 = 700;

/// What is to be drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The configuration.
    pub settings: &'a Settings,
    /// What was asked.
    pub ood: &'a OodSettings,
    /// What was found.
    pub report: &'a Report,
}

/// A curve: its name, its look, and what it shows.
struct Curve {
    name: String,
    stroke: Stroke,
    marker: Option<Marker>,
    value: fn(&Row) -> Option<f64>,
}

impl Picture<'_> {
    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        let title = words::teacher(&self.settings.model);
        let description = format!(
            "What the student loses to the teacher out of distribution, in magnitude, and its bound \
             against the number of steps T, both axes logarithmic. {}; {}.",
            question(self.ood),
            words::training(&self.settings.model)
        );
        let metadata = Value::Object(json::document("ood", self.settings, &[])).to_string();
        let caption = Caption { title, description, metadata };
        target.write((WIDTH, HEIGHT), &caption, |canvas| self.draw(canvas))
    }

    fn curves(&self) -> [Curve; 3] {
        let stroke = |color, dashes| Stroke { color, width: 2.0, dashes };
        [
            Curve {
                name: "bound".to_owned(),
                stroke: stroke(RGBColor(0x6a, 0x72, 0x7b), &[11.0, 5.0]),
                marker: None,
                value: |row| Some(row.bound),
            },
            Curve {
                name: "population gap".to_owned(),
                stroke: stroke(RGBColor(0x00, 0x5f, 0xa8), &[]),
                marker: Some(Marker::Circle),
                value: |row| Some(row.gap.value),
            },
            Curve {
                name: format!("gap on {} samples", grouped(self.report.batch)),
                stroke: stroke(RGBColor(0xc4, 0x4e, 0x00), &[14.0, 4.5, 2.0, 4.5]),
                marker: Some(Marker::Triangle),
                value: |row| row.batch_gap,
            },
        ]
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<(), Failure> {
        let height = f64::from(HEIGHT);
        let title = words::teacher(&self.settings.model);
        let fitting = (RIGHT - LEFT) / (0.68 * title.chars().count() as f64);
        canvas.text(&title, (LEFT, 32.0), Lettering::new(fitting.min(18.0), INK).bold())?;
        canvas.text(&question(self.ood), (LEFT, 58.0), Lettering::new(13.0, GREY))?;

        let rows: Vec<&Row> = self.report.rows.iter().filter(|row| row.t > 0).collect();
        let times = Axis::span(rows.iter().map(|row| row.t as f64), LEFT + 6.0, RIGHT - 6.0);
        let curves = self.curves();
        let bottom = height - 92.0;
        let figures = rows.iter().flat_map(|row| curves.iter().filter_map(|c| (c.value)(row)));
        let figures = figures.map(f64::abs).filter(|y| *y > 0.0 && y.is_finite());
        let values = Axis::decades(figures, bottom, TOP);
        let panel = Panel { canvas, across: times, left: LEFT, right: RIGHT, top: TOP, bottom };
        panel.draw(&times.power_ticks(), &values.power_ticks(), "|gap|", Some("steps T"))?;

        let mut x = LEFT;
        for curve in &curves {
            canvas.line(&[(x, 92.0), (x + 46.0, 92.0)], curve.stroke)?;
            if let Some(marker) = curve.marker {
                canvas.marker((x + 23.0, 92.0), marker, curve.stroke.color)?;
            }
            canvas.text(&curve.name, (x + 56.0, 92.0), Lettering::new(12.5, INK))?;
            x += 210.0;
            let points =
                rows.iter().filter_map(|row| (curve.value)(row).map(|y| (row.t as f64, y.abs())));
            let places = panel.curve(&values, points, curve.stroke)?;
            if let Some(marker) = curve.marker {
                for place in places {
                    canvas.marker(place, marker, curve.stroke.color)?;
                }
            }
        }
        // Where a gap is negative its marker has a mark of its own.
        for curve in &curves {
            for row in &rows {
                let Some(y) = (curve.value)(row).filter(|y| *y < 0.0) else { continue };
                if let Some((x, y)) = panel.place(&values, (row.t as f64, -y)) {
                    let white = Stroke { color: RGBColor(255, 255, 255), width: 1.6, dashes: &[] };
                    canvas.line(&[(x - 3.0, y), (x + 3.0, y)], white)?;
                }
            }
        }
        let note = "a bar in a marker: the student loses less than the teacher";
        canvas.text(note, (RIGHT, TOP - 10.0), Lettering::new(11.0, GREY).ending())?;
        let provenance = Provenance::of(self.settings);
        let source = format!(
            "popgd {VERSION} · configuration {} · seed {} · libm {LIBM}",
            provenance.config_hash, provenance.seed
        );
        canvas.text(&source, (RIGHT, height - 20.0), Lettering::new(10.0, GREY).ending())
    }
}
