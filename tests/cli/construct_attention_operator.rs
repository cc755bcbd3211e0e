//! `popgd construct attention-operator` from end to end.

mod support;

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

use self::support::text;

fn construct(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd"))
        .args(["construct", "attention-operator"])
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

#[test]
fn every_claim_holds() {
    for scalar in ["f64", "f32", "interval64", "interval32"] {
        let (code, found) = document(&["--instances", "6", "--scalar", scalar]);
        assert_eq!(code, Some(0), "{found}");
        assert_eq!(found["provenance"]["scalar"], scalar);
        for claim in found["claims"].as_array().unwrap() {
            assert_eq!(claim["verdict"], "holds", "{scalar}: {claim}");
        }
        assert_eq!(claim(&found, "attention")["checked"], 24);
        let is_rigorous = scalar.starts_with("interval");
        let status = if is_rigorous { "proven" } else { "measured" };
        for name in ["attention", "mixture", "fine_tuning", "prompt", "recovery"] {
            assert_eq!(claim(&found, name)["status"], status, "{scalar}");
        }
    }
    let (_, found) = document(&["--instances", "1"]);
    let order = |name: &str| {
        let curves = found["curves"].as_array().unwrap();
        curves.iter().find(|c| c["curve"] == name).unwrap()["fitted_order"].as_f64().unwrap()
    };
    assert!((order("sampling") + 0.5).abs() < 0.05 && (order("remainder") - 2.0).abs() < 0.05);
}

#[test]
fn the_largest_sizes_are_proven() {
    let args = ["-d", "8", "-n", "64", "--instances", "2", "--scalar", "interval64"];
    let (code, found) = document(&[&args[..], &["--rank", "3", "--prompts", "9"]].concat());
    assert_eq!(code, Some(0), "{found}");
    assert!(claim(&found, "width")["worst"].as_f64().unwrap() < 1e-12);
    assert_eq!(claim(&found, "recovery")["worst"], 0.0);
}

/// Weights of one's own are found again, with their sum made 1; one that is 0 too.
#[test]
fn atoms_of_ones_own_are_recovered() {
    let (_folder, path) = file("measure.csv", "1,1,0\n2,0,1\n0,-1,-1\n1,0.5,0.25\n");
    let (code, found) = document(&["--atoms", &path]);
    assert_eq!(code, Some(0), "{found}");
    for (weight, expected) in
        found["weights"].as_array().unwrap().iter().zip([0.25, 0.5, 0.0, 0.25])
    {
        assert!((weight.as_f64().unwrap() - expected).abs() < 1e-12, "{found}");
    }
    let (code, proven) = document(&["--atoms", &path, "--scalar", "interval64"]);
    assert_eq!(code, Some(0), "{proven}");
    for (weight, expected) in
        proven["weights"].as_array().unwrap().iter().zip([0.25, 0.5, 0.0, 0.25])
    {
        let (lo, hi) = (weight["lo"].as_f64().unwrap(), weight["hi"].as_f64().unwrap());
        assert!(lo <= expected && expected <= hi && hi - lo < 1e-11, "{weight}");
    }
    let (_folder, path) = file("result.json", &found.to_string());
    assert_eq!(document(&["--config", &path]).1, found);
}

#[test]
fn difficult_measures_are_answered() {
    for (content, words) in [
        ("3,1,2\n", "one atom"),
        ("1,0,0\n", "an atom at 0"),
        ("1,1,1\n1,2,2\n1,3,3\n", "collinear"),
        ("1,1e3,0\n1,0,1e3\n", "large"),
    ] {
        let (_folder, path) = file("measure.csv", content);
        let (code, found) = document(&["--atoms", &path]);
        assert_eq!(code, Some(0), "{words}: {found}");
        assert!(!found.to_string().contains("\"nan\""), "{words}: {found}");
    }
    // The empty prompt.
    let (code, found) = document(&["--instances", "2", "--prompts", "0"]);
    assert_eq!((code, &claim(&found, "mixture")["verdict"]), (Some(0), &"holds".into()));
    // Nothing tells the weights of the same atom apart.
    let (_folder, path) = file("measure.csv", "1,1,1\n1,1,1\n1,3,2\n");
    let (code, found) = document(&["--atoms", &path]);
    assert_eq!(code, Some(4), "{found}");
    assert_eq!(claim(&found, "repeated")["verdict"], "open");
    assert_eq!(claim(&found, "attention")["verdict"], "holds");
}

#[test]
fn wrong_input_is_refused() {
    refuses(&["--rank", "5"], &["--rank", "1 to 4"]);
    refuses(&["--samples", "0"], &["--samples"]);
    refuses(&["--atoms", "no-such.csv"], &["no-such.csv"]);
    let (_folder, path) = file("measure.csv", "-1,1,2\n");
    refuses(&["--atoms", &path], &["row 1, column 1", "0 or more"]);
    let (_folder, path) = file("measure.csv", "0,1,2\n0,2,1\n");
    refuses(&["--atoms", &path], &["all weights are 0"]);
    let (_folder, path) = file("measure.csv", "1\n1\n");
    refuses(&["--atoms", &path], &["at least one coordinate"]);
    let (_folder, path) = file("c.toml", "rate = 4\n");
    refuses(&["--config", &path], &["rate", "no use"]);
}

#[test]
fn tables_csv_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("sampling.png");
    let output = construct(&["--instances", "2", "--plot", picture.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(
        table.contains("attention = operator") && table.contains("order of the error"),
        "{table}"
    );
    assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
    let csv = text(&construct(&["--instances", "2", "--format", "csv"]).stdout);
    assert!(csv.contains("sampling_bound"), "{csv}");
}
