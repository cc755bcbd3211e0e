//! `popgd construct normalized-gd`: layers of attention beside normalised gradient descent.

mod bounds;
mod curves;
mod instance;
mod layers;
mod training;

use popgd_core::scalar::Logarithm;
use popgd_core::{Error, Interval};
use serde_json::Value;

use super::comparison::{Comparison, is_rigorous, status};
use super::report::{Answer, Report};
use super::settings::Shared;
use crate::config::Arguments;
use crate::config::construct::normalized_gd::resolve;
use crate::error::Failure;
use crate::number::Exact;
use crate::output::digits::{grouped, short};
use crate::output::findings;
use crate::provenance::scalar_name;
use crate::scalar::CliScalar;
use crate::settings::ScalarKind;

const COMMAND: &str = "construct normalized-gd";

/// What is run, every default filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalizedGdSettings {
    /// What all constructions have.
    pub shared: Shared,
    /// d.
    pub features: usize,
    /// n.
    pub samples: usize,
    /// Samples of one's own.
    pub labelled: Option<Labelled>,
    /// η.
    pub rate: Exact,
    /// k.
    pub steps: u64,
    /// For how many steps a layer is trained.
    pub train: u64,
    /// The configuration as JSON, keys as in files.
    pub echo: Value,
}

/// Samples with labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Whether the label is 1, and not −1.
    pub labels: Vec<bool>,
    /// d.
    pub features: usize,
    /// x, row by row.
    pub entries: Vec<Exact>,
}

impl Labelled {
    /// R², of the longest sample.
    pub fn square_radius(&self) -> Exact {
        let squares = self
            .entries
            .chunks_exact(self.features)
            .map(|row| row.iter().map(Exact::square).sum::<Exact>());
        squares.fold(Exact::zero(), |most, square| if square > most { square } else { most })
    }

    /// Rows, as in a file.
    pub fn to_json(&self) -> Value {
        let rows = self.labels.iter().zip(self.entries.chunks_exact(self.features));
        rows.map(|(&label, row)| {
            let label = Value::from(if label { 1 } else { -1 });
            std::iter::once(label)
                .chain(row.iter().map(crate::config::construct::echoed))
                .collect::<Value>()
        })
        .collect()
    }
}

/// What core refuses, for the user.
fn refused(error: Error) -> Failure {
    match error {
        Error::NotFinite { .. } => Failure::NotFinite(format!(
            "{error}; numbers that large have no place in this type: scale the samples down"
        )),
        _ => Failure::usage(error.to_string()),
    }
}

/// Runs the transformer beside its algorithm.
///
/// # Errors
/// What is wrong with the input, and where results cannot be written.
pub fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let settings = resolve(arguments)?;
    findings::tell(COMMAND, &settings.shared, &settings.echo, || match settings.shared.scalar {
        ScalarKind::F64 => find::<f64>(&settings),
        ScalarKind::F32 => find::<f32>(&settings),
        ScalarKind::Interval64 => find::<Interval<f64>>(&settings),
        ScalarKind::Interval32 => find::<Interval<f32>>(&settings),
    })
}

fn find<S: CliScalar + Logarithm>(settings: &NormalizedGdSettings) -> Result<Report, Failure> {
    let kind = settings.shared.scalar;
    let instances = if settings.labelled.is_some() { 1 } else { settings.shared.instances };
    let mut labels = Comparison::default();
    let mut same_layers = Comparison::default();
    let mut ends = Comparison::default();
    let mut held = bounds::Held::default();
    let mut answers = Vec::new();
    for index in 0..instances {
        let instance = instance::Instance::<S>::of(settings, index)?;
        instance.compare_labels(kind, &mut labels);
        let last = layers::run(&instance, settings.steps, kind, &mut same_layers, &mut ends)
            .map_err(refused)?;
        if instance.is_bounded() {
            held.watch(&instance, settings.steps).map_err(refused)?;
        }
        if settings.labelled.is_some() {
            let numbers = last.iter().map(|x| x.report()).collect();
            let title = "Where the layers end".to_owned();
            answers.push(Answer { name: "weights", title, numbers });
            let margin = bounds::margin_of(&instance, 10 * settings.steps).map_err(refused)?;
            let title = "γ, the margin of the samples: at least, at most".to_owned();
            let numbers = margin.iter().map(|x| x.report()).collect();
            answers.push(Answer { name: "margin", title, numbers });
        }
    }
    let mut claims = labels.claims(kind, "labels", "labels by ReLUs = labels by products");
    claims.retain(|claim| claim.name != "width");
    claims.extend(same_layers.claims(kind, "layer", "a layer = a step"));
    if !is_rigorous(kind) && ends.is_used() {
        claims.extend(ends.claims(kind, "layers", "all layers = all steps, a step on average"));
    }
    claims.extend(held.claims(status(kind)));
    let mut curves = curves::of(settings).map_err(refused)?;
    if settings.train > 0 {
        let (own_claims, curve) = training::run(settings).map_err(refused)?;
        claims.extend(own_claims);
        curves.extend(curve);
    }
    let data = match &settings.labelled {
        Some(_) => "samples of one's own".to_owned(),
        None => format!("{} random instances", grouped(instances)),
    };
    Ok(Report {
        command: COMMAND,
        title: "In-context logistic regression: attention as normalised gradient descent".into(),
        subtitle: format!(
            "d = {} features, n = {} samples, {} layers, η = {}, {data}, {}",
            grouped(settings.features as u64),
            grouped(settings.samples as u64),
            grouped(settings.steps),
            short(settings.rate.to_f64()),
            scalar_name(kind)
        ),
        claims,
        curves,
        answers,
    })
}
