//! Wrong gradients, which the command must find out: by each check alone, with the entry and the
//! size of the error.

use popgd_core::gradient_check::{Gradient, Inputs};
use popgd_core::{Error, Scalar};
use serde_json::Value;

use super::*;
use crate::cli::CommonArgs;
use crate::config::Arguments;
use crate::gradcheck::report::Order;
use crate::gradcheck_args::GradcheckArgs;

/// The coded gradient with a fault.
#[derive(Clone, Copy)]
enum Faulty {
    /// The first entry of W_V is a thousandth too large.
    Value,
    /// That of W_KQ is twice as large.
    KeyQuery,
    /// To the first entry √(3 + 2√2) − √2 − 1 is added, which is 0 but does not look so.
    HiddenZero,
    /// An entry is missing.
    Short,
}

impl Program for Faulty {
    fn gradient<S: Scalar>(&self, inputs: &Inputs<S>) -> Result<Gradient<S>, Error> {
        let mut gradient = Coded.gradient(inputs)?;
        match self {
            Self::Value => {
                let first = &mut gradient.value_matrix[0];
                *first = *first * first.rational(1001, 1000);
            }
            Self::KeyQuery => {
                let first = &mut gradient.key_query[0];
                *first = *first + *first;
            }
            Self::HiddenZero => {
                let first = &mut gradient.value_matrix[0];
                let two = first.integer(2).sqrt();
                let nested = (first.integer(3) + first.integer(2) * two).sqrt();
                *first = *first + nested - two - first.one();
            }
            Self::Short => drop(gradient.key_query.pop()),
        }
        Ok(gradient)
    }
}

/// Checks a program for D = 2, M = 1, d = 2 with other flags: how it ends, and the document.
fn check(program: Faulty, change: impl FnOnce(&mut GradcheckArgs)) -> (Failure, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let mut args = GradcheckArgs {
        tokens: Some("2".into()),
        channels: Some("1".into()),
        group: Some("1".into()),
        format: Some("json".into()),
        output: Some(path.clone()),
        ..GradcheckArgs::default()
    };
    change(&mut args);
    let common = CommonArgs { quiet: true, ..CommonArgs::default() };
    let arguments = Arguments::of_gradcheck(&common, &args).unwrap();
    let settings = crate::config::gradcheck::resolve(&arguments).unwrap();
    let failure = execute_with(&settings, &program).unwrap_err();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    (failure, serde_json::from_str(&text).unwrap_or_default())
}

#[track_caller]
fn refuted(failure: &Failure, words: &[&str]) {
    assert_eq!(failure.exit_code(), 3, "{failure}");
    for word in words {
        assert!(failure.to_string().contains(word), "{word}: {failure}");
    }
}

fn only_boxes(args: &mut GradcheckArgs) {
    (args.proof, args.remainders) = (Some("never".into()), Some("0".into()));
}

fn only_remainders(args: &mut GradcheckArgs) {
    (args.proof, args.boxes) = (Some("never".into()), Some("0".into()));
}

#[test]
fn a_proof_refutes() {
    let only_proofs = |args: &mut GradcheckArgs| {
        (args.boxes, args.remainders) = (Some("0".into()), Some("0".into()));
    };
    let (failure, document) = check(Faulty::Value, only_proofs);
    refuted(&failure, &["W_V[1,1] with P = I by proof, off by ", "; and 1 more"]);
    assert_eq!(document["verdict"], "refuted");
    let proof = &document["gradient"][0]["entries"][0]["proof"];
    assert_eq!((&proof["verdict"], &proof["status"]), (&"refuted".into(), &"proven".into()));
    let [lo, hi] = ["lo", "hi"].map(|end| proof["difference"][end].as_f64().unwrap());
    assert!(lo * hi > 0.0 && lo.abs() > 1e-5 && lo.abs() < 1e-1, "{proof}");
    let others = document["gradient"][0]["entries"].as_array().unwrap();
    assert!(others[1..].iter().all(|entry| entry["proof"]["verdict"] == "proven"), "{others:?}");
}

#[test]
fn an_enclosure_refutes() {
    let (failure, document) = check(Faulty::KeyQuery, only_boxes);
    refuted(&failure, &["W_KQ[1,1] with P = I by enclosure, off by "]);
    let found = &document["gradient"][1]["entries"][2];
    assert_eq!((&found["block"], &found["row"]), (&"W_KQ".into(), &1.into()));
    let at_least = found["enclosure"]["difference_at_least"].as_f64().unwrap();
    let at_most = found["enclosure"]["difference_at_most"]["value"].as_f64().unwrap();
    assert!(0.0 < at_least && at_least <= at_most, "{found}");
    assert_eq!(found["enclosure"]["status"], "proven");
    assert!(found["proof"].is_null(), "{found}");
}

#[test]
fn the_order_of_the_remainder_refutes() {
    for (program, name, at) in [(Faulty::Value, "W_V", 0), (Faulty::KeyQuery, "W_KQ", 1)] {
        let (failure, document) = check(program, only_remainders);
        refuted(&failure, &[name, "with P = I by order of the remainder, off by "]);
        let found = &document["gradient"][0]["remainders"][at];
        assert_eq!((&found["of"], &found["verdict"]), (&name.into(), &"wrong".into()));
        // The order is measured; that the gradient is wrong is enclosed.
        assert_eq!((&found["status"], &found["refuted"]), (&"proven".into(), &found["wrong"]));
        assert!((found["order"].as_f64().unwrap() - 1.0).abs() < 0.05, "{found}");
        assert!(found["difference"].as_f64().unwrap() > 1e-6, "{found}");
        let other = &document["gradient"][0]["remainders"][1 - at];
        assert_eq!(other["verdict"], "right", "{other}");
    }
}

#[test]
fn what_cannot_be_seen_is_undecided() {
    let (failure, document) = check(Faulty::HiddenZero, |_| {});
    assert_eq!(failure.exit_code(), 4, "{failure}");
    for word in ["W_V[1,1] with P = I by proof", "; and 1 more", "--activation"] {
        assert!(failure.to_string().contains(word), "{failure}");
    }
    assert_eq!(document["verdict"], "undecided");
    let entry = &document["gradient"][0]["entries"][0];
    assert_eq!(entry["proof"]["verdict"], "undecided");
    assert!(entry["proof"]["status"].is_null(), "nothing is claimed: {entry}");
    assert_eq!(entry["enclosure"]["verdict"], "consistent");
}

#[test]
fn a_gradient_of_another_size_is_refuted() {
    let (failure, _) = check(Faulty::Short, |_| {});
    refuted(&failure, &["W_KQ", "4", "3"]);
}

#[test]
fn tables_and_csv_name_what_is_refuted() {
    let folder = tempfile::tempdir().unwrap();
    for (format, line) in
        [("table", "W_V[1,1]"), ("csv", "gradient,identity,\"W_V[1,1]\",proof,refuted,proven,")]
    {
        let path = folder.path().join(format);
        check(Faulty::Value, |args| {
            (args.format, args.output) = (Some(format.into()), Some(path.clone()));
        });
        let text = std::fs::read_to_string(&path).unwrap();
        let found = text.lines().find(|text| text.contains(line)).unwrap();
        assert!(found.contains("refuted"), "{found}");
    }
}

#[test]
fn an_order_alone_refutes_nothing() {
    let order = |right, wrong, refuted| {
        let (block, silent, order, first) = ("W_V", 0, Some(1.0), Vec::new());
        Order { block, right, wrong, silent, refuted, order, difference: 0.0, first }.verdict()
    };
    assert_eq!(order(7, 1, 0), Verdict::Undecided);
    assert_eq!(order(7, 1, 1), Verdict::Refuted);
    assert_eq!(order(8, 0, 0), Verdict::Agrees);
    assert_eq!(order(0, 0, 0), Verdict::Undecided);
}

#[test]
fn of_nothing_nothing_is_proven() {
    assert!(!Report::default().is_proven());
}
