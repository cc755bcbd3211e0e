//! A simulation for people.

use crate::output::digits::{grouped, short, signed};
use crate::output::style::Style;
use crate::output::{table, words};
use crate::plan;
use crate::simulate::Simulation;
use crate::simulate::measure::Measure;
use crate::simulate::report::Late;
use crate::simulate::runs::{Estimate, Runs};
use crate::simulate::settings::SimulateSettings;

/// What the end of training is told by.
const AT_END: [Measure; 5] = [
    Measure::BatchExcess,
    Measure::ExcessLoss,
    Measure::ScoreError,
    Measure::ValueError,
    Measure::Cosine,
];

/// The text.
pub fn text(settings: &SimulateSettings, simulation: &Simulation, style: Style) -> String {
    let model = &settings.base.model;
    let mut text = format!(
        "{}\n{}\n{}\n",
        style.bold(&style.prose(&words::teacher(model))),
        style.prose(&words::training(model)),
        style.dim(&style.prose(&training(settings))),
    );
    if simulation.full_model {
        for batch in simulation.runs.batches() {
            text.push_str(&blocks(simulation, batch, style));
        }
        return text;
    }
    for batch in simulation.runs.batches() {
        if let Some(late) = simulation.late(batch) {
            text.push_str(&slopes(&late, simulation, style));
        }
        text.push_str(&end(simulation, batch, style));
    }
    text.push_str(&distances(simulation, style));
    if let Ok(steps) = plan::burn_in(model)
        && 10.0 * steps > model.steps as f64
    {
        let note = format!(
            "The rates begin after about {} steps (the burn-in), and are seen some ten times later: \
             these are too few steps for them.",
            grouped(steps.ceil() as u64)
        );
        text.push_str(&format!("\n{}\n", style.prose(&note)));
    }
    text
}

/// How it was trained: `batches of 100, label noise 0.1, 4 runs, beside the exact descent`.
pub fn training(settings: &SimulateSettings) -> String {
    let model = &settings.base.model;
    let sizes: Vec<String> = settings.batches.iter().map(|&size| grouped(size as u64)).collect();
    format!(
        "trained on batches of {}, M = {}, d = {}, label noise {}, {} {}, beside the exact descent",
        sizes.join(", "),
        model.channels,
        model.features,
        words::exact(&model.noise),
        settings.seeds,
        if settings.seeds == 1 { "run" } else { "runs of each" }
    )
}

fn slopes(late: &Late, simulation: &Simulation, style: Style) -> String {
    let heading = format!(
        "By which power of T does each fall from {} to {} steps{}?",
        grouped(late.from),
        grouped(late.to),
        of_batch(&simulation.runs, late.batch)
    );
    let rows = late.slopes.iter().map(|slope| {
        vec![
            slope.measure.name().to_owned(),
            slope.trained.map_or_else(dash, |found| with_error(found, 3)),
            slope.exact.map_or_else(dash, |found| with_error(found, 3)),
            slope.predicted.map_or_else(dash, |power| signed(power, 1)),
        ]
    });
    let table = table::table(&["", "trained", "exact descent", "predicted"], rows);
    format!("\n{}\n{}", style.bold(&style.prose(&heading)), table::text(&table))
}

/// Which blocks of the full model moved.
fn blocks(simulation: &Simulation, batch: usize, style: Style) -> String {
    let heading = format!(
        "The full model, attention on inputs and positions{}: how large is each block at the end?",
        of_batch(&simulation.runs, batch)
    );
    let rows = Measure::FULL.into_iter().filter_map(|measure| {
        let found = simulation.runs.at_end(batch, measure)?;
        let largest =
            simulation.runs.mean(batch, measure).iter().fold(0.0, |most, p| f64::max(most, p.1));
        Some(vec![measure.name().to_owned(), spread(found), short(largest)])
    });
    let table = table::table(&["", "at the end", "largest on the way"], rows);
    format!("\n{}\n{}", style.bold(&style.prose(&heading)), table::text(&table))
}

fn end(simulation: &Simulation, batch: usize, style: Style) -> String {
    let heading = format!("What is left at the end{}", of_batch(&simulation.runs, batch));
    let mut rows: Vec<Vec<String>> = AT_END
        .into_iter()
        .filter_map(|measure| {
            let trained = simulation.runs.at_end(batch, measure)?;
            let last = simulation.runs.recorded(batch).checked_sub(1)?;
            let exact = simulation.exact(measure).and_then(|series| Some(series.get(last)?.1));
            Some(vec![measure.name().to_owned(), spread(trained), exact.map_or_else(dash, short)])
        })
        .collect();
    let errors: Vec<f64> =
        simulation.runs.of_batch(batch).map(|run| simulation.attention_error(run)).collect();
    let worst = errors.into_iter().fold(0.0, f64::max);
    rows.push(vec![
        "largest |S − S*|, in parts of 1/K".to_owned(),
        format!("{} %", short((1000.0 * worst).round() / 10.0)),
        dash(),
    ]);
    let table = table::table(&["", "trained", "exact descent"], rows);
    format!("\n{}\n{}", style.bold(&style.prose(&heading)), table::text(&table))
}

fn distances(simulation: &Simulation, style: Style) -> String {
    let batches = simulation.runs.batches();
    let measures = [Measure::ValueDistance, Measure::ScoreDistance];
    let mut rows: Vec<Vec<String>> = batches
        .iter()
        .map(|&batch| {
            let found = measures
                .map(|measure| simulation.runs.at_end(batch, measure).map_or_else(dash, spread));
            let mut row = vec![grouped(batch as u64)];
            row.extend(found);
            row
        })
        .collect();
    if batches.len() > 1 {
        let mut row = vec!["power of N (predicted −0.5)".to_owned()];
        row.extend(measures.map(|measure| {
            simulation.distance_exponent(measure).map_or_else(dash, |found| with_error(found, 3))
        }));
        rows.push(row);
    }
    let heading = "How far is that from the exact run?";
    let table = table::table(&["batch N", measures[0].name(), measures[1].name()], rows);
    format!("\n{}\n{}", style.bold(heading), table::text(&table))
}

/// Which batch size this is about, where there are several.
pub(super) fn of_batch(runs: &Runs, batch: usize) -> String {
    if runs.batches().len() < 2 {
        return String::new();
    }
    format!(", batches of {}", grouped(batch as u64))
}

fn with_error(found: Estimate, digits: usize) -> String {
    let mean = signed(found.mean, digits);
    match found.error {
        Some(error) => format!("{mean} ± {error:.digits$}"),
        None => mean,
    }
}

/// A figure with its standard error in as many digits as it has.
pub(super) fn spread(found: Estimate) -> String {
    match found.error {
        Some(error) if error > 0.0 => {
            let error: f64 = format!("{error:.0e}").parse().unwrap_or(error);
            format!("{} ± {}", short(found.mean), short(error))
        }
        _ => short(found.mean),
    }
}

pub(super) fn dash() -> String {
    "–".to_owned()
}
