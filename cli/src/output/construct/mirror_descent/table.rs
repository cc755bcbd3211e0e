//! The report for people.

use super::largest;
use crate::construct::mirror_descent::findings::{Findings, Sequence};
use crate::construct::mirror_descent::settings::MirrorDescent;
use crate::output::digits::{grouped, ratio, short};
use crate::output::style::{Style, wrapped};
use crate::output::table::{self, table};
use crate::provenance::scalar_name;

/// What is run, in words.
pub(super) fn heading(settings: &MirrorDescent, style: Style) -> String {
    let plural = |count: u64, one: &str| {
        format!("{} {one}{}", grouped(count), if count == 1 { "" } else { "s" })
    };
    let lengths = match &settings.sequences {
        Some(sequences) => {
            let lengths = sequences.iter().map(Vec::len);
            let (least, most) = (lengths.clone().min(), lengths.max());
            let (least, most) = (least.unwrap_or(0) as u64, most.unwrap_or(0) as u64);
            if least == most {
                grouped(least)
            } else {
                format!("{}–{}", grouped(least), grouped(most))
            }
        }
        None => grouped(settings.length as u64),
    };
    let model = format!(
        "Mixture of transition distributions, q = {}, m = {}, T = {lengths} tokens, prior \
         Dirichlet({})",
        grouped(settings.alphabet as u64),
        plural(settings.order as u64, "lag"),
        settings.concentration,
    );
    let layers = match settings.steps {
        1 => "three layers, concatenating".to_owned(),
        steps => format!("{} layers, residual", 2 * steps + 1),
    };
    let steps = plural(settings.steps as u64, "step");
    let construction = format!("{layers}; {steps} of mirror descent, η = {}", settings.rate);
    let kind = if settings.sequences.is_some() { "given" } else { "random" };
    let computation = format!(
        "{} ({kind}), {}, seed {}",
        plural(settings.shared.instances, "sequence"),
        scalar_name(settings.shared.scalar),
        settings.shared.seed
    );
    format!(
        "{}\n{}\n{}\n",
        style.bold(&style.prose(&model)),
        style.prose(&construction),
        style.dim(&style.prose(&computation))
    )
}

pub(super) fn text(settings: &MirrorDescent, findings: &Findings) -> String {
    let style = Style::for_results(&settings.shared.output);
    let mut text = heading(settings, style);
    let title = |text: &str| format!("\n{}\n", style.bold(text));
    let all = || findings.sequences.iter();
    let most = |of: fn(&Sequence) -> f64| largest(all().map(|found| Some(of(found))));
    let shown = |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), |x| format!("{x:.1e}"));

    text.push_str(&title("Transformer against algorithm"));
    let differing = all().filter(|found| !found.agrees).count();
    let verdict = match findings.verdict() {
        Some(true) => style.good("agrees"),
        Some(false) => style.bad("differs"),
        None => "open".to_owned(),
    };
    let width = largest(all().map(|found| found.relative_width));
    let at_most = if width.is_some() { "at most" } else { "largest" };
    let rows = [
        ["weights λ", &shown(most(|found| found.difference))],
        ["next token", &shown(most(|found| found.next_difference))],
    ];
    let rows = rows.map(|row| row.map(str::to_owned).to_vec());
    text.push_str(&table::text(&table(&["", &format!("{at_most} difference")], rows)));
    let about = match width {
        Some(width) => format!(
            "Proven: on every sequence the enclosures of both overlap; none is wider than \
             {width:.1e} relative to what it encloses."
        ),
        None => {
            let logit = most(|found| found.largest_logit).unwrap_or(1.0);
            format!(
                "Measured. Logits go up to {}, whose rounding neither can do without.",
                short(logit)
            )
        }
    };
    text.push_str(&style.dim(&format!("{}\n", wrapped(&about, 80))));
    text.push_str(&format!(
        "{verdict}: {} of {} sequences\n",
        findings.sequences.len() - differing,
        findings.sequences.len()
    ));

    text.push_str(&title("What the steps do"));
    let raised = all().filter(|found| found.gain.is_some_and(|gain| gain >= 0.0)).count();
    let safe: Vec<f64> = all().filter_map(|found| found.safe_gain).collect();
    let not_lowered = safe.iter().filter(|&&gain| gain >= 0.0).count();
    let mut lines =
        vec![format!("likelihood not lowered: {raised} of {}", findings.sequences.len())];
    if !safe.is_empty() {
        lines.push(format!(
            "by a step of the rate 1/L, which never lowers it: {not_lowered} of {}",
            safe.len()
        ));
    }
    let known: Vec<&Sequence> = all().filter(|found| found.from_bayes.is_some()).collect();
    if known.is_empty() {
        lines.push("posterior mean not computed: too many states; take a smaller --length".into());
    } else {
        let mean = |of: fn(&Sequence) -> Option<f64>| {
            known.iter().filter_map(|found| of(found)).sum::<f64>() / known.len() as f64
        };
        lines.push(format!(
            "mean distance to the posterior mean of λ: {} (of the uniform λ: {}){}",
            short(mean(|found| found.from_bayes)),
            short(mean(|found| found.uniform_from_bayes)),
            match findings.sequences.len() - known.len() {
                0 => String::new(),
                others => format!("; not computed on {others}: too many states"),
            }
        ));
    }
    text.extend(lines.iter().map(|line| format!(" {line}\n")));

    text.push_str(&title("Leakage of a mask of finite strength δ (three layers, f64)"));
    let rows = findings.leakage.iter().map(|leak| {
        vec![
            short(leak.strength),
            shown(Some(leak.error)),
            shown(Some(leak.error * leak.strength.exp()).filter(|scaled| scaled.is_finite())),
            leak.slope.map_or("–".to_owned(), ratio),
            match leak.within {
                Some(true) => "below",
                Some(false) => "above",
                None => "–",
            }
            .to_owned(),
        ]
    });
    let head = ["δ", "error", "error · e^δ", "slope", "½ηm² e^−δ"];
    text.push_str(&table::text(&table(&head, rows)));
    text.push_str(
        &style.dim("Slope of ln error from one δ to the next; −1 in the end is claimed.\n"),
    );

    text.push_str(&title("One step against the posterior mean, π = 1/q + εD (f64)"));
    let rows = findings.remainders.iter().map(|remainder| {
        let last = remainder.points.last().map(|&(_, error)| error);
        vec![
            format!("η = {}", remainder.rate),
            shown(last),
            remainder.order.map_or("–".to_owned(), ratio),
            remainder.claimed.to_string(),
            match remainder.as_claimed {
                Some(true) => "agrees",
                Some(false) => "differs",
                None => "open",
            }
            .to_owned(),
        ]
    });
    let smallest = findings.remainders.first().and_then(|found| found.points.last());
    let head = smallest.map_or(String::new(), |&(e, _)| format!("error at ε = {}", short(e)));
    text.push_str(&table::text(&table(&["", &head, "order", "claimed", ""], rows)));
    text
}
