//! `popgd rates` from end to end: what it says of the theorem, and when it refuses to say.

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
    let output = rates(&[args, &["--format", "json"]].concat());
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (output.status.code(), document)
}

fn verdicts(document: &Value) -> Vec<&str> {
    let rates = document["rates"].as_array().expect("rates");
    rates.iter().map(|rate| rate["verdict"].as_str().expect("a verdict")).collect()
}

#[test]
fn the_default_agrees_on_three_lines() {
    let output = rates(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    let lines: Vec<&str> = table.lines().filter(|line| line.ends_with("agrees")).collect();
    assert_eq!(lines.len(), 3, "{table}");
    for (line, name) in lines.iter().zip(["score error", "value error", "excess loss"]) {
        assert!(line.contains(name), "{line}");
    }
}

#[test]
fn measured_slopes_and_sizes_are_those_of_theory() {
    let args = ["-D", "16", "-K", "4", "--teacher-norm", "4", "-T", "10^6"];
    let (code, found) = document(&args);
    assert_eq!(code, Some(0));
    for (rate, claimed) in found["rates"].as_array().expect("rates").iter().zip([-0.5, -0.5, -1.0])
    {
        let number = |value: &Value| value.as_f64().expect("a number");
        assert_eq!(number(&rate["claimed"]["slope"]), claimed);
        assert_eq!(rate["claimed"]["status"], json!("cited"));
        let measured = &rate["measured"];
        assert_eq!(measured["status"], json!("measured"));
        assert!((number(&measured["limit_slope"]) - claimed).abs() < 0.01, "{rate}");
        let ratio = number(&rate["constant"]["measured_over_exact"]["limit"]);
        assert!((ratio - 1.0).abs() < 0.02, "{rate}");
    }
}

#[test]
fn too_short_a_run_says_how_long_it_must_be() {
    for args in [&["-D", "16", "-K", "4"][..], &["-D", "20", "-K", "10"], &["--task", "gslp"]] {
        let (code, found) = document(&[args, &["-T", "1000"]].concat());
        assert_eq!(code, Some(4), "{args:?}");
        assert_eq!(verdicts(&found), ["inconclusive"; 3]);
        assert_eq!(found["asymptotic"]["past_burn_in"], json!(false));
        for rate in found["rates"].as_array().expect("rates") {
            assert!(rate["measured"].get("limit_slope").is_none(), "no rate before its time");
        }
        let needed = found["asymptotic"]["needed_steps"].to_string();
        let (code, found) = document(&[args, &["-T", &needed]].concat());
        assert_eq!(code, Some(0), "{args:?} with {needed} steps: {}", found["rates"]);
        assert_eq!(verdicts(&found), ["agrees"; 3]);
    }
}

#[test]
fn the_flag_to_set_is_named() {
    let output = rates(&["-T", "1000"]);
    assert_eq!(output.status.code(), Some(4));
    let told = text(&output.stderr);
    assert!(told.contains("--steps "), "{told}");
    assert!(text(&output.stdout).contains("Too early to tell"));
}

#[test]
fn full_support_is_geometric() {
    let (code, found) = document(&["-D", "6", "-K", "6", "-T", "200"]);
    assert_eq!(code, Some(4));
    let factor = |name: &str| found["geometric"][name]["factor"].as_f64().expect("a factor");
    // λ = ¼: |c − 1| shrinks by ¾ a step.
    assert!((factor("predicted") - 0.75).abs() < 1e-12);
    assert!((factor("measured") - 0.75).abs() < 1e-5);
    let output = rates(&["-D", "6", "-K", "6", "-T", "200"]);
    assert!(text(&output.stdout).contains("geometric"));
}

#[test]
fn one_line_a_quantity_as_csv() {
    let output = rates(&["-D", "16", "-K", "4", "-T", "1000", "--format", "csv"]);
    let csv = text(&output.stdout);
    let names: Vec<_> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["score_error", "value_error", "excess_loss"]);
}

#[test]
fn pictures_show_the_limit_laws_and_the_slopes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rates.svg");
    let file = path.to_str().expect("UTF-8");
    rates(&["-D", "16", "-K", "4", "-T", "10^5", "--plot", file]);
    let drawn = std::fs::read_to_string(&path).expect("it is there");
    for part in ["exact limit law", "claimed slopes −½ and −1", "burn-in"] {
        assert!(drawn.contains(part), "{part}");
    }
}
