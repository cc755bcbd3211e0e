//! Pictures of students of images: losses, cosines and attention beside that of the teacher.

use serde_json::Value;

use super::curves::{Curve, Curves};
use super::{
    ABOVE, BELOW, BLUE, FOOT, GREEN, LEFT, LOSS, MARKERS, ORANGE, RIGHT, WIDTH, draw_heading,
    draw_source, heatmap,
};
use crate::error::Failure;
use crate::output::json;
use crate::output::plot::axis::Axis;
use crate::output::plot::canvas::{Canvas, Stroke};
use crate::output::plot::target::{Caption, Target};
use crate::output::simulate::images::table::{teacher, title, training};
use crate::output::style::wrapped;
use crate::simulate::images::ImageSimulation;
use crate::simulate::images::settings::ImageSettings;
use crate::simulate::measure::Measure;
use crate::simulate::settings::SimulateSettings;

const HEAD: f64 = 124.0;
const SHARES: f64 = 220.0;

/// Students of images to be drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    /// What was asked for.
    pub settings: &'a SimulateSettings,
    /// The images.
    pub images: &'a ImageSettings,
    /// What was found.
    pub simulation: &'a ImageSimulation,
}

impl Picture<'_> {
    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        let simulation = self.simulation;
        let Some(run) = simulation.runs.0.first() else { return Ok(()) };
        // A run that was broken off before anything was recorded says so itself.
        if simulation.runs.0.iter().any(|run| run.rows.iter().all(|row| row.t == 0)) {
            return Ok(());
        }
        let maps = heatmap::height(simulation.task.patches.tokens());
        let panels: f64 = [LOSS, SHARES].iter().map(|height| ABOVE + height + BELOW).sum();
        let height = HEAD + panels + maps + FOOT;
        let caption = Caption {
            title: title(self.settings),
            description: format!(
                "Half the mean square of what a student of images gets wrong against the number of \
                 steps T, both axes logarithmic, on images of training and on images kept back; the \
                 cosine of W_V and V*, and the weight that queries put on their own window; and the \
                 attention S at the end beside S*. {}.",
                training(self.settings, &simulation.task)
            ),
            metadata: Value::Object(json::document("simulate", &self.settings.base, &[]))
                .to_string(),
        };
        target.write((WIDTH, height.ceil() as u32), &caption, |canvas| {
            let teacher = wrapped(&teacher(self.images, &simulation.task), 120);
            let mut lines: Vec<String> = teacher.lines().map(str::to_owned).collect();
            lines.push(training(self.settings, &simulation.task));
            draw_heading(canvas, &title(self.settings), &lines)?;
            let mut top = HEAD + ABOVE;
            self.draw_losses(canvas, top)?;
            top += LOSS + BELOW + ABOVE;
            self.draw_shares(canvas, top)?;
            heatmap::draw_attention(canvas, &simulation.task.problem, run, top + SHARES + BELOW)?;
            draw_source(canvas, self.settings, height)
        })
    }

    fn times(&self) -> Axis {
        let steps = self.settings.base.at.iter().map(|&t| t as f64);
        Axis::span(steps.filter(|&t| t > 0.0), LEFT + 6.0, RIGHT - 6.0)
    }

    /// What the first batch size shows.
    fn curves(&self, shown: &[(Measure, &str, usize)]) -> Vec<Curve> {
        let Some(size) = self.simulation.runs.batches().first().copied() else { return Vec::new() };
        let colors = [BLUE, ORANGE, GREEN];
        let curve = |&(measure, name, look): &(Measure, &str, usize)| {
            let (color, marker) = (colors.get(look).copied()?, MARKERS.get(look).copied()?);
            Some(Curve {
                label: name.to_owned(),
                points: self.simulation.runs.mean(size, measure),
                stroke: Some(Stroke { color, width: 2.0, dashes: &[] }),
                marker: Some((marker, color)),
            })
        };
        shown.iter().filter_map(curve).collect()
    }

    fn draw_losses(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Failure> {
        let curves = self.curves(&[
            (Measure::TrainingLoss, "on images of training", 0),
            (Measure::KeptBackLoss, "on images kept back", 1),
        ]);
        Curves { canvas, across: self.times(), top, height: LOSS, name: "½E‖TF − f*‖²" }
            .draw(&curves)
    }

    fn draw_shares(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Failure> {
        let curves = self.curves(&[
            (Measure::Cosine, "cos(W_V, V*)", 0),
            (Measure::WindowWeight, "weight on the own window", 2),
        ]);
        Curves { canvas, across: self.times(), top, height: SHARES, name: "shares of 1" }
            .draw_cosines(&curves)
    }
}
