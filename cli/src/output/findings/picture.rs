//! Curves with their bounds, a panel for all that are against the same.

use super::provenance;
use crate::construct::report::{Curve, Report};
use crate::construct::settings::Shared;
use crate::error::Failure;
use crate::output::digits::ratio;
use crate::output::json;
use crate::output::plot::Target;
use crate::output::plot::chart::{self, Chart, ChartPanel};
use crate::provenance::VERSION;
use serde_json::Value;

/// Draws the curves of a report.
///
/// # Errors
/// What the system reports.
pub(super) fn write(
    target: Target,
    shared: &Shared,
    echo: &Value,
    report: &Report,
) -> Result<(), Failure> {
    let origin = provenance(shared, echo);
    let mut panels: Vec<ChartPanel> = Vec::new();
    for curve in &report.curves {
        let panel = match panels.iter_mut().find(|panel| panel.across == curve.against) {
            Some(panel) => panel,
            None => {
                panels.push(ChartPanel {
                    across: curve.against.to_owned(),
                    logarithmic_across: true,
                    upwards: "size".to_owned(),
                    curves: Vec::new(),
                });
                let Some(panel) = panels.last_mut() else { continue };
                panel
            }
        };
        panel.curves.extend(drawn(curve));
    }
    let names: Vec<&str> = report.curves.iter().map(|curve| curve.title.as_str()).collect();
    Chart {
        title: report.title.clone(),
        subtitle: report.subtitle.clone(),
        description: format!(
            "{}, with bounds, all axes logarithmic. {}.",
            names.join(", "),
            report.subtitle
        ),
        metadata: Value::Object(json::head(report.command, echo, &origin)).to_string(),
        source: format!(
            "popgd {VERSION} · {} · {} · configuration {} · seed {}",
            report.command, origin.scalar, origin.config_hash, origin.seed
        ),
        panels,
    }
    .write(target)
}

/// A curve, and its bound.
fn drawn(curve: &Curve) -> Vec<chart::Curve> {
    let order =
        curve.order().map_or(String::new(), |(order, _)| format!(", order {}", ratio(order)));
    let mut curves = vec![chart::Curve {
        label: format!("{}{order}", curve.title),
        points: curve.points.clone(),
        is_law: false,
    }];
    if !curve.bounds.is_empty() {
        let bounds = curve.points.iter().zip(&curve.bounds).map(|(&(x, _), &y)| (x, y));
        curves.push(chart::Curve {
            label: "its bound".to_owned(),
            points: bounds.collect(),
            is_law: true,
        });
    }
    curves
}
