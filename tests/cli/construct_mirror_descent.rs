//! `popgd construct mirror-descent` from end to end.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use tempfile::TempDir;

fn construct(folder: &Path, args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd"))
        .args(["construct", "mirror-descent"])
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn document_in(folder: &Path, args: &[&str]) -> Value {
    let output = construct(folder, &[args, &["--format", "json", "--quiet"]].concat());
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    serde_json::from_slice(&output.stdout).expect("a document")
}

#[track_caller]
fn document(args: &[&str]) -> Value {
    document_in(folder().path(), args)
}

#[track_caller]
fn refuses(folder: &Path, args: &[&str], words: &[&str]) {
    let output = construct(folder, args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert!(output.stdout.is_empty() && message.lines().count() == 1, "{args:?}: {message}");
    for word in words {
        assert!(message.contains(word), "`{word}` is missing: {message}");
    }
}

/// Small and quick.
const SMALL: [&str; 8] = ["--alphabet", "4", "-m", "3", "-T", "20", "--instances", "5"];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

fn figure(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no figure: {value}"))
}

fn claim<'a>(document: &'a Value, name: &str) -> &'a Value {
    let claims = document["claims"].as_array().expect("claims");
    let found = claims.iter().find(|claim| claim["claim"] == name);
    found.unwrap_or_else(|| panic!("no claim {name} in {document}"))
}

fn curve<'a>(document: &'a Value, name: &str) -> &'a Value {
    let curves = document["curves"].as_array().expect("curves");
    let found = curves.iter().find(|curve| curve["curve"] == name);
    found.unwrap_or_else(|| panic!("no curve {name} in {document}"))
}

#[test]
fn floats_agree_and_orders_are_those_claimed() {
    let found = document(&small(&[]));
    assert_eq!(found["schema"], json!(1));
    assert_eq!(found["command"], json!("construct mirror-descent"));
    assert_eq!(found["config"]["rate"], json!(0.25), "1/(ma+1)");
    for (name, checked) in [("weights", 15), ("next", 20), ("safe_rate", 5)] {
        let claim = claim(&found, name);
        assert_eq!(claim["verdict"], json!("holds"), "{claim}");
        assert_eq!(claim["status"], json!("measured"));
        assert_eq!(claim["checked"], json!(checked));
    }
    // Units in the last place, as they are: a few, where hundreds are allowed by what is rounded.
    assert!(figure(&claim(&found, "weights")["worst"]) < 64.0);
    assert_eq!(claim(&found, "leakage_bound")["verdict"], json!("holds"));
    for (name, claimed) in [("leakage", -1.0), ("remainder_right", 2.0), ("remainder_wrong", 1.0)] {
        let curve = curve(&found, name);
        assert_eq!(figure(&curve["claimed_order"]), claimed);
        assert!((figure(&curve["fitted_order"]) - claimed).abs() < 0.02, "{curve}");
    }
    assert!(figure(&found["from_posterior"][0]) > 0.0);
    assert!((0.0..=5.0).contains(&figure(&found["lowered"][0])));
}

#[test]
fn intervals_prove_equality_with_its_width() {
    for steps in ["1", "4"] {
        let found = document(&small(&["--scalar", "interval64", "--steps", steps]));
        for name in ["weights", "next", "width"] {
            let claim = claim(&found, name);
            assert_eq!((&claim["status"], &claim["verdict"]), (&json!("proven"), &json!("holds")));
            let worst = figure(&claim["worst"]);
            assert!(worst > 0.0 && worst <= 1e-12 && claim["at_most"] == json!(1e-12), "{claim}");
        }
    }
    let found = document(&small(&["--scalar", "interval32"]));
    assert_eq!(claim(&found, "weights")["verdict"], json!("holds"));
}

#[test]
fn the_same_seed_is_the_same_document_and_its_configuration_repeats_it() {
    let folder = folder();
    let first = document(&small(&["--seed", "7"]));
    assert_eq!(first, document(&small(&["--seed", "7"])));
    assert_ne!(first["claims"], document(&small(&["--seed", "8"]))["claims"]);
    fs::write(folder.path().join("again.json"), first.to_string()).expect("a file");
    let again = document_in(folder.path(), &["--config", "again.json"]);
    assert_eq!(again, first);
}

#[test]
fn own_data_from_files() {
    let folder = folder();
    fs::write(folder.path().join("pi.csv"), "0, 1\n1, 0\n").expect("a file");
    fs::write(folder.path().join("y.csv"), "0,0,1,1,0\n1,0\n").expect("a file");
    let args = ["--transitions", "pi.csv", "--sequences", "y.csv", "-m", "2"];
    let found = document_in(folder.path(), &args);
    // Σγ = (1, 2) and η = 1/3; and no evidence at all in the second.
    let lean = (2.0_f64 / 3.0).exp();
    let expected = [[1.0 / (1.0 + lean), lean / (1.0 + lean)], [0.5, 0.5]];
    for (name, expected) in ["weights_1", "weights_2"].into_iter().zip(expected) {
        let weights = found[name].as_array().expect("a list");
        for (weight, expected) in weights.iter().zip(expected) {
            assert!((figure(weight) - expected).abs() < 1e-15, "{weight}");
        }
    }
    // The likelihood is λ₂: E[λ₁] = ∫ λ₁λ₂ / ∫ λ₂.
    assert!((figure(&found["posterior_1"][0]) - 1.0 / 3.0).abs() < 1e-14, "{found}");
    // The exact matrix stands in the configuration: it repeats without the files.
    assert_eq!(found["config"]["transitions"], json!([[0, 1], [1, 0]]));
    assert_eq!(found["config"]["sequences"], json!([[0, 0, 1, 1, 0], [1, 0]]));
}

#[test]
fn wrong_input_is_refused_with_what_to_mend() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    let refuses = |args: &[&str], words: &[&str]| refuses(folder.path(), args, words);
    write("off.csv", "0.5,0.6\n0.5,0.5\n");
    refuses(&["--transitions", "off.csv"], &["--transitions", "row 1", "1.1"]);
    write("negative.csv", "1.5,-0.5\n0.5,0.5\n");
    refuses(&["--transitions", "negative.csv"], &["row 1, column 2", "negative"]);
    write("wide.csv", "0.5,0.5,0\n0.5,0.5,0\n");
    refuses(&["--transitions", "wide.csv"], &["2 × 2", "2 × 3"]);
    write("pi.csv", "0,1\n1,0\n");
    write("never.csv", "0,1,0,1\n0,0,0,1\n");
    let own = ["--transitions", "pi.csv", "--sequences", "never.csv", "-m", "2"];
    refuses(&own, &["--sequences, row 2, column 3", "probability 0"]);
    write("strange.csv", "0,1,2\n");
    refuses(
        &["--transitions", "pi.csv", "--sequences", "strange.csv", "-m", "2"],
        &["row 1, column 3", "0 to 1", "2"],
    );
    write("short.csv", "0,1\n");
    refuses(&["--sequences", "short.csv", "-m", "3"], &["row 1", "3", "found 2"]);
    refuses(&["--sequences", "short.csv", "-m", "2", "-T", "9"], &["--length", "leave it out"]);
    refuses(&["--order", "0"], &["--order", "1 to 64"]);
    refuses(&["-m", "5", "-T", "4"], &["--length", "5 to", "4"]);
    refuses(&["--concentration", "0"], &["--concentration", "above 0"]);
    refuses(&["--rate", "-1"], &["--rate", "0 or more"]);
    refuses(&["--mask-strength", "1,-2"], &["--mask-strength", "above 0"]);
    refuses(&["--alphabet", "1000", "-T", "10000"], &["numbers", "--length"]);
    refuses(&["-m", "64", "-T", "10000", "--steps", "100"], &["numbers", "--steps"]);
    refuses(&["--instances", "0"], &["--instances", "1 to"]);
    write("run.toml", "tokens = 9\n");
    refuses(&["--config", "run.toml"], &["run.toml:1", "tokens", "no use"]);
    write("mine.toml", "alphabet = 9\n");
    let output = Command::new(cargo_bin!("popgd"))
        .args(["run", "--config", "mine.toml"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("popgd construct"));
}

#[test]
fn logits_beyond_the_range_of_exponentials_are_fine_and_beyond_that_of_numbers_refused() {
    let found = document(&small(&["--rate", "10^6"]));
    assert_eq!(claim(&found, "weights")["verdict"], json!("holds"));
    assert!(!found.to_string().contains("\"nan\""));
    let output = construct(folder().path(), &small(&["--rate", "10^307"]));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--rate"));
}

#[test]
fn of_what_has_not_settled_no_order_is_claimed() {
    // Evidence without end: ε = 1/4096 is far from uniform still, and so the posterior from a step.
    let found = document(&["-m", "2", "-T", "4000", "--instances", "2", "--mask-strength", "20"]);
    assert!(curve(&found, "remainder_right").get("claimed_order").is_none(), "{found}");
    // Strengths that take all digits of the logarithms beside them tell nothing.
    let found = document(&small(&["--mask-strength", "20,20,1e10,1e16"]));
    assert_eq!(claim(&found, "leakage_bound")["checked"], json!(1), "each once");
    let weak = document(&small(&["--mask-strength", "0.5,1"]));
    assert_eq!(claim(&weak, "leakage_bound")["verdict"], json!("not applicable"));
}

#[test]
fn a_step_to_where_the_sequence_is_impossible_has_no_gain() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("pi.csv", "0,1,0\n0.5,0,0.5\n1,0,0\n");
    write("y.csv", "0,1,0,1,2,0,1,0,1,0,1,2,0,1\n");
    let own = ["--transitions", "pi.csv", "--sequences", "y.csv", "-m", "2", "--rate", "1000"];
    let found = document_in(folder.path(), &own);
    assert_eq!(claim(&found, "weights")["verdict"], json!("holds"));
    assert!(!found.to_string().contains("\"nan\""), "{found}");
}

#[test]
fn every_form_of_output() {
    let folder = folder();
    let output = construct(folder.path(), &small(&["--plot", "a.svg"]));
    let table = text(&output.stdout);
    for part in [
        "q = 4 tokens, m = 3 lags, T = 20",
        "λ: layers = algorithm: ulps apart",
        "order of the leakage of masks",
        "measured",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let picture = fs::read_to_string(folder.path().join("a.svg")).expect("a picture");
    for part in ["<svg", "strength of the mask", "leakage", "posterior mean", "mirror-descent"] {
        assert!(picture.contains(part), "{part}");
    }
    let output = construct(folder.path(), &small(&["--format", "csv"]));
    let lines = text(&output.stdout);
    assert!(lines.starts_with("claim,about,checked,worst,"), "{lines}");
    assert!(lines.lines().skip(1).all(|line| line.ends_with(",measured,holds")), "{lines}");
    let output = construct(folder.path(), &small(&["--dry-run", "--format", "json"]));
    let plan: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(plan["config"]["length"], json!(20));
    assert!(plan.get("claims").is_none());
}
