//! Pictures of sweeps: constants and slopes over every variable, all runs, and all runs on their
//! limit laws.

mod constants;
mod trajectories;

use plotters::style::RGBColor;
use popgd_core::theory::exponents::Variable;
use serde_json::{Map, Value};

use self::trajectories::Trajectories;
use super::canvas::{Canvas, Lettering, Stroke};
use super::target::{Caption, Target};
use super::{GREY, INK, LEFT, RIGHT, WIDTH, look};
use crate::asymptotics::Quantity;
use crate::error::Failure;
use crate::output::digits::short;
use crate::output::sweep::{Part, Report, letter};
use crate::output::words;
use crate::provenance::{LIBM, SCHEMA, VERSION};
use crate::sweep::exponents::Measure;
use crate::sweep::job::axes_to_json;

const HEAD: f64 = 126.0;
const FOOT: f64 = 22.0;

/// All there is to say where nothing falls by a power of T.
const GEOMETRIC: &str = "Convergence is geometric in every run: there are no constants to draw";

/// A sweep to be drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    /// What was found.
    pub report: &'a Report<'a>,
}

/// All series along one variable.
#[derive(Debug)]
struct Variation<'a> {
    variable: Variable,
    parts: Vec<&'a Part<'a>>,
}

impl Picture<'_> {
    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        let variations = self.variations();
        let trajectories = Trajectories::of(self.report.outcomes);
        let panels = variations.len() as f64 * constants::HEIGHT;
        let empty = panels + trajectories.height() == 0.0;
        let height = HEAD + panels + trajectories.height() + FOOT;
        let caption = Caption {
            title: self.title(),
            description: self.description(&variations),
            metadata: self.metadata(),
        };
        target.write((WIDTH, height.ceil() as u32), &caption, |canvas| {
            self.draw_heading(canvas)?;
            if empty {
                canvas.text(GEOMETRIC, (LEFT, 92.0), Lettering::new(12.5, INK))?;
            } else {
                draw_legend(canvas)?;
            }
            let mut top = HEAD;
            for variation in &variations {
                constants::draw(canvas, variation, top)?;
                top += constants::HEIGHT;
            }
            trajectories.draw(canvas, top)?;
            let source = format!(
                "popgd {VERSION} · {} runs · plan {} · libm {LIBM}",
                self.report.outcomes.len(),
                self.report.sweep.plan
            );
            canvas.text(&source, (RIGHT, height - 16.0), Lettering::new(10.0, GREY).ending())
        })
    }

    /// What there are exponents in.
    fn variations(&self) -> Vec<Variation<'_>> {
        let mut found: Vec<Variation<'_>> = Vec::new();
        for part in self.report.parts.iter().filter(|part| !part.exponents.is_empty()) {
            let variable = part.series.variable;
            match found.iter_mut().find(|variation| variation.variable == variable) {
                Some(variation) => variation.parts.push(part),
                None => found.push(Variation { variable, parts: vec![part] }),
            }
        }
        found
    }

    fn title(&self) -> String {
        let Some(run) = self.report.outcomes.first() else { return "A sweep".to_owned() };
        let words = words::teacher(&run.job.settings.model);
        // What is varied is not a number of the first run.
        let task = words.split(", ").next().unwrap_or_default();
        let activation = words.rsplit(", ").next().unwrap_or_default();
        let varied: Vec<String> = self
            .report
            .sweep
            .axes
            .iter()
            .map(|axis| {
                let values = || axis.values.iter().map(|value| value.to_f64());
                let low = values().fold(f64::INFINITY, f64::min);
                let high = values().fold(f64::NEG_INFINITY, f64::max);
                format!("{} from {} to {}", letter(axis.variable), short(low), short(high))
            })
            .collect();
        format!("{task}, {activation}: {}", varied.join(", "))
    }

    fn description(&self, variations: &[Variation<'_>]) -> String {
        let names: Vec<&str> =
            variations.iter().map(|variation| letter(variation.variable)).collect();
        if names.is_empty() {
            return format!("{GEOMETRIC}.");
        }
        format!(
            "Constants of the score error, the value error and the excess loss against {}, both axes \
             logarithmic, with the exact and the claimed powers; below them their slopes. Then each \
             of the three in all {} runs against the number of steps, and over its exact limit law.",
            names.join(", against "),
            self.report.outcomes.len()
        )
    }

    fn metadata(&self) -> String {
        let sweep = self.report.sweep;
        let mut map = Map::new();
        map.insert("schema".into(), SCHEMA.into());
        map.insert("popgd".into(), VERSION.into());
        map.insert("command".into(), "rates".into());
        map.insert("plan".into(), sweep.plan.clone().into());
        map.insert("libm".into(), LIBM.into());
        map.insert("sweep".into(), Value::Object(axes_to_json(&sweep.axes, sweep.product)));
        let first = self.report.outcomes.first();
        map.extend(first.map(|run| ("config".to_owned(), run.job.settings.echo.clone())));
        Value::Object(map).to_string()
    }

    fn draw_heading(&self, canvas: &Canvas<'_>) -> Result<(), Failure> {
        let title = self.title();
        // A bold letter is about 0.68 of its size wide.
        let fitting = (RIGHT - LEFT) / (0.68 * title.chars().count() as f64);
        canvas.text(&title, (LEFT, 32.0), Lettering::new(fitting.min(18.0), INK).bold())?;
        if let Some(run) = self.report.outcomes.first() {
            let line = format!("first run: {}", words::training(&run.job.settings.model));
            canvas.text(&line, (LEFT, 58.0), Lettering::new(13.0, GREY))?;
        }
        Ok(())
    }
}

/// How the quantities are drawn in the panels of constants.
fn draw_legend(canvas: &Canvas<'_>) -> Result<(), Failure> {
    let mut x = LEFT;
    for quantity in Quantity::ALL {
        let (stroke, marker) = look(quantity);
        canvas.line(&[(x, 92.0), (x + 46.0, 92.0)], stroke)?;
        canvas.marker((x + 23.0, 92.0), marker, stroke.color)?;
        let label = Measure::Constant(quantity).formula();
        canvas.text(label, (x + 56.0, 92.0), Lettering::new(12.5, INK))?;
        x += 208.0;
    }
    canvas.line(&[(x, 92.0), (x + 46.0, 92.0)], dotted(GREY))?;
    canvas.text("claimed power", (x + 56.0, 92.0), Lettering::new(12.5, INK))
}

fn dotted(color: RGBColor) -> Stroke {
    Stroke { color, width: 1.6, dashes: &[2.0, 4.0] }
}
