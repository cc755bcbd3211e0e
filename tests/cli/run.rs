//! `popgd run` from end to end: its figures, its forms, its files, and its early ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::cargo_bin;
use popgd::number::Exact;
use serde_json::{Map, Value, json};

fn popgd(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd")).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Standard output of a run that must succeed.
fn printed(args: &[&str]) -> String {
    let output = popgd(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn document(args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&printed(&args)).expect("JSON")
}

fn rows(document: &Value) -> &Vec<Value> {
    document["trajectory"].as_array().expect("a list of rows")
}

fn float(value: &Value) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| panic!("a number: {value}"))
}

/// A file in a folder, as text for the command line.
fn within(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().expect("UTF-8").to_owned()
}

fn reference(name: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/reference").join(name);
    let text = std::fs::read_to_string(&path).expect("reference data");
    serde_json::from_str(&text).expect("JSON")
}

/// A reference figure: a number, or decimal digits in a string.
fn figure(value: &Value) -> f64 {
    value.as_str().map_or_else(|| float(value), |digits| digits.parse().expect("digits"))
}

/// Runs a reference configuration over its steps, and compares all figures.
fn agrees_with_reference(case: &Value, extra: &[&str], tolerance: f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = case["trajectory"].as_array().expect("rows");
    let steps: Vec<Value> = expected.iter().map(|row| row["t"].clone()).collect();
    let mut config = case["config"].as_object().cloned().unwrap_or_else(|| {
        let without = |key: &str| !["trajectory", "name"].contains(&key);
        case.as_object()
            .expect("a map")
            .iter()
            .filter(|(key, _)| without(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    });
    config.insert("steps".into(), steps.last().expect("a step").clone());
    config.insert("at".into(), Value::Array(steps));
    let path = within(&folder, "case.json");
    std::fs::write(&path, Value::Object(config).to_string()).expect("a file");

    let args: Vec<&str> = ["run", "--config", &path].iter().chain(extra).copied().collect();
    let found = document(&args);
    assert_eq!(rows(&found).len(), expected.len());
    for (row, expected) in rows(&found).iter().zip(expected) {
        assert_eq!(row["t"], expected["t"]);
        for key in ["c1", "c2", "c3", "excess_loss", "score_error", "value_error"] {
            if expected.get(key).is_none() || row.get(key).is_none() {
                continue;
            }
            let wanted = figure(&expected[key]);
            let got = float(&row[key]);
            assert!(
                (got - wanted).abs() <= tolerance * wanted.abs(),
                "{key} at {}: {got} instead of {wanted}",
                row["t"]
            );
        }
    }
}

#[test]
fn figures_are_those_of_the_reference() {
    for case in reference("reduced.json") {
        agrees_with_reference(&case, &[], 1e-10);
        agrees_with_reference(&case, &["--scalar", "f32"], 1e-3);
    }
    for case in reference("dense.json") {
        agrees_with_reference(&case, &[], 1e-10);
    }
}

#[test]
fn a_dense_run_has_the_figures_of_the_lumped_one() {
    let common = ["run", "-D", "12", "-K", "3", "-T", "200", "--at", "1,10,200"];
    let lumped = document(&common);
    let dense = document(&[&common[..], &["--method", "dense"]].concat());
    for (a, b) in rows(&lumped).iter().zip(rows(&dense)) {
        for key in ["excess_loss", "score_error", "value_error"] {
            let (a, b) = (float(&a[key]), float(&b[key]));
            assert!((a - b).abs() < 1e-12 * a.abs(), "{key}: {a} and {b}");
        }
        assert!(a.get("c1").is_some() && b.get("c1").is_none());
    }
}

#[test]
fn intervals_enclose_the_floats() {
    let common = ["run", "-D", "8", "-K", "2", "-T", "100", "--at", "1,10,100"];
    let floats = document(&common);
    for scalar in ["interval64", "interval32"] {
        let enclosures = document(&[&common[..], &["--scalar", scalar]].concat());
        for (x, set) in rows(&floats).iter().zip(rows(&enclosures)) {
            for key in ["c1", "c2", "c3", "excess_loss", "score_error", "value_error"] {
                let (x, lo, hi) = (float(&x[key]), float(&set[key]["lo"]), float(&set[key]["hi"]));
                assert!(lo <= x && x <= hi, "{key}: {lo} {x} {hi}");
            }
        }
    }
}

/// Ends in single precision are read as doubles by nearly everyone, and must enclose then too.
#[test]
fn ends_enclose_for_readers_of_doubles() {
    // All tokens are one group: every figure is a dyadic rational, and c is known by hand.
    let common = ["run", "-D", "4", "-K", "4", "-T", "3", "--at", "2"];
    let wide = document(&[&common[..], &["--scalar", "interval32"]].concat());
    let narrow = document(&[&common[..], &["--scalar", "interval64"]].concat());
    let csv = printed(&[&common[..], &["--scalar", "interval32", "--format", "csv"]].concat());
    for (row, exact) in rows(&wide).iter().zip(rows(&narrow)) {
        for key in ["c1", "excess_loss", "value_error"] {
            let (lo, hi) = (float(&row[key]["lo"]), float(&row[key]["hi"]));
            let (below, above) = (float(&exact[key]["lo"]), float(&exact[key]["hi"]));
            assert!(lo <= below && above <= hi, "{key}: {row} and {exact}");
            // Either reading of the digits is the same number.
            for end in [&row[key]["lo"], &row[key]["hi"]] {
                let single = end.to_string().parse::<f32>().expect("digits");
                assert_eq!(f64::from(single), float(end), "{key}");
            }
            assert!(csv.contains(&format!("{lo:?},{hi:?}")), "{key}: {lo:?} in\n{csv}");
        }
    }
}

#[test]
fn enclosures_hold_for_positions_that_are_nearly_orthogonal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "p.toml");
    let config = "s = [[1, 0], [0, 1]]\nv = [[1]]\nsteps = 20\nat = [20]\n\
                  p = [[1.0000000000004, 0], [0, 1.0000000000004]]\nlogit_gain = 0.5";
    std::fs::write(&path, config).expect("a file");
    let args = ["run", "--config", &path, "--scalar", "interval64"];
    let found = document(&args);
    // PᵀP = (1 + 4e-13)² I: the same run for the identity and the gain 0.5 (1 + 4e-13)⁴.
    let stretch = Exact::parse("1.0000000000004").expect("a number").square().square();
    let gain = (&stretch * &Exact::parse("0.5").expect("a number")).to_string();
    let exact = ["--logit-gain", gain.as_str()];
    let plain = "s = [[1, 0], [0, 1]]\nv = [[1]]\nsteps = 20\nat = [20]";
    let other = within(&folder, "i.toml");
    std::fs::write(&other, plain).expect("a file");
    let args = ["run", "--config", &other, "--scalar", "interval64"];
    let wanted = document(&[&args[..], &exact].concat());
    let (found, wanted) = (&rows(&found)[0], &rows(&wanted)[0]);
    for key in ["excess_loss", "score_error", "value_error"] {
        let [a, b] = [found, wanted].map(|row| (float(&row[key]["lo"]), float(&row[key]["hi"])));
        assert!(a.0 <= b.1 && b.0 <= a.1, "{key}: {a:?} and {b:?} share a number");
    }
}

#[test]
fn all_forms_tell_the_same() {
    let common = ["run", "-T", "100", "--at", "10,100"];
    let json = document(&common);
    let csv = printed(&[&common[..], &["--format", "csv"]].concat());
    let table = printed(&common);

    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("t,c1,c2,c3,excess_loss,score_error,value_error"));
    for (line, row) in lines.zip(rows(&json)) {
        let fields: Vec<f64> =
            line.split(',').map(|field| field.parse().expect("digits")).collect();
        let keys = ["t", "c1", "c2", "c3", "excess_loss", "score_error", "value_error"];
        for (field, key) in fields.iter().zip(keys) {
            assert_eq!(field.to_bits(), float(&row[key]).to_bits(), "{key}");
        }
    }
    for head in ["C1", "C2", "C3", "excess loss", "score error", "value error", "D = 36 tokens"] {
        assert!(table.contains(head), "{head} in\n{table}");
    }
    assert!(!table.contains('\u{1b}'), "no colours into a pipe");
    let coloured = printed(&[&common[..], &["--color", "always"]].concat());
    assert!(coloured.contains('\u{1b}'));

    for scalar in ["interval64", "interval32"] {
        let csv = printed(&[&common[..], &["--format", "csv", "--scalar", scalar]].concat());
        assert!(csv.starts_with("t,c1_lo,c1_hi,c2_lo,"), "{csv}");
        assert!(csv.lines().all(|line| line.split(',').count() == 13));
    }
}

#[test]
fn documents_say_where_they_come_from() {
    let one = document(&["run", "-T", "10", "--seed", "7"]);
    assert_eq!(one["schema"], json!(1));
    assert_eq!(one["command"], json!("run"));
    assert_eq!(one["popgd"], json!(env!("CARGO_PKG_VERSION")));
    let provenance = &one["provenance"];
    assert_eq!(provenance["seed"], json!(7));
    assert_eq!(provenance["scalar"], json!("f64"));
    assert!(provenance["libm"].is_string() && provenance["config_hash"].is_string());
    assert!(one.get("stopped").is_none());

    let again = document(&["run", "-T", "10", "--seed", "7"]);
    assert_eq!(one, again, "the same configuration, the same document");
    let other = document(&["run", "-T", "11", "--seed", "7"]);
    assert_ne!(provenance["config_hash"], other["provenance"]["config_hash"]);

    let seed = ((1_u64 << 53) + 1).to_string();
    let large = document(&["run", "-T", "10", "--seed", &seed]);
    assert_eq!(large["provenance"]["seed"], json!(seed));
}

#[test]
fn single_precision_is_printed_with_its_own_digits() {
    let found = document(&["run", "-T", "1", "--at", "1", "--scalar", "f32", "--rate", "0.1"]);
    let digits = rows(&found)[0]["c1"].to_string();
    assert!(digits.len() <= 12, "{digits}");
    // c(1) = η α Σ ⟨s, s*⟩ = 0.1 · ½ · 1.
    assert_eq!(digits.parse::<f32>().expect("digits").to_bits(), 0.05_f32.to_bits());
}

#[test]
fn output_files_appear_whole_and_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "out.json");
    std::fs::write(&path, "old").expect("a file");
    let output = popgd(&["run", "-T", "10", "--format", "json", "--output", &path]);
    assert!(output.status.success() && output.stdout.is_empty());
    let written: Value =
        serde_json::from_slice(&std::fs::read(&path).expect("it is there")).expect("JSON");
    assert_eq!(rows(&written).last().expect("a row")["t"], json!(10));
    let names = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 1, "no temporary file is left");

    let nowhere = within(&folder, "missing/out.json");
    let output = popgd(&["run", "-T", "10", "--output", &nowhere]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--output"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_a_failure() {
    let output = popgd(&["run", "-T", "10", "--output", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(cargo_bin!("popgd"))
        .args(["run", "-T", "100000", "--points-per-decade", "1000", "--format", "csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{:?}", output.status);
    assert_eq!(text(&output.stderr), "");
}

#[test]
#[cfg(unix)]
fn links_stay_links() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("real")).expect("a folder");
    let link = within(&folder, "link.json");
    // To what is not there yet, and then to what is.
    std::os::unix::fs::symlink("real/out.json", &link).expect("a link");
    for _ in 0..2 {
        printed(&["run", "-T", "10", "--format", "json", "--output", &link]);
        let kind = std::fs::symlink_metadata(&link).expect("it is there").file_type();
        assert!(kind.is_symlink());
        assert!(folder.path().join("real/out.json").is_file());
    }
}

#[test]
fn no_message_names_a_temporary_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = within(&folder, "missing/out.json");
    for more in [&[][..], &["--dry-run"]] {
        let args = [&["run", "-T", "10", "--save-state", &nowhere], more].concat();
        let output = popgd(&args);
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.contains("missing/out.json") && !message.contains(".popgd-"), "{message}");
    }
}

/// A saved state is a configuration, and goes on as if it had not been stopped.
#[test]
fn a_saved_document_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let general = within(&folder, "general.toml");
    let config = "s = [[0.5, 0, 0.25], [0.5, 0.5, 0], [0, 0.5, 0.75]]\nv = [[1, 2]]\n\
                  p = [[1, 0.5, 0], [0, 1, 0.25], [0.125, 0, 1]]\nrate = 0.1\nmethod = \"dense\"";
    std::fs::write(&general, config).expect("a file");
    let plain = ["--accumulate", "plain"];
    let lumped = [&["-D", "12", "-K", "3"][..], &plain].concat();
    let dense = [&["-D", "6", "-K", "2", "--method", "dense"][..], &plain].concat();
    let positions = [&["--config", &general][..], &plain].concat();
    for (name, model) in [("lumped", &lumped), ("dense", &dense), ("positions", &positions)] {
        let path = within(&folder, &format!("{name}.json"));
        let run = [&["run"], &model[..]].concat();
        printed(&[&run[..], &["-T", "50", "--save-state", &path]].concat());
        let second = document(&["run", "--config", &path, "-T", "30", "--at", "30"]);
        let whole = document(&[&run[..], &["-T", "80", "--at", "80"]].concat());
        let end = |document: &Value| {
            let mut row = rows(document).last().expect("a row").clone();
            row.as_object_mut().expect("a map").remove("t");
            row
        };
        assert_eq!(end(&second), end(&whole), "{name}: to the last bit");
    }
    // A result without a state repeats its run.
    let once = document(&["run", "-D", "12", "-K", "3", "-T", "40"]);
    let path = within(&folder, "once.json");
    std::fs::write(&path, once.to_string()).expect("a file");
    assert_eq!(document(&["run", "--config", &path]), once);
    let mut other = once;
    other["schema"] = json!(2);
    std::fs::write(&path, other.to_string()).expect("a file");
    let output = popgd(&["run", "--config", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("schema"), "{}", text(&output.stderr));
}

#[test]
fn saved_enclosures_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "state.json");
    for scalar in ["interval32", "interval64"] {
        for method in ["lumped", "dense"] {
            let run = ["run", "-D", "6", "-K", "2", "--method", method, "--scalar", scalar];
            printed(&[&run[..], &["-T", "20", "--save-state", &path]].concat());
            let second = document(&["run", "--config", &path, "-T", "10", "--at", "10"]);
            let floats = ["run", "-D", "6", "-K", "2", "--method", method];
            let whole = document(&[&floats[..], &["-T", "30", "--at", "30"]].concat());
            let (second, whole) = (&rows(&second)[0], &rows(&whole)[0]);
            for key in ["excess_loss", "score_error", "value_error"] {
                let (lo, hi) = (float(&second[key]["lo"]), float(&second[key]["hi"]));
                let x = float(&whole[key]);
                assert!(lo <= x && x <= hi && lo < hi, "{scalar} {method} {key}: {lo} {x} {hi}");
            }
        }
    }
    let output = popgd(&["run", "--config", &path, "--scalar", "f64"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("enclosure"), "{}", text(&output.stderr));
}

#[test]
fn digits_are_grouped_and_counted() {
    let table = printed(&["run", "-D", "10^9", "-K", "10^6", "-T", "1"]);
    assert!(table.contains("D = 1,000,000,000 tokens, K = 1,000,000"), "{table}");
    let table = printed(&["run", "--task", "gslp", "-D", "1", "-T", "1"]);
    assert!(table.contains("D = 1 token,"), "{table}");
}

/// The state in a file as the start of a configuration.
fn continued(path: &str, keys: &[&str], folder: &tempfile::TempDir) -> String {
    let saved: Value =
        serde_json::from_slice(&std::fs::read(path).expect("it is there")).expect("JSON");
    let start: Map<String, Value> =
        keys.iter().map(|&key| (key.to_owned(), saved[key].clone())).collect();
    let config = within(folder, "continued.json");
    std::fs::write(&config, Value::Object(start).to_string()).expect("a file");
    config
}

#[test]
fn a_saved_state_continues_a_lumped_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "state.json");
    // Without carries the state is all there is, and the continuation exact.
    let common = ["run", "-D", "12", "-K", "3", "--accumulate", "plain"];
    printed(&[&common[..], &["-T", "500", "--save-state", &path]].concat());
    let config = continued(&path, &["state"], &folder);
    let second =
        document(&[&common[..], &["-T", "300", "--at", "300", "--config", &config]].concat());
    let whole = document(&[&common[..], &["-T", "800", "--at", "800"]].concat());
    let (second, whole) =
        (rows(&second).last().expect("a row"), rows(&whole).last().expect("a row"));
    for key in ["c1", "c2", "c3", "excess_loss", "score_error", "value_error"] {
        assert_eq!(second[key], whole[key], "{key}");
    }
}

#[test]
fn a_saved_state_continues_a_dense_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "state.json");
    let common = ["run", "-D", "6", "-K", "2", "--method", "dense"];
    printed(&[&common[..], &["-T", "50", "--save-state", &path]].concat());
    let config = continued(&path, &["w0", "kq0"], &folder);
    let second =
        document(&[&common[..], &["-T", "30", "--at", "30", "--config", &config]].concat());
    let whole = document(&[&common[..], &["-T", "80", "--at", "80"]].concat());
    let (second, whole) =
        (rows(&second).last().expect("a row"), rows(&whole).last().expect("a row"));
    for key in ["excess_loss", "score_error", "value_error"] {
        let (a, b) = (float(&second[key]), float(&whole[key]));
        assert!((a - b).abs() < 1e-12 * b.abs(), "{key}: {a} and {b}");
    }
}

#[test]
fn dense_states_are_numpy_arrays() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "end.npy");
    let args = ["run", "-D", "6", "-K", "2", "-M", "3", "-d", "5", "--method", "dense", "-T", "20"];
    printed(&[&args[..], &["--save-state", &path]].concat());
    let read = |name: &str| {
        let bytes = std::fs::read(folder.path().join(name)).expect("it is there");
        let file = npyz::NpyFile::new(&bytes[..]).expect("an array");
        let shape = file.shape().to_vec();
        (shape, file.into_vec::<f64>().expect("numbers"))
    };
    assert_eq!(read("end-value-matrix.npy").0, [3, 5]);
    let (shape, scores) = read("end-scores.npy");
    assert_eq!(shape, [6, 6]);
    // As on paper: columns sum to 1.
    for column in 0..6 {
        let sum: f64 = scores.iter().skip(column).step_by(6).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
    assert_eq!(read("end-logits.npy").0, [6, 6]);

    let output = popgd(&["run", "-T", "10", "--save-state", &path]);
    assert_eq!(output.status.code(), Some(2), "a lumped run has no arrays");
    assert!(text(&output.stderr).contains("--method dense"));
}

#[test]
fn pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let svg = within(&folder, "run.svg");
    let png = within(&folder, "run.PNG");
    printed(&["run", "-T", "1000", "--plot", &svg]);
    let drawn = std::fs::read_to_string(&svg).expect("it is there");
    for part in ["score error", "value error", "excess loss", "steps T", "D = 36 tokens"] {
        assert!(drawn.contains(part), "{part}");
    }
    let metadata = drawn.split("<metadata>").nth(1).and_then(|rest| rest.split('<').next());
    let metadata: Value = serde_json::from_str(metadata.expect("metadata")).expect("JSON");
    assert_eq!(metadata["config"]["tokens"], json!(36));

    printed(&["run", "-T", "1000", "--plot", &png]);
    let drawn = std::fs::read(&png).expect("it is there");
    assert!(drawn.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(drawn.windows(8).any(|bytes| bytes == b"fnv1a64:"), "provenance");

    let output = popgd(&["run", "-T", "10", "--plot", &within(&folder, "run.gif")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!Path::new(&within(&folder, "run.gif")).exists());
}

#[test]
fn an_enclosure_without_bound_ends_the_run() {
    let args = ["run", "-D", "8", "-K", "2", "-T", "5000", "--scalar", "interval64"];
    let output = popgd(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("at step"), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["stopped"]["reason"], json!("not_finite"));
    assert!(!rows(&found).is_empty());
}

#[test]
fn a_float_out_of_range_is_a_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = within(&folder, "far.toml");
    std::fs::write(&config, "state = { c = 1e300, logits = [1, 0] }").expect("a file");
    let output = popgd(&["run", "--config", &config, "-T", "10", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("step 0 is not finite"), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(rows(&found).is_empty());
}

#[test]
fn a_dry_run_plans_and_does_nothing() {
    let plan = document(&["run", "-D", "36", "-K", "4", "-T", "10^15", "--dry-run"]);
    assert!(plan.get("trajectory").is_none());
    let stability = &plan["dry_run"]["stability"];
    // 2K/(gD) for both: the limit of differences within a group, 2K²/(gκv²), is far beyond.
    assert!((float(&stability["lumped_limit"]) - 4.0 / 9.0).abs() < 1e-9);
    assert!((float(&stability["dense_limit"]) - 4.0 / 9.0).abs() < 1e-9);
    assert!(float(&plan["dry_run"]["expected_seconds"]) > 1e5);
    assert!(float(&plan["dry_run"]["burn_in_steps"]) > 1e4);
    let table = printed(&["run", "-T", "10^15", "--dry-run"]);
    assert!(table.contains("stability") && table.contains("run time"), "{table}");
}

/// Starts a run that does not end by itself, and waits until it is on its way.
#[cfg(unix)]
fn endless(folder: &tempfile::TempDir, more: &[&str]) -> std::process::Child {
    let child = Command::new(cargo_bin!("popgd"))
        .args(["run", "-T", "10^15", "--format", "json"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Its temporary files are made when all is understood.
    for _ in 0..500 {
        if std::fs::read_dir(folder.path()).expect("a folder").count() > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    child
}

#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

#[test]
#[cfg(unix)]
fn a_second_signal_ends_at_once_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "state.json");
    // One step of a large dense run takes longer than the second signal is away.
    let child = endless(&folder, &["--method", "dense", "-D", "1024", "--save-state", &path]);
    for name in ["-TERM", "-INT"] {
        signal(&child, name);
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let rest: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    assert!(
        rest.iter().flatten().all(|entry| entry.file_name() == "state.json"),
        "no temporary file is left: {rest:?}"
    );
}

#[test]
#[cfg(unix)]
fn a_hangup_is_left_to_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "state.json");
    let mut child = endless(&folder, &["--save-state", &path]);
    signal(&child, "-HUP");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), None, "ended by the signal itself, which nohup turns off");
}

#[test]
#[cfg(unix)]
fn an_interrupt_writes_what_was_computed() {
    for name in ["-INT", "-TERM"] {
        stopped_by(name);
    }
}

#[cfg(unix)]
fn stopped_by(name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = within(&folder, "state.json");
    let child = endless(&folder, &["--save-state", &path]);
    signal(&child, name);
    let output = child.wait_with_output().expect("it ends");
    let names = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 1, "no temporary file is left");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["stopped"]["reason"], json!("interrupted"));
    let last = rows(&found).last().expect("a row");
    assert_eq!(last["t"], found["stopped"]["t"], "the last state is recorded");
    let saved: Value = serde_json::from_slice(&std::fs::read(&path).expect("saved")).expect("JSON");
    assert_eq!(saved["t"], last["t"]);
    assert_eq!(saved["state"]["c"], last["c1"]);
}
