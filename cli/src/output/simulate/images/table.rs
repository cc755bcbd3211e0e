//! Students of images for people.

use super::super::table::{dash, of_batch, spread};
use crate::output::digits::{grouped, short};
use crate::output::style::Style;
use crate::output::{table, words};
use crate::simulate::Run;
use crate::simulate::images::ImageSimulation;
use crate::simulate::images::findings::Findings;
use crate::simulate::images::patches::{AREA, SIDE};
use crate::simulate::images::settings::ImageSettings;
use crate::simulate::images::task::Task;
use crate::simulate::images::teacher::Origin;
use crate::simulate::measure::Measure;
use crate::simulate::settings::SimulateSettings;

/// The text.
pub fn text(
    settings: &SimulateSettings,
    images: &ImageSettings,
    simulation: &ImageSimulation,
    style: Style,
) -> String {
    let mut text = format!(
        "{}\n{}\n{}\n",
        style.bold(&style.prose(&title(settings))),
        style.prose(&teacher(images, &simulation.task)),
        style.dim(&style.prose(&training(settings, &simulation.task))),
    );
    for batch in simulation.runs.batches() {
        text.push_str(&end(simulation, batch, style));
        let Some(run) = simulation.runs.of_batch(batch).next() else { continue };
        let findings = simulation.findings(run);
        text.push_str(&filters(simulation, run, &findings, style));
        text.push_str(&attention(simulation, &findings, style));
    }
    text
}

/// `convolution with average pooling, D = 81 tokens, K = 9, ReLU, on images`.
pub fn title(settings: &SimulateSettings) -> String {
    format!("{}, on images", words::teacher(&settings.base.model))
}

/// What the teacher is.
pub fn teacher(images: &ImageSettings, task: &Task) -> String {
    let norm = short(task.problem.teacher_norm());
    let (height, width) = images.size;
    let (down, across) = task.patches.windows;
    let origin = match task.origin {
        Origin::Given => format!("given, ‖V*‖ = {norm}"),
        Origin::Trained { epochs, accuracy, norm: before } => format!(
            "the first layer of a network that was trained for {epochs} epochs and is right about \
             {:.1} % of the images kept back; scaled from ‖V‖ = {} to {norm}",
            100.0 * accuracy,
            short(before)
        ),
    };
    format!(
        "{} images of {height} × {width}, cut to {} × {}: patches of {SIDE} × {SIDE} pixels, pooled by \
         {down} × {across} windows of {SIDE} × {SIDE} patches; V*, {} filters, is {origin}",
        grouped(task.patches.count() as u64),
        down * AREA,
        across * AREA,
        task.problem.shape.channels,
    )
}

/// How the student was trained.
pub fn training(settings: &SimulateSettings, task: &Task) -> String {
    let model = &settings.base.model;
    let sizes: Vec<String> = settings.batches.iter().map(|&size| grouped(size as u64)).collect();
    format!(
        "trained on batches of {} of {} images, η = {}, κ = {}, label noise {}, {} steps, {} {}",
        sizes.join(", "),
        grouped(task.training.len() as u64),
        short(task.problem.rate),
        short(task.problem.logit_gain),
        words::exact(&model.noise),
        grouped(model.steps),
        settings.seeds,
        if settings.seeds == 1 { "run" } else { "runs" }
    )
}

fn end(simulation: &ImageSimulation, batch: usize, style: Style) -> String {
    let heading = format!("What is left at the end{}", of_batch(&simulation.runs, batch));
    let signal = simulation.task.signal;
    let rows = Measure::IMAGES.into_iter().filter_map(|measure| {
        let found = simulation.runs.at_end(batch, measure)?;
        let share = match measure {
            Measure::TrainingLoss | Measure::KeptBackLoss => {
                format!("{} %", percent(found.mean / signal))
            }
            _ => dash(),
        };
        Some(vec![measure.name().to_owned(), spread(found), share])
    });
    let table = table::table(&["", "trained", "of ½E‖f*‖²"], rows);
    format!("\n{}\n{}", style.bold(&style.prose(&heading)), table::text(&table))
}

fn filters(simulation: &ImageSimulation, run: &Run, findings: &Findings, style: Style) -> String {
    let goals = simulation.task.problem.teacher_values.chunks_exact(AREA);
    let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let rows = findings.filters.iter().zip(goals).zip(run.values.chunks_exact(AREA)).enumerate();
    let rows = rows.map(|(at, ((cosine, goal), own))| {
        vec![
            (at + 1).to_string(),
            format!("{cosine:.4}"),
            format!("{:.3}", length(own) / length(goal)),
        ]
    });
    let table = table::table(&["filter", "cosine", "length / teacher’s"], rows);
    format!("\n{}\n{}", style.bold("How well is each filter found?"), table::text(&table))
}

/// How much of its weight attention has where it should be, window by window, and which patches it
/// finds.
fn attention(simulation: &ImageSimulation, findings: &Findings, style: Style) -> String {
    let (_, across) = simulation.task.patches.windows;
    let rows = findings.windows.iter().enumerate().map(|(at, window)| {
        let (row, column) = (at / across + 1, at % across + 1);
        vec![
            format!("row {row}, column {column}"),
            format!("{:.3}", window.weight),
            format!("{} of {AREA}", window.failures),
            format!("{} of {AREA}", window.missed),
            format!("{} %", percent(window.blank)),
        ]
    });
    let heads = ["window", "weight on it", "queries below ½", "patches missed", "blank patches"];
    let heading = "How much weight do the queries of each window put on it?";
    let table = table::text(&table::table(&heads, rows));
    format!("\n{}\n{table}{}", style.bold(heading), patches(simulation, findings, style))
}

/// A map of an image: which patches get their weight from the queries of their window.
fn patches(simulation: &ImageSimulation, findings: &Findings, style: Style) -> String {
    let patches = &simulation.task.patches;
    let tokens = patches.tokens();
    let (down, across) = (patches.windows.0 * SIDE, patches.windows.1 * SIDE);
    let mut map = vec![vec!['·'; across]; down];
    let found: Vec<usize> = (0..tokens).filter(|token| !findings.missed.contains(token)).collect();
    for &token in &found {
        let (row, column) = patches.place(token);
        if let Some(slot) = map.get_mut(row).and_then(|row| row.get_mut(column)) {
            *slot = '■';
        }
    }
    let lines: String = map
        .iter()
        .map(|row| row.iter().fold(String::new(), |line, mark| format!("{line} {mark}")) + "\n")
        .collect();
    let blank = |of: &[usize]| {
        let sum: f64 = of.iter().filter_map(|&token| findings.blank.get(token)).sum();
        percent(sum / of.len() as f64)
    };
    let verdict = match (findings.missed.len(), found.len()) {
        (0, _) => "None is missed.".to_owned(),
        (missed, 0) => format!("All {missed} are missed."),
        (missed, _) => format!(
            "{missed} of {tokens} are missed; they are blank in {} % of images, the others in {} %.",
            blank(&findings.missed),
            blank(&found),
        ),
    };
    let heading = "Which patches get at least half of 1/K (■) from the queries of their window?";
    format!("\n{}\n{lines}{}\n", style.bold(&style.prose(heading)), style.prose(&verdict))
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 10.0 { format!("{percent:.0}") } else { format!("{percent:.2}") }
}
