//! Pictures of trajectories: SVG, and PNG from the same SVG.

mod axis;
mod canvas;
pub mod chart;
pub mod ood;
mod panel;
mod png;
pub mod precision;
pub mod simulate;
pub mod sweep;
pub mod target;

use plotters::style::RGBColor;
use popgd_core::theory::rates::PAST_BURN_IN;
use serde_json::Value;

use self::axis::Axis;
use self::canvas::{Canvas, Lettering, Marker, Point, Stroke};
use self::panel::Panel;
use self::target::Caption;
pub use self::target::{Target, of_path, open};
use crate::asymptotics::{Approach, LocalSlope, Quantity, has_limit_law};
use crate::error::Failure;
use crate::output::digits::grouped;
use crate::output::json;
use crate::output::words;
use crate::provenance::{LIBM, Provenance, VERSION};
use crate::scalar::Number;
use crate::settings::{ScalarKind, Settings};
use crate::trajectory::{Row, Trajectory};

const INK: RGBColor = RGBColor(0x22, 0x26, 0x2b);
const GREY: RGBColor = RGBColor(0x6a, 0x72, 0x7b);
const GRID: RGBColor = RGBColor(0xe4, 0xe7, 0xea);
const SHADE: RGBColor = RGBColor(0xf2, 0xf4, 0xf6);

const WIDTH: u32 = 1000;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 972.0;
const TOP: f64 = 122.0;

/// More recorded steps than these have lines without markers on most.
const MARKERS: usize = 40;

/// How a quantity looks; in colours that also the colour-blind tell apart, with dashes and
/// markers for whoever prints in black.
fn look(quantity: Quantity) -> (Stroke, Marker) {
    let (color, dashes, marker): (_, &'static [f64], _) = match quantity {
        Quantity::ScoreError => (RGBColor(0x00, 0x5f, 0xa8), &[], Marker::Circle),
        Quantity::ValueError => (RGBColor(0xc4, 0x4e, 0x00), &[11.0, 5.0], Marker::Triangle),
        Quantity::ExcessLoss => {
            (RGBColor(0x00, 0x7d, 0x5c), &[14.0, 4.5, 2.0, 4.5], Marker::Square)
        }
    };
    (Stroke { color, width: 2.0, dashes }, marker)
}

/// What is to be drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    settings: &'a Settings,
    trajectory: &'a Trajectory,
    approach: Option<&'a Approach>,
}

impl<'a> Picture<'a> {
    /// The three quantities against T.
    pub fn of_run(settings: &'a Settings, trajectory: &'a Trajectory) -> Self {
        Self { settings, trajectory, approach: None }
    }

    /// The same with the exact limit laws, and below them the slopes.
    pub fn of_rates(
        settings: &'a Settings,
        trajectory: &'a Trajectory,
        approach: &'a Approach,
    ) -> Self {
        Self { settings, trajectory, approach: Some(approach) }
    }

    /// Draws it where it belongs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        // A run that broke off before anything was recorded says so itself.
        if self.trajectory.rows.iter().all(|row| row.t == 0) {
            return Ok(());
        }
        let height = if self.slopes().is_some() { 940 } else { 700 };
        let caption = Caption {
            title: self.title(),
            description: self.description(),
            metadata: self.metadata(),
        };
        target.write((WIDTH, height), &caption, |canvas| self.draw(canvas, f64::from(height)))
    }

    fn title(&self) -> String {
        words::teacher(&self.settings.model)
    }

    /// The training as far as it went, and how enclosures are drawn.
    fn subtitle(&self) -> String {
        let model = &self.settings.model;
        let mut text = words::training(model);
        let done = self.trajectory.rows.last().map_or(0, |row| row.t);
        if done < model.steps {
            text = format!("{text}, ended after {}", grouped(done));
        }
        if matches!(model.scalar, ScalarKind::Interval32 | ScalarKind::Interval64) {
            text.push_str("; lines: midpoints, bands: enclosures");
        }
        text
    }

    fn description(&self) -> String {
        let model = &self.settings.model;
        format!(
            "Score error, value error and excess loss of population gradient descent against the \
             number of steps T, both axes logarithmic. {}; {}.",
            self.subtitle(),
            words::computation(model)
        )
    }

    fn metadata(&self) -> String {
        let command = if self.approach.is_some() { "rates" } else { "run" };
        Value::Object(json::document(command, self.settings, &[])).to_string()
    }

    /// Local slopes, for a second panel.
    fn slopes(&self) -> Option<Vec<(Quantity, &'a [LocalSlope])>> {
        match self.approach? {
            Approach::Powers { rates, .. } if rates.iter().any(|rate| !rate.local.is_empty()) => {
                Some(rates.iter().map(|rate| (rate.quantity, &rate.local[..])).collect())
            }
            _ => None,
        }
    }

    fn draw(&self, canvas: &Canvas<'_>, height: f64) -> Result<(), Failure> {
        self.draw_heading(canvas)?;
        let rows: Vec<&Row> = self.trajectory.rows.iter().filter(|row| row.t > 0).collect();
        let times = Axis::span(rows.iter().map(|row| row.t as f64), LEFT + 6.0, RIGHT - 6.0);
        let slopes = self.slopes();
        let bottom = if slopes.is_some() { height - 316.0 } else { height - 92.0 };

        let figures = rows.iter().flat_map(|row| Quantity::ALL.map(|q| q.of_row(row).center()));
        let values = Axis::decades(figures, bottom, TOP);
        let panel = Panel { canvas, across: times, left: LEFT, right: RIGHT, top: TOP, bottom };
        self.shade_burn_in(&panel, true)?;
        let ticks = times.power_ticks();
        let name = slopes.is_none().then_some("steps T");
        panel.draw(&ticks, &values.power_ticks(), "error, loss", name)?;
        self.draw_laws(&panel, &values)?;
        for quantity in Quantity::ALL {
            draw_quantity(&panel, &values, quantity, &rows, &self.settings.at)?;
        }

        if let Some(slopes) = slopes {
            let (top, bottom) = (bottom + 30.0, height - 92.0);
            let panel = Panel { top, bottom, ..panel };
            let range = slope_range(&slopes);
            let axis = Axis::linear(range, bottom, top);
            self.shade_burn_in(&panel, false)?;
            let step = if range.1 - range.0 > 1.6 { 0.5 } else { 0.25 };
            let even = axis.even_ticks(step, if step < 0.5 { 2 } else { 1 });
            panel.draw(&ticks, &even, "slope", Some("steps T"))?;
            draw_slopes(&panel, &axis, &slopes)?;
        }

        let provenance = Provenance::of(self.settings);
        let source = format!(
            "popgd {VERSION} · {} · configuration {} · seed {} · libm {LIBM}",
            provenance.scalar, provenance.config_hash, provenance.seed
        );
        canvas.text(&source, (RIGHT, height - 20.0), Lettering::new(10.0, GREY).ending())
    }

    fn draw_heading(&self, canvas: &Canvas<'_>) -> Result<(), Failure> {
        let title = self.title();
        // A bold letter is about 0.68 of its size wide.
        let fitting = (RIGHT - LEFT) / (0.68 * title.chars().count() as f64);
        canvas.text(&title, (LEFT, 32.0), Lettering::new(fitting.min(18.0), INK).bold())?;
        canvas.text(&self.subtitle(), (LEFT, 58.0), Lettering::new(13.0, GREY))?;

        let mut x = LEFT;
        for quantity in Quantity::ALL {
            let (stroke, marker) = look(quantity);
            canvas.line(&[(x, 92.0), (x + 46.0, 92.0)], stroke)?;
            canvas.marker((x + 23.0, 92.0), marker, stroke.color)?;
            let rows = &self.trajectory.rows;
            let zero =
                !rows.is_empty() && rows.iter().all(|row| quantity.of_row(row).center() == 0.0);
            let detail = if zero { "is 0 throughout" } else { quantity.formula() };
            let label = format!("{} {detail}", quantity.name());
            canvas.text(&label, (x + 56.0, 92.0), Lettering::new(12.5, INK))?;
            x += 235.0;
        }
        if matches!(self.approach, Some(Approach::Powers { .. }))
            && has_limit_law(&self.settings.model)
        {
            canvas.line(&[(x, 92.0), (x + 46.0, 92.0)], thin(GREY))?;
            canvas.text("exact limit law", (x + 56.0, 92.0), Lettering::new(12.5, INK))?;
        }
        Ok(())
    }

    /// The time before which no rate is read.
    fn shade_burn_in(&self, panel: &Panel<'_, '_>, label: bool) -> Result<(), Failure> {
        let Some(Approach::Powers { .. }) = self.approach else { return Ok(()) };
        if !has_limit_law(&self.settings.model) {
            return Ok(());
        }
        let rows = &self.trajectory.rows;
        let over = rows.iter().find(|row| row.tangent.is_some_and(|x| x.abs() <= PAST_BURN_IN));
        let right = match over {
            Some(row) => panel.across.place(row.t as f64).unwrap_or(panel.left),
            None => panel.right,
        };
        if right <= panel.left + 1.0 {
            return Ok(());
        }
        let corners = [
            (panel.left, panel.top),
            (right, panel.top),
            (right, panel.bottom),
            (panel.left, panel.bottom),
        ];
        panel.canvas.fill(&corners, SHADE, 1.0)?;
        if label && right > panel.left + 70.0 {
            // Above the panel, where no marker is.
            let at = (right, panel.top - 10.0);
            panel.canvas.text("burn-in", at, Lettering::new(11.0, GREY).ending())?;
        }
        Ok(())
    }

    /// The exact limit laws, wherever they are in the picture.
    fn draw_laws(&self, panel: &Panel<'_, '_>, values: &Axis) -> Result<(), Failure> {
        let Some(Approach::Powers { rates, .. }) = self.approach else { return Ok(()) };
        let rate = self.settings.model.rate.to_f64();
        for found in rates {
            let Some(size) = found.size else { continue };
            let power = found.quantity.claimed();
            let law = |t: f64| size.sharp * (rate * t).powf(power);
            // Where the law enters and leaves: it is a straight line in between.
            let time_of = |y: f64| (y / size.sharp).powf(1.0 / power) / rate;
            let ((first, last), (low, high)) = (panel.across.ends(), values.ends());
            let (from, to) = (first.max(time_of(high)), last.min(time_of(low)));
            if !(from < to) {
                continue;
            }
            let ends: Vec<Point> = [from, to]
                .into_iter()
                .filter_map(|t| Some((panel.across.place(t)?, values.place(law(t))?)))
                .collect();
            panel.canvas.line(&ends, thin(look(found.quantity).0.color))?;
        }
        Ok(())
    }
}

fn thin(color: RGBColor) -> Stroke {
    Stroke { color, width: 1.0, dashes: &[5.0, 4.0] }
}

fn draw_quantity(
    panel: &Panel<'_, '_>,
    values: &Axis,
    quantity: Quantity,
    rows: &[&Row],
    marked: &[u64],
) -> Result<(), Failure> {
    let (stroke, marker) = look(quantity);
    let place = |row: &Row, y: f64| -> Option<Point> {
        Some((panel.across.place(row.t as f64)?, values.place(y)?))
    };
    let ends = |row: &Row| match quantity.of_row(row) {
        Number::Interval { lo, hi } => Some((lo, hi)),
        Number::SingleInterval { lo, hi } => Some((f64::from(lo), f64::from(hi))),
        Number::Float(_) | Number::Single(_) => None,
    };
    // An enclosure is a band, cut off where the picture ends.
    let (low, high) = values.ends();
    let inside = |y: f64| y.clamp(low, high);
    let upper = rows.iter().filter_map(|row| place(row, inside(ends(row)?.1)));
    let lower = rows.iter().rev().filter_map(|row| place(row, inside(ends(row)?.0)));
    let band: Vec<Point> = upper.chain(lower).collect();
    if band.len() > 2 {
        panel.canvas.fill(&band, stroke.color, 0.18)?;
    }

    let points: Vec<Option<Point>> =
        rows.iter().map(|row| place(row, quantity.of_row(row).center())).collect();
    // A figure that is exactly 0 has no place: the line is broken there.
    for part in points.split(Option::is_none) {
        let part: Vec<Point> = part.iter().copied().flatten().collect();
        panel.canvas.line(&part, stroke)?;
    }
    // Not at the steps that were recorded for measuring only.
    let shown: Vec<Point> = rows
        .iter()
        .zip(points)
        .filter(|(row, _)| marked.binary_search(&row.t).is_ok())
        .filter_map(|(_, point)| point)
        .collect();
    for &point in shown.iter().step_by(shown.len().div_ceil(MARKERS).max(1)) {
        panel.canvas.marker(point, marker, stroke.color)?;
    }
    Ok(())
}

/// What the panel of slopes shows: the claimed ones with room around them, and as much of the
/// measured ones as is of interest.
fn slope_range(slopes: &[(Quantity, &[LocalSlope])]) -> (f64, f64) {
    let all = || slopes.iter().flat_map(|(_, local)| local.iter().map(|local| local.slope));
    let low = all().fold(-1.2, f64::min).max(-2.5);
    let high = all().fold(-0.3, f64::max).min(0.5);
    (low - 0.05, high + 0.05)
}

fn draw_slopes(
    panel: &Panel<'_, '_>,
    axis: &Axis,
    slopes: &[(Quantity, &[LocalSlope])],
) -> Result<(), Failure> {
    for claimed in [-0.5, -1.0] {
        let Some(y) = axis.place(claimed) else { continue };
        panel.canvas.line(&[(panel.left, y), (panel.right, y)], thin(GREY))?;
    }
    // Above the panel, where no marker is.
    let at = (panel.right, panel.top - 12.0);
    let beyond = slopes.iter().any(|(_, local)| local.iter().any(|l| !axis.covers(l.slope)));
    let label = if beyond {
        "dashed: the claimed slopes −½ and −1; arrows: slopes beyond the panel"
    } else {
        "dashed: the claimed slopes −½ and −1"
    };
    panel.canvas.text(label, at, Lettering::new(11.0, GREY).ending())?;
    for (quantity, local) in slopes {
        let (stroke, marker) = look(*quantity);
        let points: Vec<Option<Point>> = local
            .iter()
            .map(|local| {
                let middle = middle(local);
                let y = axis.place(local.slope).filter(|_| axis.covers(local.slope))?;
                Some((panel.across.place(middle)?, y))
            })
            .collect();
        for part in points.split(Option::is_none) {
            let part: Vec<Point> = part.iter().copied().flatten().collect();
            panel.canvas.line(&part, stroke)?;
        }
        for point in points.into_iter().step_by(local.len().div_ceil(MARKERS).max(1)).flatten() {
            panel.canvas.marker(point, marker, stroke.color)?;
        }
    }
    // What is beyond is pointed at, the quantities side by side.
    let (low, high) = axis.ends();
    for (row, (quantity, local)) in (0_u8..).zip(slopes) {
        let color = look(*quantity).0.color;
        let shift = 9.0 * (f64::from(row) - 1.0);
        for local in local.iter().filter(|local| !axis.covers(local.slope)) {
            let Some(x) = panel.across.place(middle(local)) else { continue };
            if local.slope > high {
                panel.canvas.arrow((x + shift, panel.top + 2.0), -1.0, color)?;
            } else if local.slope < low {
                panel.canvas.arrow((x + shift, panel.bottom - 2.0), 1.0, color)?;
            }
        }
    }
    Ok(())
}

/// Where on the axis of T a slope is.
fn middle(local: &LocalSlope) -> f64 {
    (local.from as f64 * local.to as f64).sqrt()
}
