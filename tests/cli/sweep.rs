//! `popgd rates --sweep` from end to end: exponents, halves, constants, and when nothing is said.

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

fn rates(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd")).arg("rates").args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn document(args: &[&str]) -> (Option<i32>, Value) {
    let output = rates(&[args, &["--format", "json", "--quiet"]].concat());
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (output.status.code(), document)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number, not {value}"))
}

/// The entry of a quantity among the exponents of the first variable.
fn exponent<'a>(document: &'a Value, quantity: &str) -> &'a Value {
    let all = document["exponents"][0]["quantities"].as_array().expect("exponents");
    all.iter().find(|entry| entry["quantity"] == quantity).expect("the quantity")
}

/// Long runs, of a minute and more: with POPGD_LONG=1.
fn long() -> bool {
    std::env::var_os("POPGD_LONG").is_some_and(|value| value == "1")
}

const QUANTITIES: [&str; 3] = ["score_error", "value_error", "excess_loss"];

#[test]
fn secants_are_those_of_the_closed_form() {
    // K(D−K)/(4κ) from D = 16 to 32 at K = 4, κ = 1/D: 1 + ln(28/12)/ln 2.
    let (_, found) = document(&["--sweep", "tokens=16,32", "-K", "4", "--common-norm", "auto"]);
    let loss = exponent(&found, "excess_loss");
    let expected = 1.0 + (28.0_f64 / 12.0).log2();
    assert!((number(&loss["exact"]["value"]) - expected).abs() < 1e-12);
    let sweeps = [
        ["--sweep", "tokens=16,32", "-K", "4", "--common-norm", "auto"],
        ["--sweep", "group=1,2,4,8", "-D", "32", "--common-norm", "auto"],
    ];
    for args in sweeps {
        let (_, found) = document(&args);
        for quantity in QUANTITIES {
            let found = exponent(&found, quantity);
            for secant in found["between_neighbours"].as_array().expect("secants") {
                let (measured, exact) = (number(&secant["measured"]), number(&secant["exact"]));
                assert!((measured - exact).abs() < 0.005, "{args:?} {quantity}: {secant}");
            }
        }
    }
}

#[test]
fn two_values_do_not_extrapolate() {
    let args = ["--sweep", "tokens=16,32", "-K", "4", "--common-norm", "auto"];
    let (code, found) = document(&args);
    assert_eq!(code, Some(4));
    assert_eq!(exponent(&found, "excess_loss")["verdict"], json!("inconclusive"));
    let output = rates(&args);
    assert!(text(&output.stdout).contains("below 32 K"), "a narrow D/K is told");
    assert!(text(&output.stderr).contains("three or more"));
}

#[test]
fn the_powers_of_d_are_not_the_stated_ones() {
    let args =
        ["--sweep", "tokens=16,32,64,128", "-K", "1", "--task", "gslp", "--common-norm", "auto"];
    let (_, found) = document(&args);
    for (quantity, exact, claimed) in
        [("score_error", 1.5, 2.5), ("value_error", 1.0, 2.0), ("excess_loss", 2.0, 4.0)]
    {
        let entry = exponent(&found, quantity);
        assert_eq!(number(&entry["claimed"]["value"]), claimed);
        assert_eq!(entry["verdict"], json!("differs"));
        let limit = number(&entry["limit"]["value"]);
        assert!((limit - exact).abs() < 0.02, "{quantity}: {limit}");
        assert_eq!(entry["limit"]["status"], json!("measured"));
    }
    let halves = found["exponents"][0]["halves"].as_array().expect("halves");
    assert_eq!(halves.len(), 6);
    for half in halves {
        let holds = if half["half"] == "upper" { "holds" } else { "fails" };
        assert_eq!(half["verdict"], holds, "{half}");
        assert_eq!(half["status"], json!("measured"));
    }
    // Excess over K D⁴ in the limit is (D−K)/(4D³); the least of the sweep is that of D = 128.
    let lower = halves.iter().find(|h| h["half"] == "lower" && h["quantity"] == "excess_loss");
    let constant = number(&lower.expect("the half")["constant"]);
    let expected = 127.0 / (4.0 * 128.0_f64.powi(3));
    assert!((constant / expected - 1.0).abs() < 1e-3, "{constant}");
    // At T* the bound is above the loss at the start, whatever happens later.
    for row in found["exponents"][0]["at_stated_start"]["rows"].as_array().expect("rows") {
        assert!(number(&row["stated"]) > 30.0 * number(&row["excess_at_zero"]), "{row}");
        assert!(number(&row["excess"]) < number(&row["excess_at_zero"]));
    }
    assert_eq!(rates(&[&args[..], &["--strict", "-q"]].concat()).status.code(), Some(3));
}

#[test]
fn a_gain_of_d_to_the_minus_three_gives_the_stated_powers() {
    let args =
        ["--sweep", "tokens=16,32,64,128", "-K", "1", "--task", "gslp", "--logit-gain", "D^-3"];
    let (_, found) = document(&[&args[..], &["--common-norm", "300"]].concat());
    for (quantity, stated) in [("score_error", 2.5), ("value_error", 2.0), ("excess_loss", 4.0)] {
        let limit = number(&exponent(&found, quantity)["limit"]["value"]);
        assert!((limit - stated).abs() < 0.02, "{quantity}: {limit}");
    }
}

#[test]
fn norm_rate_and_steps_go_as_claimed() {
    for args in [
        ["--sweep", "teacher-norm=4,8", "-D", "32", "-K", "4"],
        ["--sweep", "rate=1/40,1/20", "-D", "32", "-K", "4"],
        ["--sweep", "steps=10^5,10^6", "-D", "16", "-K", "4"],
    ] {
        let (code, found) = document(&args);
        assert_eq!(code, Some(0), "{args:?}: {}", found["exponents"]);
        for quantity in QUANTITIES {
            let found = exponent(&found, quantity);
            assert_eq!(found["verdict"], json!("agrees"), "{args:?}: {found}");
        }
    }
}

#[test]
fn burn_in_is_predicted_where_attention_is_slow() {
    let (_, found) = document(&["--sweep", "tokens=64,128", "-K", "4", "--teacher-norm", "4"]);
    for run in found["runs"].as_array().expect("runs") {
        let burn_in = &run["findings"]["burn_in"];
        let part = |key: &str| number(&burn_in[key]);
        assert!(part("stiffness") < 0.025 && part("predicted_within") < 0.01 * part("predicted"));
        assert!((part("measured") / part("predicted") - 1.0).abs() < 0.01, "{burn_in}");
    }
    let output = rates(&["--sweep", "tokens=16,32", "-K", "4", "--teacher-norm", "8", "-q"]);
    assert!(
        text(&output.stdout).contains("that burn-in is predicted within 1 % is not assured"),
        "a fast one is flagged"
    );
}

#[test]
fn runs_before_their_time_name_their_steps() {
    let args = ["--sweep", "tokens=16,32,64", "-K", "4", "--steps", "2000"];
    let (code, found) = document(&args);
    assert_eq!(code, Some(4));
    for quantity in QUANTITIES {
        let entry = exponent(&found, quantity);
        assert_eq!(entry["verdict"], json!("inconclusive"));
        assert_eq!(entry["limit"], Value::Null, "no exponent before its time");
        assert!(entry["reason"].as_str().expect("why").contains("--steps "), "{entry}");
    }
}

/// A sweep in which nothing may be said: no exponent, and the steps it takes named.
fn too_early(args: &[&str], at_least: f64) -> Value {
    let (code, found) = document(args);
    assert_eq!(code, Some(4), "{args:?}");
    for entry in found["exponents"][0]["quantities"].as_array().expect("exponents") {
        assert_eq!(entry["verdict"], json!("inconclusive"), "{args:?}: {entry}");
        assert_eq!((&entry["limit"], &entry["measured"]), (&Value::Null, &Value::Null), "{entry}");
        let reason = entry["reason"].as_str().expect("why");
        let steps = reason.rsplit_once("--steps ").expect("the steps that it takes").1;
        assert!(steps.parse::<f64>().expect("a number") >= at_least, "{args:?}: {reason}");
    }
    found
}

/// With κ = D⁻³ and a small norm attention stands still for a long time: a plateau, on which every
/// slope is 0.
#[test]
fn on_a_plateau_no_exponent_is_read() {
    let plateau = ["-K", "4", "--logit-gain", "D^-3", "--teacher-norm", "1", "-T", "10^5"];
    for sweep in ["tokens=48,64", "tokens=32,64,128", "rate=0.015625,0.03125"] {
        let tokens = if sweep.starts_with("rate") { &["-D", "64"][..] } else { &[] };
        let found = too_early(&[&["--sweep", sweep], &plateau[..], tokens].concat(), 5e10);
        for run in found["runs"].as_array().expect("runs") {
            let burn_in = &run["findings"]["burn_in"];
            assert_eq!(burn_in["measured"], Value::Null);
            if run["config"]["tokens"] == json!(64) && run["point"]["rate"] != json!("0.015625") {
                let predicted = number(&burn_in["predicted"]);
                assert!((2.5e9..3.5e9).contains(&predicted), "{predicted}");
            }
        }
    }
    let planned = rates(&[&["--sweep", "tokens=48,64", "--dry-run"], &plateau[..6]].concat());
    assert!(text(&planned.stderr).contains("on one core about"), "{}", text(&planned.stderr));
    // Of two norms only one is on the plateau: the other does not speak for it.
    too_early(
        &[
            "--sweep",
            "teacher-norm=1,2000",
            "-D",
            "64",
            "-K",
            "4",
            "--logit-gain",
            "D^-3",
            "-T",
            "10^5",
        ],
        5e10,
    );
}

/// Whatever the number of steps, an exponent that is given is the right one: 2, 3/2 and 1 over D,
/// those of the theorem over the rate. The largest rates are near the limit of stability.
#[test]
fn no_exponent_is_wrong_before_its_time() {
    let mut said = 0;
    for steps in ["30", "300", "1000", "3000", "10^4", "30000", "10^5"] {
        for (args, exact) in [
            (
                &["--sweep", "tokens=16,32,64,128", "-K", "2", "--teacher-norm", "8"][..],
                [1.5, 1.0, 2.0],
            ),
            (&["--sweep", "tokens=64,96,128", "-K", "2", "--teacher-norm", "40"], [1.5, 1.0, 2.0]),
            (&["--sweep", "rate=0.4,0.49,0.4999", "-D", "32", "-K", "4"], [0.0; 3]),
            (
                &[
                    "--sweep",
                    "rate=0.49999,0.4999999",
                    "-D",
                    "32",
                    "-K",
                    "4",
                    "--teacher-norm",
                    "20",
                ],
                [0.0; 3],
            ),
            (&["--sweep", "teacher-norm=1,3,30", "-D", "32", "-K", "4"], [-1.0, 0.0, 0.0]),
        ] {
            let (code, found) = document(&[args, &["-T", steps]].concat());
            let mut open = false;
            for (quantity, exact) in QUANTITIES.into_iter().zip(exact) {
                let entry = exponent(&found, quantity);
                if entry["verdict"] == json!("inconclusive") {
                    open = true;
                    continue;
                }
                said += 1;
                let limit = number(&entry["limit"]["value"]);
                assert!((limit - exact).abs() < 0.02, "{args:?} -T {steps} {quantity}: {entry}");
            }
            assert!(!open || code == Some(4), "{args:?} -T {steps}");
        }
    }
    assert!(said > 20, "{said}");
}

/// Columns of one, two and three positive weights; unequal weights.
const MIXED: &str = r#"
classes = [
  { count = 2, levels = [{ count = 1, weight = 1 }, { count = 5, weight = 0 }] },
  { count = 3, levels = [{ count = 2, weight = "1/2" }, { count = 4, weight = 0 }] },
  { count = 1, levels = [{ count = 1, weight = 0.5 }, { count = 2, weight = 0.25 }, { count = 3, weight = 0 }] },
]
"#;

fn write(folder: &tempfile::TempDir, text: &str) -> String {
    let path = folder.path().join("model.toml");
    std::fs::write(&path, text).expect("it can be written");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn constants_are_sharp_within_a_thousandth() {
    let folder = tempfile::tempdir().expect("a folder");
    let mixed = write(&folder, MIXED);
    let slopes = ["identity", "leaky-relu:0.3", "relu", "leaky-relu:-0.5"];
    let tasks: [&[&str]; 5] = [
        &["-D", "8", "-K", "2", "--task", "sts"],
        &["-D", "16", "-K", "4"],
        &["-D", "12", "-K", "9", "--task", "sts"],
        &["-D", "24", "-K", "1", "--task", "gslp"],
        &["--config", &mixed],
    ];
    for task in tasks {
        for slope in slopes {
            // Two norms: two runs a configuration.
            let args = [task, &["--activation", slope, "--sweep", "teacher-norm=1.5,2"]].concat();
            let (_, found) = document(&args);
            for run in found["runs"].as_array().expect("runs") {
                for constant in run["findings"]["constants"].as_array().expect("constants") {
                    let limit = &constant["limit"];
                    let ratio = number(&limit["value"]) / number(&constant["exact"]);
                    assert!((ratio - 1.0).abs() < 1e-3, "{args:?}: {constant}");
                }
            }
        }
    }
}

/// Columns of full support, with weights that differ.
const UNEQUAL: &str = r#"
classes = [
  { count = 4, levels = [{ count = 1, weight = 0.4 }, { count = 3, weight = 0.2 }] },
]
logit_gain = 1
"#;

#[test]
fn full_support_has_a_factor_instead() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(&folder, UNEQUAL);
    let (code, found) = document(&["--config", &path, "--sweep", "teacher-norm=3,6", "-T", "2000"]);
    assert_eq!(code, Some(4));
    for run in found["runs"].as_array().expect("runs") {
        let findings = &run["findings"];
        assert_eq!(findings["approach"], json!("geometric"));
        let (measured, predicted) = ["measured_factor", "predicted_factor"]
            .map(|key| number(&findings[key]["value"]))
            .into();
        // The factor itself, not what it lacks to 1: the rate is far below its limit.
        assert!(predicted > 0.5 && predicted < 1.0, "{predicted}");
        assert!(predicted < 1.0 && (measured - predicted).abs() < 2e-3, "{findings}");
    }
}

#[test]
fn what_is_wrong_with_a_sweep_is_told() {
    for (args, part) in [
        (&["--sweep", "tokes=4,8"][..], "did you mean `tokens`"),
        (&["--sweep", "tokens=4..64"], "factor"),
        (&["--product"], "give --sweep"),
        (&["--sweep", "rate=1/100,100"], "stability limit"),
        (&["--sweep", "teacher-norm=1,2", "--common-norm", "auto"], "leave one out"),
        (&["--sweep", "tokens=8,16", "--sweep", "tokens=4,8"], "varied twice"),
        (&["--sweep", "tokens=8,16", "--threads", "0"], "--threads"),
    ] {
        let output = rates(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(part), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_product_has_every_combination() {
    let axes = ["--sweep", "tokens=16,32,64", "--sweep", "rate=0.025,0.05", "-K", "2"];
    let (_, found) = document(&[&axes[..], &["--product"]].concat());
    let points: Vec<[&str; 2]> = found["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| ["tokens", "rate"].map(|key| run["point"][key].as_str().expect("a value")))
        .collect();
    let expected: Vec<[&str; 2]> = ["16", "32", "64"]
        .into_iter()
        .flat_map(|tokens| ["0.025", "0.05"].map(|rate| [tokens, rate]))
        .collect();
    assert_eq!(points, expected);
    // Over D at each of the rates, over η at each of the D; the others are named.
    let series = found["exponents"].as_array().expect("exponents");
    let named: Vec<(&str, &str)> = series
        .iter()
        .map(|series| {
            let other = if series["variable"] == "tokens" { "rate" } else { "tokens" };
            let at = series["at"][other].as_str().expect("the other value");
            (series["variable"].as_str().expect("a variable"), at)
        })
        .collect();
    assert_eq!(
        named,
        [("tokens", "0.025"), ("tokens", "0.05"), ("rate", "16"), ("rate", "32"), ("rate", "64")]
    );
    for series in series {
        let exact = if series["variable"] == "tokens" { [1.5, 1.0, 2.0] } else { [0.0; 3] };
        let found = series["quantities"].as_array().expect("quantities");
        for (quantity, exact) in QUANTITIES.into_iter().zip(exact) {
            let entry = found.iter().find(|entry| entry["quantity"] == quantity).expect("it");
            for secant in entry["between_neighbours"].as_array().expect("secants") {
                let off = number(&secant["measured"]) - number(&secant["exact"]);
                assert!(off.abs() < 0.005, "{secant}");
            }
            // Two rates do extrapolate, for there the power is the same everywhere.
            assert!((number(&entry["limit"]["value"]) - exact).abs() < 0.02, "{entry}");
        }
    }
    let (_, found) = document(&axes);
    assert_eq!(found["runs"].as_array().expect("runs").len(), 5, "one variable at a time");
    assert_eq!(found["exponents"].as_array().expect("exponents").len(), 2);
}

/// A sweep as it is drawn.
fn drawn(args: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sweep.svg");
    rates(&[args, &["-q", "--plot", path.to_str().expect("UTF-8")]].concat());
    std::fs::read_to_string(&path).expect("it is there")
}

/// The words in a drawing.
fn words(svg: &str) -> Vec<&str> {
    // The text of an element stands on a line of its own.
    svg.lines().filter(|line| !line.starts_with('<') && !line.is_empty()).collect()
}

#[test]
fn pictures_of_sweeps_know_where_they_come_from() {
    let args = ["--sweep", "tokens=8,16,32", "-K", "1", "--task", "gslp"];
    let svg = drawn(&args);
    for part in ["claimed 4", "exact", "\"plan\"", "fnv1a64:", "<title>", "<desc>"] {
        assert!(svg.contains(part), "{part}");
    }
    let (_, found) = document(&args);
    let plan = found["provenance"]["plan"].as_str().expect("a hash");
    let source = svg.split_once("<metadata>").and_then(|(_, rest)| rest.split_once("</metadata>"));
    let source: Value = serde_json::from_str(source.expect("metadata").0).expect("JSON");
    assert_eq!(source["plan"], json!(plan));
    assert_eq!(source["sweep"]["axes"][0]["values"], json!(["8", "16", "32"]));
    let foot = words(&svg).into_iter().any(|line| line.contains(plan) && line.contains("3 runs"));
    assert!(foot, "the plan is written below the picture");
}

#[test]
fn pictures_of_sweeps_show_every_variable_and_every_run() {
    let axes = ["--sweep", "tokens=8,16,32", "--sweep", "teacher-norm=3,4", "-K", "1", "-D", "16"];
    let svg = drawn(&[&axes[..], &["--rate", "1/100"]].concat());
    let words = words(&svg);
    for label in ["tokens = D", "teacher-norm = ‖V*‖", "Every run", "T ÷ burn-in T_b"] {
        assert_eq!(words.iter().filter(|line| **line == label).count(), 1, "{label}");
    }
    for name in ["score error", "value error", "excess loss"] {
        assert_eq!(words.iter().filter(|line| **line == name).count(), 1, "a panel of {name}");
    }
    for run in ["tokens = 8", "tokens = 16", "tokens = 32", "teacher-norm = 3", "teacher-norm = 4"]
    {
        assert_eq!(words.iter().filter(|line| **line == run).count(), 1, "{run}");
    }
    // The fifth run has a line without gaps, in a colour of its own: three trajectories, the same
    // three over their limit laws, and the sample in the list.
    let own = ["<polyline", "#22262B", "stroke-width=\"3\""];
    let lines = svg.lines().filter(|line| own.iter().all(|part| line.contains(part))).count();
    assert_eq!(lines, 7);
    let product = drawn(&[&axes[..], &["--rate", "1/100", "--product"]].concat());
    assert!(product.contains("tokens = D, for each of 2 combinations of the others"));
    assert!(product.contains("All 6 runs"));
    let full = drawn(&["--sweep", "teacher-norm=2,3", "-D", "6", "-K", "6", "-T", "200"]);
    assert!(full.contains("Convergence is geometric in every run"));
}

#[test]
fn at_2048_tokens_the_exponents_are_2_3_halves_and_1() {
    if !long() {
        return;
    }
    let (code, found) =
        document(&["--sweep", "tokens=256..2048*2", "-K", "4", "--common-norm", "auto"]);
    // That the burn-in is not past its crossover in all runs is told, and no failure.
    assert_eq!(code, Some(0), "{}", found["exponents"]);
    for (quantity, exact) in [("score_error", 1.5), ("value_error", 1.0), ("excess_loss", 2.0)] {
        let limit = number(&exponent(&found, quantity)["limit"]["value"]);
        assert!((limit - exact).abs() < 0.02, "{quantity}: {limit}");
    }
}

/// The burn-in goes with r² before the crossover, and from there on with r: before it no exponent
/// is claimed.
#[test]
fn the_burn_in_of_a_slope_near_1_is_not_that_of_the_identity() {
    for slope in ["leaky-relu:0.9", "leaky-relu:0.98"] {
        let args = ["--sweep", "tokens=32..256*2", "-K", "2", "--task", "sts"];
        let (_, found) =
            document(&[&args[..], &["--activation", slope, "--common-norm", "auto"]].concat());
        let burn_in = exponent(&found, "burn_in");
        assert_eq!(burn_in["verdict"], json!("inconclusive"), "{slope}: {burn_in}");
        assert!(burn_in["reason"].as_str().expect("why").contains("crossover"), "{burn_in}");
        assert_eq!(burn_in["limit"], Value::Null, "{slope}");
    }
    // Narrower sweeps of a ReLU have a limit, and it is right as far as it says.
    for args in [
        ["--sweep", "tokens=64..512*2", "-K", "4", "--common-norm", "auto"],
        ["--sweep", "group=1,2,4,8", "-D", "128", "--common-norm", "auto"],
    ] {
        let (_, found) = document(&args);
        let burn_in = exponent(&found, "burn_in");
        let limit = &burn_in["limit"];
        let (value, within) = (number(&limit["value"]), number(&limit["uncertainty"]));
        assert!((value - 1.5).abs() <= within, "{args:?}: {limit}");
        assert_eq!(burn_in["verdict"], json!("inconclusive"), "{burn_in}");
        // A single reading has no uncertainty that is known.
        assert_eq!(burn_in["between_neighbours"][0]["uncertainty"], Value::Null);
    }
}

#[test]
fn a_burn_in_below_zero_has_no_power() {
    let args = ["--sweep", "group=40,48,56", "-D", "64", "--task", "sts", "--common-norm", "auto"];
    let (_, found) = document(&args);
    let burn_in = exponent(&found, "burn_in");
    assert_eq!(burn_in["verdict"], json!("inconclusive"));
    let reason = burn_in["reason"].as_str().expect("why");
    assert!(reason.contains("burn-in is not positive at group = "), "{reason}");
}

/// Unequal weights: other modes than the slowest take thousands of steps to go.
#[test]
fn steps_of_a_geometric_decay_come_from_its_factor() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(&folder, UNEQUAL);
    let sweep = ["--config", &path, "--sweep", "teacher-norm=0.2,0.3"];
    let (_, found) = document(&sweep);
    for run in found["runs"].as_array().expect("runs") {
        let [measured, predicted] =
            ["measured_factor", "predicted_factor"].map(|key| &run["findings"][key]);
        assert_eq!(measured["status"], json!("measured"));
        assert_eq!(predicted["status"], json!("predicted"));
        let lost = [measured, predicted].map(|factor| 1.0 - number(&factor["value"]));
        assert!((lost[0] / lost[1] - 1.0).abs() < 0.01, "{}", run["findings"]);
        let steps = number(&run["config"]["steps"]);
        assert!(steps > 29.0 / lost[1] && steps < 34.0 / lost[1], "{steps} steps");
    }
    // Cut off where faster modes are still there.
    let (_, early) = document(&[&sweep[..], &["-T", "40"]].concat());
    for run in early["runs"].as_array().expect("runs") {
        assert_eq!(run["findings"]["measured_factor"], Value::Null, "{}", run["findings"]);
    }
    let table = text(&rates(&sweep).stdout);
    assert!(table.contains("predicted factor a step"), "{table}");
    assert!(!table.contains("burn-in") && !table.contains("Every run"), "{table}");
}

/// Of many runs some are finished when the user has enough: those are reported.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished() {
    let args =
        ["rates", "--sweep", "steps=100,200,10^13", "-D", "8", "-K", "2", "--format", "json"];
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(cargo_bin!("popgd"))
        .args(args)
        .args(["--threads", "2", "--resume", folder.path().to_str().expect("UTF-8")])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Results are kept as they are done.
    let kept = || std::fs::read_dir(folder.path()).expect("the folder").flatten();
    let whole = || kept().filter(|file| file.file_name().to_string_lossy().ends_with(".jsonl"));
    while whole().count() < 2 && child.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("interrupted after 2 of 3 runs"));
    let found: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(found["runs"].as_array().expect("runs").len(), 2);
    assert_eq!(found["stopped"]["finished"], json!(2));
    for entry in found["exponents"][0]["quantities"].as_array().expect("exponents") {
        assert_eq!(entry["verdict"], json!("inconclusive"), "{entry}");
    }
}
