//! Curves of a construction, each with its bound, on logarithmic axes.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::canvas::{Lettering, Marker, Stroke};
use super::panel::Panel;
use super::target::{Caption, Target};
use super::{GREY, INK, LEFT, RIGHT, TOP, WIDTH, thin};
use crate::construct::report::Report;
use crate::error::Failure;
use crate::output::digits::ratio;
use crate::provenance::VERSION;

const HEIGHT: u32 = 640;

/// Colours and shapes in turn.
const LOOKS: [(RGBColor, &[f64], Marker); 4] = [
    (RGBColor(0x00, 0x5f, 0xa8), &[], Marker::Circle),
    (RGBColor(0xc4, 0x4e, 0x00), &[11.0, 5.0], Marker::Triangle),
    (RGBColor(0x00, 0x7d, 0x5c), &[14.0, 4.5, 2.0, 4.5], Marker::Square),
    (RGBColor(0x8a, 0x3c, 0x8f), &[3.0, 3.0], Marker::Diamond),
];

/// Draws the curves; `metadata` says where they come from.
///
/// # Errors
/// What the system reports.
pub fn write(target: Target, report: &Report, metadata: &str) -> Result<(), Failure> {
    // One axis across: the others are in the table.
    let against = report.curves.first().map_or("", |curve| curve.against);
    let drawn = || report.curves.iter().filter(move |curve| curve.against == against);
    let caption = Caption {
        title: report.title.clone(),
        description: format!(
            "{} against {against}, both axes logarithmic, with bounds. {}.",
            drawn().map(|curve| curve.title.as_str()).collect::<Vec<_>>().join(", "),
            report.subtitle
        ),
        metadata: metadata.to_owned(),
    };
    target.write((WIDTH, HEIGHT), &caption, |canvas| {
        canvas.text(&report.title, (LEFT, 32.0), Lettering::new(17.0, INK).bold())?;
        canvas.text(&report.subtitle, (LEFT, 58.0), Lettering::new(12.5, GREY))?;
        let bottom = f64::from(HEIGHT) - 92.0;
        let points = || drawn().flat_map(|curve| curve.points.iter());
        let across = Axis::span(points().map(|(x, _)| *x), LEFT + 6.0, RIGHT - 6.0);
        let bounds = drawn().flat_map(|curve| curve.bounds.iter().copied());
        let values = Axis::decades(points().map(|(_, y)| *y).chain(bounds), bottom, TOP);
        let panel = Panel { canvas, across, left: LEFT, right: RIGHT, top: TOP, bottom };
        panel.draw(&across.power_ticks(), &values.power_ticks(), "size", Some(against))?;
        let share = (RIGHT - LEFT) / drawn().count().max(1) as f64;
        for (at, (curve, (color, dashes, marker))) in
            drawn().zip(LOOKS.into_iter().cycle()).enumerate()
        {
            let stroke = Stroke { color, width: 2.0, dashes };
            for point in panel.curve(&values, curve.points.iter().copied(), stroke)? {
                canvas.marker(point, marker, color)?;
            }
            let bounds = curve.points.iter().zip(&curve.bounds).map(|(&(x, _), &y)| (x, y));
            panel.curve(&values, bounds, thin(color))?;
            let x = LEFT + share * at as f64;
            canvas.line(&[(x, 92.0), (x + 40.0, 92.0)], stroke)?;
            canvas.marker((x + 20.0, 92.0), marker, color)?;
            let order = curve
                .order()
                .map_or(String::new(), |(order, _)| format!(", order {}", ratio(order)));
            let label = format!("{}{order}", curve.title);
            canvas.text(&label, (x + 50.0, 92.0), Lettering::new(12.5, INK))?;
        }
        let source = format!("popgd {VERSION} · {} · thin: bounds", report.command);
        let at = (RIGHT, f64::from(HEIGHT) - 20.0);
        canvas.text(&source, at, Lettering::new(10.0, GREY).ending())
    })
}
