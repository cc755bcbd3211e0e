//! Constants against what is varied, with the exact and the claimed powers, and their slopes.

use plotters::style::RGBColor;

use super::super::axis::{Axis, Tick};
use super::super::canvas::{Canvas, Lettering, Point, Stroke};
use super::super::panel::Panel;
use super::super::{LEFT, RIGHT, look};
use super::{Variation, dotted};
use crate::asymptotics::Quantity;
use crate::config::sweep::name;
use crate::error::Failure;
use crate::output::digits::short;
use crate::output::sweep::{Part, letter};
use crate::sweep::exponents::{Exponent, Measure};
use crate::sweep::job::shown;
use crate::sweep::measure::{Finding, Findings};

/// Heights of the panels of constants and of slopes, and the space below each.
const CONSTANTS: f64 = 270.0;
const BETWEEN: f64 = 26.0;
const SLOPES: f64 = 150.0;
const BELOW: f64 = 92.0;

/// What one variable takes.
pub(super) const HEIGHT: f64 = CONSTANTS + BETWEEN + SLOPES + BELOW;

/// From one label to the next.
const LINE: f64 = 13.0;

/// A figure that is a power of ten but for this share of a decade does not open the next.
const NEARLY: f64 = 0.05;

/// Both panels of a variable.
///
/// # Errors
/// As [`Canvas::line`].
pub(super) fn draw(
    canvas: &Canvas<'_>,
    variation: &Variation<'_>,
    top: f64,
) -> Result<(), Failure> {
    let (left, right) = (LEFT, RIGHT);
    let values = || variation.parts.iter().flat_map(|part| part.series.runs.iter());
    let across = Axis::span(values().map(|run| run.0), LEFT + 20.0, RIGHT - 116.0);
    let mut ticks: Vec<Tick> = Vec::new();
    for (at, _) in values() {
        let Some(place) = across.place(*at) else { continue };
        // Values that are too close for their labels have a tick alone.
        let free = ticks.iter().all(|tick| tick.label.is_none() || far(tick.place, place));
        ticks.push(Tick { place, label: free.then(|| short(*at)) });
    }
    let bottom = top + CONSTANTS;
    let panel = Panel { canvas, across, left, right, top, bottom };
    constants(&panel, variation, &ticks)?;
    let top = bottom + BETWEEN;
    let panel = Panel { top, bottom: top + SLOPES, ..panel };
    slopes(&panel, variation, &ticks)
}

fn far(a: f64, b: f64) -> bool {
    (a - b).abs() >= 62.0
}

/// Of one quantity in the runs of one series: a figure at every value of the variable.
fn figures(
    part: &Part<'_>,
    quantity: Quantity,
    pick: impl Fn(&Finding) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let runs = part.series.runs.iter();
    runs.filter_map(|(at, run)| match &run.findings {
        Findings::Powers { quantities, .. } => {
            let found = quantities.iter().find(|found| found.quantity == quantity)?;
            Some((*at, pick(found)?))
        }
        Findings::Geometric { .. } => None,
    })
    .collect()
}

/// Points of one quantity along one series, over the first exact constant.
struct Line {
    quantity: Quantity,
    measured: Vec<(f64, f64)>,
    exact: Vec<(f64, f64)>,
    claim: [(f64, f64); 2],
    claimed: f64,
}

fn lines<'a>(part: &'a Part<'a>) -> impl Iterator<Item = Line> + 'a {
    part.exponents.iter().filter_map(|exponent| {
        let quantity = quantity_of(exponent)?;
        let exact = figures(part, quantity, |found| Some(found.exact));
        let measured = figures(part, quantity, |found| found.limit.map(|limit| limit.value));
        let (&(first, base), &(last, _)) = (exact.first()?, exact.last()?);
        let scaled = |points: Vec<(f64, f64)>| {
            points.into_iter().map(|(at, value)| (at, value / base)).collect()
        };
        let claimed = exponent.claimed;
        Some(Line {
            quantity,
            measured: scaled(measured),
            exact: scaled(exact),
            claim: [(first, 1.0), (last, (last / first).powf(claimed))],
            claimed,
        })
    })
}

fn quantity_of(exponent: &Exponent) -> Option<Quantity> {
    match exponent.measure {
        Measure::Constant(quantity) => Some(quantity),
        Measure::BurnIn => None,
    }
}

fn constants(
    panel: &Panel<'_, '_>,
    variation: &Variation<'_>,
    ticks: &[Tick],
) -> Result<(), Failure> {
    let lines: Vec<(bool, Line)> = variation
        .parts
        .iter()
        .enumerate()
        .flat_map(|(at, part)| lines(part).map(move |line| (at == 0, line)))
        .collect();
    let mut figures: Vec<f64> = Vec::new();
    for (_, line) in &lines {
        let points = line.measured.iter().chain(&line.exact).chain(&line.claim);
        figures.extend(points.map(|point| settled(point.1)));
    }
    // Where nothing changes, that is seen in the middle.
    if figures.iter().all(|figure| (0.5..2.0).contains(figure)) {
        figures.extend([0.5, 2.0]);
    }
    let values = Axis::decades(figures.into_iter(), panel.bottom, panel.top);
    panel.draw(ticks, &values.power_ticks(), "constant ÷ first", None)?;
    let mut labels: Vec<Label> = Vec::new();
    for (first, line) in &lines {
        let (stroke, marker) = look(line.quantity);
        let place = |&(at, y): &(f64, f64)| panel.across.place(at).zip(values.place(y));
        let claim: Vec<Point> = line.claim.iter().filter_map(place).collect();
        panel.canvas.line(&claim, dotted(stroke.color))?;
        let exact: Vec<Point> = line.exact.iter().filter_map(place).collect();
        panel.canvas.line(&exact, stroke)?;
        for point in line.measured.iter().filter_map(place) {
            panel.canvas.marker(point, marker, stroke.color)?;
        }
        let (Some(claim), Some(exact)) = (claim.last(), exact.last()) else { continue };
        if *first {
            let claimed = format!("claimed {}", short(line.claimed).replace('-', "−"));
            let mut label = |text: &str, y: f64| {
                labels.push(Label { text: text.to_owned(), y, color: stroke.color });
            };
            if (claim.1 - exact.1).abs() < LINE {
                label(&format!("exact, {claimed}"), exact.1);
            } else {
                label(&claimed, claim.1);
                label("exact", exact.1);
            }
        }
    }
    let x = panel.across.place(panel.across.ends().1).unwrap_or(panel.right) + 10.0;
    for Label { text, y, color } in spread(labels, panel.bottom) {
        panel.canvas.text(&text, (x, y), Lettering::new(10.5, color))?;
    }
    Ok(())
}

/// What is written at the end of a line.
#[derive(Clone, Debug)]
struct Label {
    text: String,
    y: f64,
    color: RGBColor,
}

/// Labels from the top down, moved apart where they would overlap, and none below `bottom`.
fn spread(mut labels: Vec<Label>, bottom: f64) -> Vec<Label> {
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut least = f64::NEG_INFINITY;
    for label in &mut labels {
        label.y = label.y.max(least);
        least = label.y + LINE;
    }
    let mut most = bottom;
    for label in labels.iter_mut().rev() {
        label.y = label.y.min(most);
        most = label.y - LINE;
    }
    labels
}

/// A figure that is nearly a power of ten is taken for one.
fn settled(figure: f64) -> f64 {
    let power = figure.log10();
    let whole = power.round();
    if (power - whole).abs() < NEARLY { 10_f64.powf(whole) } else { figure }
}

/// Between neighbours.
fn slopes(panel: &Panel<'_, '_>, variation: &Variation<'_>, ticks: &[Tick]) -> Result<(), Failure> {
    let all = || variation.parts.iter().flat_map(|part| part.exponents.iter());
    let constants = || all().filter_map(|exponent| Some((quantity_of(exponent)?, exponent)));
    let figures = constants().flat_map(|(_, exponent)| {
        let found = exponent.secants.iter().filter_map(|secant| secant.exact);
        found.chain([exponent.claimed]).collect::<Vec<_>>()
    });
    let (low, high) = figures
        .fold((0.0, 0.0), |(low, high), slope| (f64::min(low, slope), f64::max(high, slope)));
    let (low, high) = (low - 0.25, high + 0.25);
    let values = Axis::linear((low, high), panel.bottom, panel.top);
    let (step, decimals) = if high - low > 2.5 { (1.0, 0) } else { (0.5, 1) };
    let name = named(variation);
    panel.draw(ticks, &values.even_ticks(step, decimals), "slope", Some(&name))?;
    for (quantity, exponent) in constants() {
        let (stroke, marker) = look(quantity);
        if let Some(y) = values.place(exponent.claimed) {
            panel.canvas.line(&[(panel.left, y), (panel.right, y)], dotted(stroke.color))?;
        }
        let middle = |from: f64, to: f64| (from * to).sqrt();
        let exact = exponent.secants.iter().filter_map(|s| Some((middle(s.from, s.to), s.exact?)));
        panel.curve(&values, exact, Stroke { width: 1.6, ..stroke })?;
        for secant in &exponent.secants {
            let Some(found) = secant.measured else { continue };
            if let Some(at) = panel.place(&values, (middle(secant.from, secant.to), found.value)) {
                panel.canvas.marker(at, marker, stroke.color)?;
            }
        }
    }
    Ok(())
}

/// The variable, and at what.
fn named(variation: &Variation<'_>) -> String {
    let variable = format!("{} = {}", name(variation.variable), letter(variation.variable));
    match &variation.parts[..] {
        [part] if part.series.others.is_empty() => variable,
        [part] => format!("{variable}, at {}", shown(&part.series.others)),
        parts => format!("{variable}, for each of {} combinations of the others", parts.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap() {
        let label = |y: f64| Label { text: String::new(), y, color: RGBColor(0, 0, 0) };
        let places = [50.0, 98.0, 10.0, 97.0, 99.0, 12.0].map(label).to_vec();
        let found: Vec<f64> = spread(places, 100.0).iter().map(|label| label.y).collect();
        assert_eq!(found, [10.0, 23.0, 50.0, 74.0, 87.0, 100.0]);
    }
}
