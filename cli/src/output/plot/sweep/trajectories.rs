//! The runs themselves: each quantity against T, and over its exact limit law, where all runs
//! come to lie on one curve.

use plotters::style::RGBColor;

use super::super::axis::Axis;
use super::super::canvas::{Canvas, Lettering, Marker, Stroke};
use super::super::panel::Panel;
use super::super::{INK, LEFT, RIGHT};
use crate::asymptotics::Quantity;
use crate::error::Failure;
use crate::sweep::job::shown;
use crate::sweep::measure::Findings;
use crate::sweep::outcome::Outcome;

/// Height of a panel, and the space between two.
const PANEL: f64 = 200.0;
const BETWEEN: f64 = 22.0;
const BELOW: f64 = 78.0;

/// Above the panels: a heading, the runs, headings of the columns.
const HEADING: f64 = 30.0;
const ROW: f64 = 21.0;
const COLUMNS: f64 = 36.0;

/// Where the columns of panels meet.
const MIDDLE: [f64; 2] = [500.0, 580.0];

/// What is longer has no place in the list of runs.
const LISTED: usize = 24;

/// The collapse begins at this share of the burn-in: before, there is no law to collapse onto.
const EARLIEST: f64 = 0.3;

/// Ratios to the limit law that are shown.
const RATIOS: [f64; 2] = [2e-2, 50.0];

/// So many points from one marker to the next.
const APART: usize = 10;

/// One quantity of one run.
#[derive(Clone, Debug)]
struct Curve {
    /// Which run of the sweep.
    run: usize,
    quantity: Quantity,
    /// T and the quantity.
    trajectory: Vec<(f64, f64)>,
    /// T over the burn-in, and the quantity over its limit law.
    collapsed: Vec<(f64, f64)>,
}

/// All runs that fall by powers of T.
#[derive(Clone, Debug)]
pub(super) struct Trajectories {
    curves: Vec<Curve>,
    /// Which runs, and in what they differ.
    runs: Vec<(usize, String)>,
    /// Whether all have a burn-in to count T by.
    counted: bool,
}

impl Trajectories {
    /// Of a sweep.
    pub(super) fn of(outcomes: &[Outcome]) -> Self {
        let (mut curves, mut runs, mut counted) = (Vec::new(), Vec::new(), true);
        for outcome in outcomes {
            let Findings::Powers { quantities, burn_in, records, .. } = &outcome.findings else {
                continue;
            };
            let run = outcome.job.index;
            runs.push((run, shown(&outcome.job.point)));
            let rate = outcome.job.settings.model.rate.to_f64();
            let lost = burn_in.map(|burn_in| burn_in.predicted.abs()).filter(|lost| *lost >= 1.0);
            counted &= lost.is_some();
            let unit = lost.unwrap_or(1.0);
            for (at, found) in quantities.iter().enumerate() {
                let trajectory: Vec<(f64, f64)> = records
                    .iter()
                    .filter_map(|record| Some((record.t as f64, *record.values.get(at)?)))
                    .collect();
                let power = -found.quantity.claimed();
                let ratio = |(t, value): (f64, f64)| value * (rate * t).powf(power) / found.exact;
                let collapsed =
                    trajectory.iter().map(|&point| (point.0 / unit, ratio(point))).collect();
                curves.push(Curve { run, quantity: found.quantity, trajectory, collapsed });
            }
        }
        if !counted {
            // Without a common unit T is what there is.
            for curve in &mut curves {
                let times = curve.trajectory.iter().map(|point| point.0);
                for (point, t) in curve.collapsed.iter_mut().zip(times) {
                    point.0 = t;
                }
            }
        }
        Self { curves, runs, counted }
    }

    /// What it takes; nothing if there are no runs.
    pub(super) fn height(&self) -> f64 {
        if self.curves.is_empty() {
            return 0.0;
        }
        let rows = self.runs.len().min(LISTED).div_ceil(self.columns()) as f64;
        let panels = Quantity::ALL.len() as f64 * (PANEL + BETWEEN) - BETWEEN;
        HEADING + rows * ROW + COLUMNS + panels + BELOW
    }

    /// Columns of the list of runs.
    fn columns(&self) -> usize {
        let longest = self.runs.iter().map(|run| run.1.chars().count()).max().unwrap_or(0);
        let width = 80.0 + 7.4 * longest as f64;
        (((RIGHT - LEFT) / width) as usize).max(1)
    }

    /// Draws them.
    ///
    /// # Errors
    /// As [`Canvas::line`].
    pub(super) fn draw(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Failure> {
        if self.curves.is_empty() {
            return Ok(());
        }
        let top = self.list(canvas, top)?;
        let heading = Lettering::new(13.0, INK).bold();
        canvas.text("Every run", (LEFT, top), heading)?;
        canvas.text("The same over the exact limit law", (MIDDLE[1], top), heading)?;
        let mut top = top + 20.0;
        let times = self.curves.iter().flat_map(|curve| curve.trajectory.iter().map(|p| p.0));
        let times = Axis::span(times, LEFT + 6.0, MIDDLE[0] - 6.0);
        let shown = |point: &&(f64, f64)| !self.counted || point.0 >= EARLIEST;
        let counts = self.curves.iter().flat_map(|curve| curve.collapsed.iter());
        let counts = counts.filter(shown).map(|point| point.0);
        let counts = Axis::span(counts, MIDDLE[1] + 6.0, RIGHT - 6.0);
        for (row, quantity) in Quantity::ALL.into_iter().enumerate() {
            let lowest = row + 1 == Quantity::ALL.len();
            let bottom = top + PANEL;
            let own: Vec<&Curve> =
                self.curves.iter().filter(|curve| curve.quantity == quantity).collect();

            let panel = Panel { canvas, across: times, left: LEFT, right: MIDDLE[0], top, bottom };
            let figures = own.iter().flat_map(|curve| curve.trajectory.iter().map(|p| p.1));
            let values = Axis::decades(figures, bottom, top);
            let name = lowest.then_some("steps T");
            panel.draw(&times.power_ticks(), &values.power_ticks(), quantity.name(), name)?;
            for curve in &own {
                draw_curve(&panel, &values, curve.run, &curve.trajectory)?;
            }

            let panel =
                Panel { canvas, across: counts, left: MIDDLE[1], right: RIGHT, top, bottom };
            let [least, most] = RATIOS;
            let figures = own.iter().flat_map(|curve| curve.collapsed.iter().filter(shown));
            let figures = figures.map(|point| point.1.clamp(least, most));
            let values = Axis::decades(figures.chain([0.5, 2.0]), bottom, top);
            let across = if self.counted { "T ÷ burn-in T_b" } else { "steps T" };
            let ticks = counts.power_ticks();
            panel.draw(&ticks, &values.power_ticks(), "÷ limit law", lowest.then_some(across))?;
            if let Some(y) = values.place(1.0) {
                let law = Stroke { color: INK, width: 1.0, dashes: &[] };
                canvas.line(&[(panel.left, y), (panel.right, y)], law)?;
            }
            for curve in &own {
                draw_curve(&panel, &values, curve.run, &curve.collapsed)?;
            }
            top = bottom + BETWEEN;
        }
        Ok(())
    }

    /// Which line is which run; returns where the list ends.
    fn list(&self, canvas: &Canvas<'_>, top: f64) -> Result<f64, Failure> {
        let columns = self.columns();
        let width = (RIGHT - LEFT) / columns as f64;
        for (at, (run, label)) in self.runs.iter().take(LISTED).enumerate() {
            let x = LEFT + width * (at % columns) as f64;
            let y = top + HEADING + ROW * (at / columns) as f64;
            let (stroke, marker) = look(*run);
            canvas.line(&[(x, y), (x + 46.0, y)], stroke)?;
            canvas.marker((x + 23.0, y), marker, stroke.color)?;
            canvas.text(label, (x + 56.0, y), Lettering::new(12.0, INK))?;
        }
        let hidden = self.runs.len().saturating_sub(LISTED);
        let title = match hidden {
            0 => format!("All {} runs", self.runs.len()),
            _ => format!("All {} runs, the first {LISTED} of them named", self.runs.len()),
        };
        canvas.text(&title, (LEFT, top), Lettering::new(14.0, INK).bold())?;
        let rows = self.runs.len().min(LISTED).div_ceil(columns) as f64;
        Ok(top + HEADING + rows * ROW + 14.0)
    }
}

fn draw_curve(
    panel: &Panel<'_, '_>,
    values: &Axis,
    run: usize,
    points: &[(f64, f64)],
) -> Result<(), Failure> {
    let (stroke, marker) = look(run);
    let inside = panel.curve(values, points.iter().copied(), stroke)?;
    // Not at the same place in every run, so that they are told apart where lines coincide.
    let first = (run * 3) % APART;
    for &at in inside.iter().skip(first.min(inside.len() / 2)).step_by(APART) {
        panel.canvas.marker(at, marker, stroke.color)?;
    }
    Ok(())
}

/// How a run looks: twenty are different without their colours.
fn look(run: usize) -> (Stroke, Marker) {
    const COLORS: [RGBColor; 6] = [
        RGBColor(0x00, 0x5f, 0xa8),
        RGBColor(0xc4, 0x4e, 0x00),
        RGBColor(0x00, 0x7d, 0x5c),
        RGBColor(0x9b, 0x3f, 0x86),
        RGBColor(0x22, 0x26, 0x2b),
        RGBColor(0x8a, 0x6d, 0x00),
    ];
    const DASHES: [&[f64]; 4] = [&[], &[11.0, 5.0], &[14.0, 4.5, 2.0, 4.5], &[3.0, 4.0]];
    const MARKERS: [Marker; 5] =
        [Marker::Circle, Marker::Triangle, Marker::Square, Marker::Diamond, Marker::Inverted];
    let stroke = Stroke {
        color: COLORS[run % COLORS.len()],
        width: 1.6,
        dashes: DASHES[run % DASHES.len()],
    };
    (stroke, MARKERS[run % MARKERS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_runs_are_told_apart_without_colour() {
        let looks: Vec<String> = (0..20)
            .map(|run| {
                let (stroke, marker) = look(run);
                format!("{:?} {marker:?}", stroke.dashes)
            })
            .collect();
        let different: std::collections::BTreeSet<&String> = looks.iter().collect();
        assert_eq!(different.len(), looks.len());
    }
}
