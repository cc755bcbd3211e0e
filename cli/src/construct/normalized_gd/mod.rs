//! `popgd construct normalized-gd`: layers of attention beside normalised gradient descent.
//!
//! A layer of softmax attention whose scores are −w·z and whose values are ηz takes the step
//! `w − η∇L(w)/L(w)` for `L(w) = (1/n) Σ e^{−w·z_i}`, z_i = y_i x_i (note 12). The command draws
//! samples in the unit ball, every other time with a margin that is known exactly, runs both, and looks at
//! what is derived of margin and dual at every step. Then it trains a layer to be a step, and loops it on
//! shifted samples with heavy tails.
//!
//! ```text
//! $ popgd construct normalized-gd
//! In-context logistic regression: attention as normalised gradient descent
//! d = 4 features, n = 16 samples, 50 layers, η = 1, 100 random instances, f64
//!
//!                                                                                      checked      worst     allowed   verdict
//! ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
//!  labels by ReLUs = labels by products: ulps apart                                      6,400    1.000e0       ≤ 3.5   measured
//!  a layer = a step: ulps apart                                                         20,000    1.884e0   ≤ 29.6947   measured
//!  all layers = all steps, a step on average: ulps apart                                   400   8.269e-1   ≤ 2466.52   measured
//!  ½‖Zᵀq‖² − ½γ² over its bound ln n/(ηt)                                                5,000   2.627e-1         ≤ 1   measured
//!  γ‖w‖ − min z·w over its bound ln n + ηR²/2                                            2,500   1.843e-1         ≤ 1   measured
//!  ηΣ‖Zᵀq‖² − min z·w over the same bound                                                5,000   7.391e-1         ≤ 1   measured
//!  ‖V − ηI‖ of a layer trained for 1000 steps over 4 e^(−0.018 steps) + 1e−12, a fit     1,000   4.146e-3         ≤ 1   measured
//!  that layer, looped 300 times on shifted heavy tails, over its bound                      20   1.005e-3         ≤ 1   measured
//!
//!  Orders                                      checked    worst           allowed   verdict
//! ───────────────────────────────────────────────────────────────────────────────────────────
//!  order of the gap of the margin in steps t        30   -1.001   -1.050 … -0.950   measured
//! ```
//!
//! A column of worst figures as they are over one of what is allowed: a share of 1 would be a bound that is
//! attained. "ulps apart" is relative to the larger of the entries of w and of ηz, and as many are allowed
//! as what was rounded may come to, from the sizes of z·w in each step. With `--scalar interval64`
//! layer and step are enclosed from the same point state: how far apart they are at most, and how wide, is
//! then proven, 10⁻¹² being allowed, and so are the bounds as far as the run can be enclosed.
//!
//! `--labelled samples.csv` takes samples of one's own, and tells where the layers end, and between which
//! bounds the margin γ is: 0 below if nothing separates them.
//!
//! | exit code | when |
//! |---|---|
//! | 1 | products overflow: no such samples fit the type |
//! | 2 | an input is wrong |
//! | 3 | a claim does not hold |
//! | 4 | a claim could not be looked at |

mod bounds;
mod curves;
mod instance;
mod layers;
mod training;

use popgd_core::scalar::Logarithm;
use popgd_core::{Error, Interval};
use serde_json::Value;

use super::comparison::{Comparison, is_rigorous, status};
use super::instances::each;
use super::report::{Answer, Report};
use super::settings::Shared;
use crate::config::Arguments;
use crate::config::construct::normalized_gd::resolve;
use crate::error::Failure;
use crate::interrupt;
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
        super::square_radius(&self.entries, self.features)
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
    super::refused(error, "samples")
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
    let found = each(&settings.shared, instances, |index| look::<S>(settings, index))?;
    let is_stopped = (found.len() as u64) < instances;
    let mut all = Found::default();
    let finished = found.len() as u64;
    for own in found {
        all.labels.merge(&own.labels);
        all.same_layers.merge(&own.same_layers);
        all.ends.merge(&own.ends);
        all.held.merge(&own.held);
        all.answers.extend(own.answers);
    }
    let Found { labels, same_layers, ends, held, answers } = all;
    let mut claims = labels.claims(kind, "labels", "labels by ReLUs = labels by products");
    claims.retain(|claim| claim.name != "width");
    claims.extend(same_layers.claims(kind, "layer", "a layer = a step"));
    if !is_rigorous(kind) && ends.is_used() {
        claims.extend(ends.claims(kind, "layers", "all layers = all steps, a step on average"));
    }
    claims.extend(held.claims(status(kind)));
    let mut curves = Vec::new();
    if !is_stopped {
        curves = curves::of(settings).map_err(refused)?;
    }
    if settings.train > 0 && !is_stopped {
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
        stopped: (is_stopped || interrupt::requested()).then_some(finished),
    })
}

/// What was found of an instance, or of all.
#[derive(Default)]
struct Found {
    labels: Comparison,
    same_layers: Comparison,
    ends: Comparison,
    held: bounds::Held,
    answers: Vec<Answer>,
}

fn look<S: CliScalar + Logarithm>(
    settings: &NormalizedGdSettings,
    index: u64,
) -> Result<Found, Failure> {
    let kind = settings.shared.scalar;
    let mut found = Found::default();
    let instance = instance::Instance::<S>::of(settings, index)?;
    instance.compare_labels(kind, &mut found.labels);
    let (same, ends) = (&mut found.same_layers, &mut found.ends);
    let last = layers::run(&instance, settings.steps, kind, same, ends).map_err(refused)?;
    if instance.is_bounded() {
        found.held.watch(&instance, settings.steps).map_err(refused)?;
    }
    if settings.labelled.is_some() {
        let margin = bounds::margin_of(&instance, 10 * settings.steps).map_err(refused)?;
        let mut tell = |name: &str, title: &str, numbers: &[S]| {
            let numbers = numbers.iter().map(|x| x.report()).collect();
            found.answers.push(Answer { name: name.into(), title: title.into(), numbers });
        };
        tell("weights", "Where the layers end", &last);
        tell("margin", "γ, the margin of the samples: at least, at most", &margin);
    }
    Ok(found)
}
