//! Pictures of sweeps: constants against what is varied, their local slopes, and all runs on
//! their limit law.

use plotters::style::RGBColor;
use serde_json::{Map, Value};

use super::axis::Axis;
use super::canvas::{self, Canvas, Lettering, Marker, Point, Stroke};
use super::{GREY, GRID, INK, Target, look, png};
use crate::asymptotics::Quantity;
use crate::config::sweep::name;
use crate::error::Failure;
use crate::output::digits::short;
use crate::output::sweep::{Part, Report, letter};
use crate::output::words;
use crate::provenance::{LIBM, SCHEMA, VERSION};
use crate::sweep::exponents::Measure;
use crate::sweep::job::{axes_to_json, shown};
use crate::sweep::measure::Findings;

const WIDTH: u32 = 1000;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 972.0;

/// Height of the panel of constants, of slopes, and of the collapse, with the space below each.
const CONSTANTS: f64 = 330.0;
const SLOPES: f64 = 190.0;
const COLLAPSE: f64 = 330.0;
const HEAD: f64 = 126.0;
const GAP: f64 = 74.0;

/// The collapse begins at this share of the burn-in: before, there is no law to collapse onto.
const EARLIEST: f64 = 0.3;

/// A sweep to be drawn.
#[derive(Debug)]
pub struct Picture<'a> {
    /// What was found.
    pub report: &'a Report<'a>,
}

impl Picture<'_> {
    /// Draws it where it belongs. Of several variables the first has its constants drawn; the
    /// collapse has all runs.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, target: Target) -> Result<(), Failure> {
        let svg = self.svg()?;
        if !target.png {
            return target.sink.write(svg.as_bytes());
        }
        let texts = [
            ("Title", &*self.title()),
            ("Description", &*self.description()),
            ("Software", &*format!("popgd {VERSION}")),
            ("Source", &*self.metadata()),
        ];
        target.sink.write(&png::render(&svg, &texts)?)
    }

    fn svg(&self) -> Result<String, Failure> {
        let height = HEAD + CONSTANTS + 26.0 + SLOPES + GAP + 34.0 + COLLAPSE + GAP + 26.0;
        let size = (WIDTH, height as u32);
        let mut svg = String::new();
        let canvas = Canvas::new(&mut svg, size)?;
        self.draw(&canvas, height)?;
        canvas.finish()?;
        Ok(canvas::described(&svg, size, &self.title(), &self.description(), &self.metadata()))
    }

    fn title(&self) -> String {
        match (self.report.outcomes.first(), self.report.parts.first()) {
            (Some(run), Some(part)) => {
                let words = words::teacher(&run.job.settings.model);
                // What is varied is not a number of the first run.
                let task = words.split(", ").next().unwrap_or_default();
                let activation = words.rsplit(", ").next().unwrap_or_default();
                let series = &part.series;
                let ends = [series.runs.first(), series.runs.last()];
                let [low, high] = ends.map(|run| run.map_or(f64::NAN, |run| run.0));
                let name = letter(series.variable);
                format!("{task}, {activation}: {name} from {} to {}", short(low), short(high))
            }
            _ => "A sweep".to_owned(),
        }
    }

    fn description(&self) -> String {
        "Constants of the score error, the value error and the excess loss against what is varied, \
         both axes logarithmic, with the exact and the claimed powers; their slopes; and all runs, \
         each divided by its limit law, against the number of steps over the burn-in."
            .to_owned()
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

    fn draw(&self, canvas: &Canvas<'_>, height: f64) -> Result<(), Failure> {
        canvas.text(&self.title(), (LEFT, 32.0), Lettering::new(18.0, INK).bold())?;
        if let Some(run) = self.report.outcomes.first() {
            let line = format!("first run: {}", words::training(&run.job.settings.model));
            canvas.text(&line, (LEFT, 58.0), Lettering::new(13.0, GREY))?;
        }
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
        canvas.text("claimed power", (x + 56.0, 92.0), Lettering::new(12.5, INK))?;

        let mut top = HEAD;
        if let Some(part) = self.report.parts.first() {
            let across =
                Axis::span(part.series.runs.iter().map(|run| run.0), LEFT + 20.0, RIGHT - 90.0);
            constants(canvas, part, across, top)?;
            top += CONSTANTS + 26.0;
            slopes(canvas, part, across, top)?;
            top += SLOPES + GAP;
        }
        self.collapse(canvas, top + 34.0)?;
        let source = format!(
            "popgd {VERSION} · {} runs · plan {} · libm {LIBM}",
            self.report.outcomes.len(),
            self.report.sweep.plan
        );
        canvas.text(&source, (RIGHT, height - 16.0), Lettering::new(10.0, GREY).ending())
    }

    /// Every run over its limit law, against T over the steps that the limit law counts from.
    fn collapse(&self, canvas: &Canvas<'_>, top: f64) -> Result<(), Failure> {
        let bottom = top + COLLAPSE;
        let mut curves: Vec<(Quantity, Vec<(f64, f64)>)> = Vec::new();
        for run in self.report.outcomes {
            let Findings::Powers { quantities, burn_in, records, .. } = &run.findings else {
                continue;
            };
            let rate = run.job.settings.model.rate.to_f64();
            let lost = burn_in.map(|burn_in| burn_in.predicted.abs()).filter(|lost| *lost > 0.0);
            let unit = lost.unwrap_or(1.0);
            for (at, found) in quantities.iter().enumerate() {
                let power = -found.quantity.claimed();
                let points = records.iter().map(|record| {
                    let t = record.t as f64;
                    let value = record.values.get(at).copied().unwrap_or(f64::NAN);
                    (t / unit, value * (rate * t).powf(power) / found.exact)
                });
                curves.push((found.quantity, points.filter(|p| p.0 > EARLIEST).collect()));
            }
        }
        if curves.is_empty() {
            return Ok(());
        }
        let times = curves.iter().flat_map(|curve| curve.1.iter().map(|point| point.0));
        let across = Axis::span(times, LEFT + 6.0, RIGHT - 6.0);
        let ratios = curves.iter().flat_map(|curve| curve.1.iter().map(|p| p.1.clamp(2e-2, 50.0)));
        let values = Axis::decades(ratios, bottom, top);
        let title = "All runs on one law: each quantity over its exact limit law";
        canvas.text(title, (LEFT, top - 16.0), Lettering::new(13.0, INK).bold())?;
        grid(canvas, &across, &values, [top, bottom], "÷ limit law")?;
        let single = self
            .report
            .outcomes
            .iter()
            .all(|run| matches!(&run.findings, Findings::Powers { burn_in: Some(_), .. }));
        let label = if single { "T ÷ burn-in T_b" } else { "steps T" };
        let middle = 0.5 * (LEFT + RIGHT);
        canvas.text(label, (middle, bottom + 44.0), Lettering::new(13.0, INK).centered())?;
        if let Some(y) = values.place(1.0) {
            canvas
                .line(&[(LEFT, y), (RIGHT, y)], Stroke { color: INK, width: 1.0, dashes: &[] })?;
        }
        for (quantity, points) in &curves {
            let (stroke, _) = look(*quantity);
            // Cut off where the panel ends.
            for part in points.split(|(_, y)| !values.covers(*y)) {
                let line: Vec<Point> = part
                    .iter()
                    .filter_map(|&(t, y)| Some((across.place(t)?, values.place(y)?)))
                    .collect();
                canvas.line(&line, Stroke { width: 1.5, ..stroke })?;
            }
        }
        for quantity in Quantity::ALL {
            let Some((_, points)) = curves.iter().rev().find(|curve| curve.0 == quantity) else {
                continue;
            };
            let (stroke, marker) = look(quantity);
            for &(t, y) in points.iter().filter(|(_, y)| values.covers(*y)).step_by(8) {
                if let Some(at) = across.place(t).zip(values.place(y)) {
                    canvas.marker(at, marker, stroke.color)?;
                }
            }
        }
        Ok(())
    }
}

fn dotted(color: RGBColor) -> Stroke {
    Stroke { color, width: 1.6, dashes: &[2.0, 4.0] }
}

/// The constants of one quantity over the first exact one, as points.
struct Line {
    marker: Marker,
    stroke: Stroke,
    measured: Vec<[f64; 2]>,
    exact: Vec<[f64; 2]>,
    claimed: f64,
}

/// Constants over their first one, with the exact and the claimed powers through it.
fn constants(canvas: &Canvas<'_>, part: &Part<'_>, across: Axis, top: f64) -> Result<(), Failure> {
    let bottom = top + CONSTANTS;
    let mut lines: Vec<Line> = Vec::new();
    let Some(first) = part.series.runs.first().map(|run| run.0) else { return Ok(()) };
    for exponent in &part.exponents {
        let Measure::Constant(quantity) = exponent.measure else { continue };
        let found = |pick: fn(&crate::sweep::measure::Finding) -> Option<f64>| -> Vec<[f64; 2]> {
            let all = part.series.runs.iter().filter_map(|(at, run)| match &run.findings {
                Findings::Powers { quantities, .. } => {
                    let found = quantities.iter().find(|found| found.quantity == quantity)?;
                    Some([*at, pick(found)?])
                }
                Findings::Geometric { .. } => None,
            });
            all.collect()
        };
        let exact = found(|finding| Some(finding.exact));
        let measured = found(|finding| finding.limit.map(|limit| limit.value));
        let Some(base) = exact.first().map(|point| point[1]) else { continue };
        let scale = |points: Vec<[f64; 2]>| -> Vec<[f64; 2]> {
            points.into_iter().map(|[at, y]| [at, y / base]).collect()
        };
        let (stroke, marker) = look(quantity);
        lines.push(Line {
            marker,
            stroke,
            measured: scale(measured),
            exact: scale(exact),
            claimed: exponent.claimed,
        });
    }
    let last = part.series.runs.last().map_or(first, |run| run.0);
    let figures = lines.iter().flat_map(|Line { measured, exact, claimed, .. }| {
        let all = measured.iter().chain(exact).map(|point| point[1]);
        all.chain([(last / first).powf(*claimed)]).collect::<Vec<_>>()
    });
    let values = Axis::decades(figures, bottom, top);
    grid(canvas, &across, &values, [top, bottom], "constant ÷ first")?;
    let mut labels: Vec<f64> = Vec::new();
    for Line { marker, stroke, measured, exact, claimed } in &lines {
        let place = |at: f64, y: f64| across.place(at).zip(values.place(y));
        let ends = [(first, 1.0), (last, (last / first).powf(*claimed))];
        let claim: Vec<Point> = ends.into_iter().filter_map(|(at, y)| place(at, y)).collect();
        canvas.line(&claim, dotted(stroke.color))?;
        let law: Vec<Point> = exact.iter().filter_map(|&[at, y]| place(at, y)).collect();
        canvas.line(&law, *stroke)?;
        for &[at, y] in measured {
            if let Some(point) = place(at, y) {
                canvas.marker(point, *marker, stroke.color)?;
            }
        }
        let mut label = |text: String, end: Option<&Point>| {
            let Some(&(x, y)) = end else { return Ok(()) };
            // Two that end together are written one below the other.
            let mut at = y;
            while labels.iter().any(|other: &f64| (other - at).abs() < 13.0) {
                at += 13.0;
            }
            labels.push(at);
            canvas.text(&text, (x + 9.0, at), Lettering::new(11.0, stroke.color))
        };
        label(format!("claimed {}", power(*claimed)), claim.last())?;
        label("exact".to_owned(), law.last())?;
    }
    Ok(())
}

/// `D^2.5` without the letter.
fn power(claimed: f64) -> String {
    short(claimed).replace('-', "−")
}

/// Slopes between neighbours.
fn slopes(canvas: &Canvas<'_>, part: &Part<'_>, across: Axis, top: f64) -> Result<(), Failure> {
    let bottom = top + SLOPES;
    let constants = || {
        part.exponents.iter().filter_map(|exponent| match exponent.measure {
            Measure::Constant(quantity) => Some((quantity, exponent)),
            Measure::BurnIn => None,
        })
    };
    let all: Vec<f64> = constants()
        .flat_map(|(_, exponent)| {
            let found = exponent.secants.iter().map(|secant| secant.exact);
            found.chain([exponent.claimed]).collect::<Vec<_>>()
        })
        .collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min).min(0.0) - 0.25;
    let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 0.25;
    if !(low < high) {
        return Ok(());
    }
    let values = Axis::linear((low, high), bottom, top);
    let step = if high - low > 2.5 { 1.0 } else { 0.5 };
    frame(canvas, &across, &values.even_ticks(step, 1), [top, bottom], "slope")?;
    for tick in Some(across).into_iter().flat_map(|axis| ticks_at(&axis, part)) {
        let (place, label) = tick;
        canvas.line(&[(place, bottom), (place, bottom + 7.0)], thin_line(GREY))?;
        canvas.text(&label, (place, bottom + 20.0), Lettering::new(12.0, INK).centered())?;
    }
    let variable = part.series.variable;
    let mut label = format!("{} = {}", name(variable), letter(variable));
    if !part.series.others.is_empty() {
        label = format!("{label}, at {}", shown(&part.series.others));
    }
    let middle = 0.5 * (LEFT + RIGHT);
    canvas.text(&label, (middle, bottom + 44.0), Lettering::new(13.0, INK).centered())?;
    for (quantity, exponent) in constants() {
        let (stroke, marker) = look(quantity);
        if let Some(y) = values.place(exponent.claimed) {
            canvas.line(&[(LEFT, y), (RIGHT, y)], dotted(stroke.color))?;
        }
        let middle = |from: f64, to: f64| across.place((from * to).sqrt());
        let exact: Vec<Point> = exponent
            .secants
            .iter()
            .filter_map(|secant| middle(secant.from, secant.to).zip(values.place(secant.exact)))
            .collect();
        canvas.line(&exact, stroke)?;
        for secant in &exponent.secants {
            let Some(found) = secant.measured.filter(|found| values.covers(found.value)) else {
                continue;
            };
            if let Some(at) = middle(secant.from, secant.to).zip(values.place(found.value)) {
                canvas.marker(at, marker, stroke.color)?;
            }
        }
    }
    Ok(())
}

fn thin_line(color: RGBColor) -> Stroke {
    Stroke { color, width: 1.0, dashes: &[] }
}

/// The values that were taken, on the axis.
fn ticks_at(across: &Axis, part: &Part<'_>) -> Vec<(f64, String)> {
    let values = part.series.runs.iter();
    values.filter_map(|(at, _)| Some((across.place(*at)?, short(*at)))).collect()
}

/// A panel with powers of ten both ways.
fn grid(
    canvas: &Canvas<'_>,
    across: &Axis,
    values: &Axis,
    [top, bottom]: [f64; 2],
    title: &str,
) -> Result<(), Failure> {
    frame(canvas, across, &values.power_ticks(), [top, bottom], title)?;
    // Along a variable there is less than a decade: its values are written below the slopes.
    if title != "÷ limit law" {
        return Ok(());
    }
    for tick in across.power_ticks() {
        canvas.line(&[(tick.place, bottom), (tick.place, bottom + 5.0)], thin_line(GREY))?;
        if let Some(text) = tick.label {
            let at = (tick.place, bottom + 20.0);
            canvas.text(&text, at, Lettering::new(12.0, INK).centered())?;
        }
    }
    Ok(())
}

fn frame(
    canvas: &Canvas<'_>,
    _across: &Axis,
    ticks: &[super::axis::Tick],
    [top, bottom]: [f64; 2],
    title: &str,
) -> Result<(), Failure> {
    for tick in ticks {
        let y = tick.place;
        if let Some(text) = &tick.label {
            canvas.line(&[(LEFT, y), (RIGHT, y)], thin_line(GRID))?;
            canvas.text(text, (LEFT - 12.0, y), Lettering::new(12.0, INK).ending())?;
        }
        canvas.line(&[(LEFT - 5.0, y), (LEFT, y)], thin_line(GREY))?;
    }
    canvas.line(&[(LEFT, top), (LEFT, bottom), (RIGHT, bottom)], thin_line(GREY))?;
    let at = (26.0, 0.5 * (top + bottom));
    canvas.text(title, at, Lettering::new(13.0, INK).centered().upright())
}
