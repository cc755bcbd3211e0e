//! Attention as a map of squares: S at the end of training beside S*.

use plotters::style::RGBColor;

use super::super::canvas::{Canvas, Lettering, Stroke};
use super::{ABOVE, GREY, INK, LEFT, RIGHT};
use crate::error::Failure;
use crate::output::digits::{grouped, short};
use crate::simulate::Simulation;

/// The side of a map.
const SIDE: f64 = 400.0;
/// With more tokens squares would be smaller than what can be seen.
const MOST_TOKENS: usize = 128;
/// Shades between white and the darkest.
const SHADES: f64 = 64.0;
const DARK: (f64, f64, f64) = (8.0, 48.0, 107.0);

/// How much room maps take.
pub(super) fn height(simulation: &Simulation) -> f64 {
    if simulation.problem.shape.tokens > MOST_TOKENS { 0.0 } else { ABOVE + SIDE + 46.0 }
}

/// Both maps from `top` on.
///
/// # Errors
/// As for all drawing.
pub(super) fn draw(canvas: &Canvas<'_>, simulation: &Simulation, top: f64) -> Result<(), Failure> {
    let Some(run) = simulation.runs.first() else { return Ok(()) };
    if height(simulation) == 0.0 {
        return Ok(());
    }
    let goals = &simulation.problem.teacher_scores;
    let largest = goals.iter().copied().fold(0.0, f64::max);
    let (tokens, top) = (simulation.problem.shape.tokens, top + ABOVE);
    let steps = grouped(run.steps);
    let trained = format!("S after {steps} steps, batches of {}", grouped(run.batch as u64));
    let at = [(LEFT, trained, &run.scores), (RIGHT - SIDE, "S* of the teacher".into(), goals)];
    for (left, title, scores) in at {
        canvas.text(&title, (left, top - 16.0), Lettering::new(13.0, INK))?;
        squares(canvas, (left, top), scores, tokens, largest)?;
    }
    let scale = format!(
        "row: token, column: query; white 0, darkest {} or more; they differ by at most {} % of \
         that",
        short(largest),
        short((1000.0 * simulation.attention_error(run)).round() / 10.0)
    );
    canvas.text(&scale, (LEFT, top + SIDE + 22.0), Lettering::new(12.0, GREY))
}

fn squares(
    canvas: &Canvas<'_>,
    (left, top): (f64, f64),
    scores: &[f64],
    tokens: usize,
    largest: f64,
) -> Result<(), Failure> {
    let side = SIDE / tokens as f64;
    let shade = |token: usize, query: usize| {
        let score = scores.get(query * tokens + token).copied().unwrap_or(0.0);
        ((score / largest).clamp(0.0, 1.0) * SHADES).round()
    };
    for token in 0..tokens {
        let mut query = 0;
        while query < tokens {
            // Equal neighbours are one rectangle.
            let own = shade(token, query);
            let end = (query..tokens).find(|&other| shade(token, other) != own).unwrap_or(tokens);
            if own > 0.0 {
                let (x0, x1) = (left + query as f64 * side, left + end as f64 * side);
                // A hair more where the next row goes on: no seams.
                let goes_on =
                    token + 1 < tokens && (query..end).all(|query| shade(token + 1, query) > 0.0);
                let seam = if goes_on { 0.5 } else { 0.0 };
                let (y0, y1) = (top + token as f64 * side, top + (token + 1) as f64 * side + seam);
                let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
                canvas.fill(&corners, color(own / SHADES), 1.0)?;
            }
            query = end;
        }
    }
    let frame = [(0.0, 0.0), (SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE), (0.0, 0.0)];
    let frame: Vec<_> = frame.iter().map(|(x, y)| (left + x, top + y)).collect();
    canvas.line(&frame, Stroke { color: GREY, width: 1.0, dashes: &[] })
}

/// From white to dark blue.
fn color(share: f64) -> RGBColor {
    let mix = |dark: f64| (255.0 + (dark - 255.0) * share).round() as u8;
    RGBColor(mix(DARK.0), mix(DARK.1), mix(DARK.2))
}
