//! A picture of leakage and of remainders.

use super::json::COMMAND;
use super::provenance;
use crate::construct::mirror_descent::findings::Findings;
use crate::construct::mirror_descent::settings::MirrorDescent;
use crate::error::Failure;
use crate::output::json;
use crate::output::plot::chart::{Chart, ChartPanel, Curve};
use crate::output::plot::target::Target;
use crate::provenance::{LIBM, VERSION};

/// Draws leakage against δ and remainders against ε.
///
/// # Errors
/// What the system reports.
pub fn draw(settings: &MirrorDescent, findings: &Findings, target: Target) -> Result<(), Failure> {
    let leaks: Vec<(f64, f64)> =
        findings.leakage.iter().map(|leak| (leak.strength, leak.error)).collect();
    let scale = 0.5 * settings.rate.to_f64() * (settings.order as f64).powi(2);
    let law = leaks.iter().map(|&(strength, _)| (strength, scale * (-strength).exp())).collect();
    let curve = |label: &str, points, is_law| Curve { label: label.to_owned(), points, is_law };
    let remainders = findings.remainders.iter().map(|found| {
        let label = format!("η = {}", found.rate);
        // From left to right.
        let points = found.points.iter().rev().copied().collect();
        Curve { label, points, is_law: false }
    });
    let laws = findings.remainders.iter().filter_map(|found| {
        let &(end, error) = found.points.last()?;
        let power = found.claimed as i32;
        let at = |&(epsilon, _): &(f64, f64)| (epsilon, error * (epsilon / end).powi(power));
        let label = ["ε", "ε²", "ε³"].get(found.claimed as usize - 1)?.to_string();
        Some(Curve { label, points: found.points.iter().rev().map(at).collect(), is_law: true })
    });
    let origin = provenance(settings);
    let document = json::head(COMMAND, &settings.echo, &origin);
    let (q, m) = (settings.alphabet, settings.order);
    Chart {
        title: "Three layers of attention as a step of mirror descent".to_owned(),
        subtitle: format!(
            "mixture of transition distributions, q = {q}, m = {m}, Dirichlet({}), η = {}",
            settings.concentration, settings.rate
        ),
        description:
            "Above, the error that a mask of finite strength makes, against that strength; \
                      below, the difference between a step of mirror descent and the posterior \
                      mean, against the distance of the transitions from uniform."
                .to_owned(),
        metadata: serde_json::Value::Object(document).to_string(),
        source: format!(
            "popgd {VERSION} · {} · configuration {} · seed {} · libm {LIBM}",
            origin.scalar, origin.config_hash, origin.seed
        ),
        panels: vec![
            ChartPanel {
                across: "strength δ of the mask".to_owned(),
                logarithmic_across: false,
                upwards: "error of λ".to_owned(),
                curves: vec![
                    curve("leakage", leaks, false),
                    curve("½ηm² e^−δ, bound up to e^−2δ", law, true),
                ],
            },
            ChartPanel {
                across: "ε, distance of π from uniform".to_owned(),
                logarithmic_across: true,
                upwards: "step less posterior mean".to_owned(),
                curves: remainders.chain(laws).collect(),
            },
        ],
    }
    .write(target)
}
