//! `popgd simulate` from end to end.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

fn popgd(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd")).args(args).output().expect("the program starts")
}

fn simulate(args: &[&str]) -> Output {
    popgd(&[&["simulate", "--quiet"], args].concat())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key} in {value}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Small sizes, that take no time.
const SMALL: [&str; 14] = [
    "-D", "6", "-K", "2", "-d", "2", "--batch", "20", "--seeds", "2", "--steps", "300", "--format",
    "json",
];

/// These sizes and more flags, which win.
fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let kept = SMALL.chunks(2).filter(|pair| !more.contains(&pair[0]));
    kept.flatten().chain(more).copied().collect()
}

#[test]
fn beside_training_runs_the_exact_descent() {
    let found = document(&simulate(&small(&[])));
    assert_eq!((&found["schema"], &found["command"]), (&json!(1), &json!("simulate")));
    let flags = ["run", "-D", "6", "-K", "2", "-d", "2", "--steps", "300", "--teacher-norm", "20"];
    let more = ["--points-per-decade", "8", "--format", "json"];
    let run = document(&popgd(&[&flags[..], &more].concat()));
    let exact = list(&found["exact"], "trajectory");
    let lumped = list(&run, "trajectory");
    assert_eq!(exact.len(), lumped.len());
    for (dense, lumped) in exact.iter().zip(lumped) {
        assert_eq!(dense["t"], lumped["t"]);
        for key in ["excess_loss", "score_error", "value_error"] {
            let (dense, lumped) = (number(&dense[key]), number(&lumped[key]));
            assert!((dense - lumped).abs() <= 1e-10 * lumped, "{key}: {dense} {lumped}");
        }
    }
    // Training starts where the exact run does, and its rows are at the same steps.
    for run in list(&found, "runs") {
        let rows = list(run, "trajectory");
        assert_eq!(rows.len(), exact.len());
        assert_eq!(rows[0]["excess_loss"], exact[0]["excess_loss"]);
        assert_eq!(rows[0]["value_distance"], json!(0.0));
        assert_ne!(rows[1]["excess_loss"], exact[1]["excess_loss"]);
    }
}

#[test]
fn batches_and_closed_form_measure_the_same() {
    let more = [
        "--evaluation",
        "20000",
        "--noise",
        "1",
        "--at",
        "30,100,300",
        "--activation",
        "leaky-relu:0.3",
    ];
    let found = document(&simulate(&small(&more)));
    for run in list(&found, "runs") {
        for row in list(run, "trajectory") {
            let (batch, exact) = (number(&row["batch_excess"]), number(&row["excess_loss"]));
            assert!((batch - exact).abs() < 0.05 * exact, "{row}");
            // The labels of the teacher are off by noise alone, that averages out.
            let (half, noisy) = (number(&row["ood_half_square"]), number(&row["ood_teacher"]));
            assert!((half - noisy).abs() < 0.05 * half, "{row}");
            let unrelated = number(&row["ood_unrelated"]);
            let mean = number(&row["ood_unrelated_mean"]);
            assert!((unrelated - mean).abs() < 0.05 * mean.abs() + 0.2 * half, "{row}");
        }
    }
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let bytes = |args: &[&str]| simulate(&small(args)).stdout;
    let one = bytes(&["--threads", "1"]);
    assert_eq!(one, bytes(&["--threads", "4"]));
    assert_eq!(one, bytes(&[]));
    assert_ne!(one, bytes(&["--seed", "1"]));
    let found: Value = serde_json::from_slice(&one).unwrap();
    let runs = list(&found, "runs");
    assert_ne!(runs[0]["value_matrix"], runs[1]["value_matrix"]);
    // A run does not know how many others there are.
    let more: Value = serde_json::from_slice(&bytes(&["--seeds", "3"])).unwrap();
    assert_eq!(list(&more, "runs")[..2], runs[..]);
}

#[test]
fn larger_batches_come_closer_to_the_exact_run() {
    let args = [
        "-D",
        "6",
        "-K",
        "2",
        "-d",
        "2",
        "--seeds",
        "8",
        "--steps",
        "200",
        "--batch",
        "50,200,800,3200",
        "--noise",
        "1",
        "--format",
        "json",
    ];
    let found = document(&simulate(&args));
    let exponents = list(&found, "exponents_of_batch");
    assert_eq!(exponents.len(), 2);
    for exponent in exponents {
        let measured = &exponent["measured"];
        let (value, error) = (number(&measured["value"]), number(&measured["standard_error"]));
        assert!((value + 0.5).abs() < 0.1 && error < 0.1, "{exponent}");
    }
}

/// The paper's six settings in small: the trained student falls as the exact run does, at the
/// slope of the theorem.
#[test]
fn trained_students_fall_as_the_exact_run_does() {
    for (task, activation) in [
        ("cnn", "relu"),
        ("cnn", "leaky-relu:0.1"),
        ("gcn", "relu"),
        ("gcn", "leaky-relu:0.1"),
        ("sts", "identity"),
        ("gslp", "identity"),
    ] {
        let group = match task {
            "gcn" => "3",
            "gslp" => "1",
            _ => "2",
        };
        let args = [
            "--task",
            task,
            "-D",
            "6",
            "-K",
            group,
            "-d",
            "2",
            "--activation",
            activation,
            "--teacher-norm",
            "6",
            "--steps",
            "4000",
            "--batch",
            "50",
            "--seeds",
            "2",
            "--noise",
            "0.01",
            "--format",
            "json",
        ];
        let found = document(&simulate(&args));
        let late = &list(&found, "late")[0];
        assert_eq!((&late["from"], &late["to"]), (&json!(400), &json!(4000)));
        for slope in list(late, "slopes") {
            if slope["measure"] != "excess_loss" {
                continue;
            }
            let (trained, exact) =
                (number(&slope["trained"]["value"]), number(&slope["exact"]["value"]));
            assert!((trained - exact).abs() < 0.05, "{task} {activation}: {slope}");
            assert!((trained + 1.0).abs() < 0.15, "{task} {activation}: {slope}");
        }
        for run in list(&found, "runs") {
            let rows = list(run, "trajectory");
            assert!(number(&rows[rows.len() - 1]["cosine"]) > 0.99, "{task} {activation}");
            assert!(number(&run["attention_error"]) < 0.1, "{task} {activation}");
        }
    }
}

/// The number of steps that a checkpoint is at; none where there is none.
fn checkpoint(folder: &Path) -> Option<u64> {
    let files = std::fs::read_dir(folder).ok()?;
    files
        .filter_map(|file| {
            let path = file.ok()?.path();
            let text = std::fs::read_to_string(path).ok()?;
            serde_json::from_str::<Value>(&text).ok()?["t"].as_u64()
        })
        .max()
}

/// Killed at random moments, each after at least one new checkpoint: the run goes on, and ends in
/// the same bytes.
#[test]
fn killed_runs_go_on_to_the_same_bytes() {
    let args = small(&["--steps", "30000", "--checkpoint-every", "100"]);
    let unbroken = simulate(&small(&["--steps", "30000"]));
    assert!(unbroken.status.success());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut kills = 0;
    for _ in 0..20 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let before = checkpoint(folder.path());
        let mut child = Command::new(cargo_bin!("popgd"))
            .args(["simulate", "--quiet", "--resume", path])
            .args(&args)
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        // Until it is further than it was, and then for a moment.
        while checkpoint(folder.path()) <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let moment = Instant::now() + Duration::from_micros(random % 30_000);
        while Instant::now() < moment && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
    }
    let resumed = simulate(&[&["--resume", path], &args[..]].concat());
    assert_eq!(text(&resumed.stdout), text(&unbroken.stdout), "after {kills} kills");
    // All there is to do is done: the same once more.
    let again = simulate(&[&["--resume", path], &args[..]].concat());
    assert_eq!(again.stdout, unbroken.stdout);
}

/// A checkpoint is gone on from, and not only looked at: what is changed in it shows.
#[test]
fn what_is_kept_is_gone_on_from() {
    for model in [&[][..], &["--full-model"]] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let args = [&small(&["--seeds", "1", "--resume", path])[..], model].concat();
        let first = document(&simulate(&args));
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let mut kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        kept["w0"][0] = json!(123.5);
        std::fs::write(&file, kept.to_string()).unwrap();
        let second = document(&simulate(&args));
        assert_eq!(second["runs"][0]["value_matrix"][0][0], json!(123.5));
        assert_eq!(second["runs"][0]["trajectory"], first["runs"][0]["trajectory"]);
        // Rows that are not those of the recorded steps are of another simulation.
        kept["rows"].as_array_mut().unwrap().remove(1);
        std::fs::write(&file, kept.to_string()).unwrap();
        let refused = simulate(&args);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains("is not a checkpoint"), "{}", text(&refused.stderr));
    }
}

/// Figures that are not finite are kept like all others.
#[test]
fn inputs_without_moments_are_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let flags = ["--inputs", "t:0.01", "--steps", "10", "--at", "5", "--resume", path];
    let first = simulate(&small(&flags));
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(simulate(&small(&flags)).stdout, first.stdout);
    // And nothing is predicted of means that do not exist.
    let found = document(&simulate(&small(&["--inputs", "cauchy", "--steps", "100"])));
    let predicted = |measure: &str| {
        let slopes = list(&found["late"][0], "slopes").iter();
        slopes.clone().find(|slope| slope["measure"] == measure).unwrap()["predicted"].clone()
    };
    assert_eq!(predicted("excess_loss"), json!(-1.0));
    assert!(predicted("ood_half_square").is_null() && predicted("ood_unrelated_mean").is_null());
}

#[test]
fn checkpoints_of_others_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let args = small(&["--steps", "10", "--resume", path]);
    assert!(simulate(&args).status.success());
    let files = || std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    assert_eq!(files().count(), 2);
    // Another seed has files of its own.
    assert!(simulate(&small(&["--steps", "10", "--resume", path, "--seed", "9"])).status.success());
    assert_eq!(files().count(), 4);
    for file in files() {
        std::fs::write(file, "{\"t\": 3").unwrap();
    }
    let output = simulate(&args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("is not a checkpoint of this simulation"), "{message}");
}

#[test]
fn all_forms_of_output() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["svg", "png"] {
        let picture = folder.path().join(format!("picture.{ending}"));
        let output = simulate(&small(&["--plot", picture.to_str().unwrap()]));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let bytes = std::fs::read(&picture).unwrap();
        match ending {
            "svg" => {
                let svg = text(&bytes);
                for word in ["exact descent", "its limit law, slope −1", "S* of the teacher"] {
                    assert!(svg.contains(word), "{word}");
                }
            }
            _ => assert!(bytes.starts_with(b"\x89PNG")),
        }
    }
    let csv = text(&simulate(&small(&["--format", "csv"])).stdout);
    let mut lines = csv.lines();
    let heads = lines.next().unwrap();
    assert!(heads.starts_with("batch,run,t,batch_excess,excess_loss,"), "{heads}");
    assert!(heads.ends_with(",exact_excess_loss,exact_score_error,exact_value_error"), "{heads}");
    let fields = heads.split(',').count();
    assert!(lines.all(|line| line.split(',').count() == fields && !line.contains("NaN")));
    let table = text(&simulate(&small(&["--format", "table"])).stdout);
    for word in ["exact descent", "cos(W_V, V*)", "How far is that from the exact run?"] {
        assert!(table.contains(word), "{word}: {table}");
    }
}

/// A result is a configuration that repeats it.
#[test]
fn results_repeat_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let path = path.to_str().unwrap();
    assert!(simulate(&small(&["--output", path])).status.success());
    let again = simulate(&["--config", path, "--format", "json"]);
    assert_eq!(text(&again.stdout), std::fs::read_to_string(path).unwrap());
}

/// The picture of the notes is of the configuration that their command has now.
#[test]
fn the_picture_of_the_notes_is_of_this_configuration() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/pictures/simulate.svg");
    let kept = std::fs::read_to_string(kept).expect("it is there");
    let found = document(&simulate(&["--preset", "gcn", "--dry-run", "--format", "json"]));
    let hash = found["provenance"]["config_hash"].as_str().unwrap();
    let mend = "draw it anew: popgd simulate --preset gcn --plot cli/pictures/simulate.svg";
    assert!(kept.contains(&format!("configuration {hash}")), "{mend}");
}

#[track_caller]
fn refuses(args: &[&str], words: &[&str]) {
    let output = simulate(args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert!(output.stdout.is_empty() && message.lines().count() == 1, "{args:?}: {message}");
    for word in words {
        assert!(message.contains(word), "`{word}` is missing: {message}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    refuses(&["--batch", "0"], &["--batch", "expected 1 to"]);
    refuses(&["--batch", "ten"], &["--batch"]);
    refuses(&["--seeds", "0"], &["--seeds", "expected 1 to"]);
    refuses(&["--evaluation", "-1"], &["--evaluation"]);
    refuses(&["--checkpoint-every", "10"], &["--checkpoint-every", "--resume"]);
    refuses(&["--method", "lumped"], &["--method"]);
    refuses(&["--scalar", "f32"], &["--scalar", "f64"]);
    refuses(&["--rate", "1"], &["--rate", "stability limit"]);
    refuses(&["--tokens", "100000"], &["--tokens"]);
    let other = popgd(&["run", "--config", "/dev/null", "--batch", "3"]);
    assert_eq!(other.status.code(), Some(2));
}

#[test]
fn a_rate_that_batches_cannot_bear_is_told() {
    // Stable for the population, but not for a single sample with many features.
    let args = ["-D", "4", "-K", "2", "-d", "40", "--rate", "1.9", "--batch", "1", "--seeds", "1"];
    let output = simulate(
        &[&args[..], &["--activation", "relu", "--steps", "5000", "--teacher-norm", "1"]].concat(),
    );
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("left the range of floats") && message.contains("--batch"),
        "{message}"
    );
}

/// Figure 1 of the paper: of the whole model those blocks move that the position-only student has.
#[test]
fn the_full_model_moves_two_blocks() {
    let args = [
        "--full-model",
        "--task",
        "sts",
        "-D",
        "6",
        "-K",
        "2",
        "-d",
        "3",
        "--teacher-norm",
        "3",
        "--steps",
        "2000",
        "--batch",
        "100",
        "--seeds",
        "1",
        "--noise",
        "0.1",
        "--format",
        "json",
    ];
    let found = document(&simulate(&args));
    let run = &list(&found, "runs")[0];
    let rows = list(run, "trajectory");
    let last = &rows[rows.len() - 1];
    assert!(number(&last["cosine"]) > 0.99, "{last}");
    assert!(number(&last["value_inputs"]) > 10.0 * number(&last["value_positions"]), "{last}");
    for other in ["keys_inputs", "keys_inputs_positions", "keys_positions_inputs"] {
        assert!(number(&last["keys_positions"]) > 5.0 * number(&last[other]), "{other}: {last}");
    }
    assert!(number(&last["batch_excess"]) < 0.1 * number(&rows[0]["batch_excess"]), "{last}");
    assert_eq!(list(run, "key_query").len(), 9);
    refuses(&["--full-model", "--config", "no-such-file.toml"], &["no-such-file.toml"]);
}

#[test]
fn dry_runs_predict() {
    let output = simulate(&small(&["--dry-run"]));
    let found = document(&output);
    assert!(found["dry_run"]["expected_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!(found["config"]["batch"], json!(20));
}
