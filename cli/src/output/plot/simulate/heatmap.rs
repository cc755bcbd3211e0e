//! Matrices as maps of squares: S at the end of training beside S*; of the full model, W_V and W_KQ.

use plotters::style::RGBColor;
use popgd_core::model::teacher::Shape;

use super::super::canvas::{Canvas, Lettering, Stroke};
use super::{ABOVE, GREY, INK, LEFT, RIGHT};
use crate::error::Failure;
use crate::output::digits::{grouped, short};
use crate::simulate::problem::Problem;
use crate::simulate::report::attention_error;
use crate::simulate::{Run, Simulation};

/// The side of a map.
const SIDE: f64 = 400.0;
/// With more rows or columns squares would be smaller than what can be seen.
const MOST: usize = 128;
/// Shades between white and the darkest.
const SHADES: f64 = 64.0;
const DARK: (f64, f64, f64) = (8.0, 48.0, 107.0);

/// A matrix to be drawn.
struct Map<'a> {
    title: String,
    rows: usize,
    columns: usize,
    entry: Box<dyn Fn(usize, usize) -> f64 + 'a>,
    /// What is darkest.
    largest: f64,
}

/// How much room maps with so many rows and columns take.
pub(super) fn height(side: usize) -> f64 {
    if side > MOST { 0.0 } else { ABOVE + SIDE + 46.0 }
}

/// How many rows or columns the larger map of a simulation has.
pub(super) fn side(simulation: &Simulation) -> usize {
    let Shape { tokens, features, .. } = simulation.problem.shape;
    if simulation.full_model { tokens + features } else { tokens }
}

/// Both maps from `top` on.
///
/// # Errors
/// As for all drawing.
pub(super) fn draw(canvas: &Canvas<'_>, simulation: &Simulation, top: f64) -> Result<(), Failure> {
    let Some(run) = simulation.runs.0.first() else { return Ok(()) };
    if !simulation.full_model {
        return draw_attention(canvas, &simulation.problem, run, top);
    }
    if side(simulation) > MOST {
        return Ok(());
    }
    let note = "sizes of entries, white 0; inputs come first, then positions";
    draw_maps(canvas, &of_parameters(simulation, run), note, top)
}

/// S at the end of a run beside that of the teacher, from `top` on.
///
/// # Errors
/// As for all drawing.
pub(super) fn draw_attention(
    canvas: &Canvas<'_>,
    problem: &Problem,
    run: &Run,
    top: f64,
) -> Result<(), Failure> {
    let tokens = problem.shape.tokens;
    if tokens > MOST {
        return Ok(());
    }
    let goals = &problem.teacher_scores;
    let largest = goals.iter().copied().fold(0.0, f64::max);
    let steps = grouped(run.steps);
    let trained = format!("S after {steps} steps, batches of {}", grouped(run.batch as u64));
    let map = |title: String, scores| Map {
        title,
        rows: tokens,
        columns: tokens,
        // Held by queries, drawn as on paper.
        entry: Box::new(move |token, query| at(scores, query * tokens + token)),
        largest,
    };
    let note = format!(
        "row: token, column: query; white 0, darkest {} or more; they differ by at most {} % of \
         that",
        short(largest),
        short((1000.0 * attention_error(goals, &run.scores)).round() / 10.0)
    );
    let maps = [map(trained, &run.scores), map("S* of the teacher".to_owned(), goals)];
    draw_maps(canvas, &maps, &note, top)
}

fn draw_maps(
    canvas: &Canvas<'_>,
    maps: &[Map<'_>; 2],
    note: &str,
    top: f64,
) -> Result<(), Failure> {
    let top = top + ABOVE;
    for (map, left) in maps.iter().zip([LEFT, RIGHT - SIDE]) {
        canvas.text(&map.title, (left, top - 16.0), Lettering::new(13.0, INK))?;
        squares(canvas, (left, top), map)?;
    }
    canvas.text(note, (LEFT, top + SIDE + 22.0), Lettering::new(12.0, GREY))
}

fn of_parameters<'a>(simulation: &Simulation, run: &'a Run) -> [Map<'a>; 2] {
    let shape = simulation.problem.shape;
    let width = shape.features + shape.tokens;
    let map = |title: &str, entries: &'a [f64]| Map {
        title: format!("{title} after {} steps", grouped(run.steps)),
        rows: entries.len() / width,
        columns: width,
        entry: Box::new(move |row, column| at(entries, row * width + column).abs()),
        largest: entries.iter().fold(0.0, |most, x| f64::max(most, x.abs())),
    };
    [map("W_V", &run.values), map("W_KQ", &run.scores)]
}

fn at(entries: &[f64], index: usize) -> f64 {
    entries.get(index).copied().unwrap_or(0.0)
}

fn squares(canvas: &Canvas<'_>, (left, top): (f64, f64), map: &Map<'_>) -> Result<(), Failure> {
    let side = SIDE / map.rows.max(map.columns) as f64;
    let shade = |row: usize, column: usize| {
        (((map.entry)(row, column) / map.largest).clamp(0.0, 1.0) * SHADES).round()
    };
    for row in 0..map.rows {
        let mut from = 0;
        while from < map.columns {
            // Equal neighbours are one rectangle.
            let own = shade(row, from);
            let differs = (from..map.columns).find(|&other| shade(row, other) != own);
            let end = differs.unwrap_or(map.columns);
            if own > 0.0 {
                let (x0, x1) = (left + from as f64 * side, left + end as f64 * side);
                // A hair more where the next row goes on: no seams.
                let goes_on =
                    row + 1 < map.rows && (from..end).all(|column| shade(row + 1, column) > 0.0);
                let seam = if goes_on { 0.5 } else { 0.0 };
                let (y0, y1) = (top + row as f64 * side, top + (row + 1) as f64 * side + seam);
                let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
                canvas.fill(&corners, color(own / SHADES), 1.0)?;
            }
            from = end;
        }
    }
    let (x, y) = (map.columns as f64 * side, map.rows as f64 * side);
    let frame = [(0.0, 0.0), (x, 0.0), (x, y), (0.0, y), (0.0, 0.0)];
    let frame: Vec<_> = frame.iter().map(|(x, y)| (left + x, top + y)).collect();
    canvas.line(&frame, Stroke { color: GREY, width: 1.0, dashes: &[] })
}

/// From white to dark blue.
fn color(share: f64) -> RGBColor {
    let mix = |dark: f64| (255.0 + (dark - 255.0) * share).round() as u8;
    RGBColor(mix(DARK.0), mix(DARK.1), mix(DARK.2))
}
