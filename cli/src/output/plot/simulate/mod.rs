//! Pictures of simulations: losses against the exact run and its limit law, other inputs, cosines,
//! and attention beside that of the teacher.

mod curves;
mod heatmap;
pub mod images;

use plotters::style::RGBColor;
use serde_json::Value;

use self::curves::{Curve, Curves};
use super::axis::Axis;
use super::canvas::{Canvas, Lettering, Marker, Stroke};
use super::target::{Caption, Target};
use super::{GREY, INK, LEFT, RIGHT, WIDTH};
use crate::error::Failure;
use crate::output::digits::grouped;
use crate::output::simulate::table::training;
use crate::output::{json, words};
use crate::provenance::{LIBM, Provenance, VERSION};
use crate::simulate::Simulation;
use crate::simulate::measure::Measure;
use crate::simulate::report::limit_law;
use crate::simulate::settings::SimulateSettings;

const HEAD: f64 = 84.0;
const FOOT: f64 = 30.0;
/// Space above a panel for its legend, and below it for the names of its axis.
const ABOVE: f64 = 52.0;
const BELOW: f64 = 62.0;
const LOSS: f64 = 330.0;
const OTHER: f64 = 280.0;
const COSINE: f64 = 130.0;

/// Colours that also the colour-blind tell apart.
const BLUE: RGBColor = RGBColor(0x00, 0x5f, 0xa8);
const ORANGE: RGBColor = RGBColor(0xc4, 0x4e, 0x00);
const GREEN: RGBColor = RGBColor(0x00, 0x7d, 0x5c);
const VIOLET: RGBColor = RGBColor(0x7a, 0x3e, 0x9d);
const OF_BATCHES: [RGBColor; 4] = [BLUE, ORANGE, GREEN, VIOLET];
const MARKERS: [Marker; 4] = [Marker::Circle, Marker::Triangle, Marker::Square, Marker::Diamond];

/// A simulation to be drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    /// What was asked for.
    pub settings: &'a SimulateSettings,
    /// What was found.
    pub simulation: &'a Simulation,
}

impl Picture<'_> {
    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        // A run that was broken off before anything was recorded says so itself.
        if self.simulation.runs.0.iter().any(|run| run.rows.iter().all(|row| row.t == 0)) {
            return Ok(());
        }
        let maps = heatmap::height(heatmap::side(self.simulation));
        let panels: f64 = [LOSS, OTHER, COSINE].iter().map(|height| ABOVE + height + BELOW).sum();
        let height = HEAD + panels + maps + FOOT;
        let caption = Caption {
            title: words::teacher(&self.settings.base.model),
            description: self.description(),
            metadata: Value::Object(json::document("simulate", &self.settings.base, &[]))
                .to_string(),
        };
        target.write((WIDTH, height.ceil() as u32), &caption, |canvas| {
            self.draw_heading(canvas)?;
            let mut top = HEAD + ABOVE;
            self.draw_losses(canvas, top)?;
            top += LOSS + BELOW + ABOVE;
            self.draw_others(canvas, top)?;
            top += OTHER + BELOW + ABOVE;
            self.draw_cosines(canvas, top)?;
            heatmap::draw(canvas, self.simulation, top + COSINE + BELOW)?;
            draw_source(canvas, self.settings, height)
        })
    }

    fn description(&self) -> String {
        format!(
            "Excess loss of a student that is trained on batches, on such a batch and exactly, \
             against the number of steps T, both axes logarithmic, with the exact descent and its \
             limit law; its loss on other inputs beyond that of the teacher; the cosine of \
             W_V and V*; and the attention S at the end beside S*. {}.",
            training(self.settings)
        )
    }

    fn draw_heading(&self, canvas: &Canvas<'_>) -> Result<(), Failure> {
        let model = &self.settings.base.model;
        let lines = [words::training(model), training(self.settings)];
        draw_heading(canvas, &words::teacher(model), &lines)
    }

    /// The axis of T.
    fn times(&self) -> Axis {
        let steps = self.simulation.exact.iter().map(|state| state.t as f64);
        Axis::span(steps.filter(|&t| t > 0.0), LEFT + 6.0, RIGHT - 6.0)
    }

    /// A look for every batch size; more than there are colours share the last.
    fn batches(&self) -> Vec<(usize, RGBColor, Marker)> {
        let look = |at: usize| at.min(OF_BATCHES.len() - 1);
        let sizes = self.simulation.runs.batches().into_iter().enumerate();
        sizes.map(|(at, size)| (size, OF_BATCHES[look(at)], MARKERS[look(at)])).collect()
    }

    fn draw_losses(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Failure> {
        let simulation = self.simulation;
        let mut curves: Vec<Curve> = Vec::new();
        let exact = simulation.exact(Measure::ExcessLoss).unwrap_or_default();
        for (size, color, marker) in self.batches() {
            curves.push(Curve {
                label: format!("on batches of {}", grouped(size as u64)),
                points: simulation.runs.mean(size, Measure::BatchExcess),
                stroke: None,
                marker: Some((marker, color)),
            });
            if simulation.full_model {
                continue;
            }
            curves.push(Curve {
                label: "the same student, exactly".to_owned(),
                points: simulation.runs.mean(size, Measure::ExcessLoss),
                stroke: Some(Stroke { color, width: 2.0, dashes: &[] }),
                marker: None,
            });
        }
        curves.push(Curve {
            label: "exact descent".to_owned(),
            points: exact.clone(),
            stroke: Some(Stroke { color: INK, width: 1.6, dashes: &[7.0, 4.0] }),
            marker: None,
        });
        if let Some(constant) = limit_law(&self.settings.base.model) {
            let highest = exact.iter().map(|point| point.1).fold(0.0, f64::max);
            let law = exact.iter().filter(|(t, _)| *t > 0);
            let law = law.map(|&(t, _)| (t, constant / t as f64));
            curves.push(Curve {
                label: "its limit law, slope −1".to_owned(),
                points: law.filter(|&(_, y)| y <= highest).collect(),
                stroke: Some(super::thin(GREY)),
                marker: None,
            });
        }
        Curves { canvas, across: self.times(), top, height: LOSS, name: "excess loss" }
            .draw(&curves)
    }

    /// The student of the first batch size on exponential inputs, and the exact run on the same.
    fn draw_others(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Failure> {
        let Some((size, ..)) = self.batches().into_iter().next() else { return Ok(()) };
        if self.simulation.full_model {
            return self.draw_blocks(canvas, size, top);
        }
        let shown = [
            (Measure::OodHalfSquare, "½E‖TF − f*‖²", BLUE, Marker::Circle),
            (Measure::OodTeacher, "noisy teacher labels", ORANGE, Marker::Triangle),
            (Measure::OodUnrelated, "unrelated labels", GREEN, Marker::Square),
        ];
        let mut curves = Vec::new();
        for (measure, name, color, marker) in shown {
            curves.push(Curve {
                label: name.to_owned(),
                points: self.simulation.runs.mean(size, measure),
                stroke: Some(Stroke { color, width: 2.0, dashes: &[] }),
                marker: Some((marker, color)),
            });
            let of_exact = measure.of_exact_run();
            curves.push(Curve {
                label: String::new(),
                points: of_exact
                    .map(|exact| self.simulation.runs.mean(size, exact))
                    .unwrap_or_default(),
                stroke: Some(Stroke { color, width: 1.2, dashes: &[7.0, 4.0] }),
                marker: None,
            });
        }
        let name = "|OOD gap|";
        Curves { canvas, across: self.times(), top, height: OTHER, name }.draw(&curves)?;
        let note = "dashed: exact descent, on the same inputs and labels";
        let at = (RIGHT, top + 12.0);
        canvas.text(note, at, Lettering::new(11.0, GREY).ending())
    }

    /// The blocks of the full model.
    fn draw_blocks(&self, canvas: &Canvas<'_>, size: usize, top: f64) -> Result<(), Failure> {
        let shown = [
            (Measure::ValueInputs, "W_V: inputs", BLUE, true),
            (Measure::ValuePositions, "positions", BLUE, false),
            (Measure::KeysPositions, "W_KQ: positions", ORANGE, true),
            (Measure::KeysInputs, "inputs", GREEN, false),
            (Measure::KeysInputsPositions, "inputs × pos.", VIOLET, false),
            (Measure::KeysPositionsInputs, "pos. × inputs", GREY, false),
        ];
        let curves = shown.map(|(measure, name, color, solid)| Curve {
            label: name.to_owned(),
            points: self.simulation.runs.mean(size, measure),
            stroke: Some(Stroke {
                color,
                width: 2.0,
                dashes: if solid { &[] } else { &[7.0, 4.0] },
            }),
            marker: None,
        });
        let name = "size of blocks";
        Curves { canvas, across: self.times(), top, height: OTHER, name }.draw(&curves)
    }

    fn draw_cosines(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Failure> {
        let curve = |(size, color, marker)| Curve {
            label: format!("batches of {}", grouped(size as u64)),
            points: self.simulation.runs.mean(size, Measure::Cosine),
            stroke: Some(Stroke { color, width: 2.0, dashes: &[] }),
            marker: Some((marker, color)),
        };
        let curves: Vec<Curve> = self.batches().into_iter().map(curve).collect();
        Curves { canvas, across: self.times(), top, height: COSINE, name: "cos(W_V, V*)" }
            .draw_cosines(&curves)
    }
}

/// A title, and lines below it.
fn draw_heading(canvas: &Canvas<'_>, title: &str, lines: &[String]) -> Result<(), Failure> {
    // A bold letter is about 0.68 of its size wide.
    let fitting = (RIGHT - LEFT) / (0.68 * title.chars().count() as f64);
    canvas.text(title, (LEFT, 32.0), Lettering::new(fitting.min(18.0), INK).bold())?;
    for (line, top) in lines.iter().zip([58.0, 78.0, 98.0, 118.0]) {
        canvas.text(line, (LEFT, top), Lettering::new(13.0, GREY))?;
    }
    Ok(())
}

/// Where the picture comes from, at its foot.
fn draw_source(
    canvas: &Canvas<'_>,
    settings: &SimulateSettings,
    height: f64,
) -> Result<(), Failure> {
    let provenance = Provenance::of(&settings.base);
    let source = format!(
        "popgd {VERSION} · configuration {} · seed {} · libm {LIBM}",
        provenance.config_hash, provenance.seed
    );
    canvas.text(&source, (RIGHT, height - 16.0), Lettering::new(10.0, GREY).ending())
}
