//! `popgd construct attention-operator`: softmax attention beside the operator of a measure.

mod changes;
mod instance;
mod recovered;
mod sampled;

use popgd_core::scalar::Logarithm;
use popgd_core::{Error, Interval};
use serde_json::Value;

use super::comparison::{Comparison, is_rigorous, status};
use super::report::{Answer, Report};
use super::settings::Shared;
use crate::config::Arguments;
use crate::config::construct::attention_operator::resolve;
use crate::config::construct::echoed;
use crate::error::Failure;
use crate::number::Exact;
use crate::output::digits::grouped;
use crate::output::findings;
use crate::provenance::scalar_name;
use crate::scalar::CliScalar;
use crate::settings::ScalarKind;

const COMMAND: &str = "construct attention-operator";

/// What is run, every default filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionOperatorSettings {
    /// What all constructions have.
    pub shared: Shared,
    /// d.
    pub dimension: usize,
    /// n.
    pub count: usize,
    /// Atoms of one's own.
    pub atoms: Option<Atoms>,
    /// k.
    pub prompts: usize,
    /// r.
    pub rank: usize,
    /// The configuration as JSON, keys as in files.
    pub echo: Value,
}

/// Weighted atoms.
#[derive(Clone, Debug, PartialEq)]
pub struct Atoms {
    /// d.
    pub dimension: usize,
    /// One an atom, none negative, not all 0.
    pub weights: Vec<Exact>,
    /// Coordinates, atom by atom.
    pub entries: Vec<Exact>,
}

impl Atoms {
    /// R², of the longest atom.
    fn square_radius(&self) -> Exact {
        let squares = self
            .entries
            .chunks_exact(self.dimension)
            .map(|row| row.iter().map(Exact::square).sum::<Exact>());
        squares.fold(Exact::zero(), |most, square| if square > most { square } else { most })
    }

    /// Rows, as in a file.
    pub fn to_json(&self) -> Value {
        let rows = self.weights.iter().zip(self.entries.chunks_exact(self.dimension));
        rows.map(|(weight, row)| std::iter::once(weight).chain(row).map(echoed).collect::<Value>())
            .collect()
    }
}

/// What core refuses, for the user.
fn refused(error: Error) -> Failure {
    match error {
        Error::NotFinite { .. } => Failure::NotFinite(format!(
            "{error}; numbers that large have no place in this type: scale the atoms down"
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

fn find<S: CliScalar + Logarithm>(settings: &AttentionOperatorSettings) -> Result<Report, Failure> {
    let kind = settings.shared.scalar;
    let instances = if settings.atoms.is_some() { 1 } else { settings.shared.instances };
    let (mut heads, mut mixtures) = (Comparison::default(), Comparison::default());
    let mut moved = changes::Moved::default();
    let mut recovered = recovered::Recovered::new(is_rigorous(kind));
    let mut answers = Vec::new();
    for index in 0..instances {
        let instance = instance::Instance::<S>::of(settings, index);
        let value = instance.compare_heads(kind, &mut heads).map_err(refused)?;
        moved.fine_tune(&instance, settings, index).map_err(refused)?;
        moved.prompt(&instance, settings, index, kind, &mut mixtures).map_err(refused)?;
        let floats = instance::Instance::<f64>::of(settings, index);
        let weights = recovered.watch(settings, index, &floats).map_err(refused)?;
        if settings.atoms.is_some() {
            let mut tell = |name, title: &str, numbers: Vec<_>| {
                answers.push(Answer { name, title: title.to_owned(), numbers });
            };
            let report = |numbers: &[S]| numbers.iter().map(|x| x.report()).collect::<Vec<_>>();
            tell("query", "x, where the operator is taken", report(&instance.query));
            tell("value", "A_μ(x), for A = I", report(&value));
            tell("weights", "Weights of the atoms, recovered from values of A_μ", weights);
        }
    }
    let mut claims = heads.claims(kind, "attention", "attention = operator");
    claims.extend(mixtures.claims(
        kind,
        "mixture",
        "attention with prompts = mixture of operators",
    ));
    claims.extend(moved.claims(status(kind)));
    claims.extend(recovered.claims());
    let (own_claims, mut curves) = sampled::run(settings).map_err(refused)?;
    claims.extend(own_claims);
    curves.extend(changes::remainder(settings).map_err(refused)?);
    let data = match &settings.atoms {
        Some(_) => "atoms of one's own".to_owned(),
        None => format!("{} random instances", grouped(instances)),
    };
    Ok(Report {
        command: COMMAND,
        title: "Distribution regression: attention as an operator on measures".into(),
        subtitle: format!(
            "d = {} coordinates, n = {} atoms, {} prompts, fine-tuning of rank {}, {data}, {}",
            settings.dimension,
            grouped(settings.count as u64),
            settings.prompts,
            settings.rank,
            scalar_name(kind)
        ),
        claims,
        curves,
        answers,
    })
}
