//! What `popgd ood` claims, from end to end: constants, standard errors, verdicts, and inputs whose
//! tokens depend on one another.

mod support;

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

use self::support::text;

fn popgd(args: &[&str]) -> Output {
    let mut all = vec!["ood", "-q", "--format", "json"];
    all.extend(args);
    Command::new(cargo_bin!("popgd")).args(all).output().expect("the program starts")
}

#[track_caller]
fn found(args: &[&str]) -> Value {
    let output = popgd(args);
    let (code, document) = support::document(&output);
    assert_eq!(code, Some(0), "{args:?}: {}", text(&output.stderr));
    document
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

fn gap(document: &Value, at: usize) -> f64 {
    number(&document["gaps"][at]["gap"]["value"])
}

/// A V* of no special kind, the same for every seed.
fn teacher(folder: &tempfile::TempDir) -> String {
    let path = folder.path().join("v.toml");
    std::fs::write(&path, "v = [[2.4, -1.6], [1.2, 2.5]]\n").expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

const EIGHT: [&str; 4] = ["-D", "8", "-K", "2"];

/// ηTΔ² over its limit at T = 10⁷, the error of that, for a seed.
fn sharp(config: &str, inputs: &str, samples: &str, seed: &str) -> (f64, f64) {
    let law = ["--config", config, "--inputs", inputs, "--seed", seed, "--samples", samples];
    let late = ["-T", "10^7", "--at", "10^7"];
    let document = found(&[&EIGHT[..], &law, &late].concat());
    let sharp = &document["sharp_constant"];
    (number(&sharp["at_end_over_limit"]), number(&sharp["standard_error"]))
}

/// Seeds are fixed, so that this passes always or never. With POPGD_LONG=1 more samples and seeds, and
/// closer.
#[test]
fn the_sharp_constant_of_relu_is_met_within_a_percent() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = teacher(&folder);
    let long = std::env::var_os("POPGD_LONG").is_some_and(|value| value == "1");
    for inputs in ["exponential", "t:5", "gumbel"] {
        if !long {
            let (ratio, error) = sharp(&config, inputs, "200000", "1");
            assert!(error > 0.0 && error < 0.004, "{inputs}: {error}");
            assert!((ratio - 1.0).abs() < 0.01, "{inputs}: {ratio} ± {error}");
            continue;
        }
        let ratios = ["1", "2", "3", "4", "5"].map(|seed| sharp(&config, inputs, "4000000", seed));
        let mean = ratios.iter().map(|(ratio, _)| ratio).sum::<f64>() / 5.0;
        println!("{inputs}: mean {mean:.5} of {ratios:.5?}");
        assert!((mean - 1.0).abs() < 0.0015, "{inputs}: {mean}");
        for (ratio, error) in ratios {
            assert!((ratio - 1.0).abs() < 4.0 * error, "{inputs}: {ratio} ± {error}");
        }
    }
}

/// Without fourth moments a mean of squares has no standard error, and none is told.
#[test]
fn standard_errors_need_fourth_moments() {
    let args = ["-T", "100", "--samples", "600", "--inputs"];
    let heavy = found(&[&EIGHT[..], &args, &["t:2.1"]].concat());
    // At T = 0 the student is 0, and the gap is half of g times a mean square: 16·8/2·21/4.
    let first = &heavy["gaps"][0]["gap"];
    assert_eq!(first["status"], "cited");
    assert!((number(&first["value"]) - 336.0).abs() < 1e-9, "{first}");
    let later = heavy["gaps"].as_array().expect("gaps");
    assert!(later.len() > 5);
    for row in later.iter().skip(1) {
        assert!(row["gap"]["standard_error"].is_null() && row["is_below"].is_null(), "{row}");
        assert!(number(&row["gap"]["value"]).is_finite());
    }
    assert!(heavy["sharp_constant"]["standard_error"].is_null());
    assert_eq!(heavy["moments"]["fourth_moments_are_finite"], false);
    assert!(heavy["warnings"][0].as_str().is_some_and(|text| text.contains("fourth moments")));
    let light = found(&[&EIGHT[..], &args, &["t:4.5"]].concat());
    assert!(number(&light["gaps"][3]["gap"]["standard_error"]) > 0.0);
    assert!(light.get("warnings").is_none());
}

/// The verdict on Theorem 3.2 goes either way: with constant 1 it fails for a teacher of small norm and
/// labels whose distance from it does not shrink with that norm.
#[test]
fn theorem_3_2_holds_or_not_with_constant_1() {
    let small =
        ["-D", "2", "-K", "1", "-d", "1", "-M", "1", "--activation", "identity", "-T", "10^6"];
    let law = ["--inputs", "gaussian", "--labels", "worst", "--label-distance", "1.2"];
    let document = found(&[&small[..], &law, &["--teacher-norm", "0.1"]].concat());
    let theorem = &document["theorem"];
    assert_eq!(theorem["verdict"], "exceeds");
    // 2.25 by the limit law, (v + R/√2)² < ξ = 1.
    let over = number(&theorem["measured_steps"]["over_stated"]);
    assert!((over / 2.25 - 1.0).abs() < 0.1, "{over}");
    let proven = number(&theorem["steps_over_stated"]);
    assert!(proven >= over && proven < 1.05 * over, "{proven} {over}");
    let document = found(&[&small[..], &law, &["--teacher-norm", "1"]].concat());
    assert_eq!(document["theorem"]["verdict"], "holds");
    let measured = &document["theorem"]["measured_steps"];
    assert!(number(&measured["after"]) < number(&measured["about"]));
    assert!(number(&measured["about"]) <= number(&measured["by"]));
}

#[test]
fn an_epsilon_that_is_asked_for_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("c.toml");
    // Two sizes of groups: none of the paper's teachers, and nothing is proven of it.
    let classes = "classes = [\
                   { count = 2, levels = [{ count = 2, weight = \"1/2\" }, { count = 3, weight = 0 }] },\
                   { count = 3, levels = [{ count = 3, weight = \"1/3\" }, { count = 2, weight = 0 }] }]\n";
    std::fs::write(&config, classes).expect("written");
    let config = config.to_str().expect("UTF-8");
    let args = ["--config", config, "-T", "1000", "--samples", "300"];
    let document = found(&args);
    assert!(document["theorem"]["stated_steps"].is_null());
    assert_eq!(document["theorem"]["verdict"], "open");
    let output = popgd(&[&args[..], &["--epsilon", "1"]].concat());
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--epsilon: nothing is proven"));
}

/// On samples, which a large batch has, and in closed form: tokens that depend on one another.
#[test]
fn tokens_that_depend_on_one_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, rows: &[Vec<f64>]| {
        let path = folder.path().join(name);
        let rows: Vec<String> = rows
            .iter()
            .map(|row| row.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
            .collect();
        std::fs::write(&path, rows.join("\n")).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    // The covariance of a token, and that of all of X̃ with correlations of neighbours of 1/2.
    let one = [[2.0, 0.5], [0.5, 1.0]];
    let entry = |at: usize, other: usize| {
        one[at / 8][other / 8] * 0.5_f64.powi((at % 8).abs_diff(other % 8) as i32)
    };
    let rows: Vec<Vec<f64>> =
        (0..16).map(|at| (0..16).map(|other| entry(at, other)).collect()).collect();
    let token = file("token.csv", &one.map(|row| row.to_vec()));
    let whole = file("whole.csv", &rows);
    let mean = file("mean.csv", &[vec![0.3, -0.2]]);
    let common = ["--inputs", "gaussian", "--mean", &mean, "-d", "2", "-M", "2"];
    let of = |more: &[&str]| found(&[&EIGHT[..], &common, more].concat());
    let identity = ["-T", "500", "--activation", "identity", "--samples", "2"];
    let many = ["--batch", "100000"];
    let by_token = ["--covariance", &token, "--correlation", "1/2"];
    let by_whole = ["--covariance", &whole];
    let short = of(&[&identity[..], &many, &by_token].concat());
    let long = of(&[&identity[..], &many, &by_whole].concat());
    let independent = of(&[&identity[..], &["--covariance", &token]].concat());
    for at in 0..short["gaps"].as_array().map_or(0, Vec::len) {
        let (a, b) = (gap(&short, at), gap(&long, at));
        assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        // They are not what independent tokens have.
        assert!((a / gap(&independent, at) - 1.0).abs() > 0.01);
        for document in [&short, &long] {
            let row = &document["gaps"][at];
            assert_eq!(row["gap"]["status"], "cited");
            let on_batch = number(&row["batch_gap"]);
            assert!((on_batch / a - 1.0).abs() < 0.02, "{on_batch} {a}");
        }
    }
    assert_eq!(number(&short["moments"]["largest"]), number(&long["moments"]["largest"]));
    // ReLU: measured, below its bound, and proven for later steps.
    let relu = ["-T", "5000", "--teacher-norm", "4", "--epsilon", "5", "--samples", "2000"];
    let relu = of(&[&relu[..], &by_token].concat());
    let rows = relu["gaps"].as_array().expect("gaps");
    assert!(rows.iter().all(|row| row["is_below"] == true && row["gap"]["status"] == "measured"));
    assert_eq!(relu["theorem"]["status"], "proven");
    assert_eq!(relu["theorem"]["verdict"], "holds");
}

#[test]
fn what_does_not_fit_into_memory_is_refused() {
    for (args, word) in [
        (&["-D", "10^12"][..], "D² operations"),
        (&["--inputs", "x.npy", "-D", "10^12", "--moments-only"], "16384"),
        (&["--inputs", "gaussian", "--correlation", "0.5", "-D", "512"], "depend on one another"),
    ] {
        support::assert_refused(&popgd(args), args, &[word]);
    }
}

#[test]
fn lines_say_what_they_are() {
    let args =
        ["ood", "-q", "-D", "8", "-K", "2", "-T", "100", "--samples", "300", "--format", "csv"];
    let output = Command::new(cargo_bin!("popgd")).args(args).output().expect("the program starts");
    let lines = text(&output.stdout);
    let head = "t,square_distance,square_distance_error,square_distance_status,gap,gap_error,gap_status,\
                bound,is_below,batch_gap";
    assert_eq!(lines.lines().next(), Some(head));
    let fields: Vec<&str> = lines.lines().nth(5).expect("a line").split(',').collect();
    assert_eq!((fields[3], fields[6], fields[8]), ("measured", "measured", "true"));
    let slopes = found(&[&EIGHT[..], &["-T", "1000", "--samples", "300"]].concat());
    assert!(number(&slopes["slopes"][0]["uncertainty"]) > 0.0);
    assert_eq!(number(&slopes["slopes"][2]["uncertainty"]), 0.0);
}
