//! What a sweep found, in every form.

mod json;
mod table;

use popgd_core::theory::exponents::Variable;

pub use self::table::plan;
use crate::asymptotics::{Quantity, Verdict};
use crate::config::sweep::name;
use crate::error::Failure;
use crate::output::csv;
use crate::settings::OutputSettings;
use crate::sweep::exponents::{self, Exponent, Measure, Series};
use crate::sweep::halves::{self, AtStart, Halves, Holds};
use crate::sweep::job::Sweep;
use crate::sweep::law::Constant;
use crate::sweep::measure::Findings;
use crate::sweep::outcome::Outcome;

/// What runs along one variable show.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The runs.
    pub series: Series<'a>,
    /// The exponents.
    pub exponents: Vec<Exponent>,
    /// Which halves of Theorem 3.1 hold; of D only.
    pub halves: Vec<Halves>,
    /// What is at T*; of D only.
    pub start: Option<AtStart>,
}

/// What a sweep shows.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The sweep.
    pub sweep: &'a Sweep,
    /// All runs, in order.
    pub outcomes: &'a [Outcome],
    /// Variable by variable.
    pub parts: Vec<Part<'a>>,
    /// What was chosen for the user.
    pub remarks: &'a [String],
    /// Whether the user stopped it before all runs were finished.
    pub stopped: bool,
}

impl<'a> Report<'a> {
    /// Of these runs.
    pub fn of(sweep: &'a Sweep, outcomes: &'a [Outcome], remarks: &'a [String]) -> Self {
        let parts = exponents::series(sweep, outcomes)
            .into_iter()
            .map(|series| {
                let exponents = series.exponents();
                let halves = halves::halves(&series, &exponents);
                let start = halves::at_start(&series);
                Part { series, exponents, halves, start }
            })
            .collect();
        let mut report = Self { sweep, outcomes, parts, remarks, stopped: false };
        if outcomes.len() < sweep.jobs {
            report.stop();
        }
        report
    }

    /// Of a part of the runs nothing is concluded.
    fn stop(&mut self) {
        self.stopped = true;
        let reason = self.missing();
        for part in &mut self.parts {
            for exponent in &mut part.exponents {
                exponent.verdict = Verdict::Inconclusive;
                exponent.reason.clone_from(&reason);
            }
            for half in &mut part.halves {
                (half.upper, half.lower) = (Holds::Open, Holds::Open);
            }
        }
    }

    /// Which runs are missing, if it was stopped.
    pub fn missing(&self) -> Option<String> {
        let (finished, all) = (self.outcomes.len(), self.sweep.jobs);
        self.stopped.then(|| format!("interrupted after {finished} of {all} runs"))
    }

    /// Whether some run has no power of T.
    pub fn geometric(&self) -> bool {
        self.outcomes.iter().any(|run| matches!(run.findings, Findings::Geometric { .. }))
    }

    /// For people.
    pub fn for_people(&self, output: &OutputSettings) -> String {
        table::for_people(self, crate::output::style::Style::for_results(output))
    }

    /// One document.
    pub fn json(&self) -> String {
        json::text(self)
    }

    /// One line an exponent between neighbours, and one for each limit.
    ///
    /// # Errors
    /// None in practice: writing to memory.
    pub fn csv(&self) -> Result<String, Failure> {
        let header = [
            "variable",
            "others",
            "quantity",
            "from",
            "to",
            "claimed",
            "exact",
            "predicted",
            "measured",
            "uncertainty",
            "limit",
            "limit_uncertainty",
            "verdict",
        ];
        let number = |value: Option<f64>| value.map_or_else(String::new, csv::float);
        // The burn-in has no exact exponent, the others no predicted one.
        let of_burn_in = |measure: Measure| measure == Measure::BurnIn;
        let exact = |measure, value: Option<f64>| number(value.filter(|_| !of_burn_in(measure)));
        let predicted = |measure, value: Option<f64>| number(value.filter(|_| of_burn_in(measure)));
        let mut records = Vec::new();
        for part in &self.parts {
            let others = crate::sweep::job::shown(&part.series.others);
            let head = |exponent: &Exponent| {
                vec![
                    name(part.series.variable).to_owned(),
                    others.clone(),
                    exponent.measure.key().to_owned(),
                ]
            };
            for exponent in &part.exponents {
                for secant in &exponent.secants {
                    let mut record = head(exponent);
                    record.extend([
                        csv::float(secant.from),
                        csv::float(secant.to),
                        csv::float(exponent.claimed),
                        exact(exponent.measure, secant.exact),
                        predicted(exponent.measure, secant.exact),
                        number(secant.measured.map(|found| found.value)),
                        number(secant.measured.and_then(Constant::known_uncertainty)),
                        String::new(),
                        String::new(),
                        String::new(),
                    ]);
                    records.push(record);
                }
                let ends = [exponent.secants.first(), exponent.secants.last()];
                let mut record = head(exponent);
                record.extend([
                    number(ends[0].map(|secant| secant.from)),
                    number(ends[1].map(|secant| secant.to)),
                    csv::float(exponent.claimed),
                    exact(exponent.measure, exponent.exact),
                    predicted(exponent.measure, exponent.exact),
                    number(exponent.measured.map(|found| found.value)),
                    number(exponent.measured.and_then(Constant::known_uncertainty)),
                    number(exponent.limit.map(|found| found.value)),
                    number(exponent.limit.and_then(Constant::known_uncertainty)),
                    exponent.verdict.name().to_owned(),
                ]);
                records.push(record);
            }
        }
        csv::text(&header.map(str::to_owned), records)
    }
}

/// The letter of a variable in formulas.
pub fn letter(variable: Variable) -> &'static str {
    match variable {
        Variable::Tokens => "D",
        Variable::Group => "K",
        Variable::TeacherNorm => "‖V*‖",
        Variable::Rate => "η",
        Variable::Steps => "T",
    }
}

/// Whether a verdict on a limit says so.
fn shown_limit(exponent: &Exponent) -> bool {
    exponent.verdict != Verdict::Inconclusive || exponent.limit.is_some()
}

/// The name of a quantity as it stands in the theorem.
fn normalised(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::ScoreError => "√(ηT) ‖S − S*‖",
        Quantity::ValueError => "√(ηT) ‖W_V − V*‖",
        Quantity::ExcessLoss => "ηT (L − L_opt)",
    }
}

/// What Theorem 3.1 states for it.
fn stated(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::ScoreError => "D^5/2/‖V*‖",
        Quantity::ValueError => "D² √K",
        Quantity::ExcessLoss => "K D⁴",
    }
}
