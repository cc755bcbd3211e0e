//! `popgd construct normalized-gd` from end to end.

mod support;

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

use self::support::text;

fn construct(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd"))
        .args(["construct", "normalized-gd"])
        .args(args)
        .output()
        .expect("the program starts")
}

/// The document, and the exit code.
fn document(args: &[&str]) -> (Option<i32>, Value) {
    support::document(&construct(&[args, &["--format", "json", "--quiet"]].concat()))
}

fn claim<'a>(document: &'a Value, name: &str) -> &'a Value {
    let claims = document["claims"].as_array().expect("claims");
    let found = claims.iter().find(|claim| claim["claim"] == name);
    found.unwrap_or_else(|| panic!("no claim {name} in {document}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    let entries = value.as_array().unwrap_or_else(|| panic!("no list: {value}"));
    entries.iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// A file of this content.
fn file(name: &str, content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[track_caller]
fn refuses(args: &[&str], words: &[&str]) {
    support::assert_refused(&construct(args), args, words);
}

const QUICK: [&str; 6] = ["--instances", "6", "--train", "0", "-k", "20"];

#[test]
fn every_claim_holds() {
    for scalar in ["f64", "f32", "interval64", "interval32"] {
        let (code, found) = document(&[&QUICK[..], &["--scalar", scalar]].concat());
        assert_eq!(code, Some(0), "{found}");
        assert_eq!(found["command"], "construct normalized-gd");
        assert_eq!(found["provenance"]["scalar"], scalar);
        for claim in found["claims"].as_array().unwrap() {
            assert_eq!(claim["verdict"], "holds", "{scalar}: {claim}");
        }
        // 20 layers of 4 features on 6 instances.
        assert_eq!(claim(&found, "layer")["checked"], 480);
        // Each step of each; with few digits a run cannot be enclosed for as long.
        let looked_at = claim(&found, "dual_bound")["checked"].as_u64().unwrap();
        assert!(looked_at == 120 || (scalar == "interval32" && looked_at > 40), "{looked_at}");
        let is_rigorous = scalar.starts_with("interval");
        let status = if is_rigorous { "proven" } else { "measured" };
        assert_eq!(claim(&found, "layer")["status"], status);
        assert_eq!(claim(&found, "margin_gap")["status"], "measured");
    }
    let (_, found) = document(&[&QUICK[..], &["--scalar", "interval64"]].concat());
    let width = claim(&found, "width");
    assert!(width["worst"].as_f64().unwrap() > 0.0 && width["at_most"] == json!(1e-12), "{width}");
}

#[test]
fn a_result_repeats_itself() {
    let (_, found) = document(&[&QUICK[..], &["--seed", "5", "--rate", "1/3"]].concat());
    let (_folder, path) = file("result.json", &found.to_string());
    let (code, again) = document(&["--config", &path]);
    assert_eq!((code, &again), (Some(0), &found));
    let (_, other) = document(&[&QUICK[..], &["--seed", "6", "--rate", "1/3"]].concat());
    assert_ne!(other["claims"], found["claims"]);
    assert_eq!(found["config"]["rate"], "1/3");
}

#[test]
fn a_layer_is_trained_and_looped() {
    let (code, found) = document(&["--instances", "1", "--train", "600", "-k", "2"]);
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(claim(&found, "imitation")["checked"], 600);
    assert_eq!(claim(&found, "looped")["verdict"], "holds");
    let curve = found["curves"].as_array().unwrap().iter().find(|c| c["curve"] == "training");
    let points = curve.unwrap()["points"].as_array().unwrap();
    let last = numbers(points.last().unwrap());
    assert!(last[0] == 600.0 && last[1] < 1e-4, "{last:?}");
}

/// Two samples that the first axis separates, by 1/2 each; their own state, followed by hand.
#[test]
fn samples_of_ones_own_are_followed() {
    let (_folder, path) = file("samples.csv", "# label, x\n1, 0.5, 0.5\n-1, -0.5, 0.5\n");
    let (code, found) = document(&["--labelled", &path, "-k", "1", "--rate", "1", "--train", "0"]);
    assert_eq!(code, Some(0), "{found}");
    // z = (½, ½), (½, −½), each with weight ½ at w = 0.
    assert_eq!(found["weights"], json!([0.5, 0.0]));
    let (least, most) = (numbers(&found["margin"])[0], numbers(&found["margin"])[1]);
    assert!((least - 0.5).abs() < 1e-12 && (most - 0.5).abs() < 1e-12, "{found}");
    assert_eq!(found["config"]["samples"], 2);
    assert_eq!(found["config"]["features"], 2);
    // The echo has the samples themselves.
    let (_folder, path) = file("result.json", &found.to_string());
    assert_eq!(document(&["--config", &path]).1, found);
}

/// What nothing separates has no margin, one sample has all weight, and large ones are told of.
#[test]
fn difficult_samples_are_answered() {
    let (_folder, path) = file("noise.csv", "1,0.5,0.1\n-1,0.5,-0.3\n1,0.2,-0.6\n1,-0.1,0.4\n");
    let (code, found) = document(&["--labelled", &path, "--train", "0"]);
    assert_eq!(code, Some(0), "{found}");
    let margin = numbers(&found["margin"]);
    assert!(margin[0] == 0.0 && margin[1] < 1e-6, "{margin:?}");
    for (content, words) in [
        ("1,3,4\n", "one"),
        ("1,3,4\n1,3,4\n-1,1,1\n", "duplicate"),
        ("1,1,2\n1,2,4\n-1,3,6\n", "collinear"),
        ("1,0,0\n-1,0,0\n", "zero"),
        ("1,1e5,2e5\n-1,2e5,1e5\n", "large"),
    ] {
        let (_folder, path) = file("samples.csv", content);
        let (code, found) = document(&["--labelled", &path, "--train", "0", "-k", "5"]);
        assert_eq!(code, Some(0), "{words}: {found}");
        assert!(!found.to_string().contains("\"nan\""), "{words}: {found}");
    }
    let (_folder, path) = file("samples.csv", "1,1e200,0\n-1,0,1e200\n");
    let output = construct(&["--labelled", &path, "--rate", "1", "--train", "0"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("scale the samples down"));
}

#[test]
fn wrong_input_is_refused() {
    refuses(&["--rate", "0"], &["--rate", "more than 0"]);
    refuses(&["--features", "0"], &["--features", "1 to"]);
    refuses(&["--steps", "x"], &["--steps"]);
    refuses(&["--labelled", "no-such.csv"], &["no-such.csv"]);
    let (_folder, path) = file("samples.csv", "0.5,1,2\n");
    refuses(&["--labelled", &path], &["row 1, column 1", "1 or -1"]);
    let (_folder, path) = file("samples.csv", "1,1,2\n1,1\n");
    refuses(&["--labelled", &path], &["row 2", "expected 3 numbers"]);
    let (_folder, path) = file("samples.csv", "1\n-1\n");
    refuses(&["--labelled", &path], &["at least one feature"]);
    let (_folder, path) = file("samples.csv", "1,1,2\n");
    refuses(&["--labelled", &path, "-d", "3"], &["expected 2"]);
    let (_folder, path) = file("c.toml", "tokens = 4\n");
    refuses(&["--config", &path], &["tokens", "no use"]);
    refuses(&["--plot", "a.gif"], &[".svg"]);
}

#[test]
fn tables_csv_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("margin.svg");
    let output = construct(&[&QUICK[..], &["--plot", picture.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("a layer = a step") && table.contains("order of the gap"), "{table}");
    let svg = std::fs::read_to_string(picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("gap of the margin"));

    let output = construct(&[&QUICK[..], &["--format", "csv"]].concat());
    let csv = text(&output.stdout);
    assert!(
        csv.starts_with("claim,about,checked,worst,at_least,at_most,status,verdict\n"),
        "{csv}"
    );
    let (_, found) = document(&QUICK);
    assert_eq!(csv.lines().count(), 1 + found["claims"].as_array().unwrap().len());

    let plan = text(&construct(&["--dry-run"]).stdout);
    assert!(plan.contains("rate = 1") && plan.contains("samples = 16"), "{plan}");
}
