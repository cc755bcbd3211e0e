//! `popgd construct attention-operator`: softmax attention beside the operator of a measure.
//!
//! For weighted atoms μ and a matrix A, `A_μ(x)` is the mean of μ tilted by `e^{xᵀAy}` (note 13). The
//! command draws measures in the unit ball, runs a head of attention beside the definition, recovers
//! the weights of the atoms from values of the operator alone, draws tokens, changes A, adds prompts, and
//! sets each change beside its bound.
//!
//! ```text
//! $ popgd construct attention-operator --scalar interval64
//! Distribution regression: attention as an operator on measures
//! d = 4 coordinates, n = 16 atoms, 4 prompts, fine-tuning of rank 1, 100 random instances, interval64
//!
//!                                                                                checked       worst   allowed   verdict
//! ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
//!  attention = operator: apart at most                                               400   8.787e-15   ≤ 1e-12   proven
//!  attention = operator: width of enclosures                                         400   1.212e-14   ≤ 1e-12   proven
//!  attention with prompts = mixture of operators: apart at most                      400   9.193e-15   ≤ 1e-12   proven
//!  attention with prompts = mixture of operators: width of enclosures                400   1.421e-14   ≤ 1e-12   proven
//!  change by fine-tuning over its bound R²‖Eᵀx‖                                      100    2.278e-1       ≤ 1   proven
//!  change by prompts over its bound                                                  100    3.217e-1       ≤ 1   proven
//!  ln M less the integral of the operator, over the error of quadrature              100    1.429e-3       ≤ 1   measured
//!  weights of atoms outside of what is recovered, condition 1.7e3 at most            100     0.000e0       ≤ 0   proven
//!  width of recovered weights (4.5e-13 at most) over what equations leave open     1,600    9.482e-2       ≤ 1   proven
//!  error of drawn tokens over its bound (risk 1e−9 each)                          16,000    2.524e-5       ≤ 1   measured
//!
//!  Orders                                               checked    worst           allowed   verdict
//! ────────────────────────────────────────────────────────────────────────────────────────────────────
//!  order of the error of drawn tokens in tokens n             4   -0.509   -0.553 … -0.447   measured
//!  order of the remainder of fine-tuning in size of E         7    2.000     1.950 … 2.050   measured
//! ```
//!
//! `--atoms measure.csv` takes a measure of one's own, and tells the weights that are recovered (their sum
//! made 1). Recovery is computed in doubles whatever the `--scalar`, and proven in intervals of them.
//!
//! | exit code | when |
//! |---|---|
//! | 1 | products overflow: no such atoms fit the type |
//! | 2 | an input is wrong |
//! | 3 | a claim does not hold |
//! | 4 | a claim could not be looked at, such as the weights of the same atom twice |

mod changes;
mod instance;
mod recovered;
mod sampled;

use popgd_core::scalar::Logarithm;
use popgd_core::{Error, Interval};
use serde_json::Value;

use super::comparison::{Comparison, is_rigorous, status};
use super::instances::each;
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
    pub fn square_radius(&self) -> Exact {
        super::square_radius(&self.entries, self.dimension)
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
    super::refused(error, "atoms")
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
    let found = each(&settings.shared, instances, |index| look::<S>(settings, index))?;
    let finished = found.len() as u64;
    let is_stopped = finished < instances;
    let (mut heads, mut mixtures) = (Comparison::default(), Comparison::default());
    let mut moved = changes::Moved::default();
    let mut recovered = recovered::Recovered::new(is_rigorous(kind), settings.atoms.is_some());
    let mut answers = Vec::new();
    for own in found {
        heads.merge(&own.heads);
        mixtures.merge(&own.mixtures);
        moved.merge(&own.moved);
        recovered.merge(&own.recovered);
        answers.extend(own.answers);
    }
    let mut claims = heads.claims(kind, "attention", "attention = operator");
    claims.extend(mixtures.claims(
        kind,
        "mixture",
        "attention with prompts = mixture of operators",
    ));
    claims.extend(moved.claims(status(kind)));
    claims.extend(recovered.claims());
    let mut curves = Vec::new();
    if !is_stopped {
        let (own_claims, own_curves) = sampled::run(settings).map_err(refused)?;
        claims.extend(own_claims);
        curves.extend(own_curves);
        curves.extend(changes::remainder(settings).map_err(refused)?);
    }
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
        stopped: is_stopped.then_some(finished),
    })
}

/// What was found of an instance.
struct Found {
    heads: Comparison,
    mixtures: Comparison,
    moved: changes::Moved,
    recovered: recovered::Recovered,
    answers: Vec<Answer>,
}

fn look<S: CliScalar + Logarithm>(
    settings: &AttentionOperatorSettings,
    index: u64,
) -> Result<Found, Failure> {
    let kind = settings.shared.scalar;
    let (mut heads, mut mixtures) = (Comparison::default(), Comparison::default());
    let mut moved = changes::Moved::default();
    let mut recovered = recovered::Recovered::new(is_rigorous(kind), settings.atoms.is_some());
    let mut answers = Vec::new();
    let instance = instance::Instance::<S>::of(settings, index);
    let value = instance.compare_heads(kind, &mut heads).map_err(refused)?;
    moved.fine_tune(&instance, settings, index).map_err(refused)?;
    moved.prompt(&instance, settings, index, kind, &mut mixtures).map_err(refused)?;
    let floats = instance::Instance::<f64>::of(settings, index);
    let weights = recovered.watch(settings, index, &floats).map_err(refused)?;
    if settings.atoms.is_some() {
        let mut tell = |name: &str, title: &str, numbers: Vec<_>| {
            answers.push(Answer { name: name.into(), title: title.into(), numbers });
        };
        let report = |numbers: &[S]| numbers.iter().map(|x| x.report()).collect::<Vec<_>>();
        tell("query", "x, where the operator is taken", report(&instance.query));
        tell("value", "A_μ(x), for A = I", report(&value));
        tell("weights", "Weights of the atoms, recovered from values of A_μ", weights);
    }
    Ok(Found { heads, mixtures, moved, recovered, answers })
}
