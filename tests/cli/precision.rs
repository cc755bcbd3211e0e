//! `popgd precision` from end to end: eight ways, standstills, what is refused.

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

fn popgd(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd"))
        .arg("precision")
        .args(args)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn document(args: &[&str]) -> Value {
    let output = popgd(&[args, &["--format", "json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    serde_json::from_str(&text(&output.stdout)).expect("JSON")
}

const QUICK: [&str; 8] = ["-D", "8", "-K", "2", "--activation", "relu", "--teacher-norm", "2"];

fn quick(more: &[&str]) -> Value {
    document(&[&QUICK, more].concat())
}

fn number(value: &Value) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| panic!("a number, not {value}"))
}

fn ends(interval: &Value) -> (f64, f64) {
    (number(&interval["lo"]), number(&interval["hi"]))
}

/// What a way read at some step.
fn reading<'a>(document: &'a Value, way: &str, t: u64) -> Option<&'a Value> {
    let ways = document["ways"].as_array().expect("ways");
    let way = ways.iter().find(|entry| entry["way"] == way).expect("a way");
    way["readings"].as_array().expect("readings").iter().find(|reading| reading["t"] == t)
}

#[test]
fn errors_are_proven_by_the_enclosure() {
    let document = quick(&["-T", "20000", "--at", "100,20000"]);
    assert_eq!((&document["schema"], &document["command"]), (&1.into(), &"precision".into()));
    for t in [100, 20_000] {
        let exact = &reading(&document, "enclosure64", t).expect("enclosed")["excess_loss"];
        let (lo, hi) = ends(exact);
        assert!(lo > 0.0 && hi - lo < 1e-9 * lo, "{lo} {hi}");
        let (low, high) =
            ends(&reading(&document, "enclosure32", t).expect("enclosed")["excess_loss"]);
        assert!(low <= lo && hi <= high && high - low < 0.1 * low, "{t}: {low} {high}");
        for (way, most) in [
            ("f32 plain", 1e-2),
            ("f32 compensated", 1e-3),
            ("f64 plain", 1e-10),
            ("f64 compensated", 1e-12),
        ] {
            let found = reading(&document, way, t).expect("read");
            assert_eq!(found["status"], "proven", "{way}");
            let (below, above) = ends(&found["relative_error"]);
            let value = number(&found["excess_loss"]);
            // A single float is printed with the digits of one.
            let value = if way.starts_with("f32") { f64::from(value as f32) } else { value };
            assert!(below <= value / hi - 1.0 && value / lo - 1.0 <= above, "{way} {t}");
            assert!(below.abs().max(above.abs()) < most, "{way} {t}: {below} {above}");
        }
    }
    // Step by step, intervals of either precision carry some hundred steps.
    assert!(reading(&document, "interval64", 100).is_some());
    assert!(reading(&document, "interval64", 20_000).is_none());
}

#[test]
fn a_plain_sum_stands_still_where_predicted() {
    let document = quick(&["-T", "3000000", "--at", "1000000,2000000,3000000"]);
    let [single, double] = &document["stalls"].as_array().expect("two")[..] else { panic!() };
    let (predicted, seen) = (&single["predicted"], &single["seen"]);
    assert_eq!((&predicted["status"], &seen["status"]), (&"predicted".into(), &"measured".into()));
    let steps = number(&seen["steps"]);
    assert!((number(&predicted["steps"]) / steps - 1.0).abs() < 1e-4, "{single}");
    let apart = number(&predicted["spacing"]);
    let off = |found: &Value| (number(&found["gap"]) - number(&predicted["gap"])).abs();
    assert!(off(seen) < 256.0 * apart, "{single}");
    assert!(off(&single["placed"]) < 1.5 * number(&predicted["within"]), "{single}");
    // In doubles nothing is seen, but a late state shows it.
    assert!(double.get("seen").is_none() && number(&double["predicted"]["steps"]) > 1e14);
    let gaps = number(&double["placed"]["gap"]) - number(&double["predicted"]["gap"]);
    assert!(gaps.abs() < 1e-5, "{double}");

    // The proof says by how much that is wrong: nothing moves while the exact loss falls by a third.
    let loss = |t| number(&reading(&document, "f32 plain", t).expect("read")["excess_loss"]);
    assert_eq!(loss(2_000_000), loss(3_000_000));
    let (least, _) =
        ends(&reading(&document, "f32 plain", 3_000_000).expect("read")["relative_error"]);
    assert!((0.3..0.6).contains(&least), "{least}");
    let right = &reading(&document, "f32 compensated", 3_000_000).expect("read")["relative_error"];
    assert!(ends(right).0.abs().max(ends(right).1.abs()) < 2e-3, "{right}");
}

#[test]
fn tables_csv_and_pictures_say_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("precision.svg");
    let path = picture.to_str().expect("UTF-8");
    let few = ["-T", "1000", "--at", "10,1000"];
    let output = popgd(&[&QUICK[..], &few, &["--plot", path]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    for words in ["Where plain sums stand still", "f32 compensated", "enclosure64", "proven"] {
        assert!(table.contains(words), "{table}");
    }
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{svg:.100}");
    assert!(svg.contains("at most so large"), "errors that are not told from 0 are bounds");
    let metadata = svg.split("<metadata>").nth(1).and_then(|rest| rest.split("</metadata>").next());
    assert!(metadata.is_some_and(|text| text.contains("precision")), "{metadata:?}");

    let csv = text(&popgd(&[&QUICK[..], &few, &["--format", "csv"]].concat()).stdout);
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some(
            "way,t,excess_loss_lo,excess_loss_hi,score_error_lo,score_error_hi,value_error_lo,\
             value_error_hi,relative_error_lo,relative_error_hi,status"
        )
    );
    let document = quick(&few);
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let found = reading(&document, cells[0], cells[1].parse().unwrap()).expect("in both");
        let loss = &found["excess_loss"];
        let (lo, hi) = if loss.is_object() { ends(loss) } else { (number(loss), number(loss)) };
        let (low, high): (f64, f64) = (cells[2].parse().unwrap(), cells[3].parse().unwrap());
        if cells[0].starts_with("f32") {
            assert_eq!((low as f32, high as f32), (lo as f32, hi as f32), "{line}");
        } else {
            assert_eq!((low, high), (lo, hi), "{line}");
        }
        assert_eq!(cells[10], "proven", "{line}");
    }
    assert!(csv.lines().count() > 6 * 2, "{csv}");
}

#[test]
fn models_without_a_clock_are_measured_all_the_same() {
    let document = document(&["-D", "4", "-K", "4", "-T", "2000", "--at", "2000"]);
    for stall in document["stalls"].as_array().expect("two") {
        assert!(stall.get("predicted").is_none() && stall.get("placed").is_none(), "{stall}");
    }
    // With full support convergence is geometric: c alone moves, and soon has nothing to add.
    let [single, double] = [0, 1].map(|at| number(&document["stalls"][at]["seen"]["steps"]));
    assert!(20.0 < single && single < double && double < 1000.0, "{single} {double}");
    // By then the exact loss is below all floats, and nothing is said of errors relative to it.
    for way in ["f32 plain", "f64 compensated", "interval32", "enclosure64"] {
        let reading = reading(&document, way, 2000);
        let silent = |reading: &Value| {
            reading.get("relative_error").is_none() && reading.get("relative_width").is_none()
        };
        assert!(reading.is_none_or(silent), "{way}: {reading:?}");
    }
}

/// Near λ = 2 c goes to and fro for ever while the logits rest: that is a standstill as well.
#[test]
fn a_factor_that_goes_to_and_fro_hides_no_standstill() {
    let flags = ["--rate", "0.999", "-T", "2000000", "--at", "2000000", "--strict"];
    let stall = &quick(&flags)["stalls"][0];
    assert!(number(&stall["seen"]["period"]) > 1.0, "{stall}");
    let late = number(&stall["seen"]["steps"]) / number(&stall["predicted"]["steps"]) - 1.0;
    assert!(late.abs() < 1e-3, "{stall}");
}

/// A norm that the clock is not meant for: the run stands still elsewhere than predicted.
#[test]
fn strictness_is_an_exit_code() {
    let flags = ["--teacher-norm", "1000", "-T", "1000", "--at", "1000"];
    let lenient = popgd(&[&QUICK[..6], &flags].concat());
    assert_eq!(lenient.status.code(), Some(0));
    let strict = popgd(&[&QUICK[..6], &flags, &["--strict"]].concat());
    assert_eq!(strict.status.code(), Some(3));
    assert_eq!(strict.stdout, lenient.stdout);
    assert!(text(&strict.stderr).contains("elsewhere than predicted"), "{}", text(&strict.stderr));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (args, words) in [
        (&["--method", "dense", "-D", "4", "-K", "2"][..], "lumped runs"),
        (&["--scalar", "f32"], "--scalar: precision compares all scalars"),
        (&["--accumulate", "plain"], "--accumulate: precision compares plain"),
        (&["--rate", "100"], "stability"),
        (&["--plot", "picture.gif"], ".svg or .png"),
    ] {
        let output = popgd(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let message = text(&output.stderr);
        assert!(message.contains(words) && message.lines().count() == 1, "{args:?}: {message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_dry_run_speaks_of_all_ways() {
    let flags = ["-T", "1000000", "--dry-run"];
    let plan = text(&popgd(&[&QUICK[..], &flags].concat()).stdout);
    assert!(plan.contains("in eight ways") && plan.contains("run time"), "{plan}");
    assert!(!plan.contains("f64") && !plan.contains("compensated"), "{plan}");
    let found = quick(&["-T", "1000"]);
    assert_eq!(found["provenance"]["scalar"], "all");
    assert!(found["config"].get("scalar").is_none());
}

/// A saved state tells the scalar that it was computed in; it is a start all the same.
#[test]
fn a_saved_state_is_a_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state.json");
    let path = state.to_str().expect("UTF-8");
    let run = ["-T", "100", "--scalar", "f32", "--accumulate", "plain", "--save-state", path];
    let saved = Command::new(cargo_bin!("popgd"))
        .arg("run")
        .args(QUICK)
        .args(run)
        .output()
        .expect("the program starts");
    assert!(saved.status.success(), "{}", text(&saved.stderr));
    let found = document(&["--config", path, "-T", "10", "--at", "0,10"]);
    let start: Value = serde_json::from_slice(&std::fs::read(&state).unwrap()).unwrap();
    let loss = |way| reading(&found, way, 0).expect("the start")["excess_loss"].clone();
    assert_eq!(start["config"]["scalar"], "f32");
    let (single, double) = (number(&loss("f32 plain")), number(&loss("f64 plain")));
    assert!((single / double - 1.0).abs() < 1e-4 && double > 0.0, "{single} {double}");
}
