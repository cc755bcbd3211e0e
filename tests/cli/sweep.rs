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
        assert!(number(&burn_in["stiffness"]) < 0.025);
        let ratio = number(&burn_in["measured"]) / number(&burn_in["predicted"]);
        assert!((ratio - 1.0).abs() < 0.01, "{burn_in}");
    }
    let output = rates(&["--sweep", "tokens=16,32", "-K", "4", "--teacher-norm", "8", "-q"]);
    assert!(text(&output.stdout).contains("is more than K²/40"), "a fast one is flagged");
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

#[test]
fn full_support_has_a_factor_instead() {
    let folder = tempfile::tempdir().expect("a folder");
    let unequal = r#"
classes = [
  { count = 4, levels = [{ count = 1, weight = 0.4 }, { count = 3, weight = 0.2 }] },
]
logit_gain = 1
"#;
    let path = write(&folder, unequal);
    let (code, found) = document(&["--config", &path, "--sweep", "teacher-norm=3,6", "-T", "2000"]);
    assert_eq!(code, Some(4));
    for run in found["runs"].as_array().expect("runs") {
        let findings = &run["findings"];
        assert_eq!(findings["approach"], json!("geometric"));
        let (measured, predicted) =
            (number(&findings["measured_factor"]), number(&findings["predicted_factor"]));
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
fn pictures_of_sweeps_know_where_they_come_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sweep.svg");
    let file = path.to_str().expect("UTF-8");
    rates(&["--sweep", "tokens=8,16,32", "-K", "1", "--task", "gslp", "-q", "--plot", file]);
    let drawn = std::fs::read_to_string(&path).expect("it is there");
    for part in ["claimed 4", "exact", "All runs on one law", "&quot;plan&quot;", "fnv1a64:"] {
        let found = drawn.contains(part) || drawn.contains(&part.replace("&quot;", "\""));
        assert!(found, "{part}");
    }
}

#[test]
fn at_2048_tokens_the_exponents_are_2_3_halves_and_1() {
    if !long() {
        return;
    }
    let (code, found) =
        document(&["--sweep", "tokens=256..2048*2", "-K", "4", "--common-norm", "auto"]);
    assert_eq!(code, Some(0), "{}", found["exponents"]);
    for (quantity, exact) in [("score_error", 1.5), ("value_error", 1.0), ("excess_loss", 2.0)] {
        let limit = number(&exponent(&found, quantity)["limit"]["value"]);
        assert!((limit - exact).abs() < 0.02, "{quantity}: {limit}");
    }
}
