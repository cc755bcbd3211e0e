//! `popgd ood` from end to end: the moment check, the gap beside its bound, data, and what is
//! refused.

use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

fn popgd(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd")).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// A problem that is late after some hundred steps.
const QUICK: [&str; 9] = ["ood", "-q", "-D", "8", "-K", "2", "--teacher-norm", "4", "--steps"];

/// The exit code, the document, and standard error.
fn run(steps: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    let args = [&QUICK[..], &[steps, "--format", "json"], more].concat();
    let output = popgd(&args);
    let document = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), document, text(&output.stderr))
}

fn document(steps: &str, more: &[&str]) -> Value {
    let (code, document, error) = run(steps, more);
    assert_eq!(code, Some(0), "{more:?}: {error}");
    document
}

fn number(value: &Value) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| panic!("not a number: {value}"))
}

fn gaps(document: &Value) -> &[Value] {
    document["gaps"].as_array().expect("gaps")
}

fn slope(document: &Value, of: &str) -> f64 {
    let slopes = document["slopes"].as_array().expect("slopes");
    number(&slopes.iter().find(|slope| slope["of"] == of).expect("a slope")["slope"])
}

/// A teacher that is 0 on all inputs: there is nothing to lose, and no limit to speak of.
#[test]
fn a_teacher_of_zeros_leaves_nothing_to_lose() {
    // For these seeds V* is negative, and exponential inputs are not.
    let mut zeros = 0;
    for seed in ["0", "1", "2", "3", "4", "5", "6", "7"] {
        let args = ["ood", "-q", "-d", "1", "-M", "1", "--labels", "worst", "-T", "100"];
        let more = ["--samples", "500", "--seed", seed, "--format", "json"];
        let output = popgd(&[&args[..], &more].concat());
        assert!(output.status.success(), "{seed}: {}", text(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let last = found["gaps"].as_array().unwrap().last().unwrap();
        if last["square_distance"]["value"] == 0.0 {
            zeros += 1;
            assert_eq!(last["gap"]["value"], 0.0, "{seed}");
            assert!(found.get("sharp_constant").is_none_or(Value::is_null), "{found}");
        }
    }
    assert!(zeros > 0);
}

/// Of laws with tails too heavy for so many samples, no standard error is told: it would be as wrong
/// as the mean.
#[test]
fn errors_of_heavy_tails_are_not_told() {
    for (law, told) in [
        ("lognormal:3", false),
        ("0.999999*gaussian+0.000001*gaussian:3000", false),
        ("lognormal:0.5", true),
    ] {
        let args = ["ood", "-q", "-D", "6", "-K", "2", "--inputs", law, "-T", "100", "--at", "100"];
        let output = popgd(&[&args[..], &["--samples", "4000", "--format", "json"]].concat());
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let error = &found["gaps"][0]["square_distance"]["standard_error"];
        assert_eq!(!error.is_null(), told, "{law}: {error}");
    }
}

#[test]
fn gaps_are_below_their_bounds_and_fall_as_they_should() {
    // T was fixed before anything was run.
    for inputs in ["exponential", "laplace", "t:5", "gumbel"] {
        for (labels, power) in [("teacher", -1.0), ("worst", -0.5)] {
            let args = ["--inputs", inputs, "--labels", labels, "--samples", "4000"];
            let found = document("10^6", &args);
            assert_eq!(found["moments"]["verdict"], "holds");
            for row in gaps(&found) {
                // For symmetric laws and ReLU the bound is the gap in the limit: a sample may be
                // above it, by less than four standard errors.
                let (gap, bound) = (number(&row["gap"]["value"]), number(&row["bound"]));
                let error = row["gap"].get("standard_error").map_or(0.0, number);
                assert!(error.is_finite() && error < 0.1 * gap.abs(), "{inputs} {labels}: {row}");
                let room = 4.0 * error + 1e-9 * bound;
                assert!(gap.abs() <= bound + room, "{inputs} {labels}: {row}");
                assert_eq!(row["is_below"], true);
            }
            for of in ["population_gap", "bound"] {
                let slope = slope(&found, of);
                assert!((slope - power).abs() < 0.05, "{inputs} {labels} {of}: {slope}");
            }
        }
    }
}

#[test]
fn the_sharp_constant_is_met_within_a_percent() {
    for (inputs, activation) in
        [("gaussian:2", "relu"), ("exponential", "identity"), ("uniform", "identity")]
    {
        let args = ["--inputs", inputs, "--activation", activation, "--samples", "256"];
        let sharp = document("3e6", &args);
        let ratio = number(&sharp["sharp_constant"]["at_end_over_limit"]);
        assert!((ratio - 1.0).abs() < 0.01, "{inputs} {activation}: {ratio}");
        assert_eq!(gaps(&sharp)[0]["gap"]["status"], "cited");
    }
    // Measured, for a law without closed form.
    let sharp = document("3e6", &["--inputs", "laplace", "--samples", "100000"]);
    let sharp = &sharp["sharp_constant"];
    let (ratio, error) = (number(&sharp["at_end_over_limit"]), number(&sharp["standard_error"]));
    assert!(error < 0.01 && (ratio - 1.0).abs() < 0.01 + 3.0 * error, "{sharp}");
}

#[test]
fn laws_without_second_moments_are_refused() {
    for (inputs, word) in [("t:2", "ν > 2"), ("cauchy", "Cauchy"), ("pareto:2", "α > 2")] {
        let (code, document, error) = run("100", &["--inputs", inputs]);
        assert_eq!(code, Some(3), "{error}");
        assert_eq!(document["moments"]["verdict"], "fails");
        assert_eq!(document["moments"]["largest"], "inf");
        assert!(document.get("gaps").is_none());
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains("the hypothesis of Theorem 3.2 fails") && error.contains(word));
    }
    let (code, ..) = run("100", &["--inputs", "t:2.1", "--samples", "500"]);
    assert_eq!(code, Some(0));
}

#[test]
fn what_is_proven_of_epsilon_is_seen() {
    let args = ["--inputs", "laplace", "--labels", "zero", "--epsilon", "0.5", "--samples", "256"];
    let found = document("2000", &args);
    let theorem = &found["theorem"];
    assert_eq!((&theorem["verdict"], &theorem["status"]), (&"holds".into(), &"proven".into()));
    let steps = number(&theorem["steps"]) as u64;
    assert!(steps > number(&theorem["proven_from"]) as u64);
    assert!(number(&theorem["steps_over_stated"]) < 1.0);
    // The bound at that step and at later ones is not above ε, and not far below at first.
    let (last, at) = ((4 * steps).to_string(), format!("{steps},{}", 2 * steps));
    let later = document(&last, &[&args[..], &["--at", &at]].concat());
    let bounds: Vec<f64> = gaps(&later).iter().map(|row| number(&row["bound"])).collect();
    assert!(bounds.iter().all(|bound| *bound <= 0.5), "{bounds:?}");
    assert!(bounds[0] > 0.45, "{bounds:?}");
}

#[test]
fn noise_on_few_samples_halves_the_slope() {
    // Long past the step from which noise dominates, and long before it.
    let noisy = document("10^6", &["--noise", "3", "--samples", "1000", "--batch", "50"]);
    assert!(number(&noisy["noise_dominates_batch_from"]) < 1e5);
    assert!((slope(&noisy, "batch_gap") + 0.5).abs() < 0.05);
    assert!((slope(&noisy, "population_gap") + 1.0).abs() < 0.05);
    let quiet = document("10^6", &["--samples", "1000", "--batch", "50"]);
    assert!((slope(&quiet, "batch_gap") + 1.0).abs() < 0.05);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let args = |threads| ["--labels", "another", "--samples", "3000", "--threads", threads];
    let first = popgd(&[&QUICK[..], &["500"], &args("1")].concat());
    for threads in ["2", "7"] {
        let other = popgd(&[&QUICK[..], &["500"], &args(threads)].concat());
        assert_eq!(text(&first.stdout), text(&other.stdout));
    }
    assert!(first.status.success());
}

/// Rows of numbers that look random, in [−1, 1].
fn rows(count: usize, length: usize) -> Vec<Vec<f64>> {
    let golden = 0.618_033_988_749_894_9;
    let entry = |at: usize| 2.0 * ((at * at) as f64 * golden + at as f64 * 0.7).fract() - 1.0;
    (0..count).map(|r| (0..length).map(|c| entry(1 + r * length + c)).collect()).collect()
}

fn csv(rows: &[Vec<f64>]) -> Vec<u8> {
    let line = |row: &Vec<f64>| {
        let texts: Vec<String> = row.iter().map(|x| format!("{x:?}")).collect();
        texts.join(",") + "\n"
    };
    rows.iter().map(line).collect::<String>().into_bytes()
}

fn jsonl(rows: &[Vec<f64>], width: usize) -> Vec<u8> {
    let line = |row: &Vec<f64>| {
        let nested: Vec<Vec<f64>> = row.chunks(width).map(<[f64]>::to_vec).collect();
        format!("{}\n", serde_json::to_string(&nested).expect("JSON"))
    };
    rows.iter().map(line).collect::<String>().into_bytes()
}

/// Version 1.0, as NumPy writes it.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).expect("short").to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn bytes(rows: &[Vec<f64>]) -> Vec<u8> {
    rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    path.to_str().expect("UTF-8").to_owned()
}

/// The quantiles of a law of this tail index, to both sides, and some at the median.
fn heavy(index: f64, count: usize) -> Vec<Vec<f64>> {
    let sign = |at: usize| [1.0, 0.0, -1.0][at % 3];
    let value = |at: usize| sign(at) * ((at as f64 + 0.5) / count as f64).powf(-1.0 / index);
    (0..count).map(|at| vec![value(at); 8]).collect()
}

const DATA: [&str; 6] = ["-d", "3", "-M", "2", "--activation", "leaky-relu:0.2"];

#[test]
fn data_are_the_same_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inputs, responses) = (rows(700, 24), rows(700, 16));
    let files = [
        ("x.csv", "y.csv", csv(&inputs), csv(&responses)),
        ("x.jsonl", "y.jsonl", jsonl(&inputs, 8), jsonl(&responses, 8)),
        (
            "x.npy",
            "y.npy",
            npy("<f8", false, "(700, 3, 8)", &bytes(&inputs)),
            npy("<f8", false, "(700, 16)", &bytes(&responses)),
        ),
    ];
    let mut known: Option<Value> = None;
    for (x, y, inputs, responses) in files {
        let inputs = write(folder.path(), x, &inputs);
        let responses = write(folder.path(), y, &responses);
        let args = [&DATA[..], &["--inputs", &inputs, "--labels", &responses]].concat();
        let mut found = document("2000", &args);
        assert_eq!(found["moments"]["samples"], 700);
        for key in ["config", "provenance"] {
            found.as_object_mut().expect("a map").remove(key);
        }
        assert_eq!(known.get_or_insert_with(|| found.clone()), &found, "{x}");
    }
}

/// Over several blocks of a file, too.
#[test]
fn data_give_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = npy("<f8", false, "(12000, 24)", &bytes(&rows(12000, 24)));
    let inputs = write(folder.path(), "x.npy", &inputs);
    let responses = npy("<f8", false, "(12000, 16)", &bytes(&rows(12000, 16)));
    let responses = write(folder.path(), "y.npy", &responses);
    let of = |threads: &str| {
        let args = ["--inputs", &inputs, "--labels", &responses, "--threads", threads];
        let found = document("300", &[&DATA[..], &args].concat());
        assert_eq!(found["moments"]["samples"], 12000);
        found.to_string()
    };
    let first = of("1");
    for threads in ["2", "3"] {
        assert_eq!(of(threads), first);
    }
}

#[test]
fn responses_are_labels() {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = write(folder.path(), "x.csv", &csv(&rows(300, 24)));
    let zeros = write(folder.path(), "y.csv", &csv(&vec![vec![0.0; 16]; 300]));
    let gap = |labels: &str| {
        let args = [&DATA[..], &["--inputs", &inputs, "--labels", labels]].concat();
        let found = document("300", &args);
        assert!(gaps(&found).iter().all(|row| row["is_below"] == true));
        gaps(&found).iter().map(|row| number(&row["gap"]["value"])).collect::<Vec<_>>()
    };
    assert_eq!(gap(&zeros), gap("zero"));
}

#[test]
fn what_is_wrong_with_data_is_one_line_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = rows(20, 24);
    let changed = |at: usize, text: &str| {
        let mut lines: Vec<String> =
            text_of(&good).lines().map(|line| format!("{line}\n")).collect();
        lines[at] = format!("{text}\n");
        lines.concat().into_bytes()
    };
    let with = |value: &str| format!("{}{value}", "0.5,".repeat(23));
    let data = bytes(&good);
    let mut spoiled = data.clone();
    spoiled[8 * 30..8 * 31].copy_from_slice(&f64::INFINITY.to_le_bytes());
    let at_byte = format!("byte {}", 128 + 8 * 30);
    // Comments, blank lines, quotes and a byte order mark are no records, and are counted.
    let hidden = [
        b"\xef\xbb\xbf# a comment\n\n".to_vec(),
        csv(&good[..2]),
        b"# another\n\n".to_vec(),
        format!("{}\"x\"\n", "\"0.5\",".repeat(23)).into_bytes(),
    ];
    let long = vec![b'1'; 1 << 18];
    let cases: [(&str, Vec<u8>, &[&str]); 24] = [
        ("a.csv", hidden.concat(), &["a.csv:7", "column 24", "not a number"]),
        ("a.csv", long.clone(), &["a.csv:1", "longer than"]),
        ("a.jsonl", [&b"\xef\xbb\xbf"[..], &long].concat(), &["a.jsonl:1", "longer than"]),
        ("a.jsonl", b"\n[\xff]\n".to_vec(), &["a.jsonl:2", "byte 2", "UTF-8"]),
        ("a.csv", changed(4, "1,2,3"), &["a.csv:5", "24 numbers", "found 3"]),
        ("a.csv", changed(2, &with("nan")), &["a.csv:3", "column 24", "not finite"]),
        ("a.csv", changed(2, &with("-inf")), &["a.csv:3", "not finite"]),
        ("a.csv", changed(2, &with("x")), &["a.csv:3", "column 24", "not a number"]),
        ("a.csv", changed(0, &with("1").replace(',', ";")), &["a.csv:1", "semicolons"]),
        ("a.csv", Vec::new(), &["empty"]),
        ("a.csv", b"# nothing\n".to_vec(), &["empty"]),
        ("a.csv", vec![0xff, 0xfe, b'\n'], &["a.csv:"]),
        ("a.jsonl", b"[1,2]\n".to_vec(), &["a.jsonl:1", "found 2"]),
        ("a.jsonl", b"\n[[1],[2]]\n".to_vec(), &["a.jsonl:2", "3 rows"]),
        ("a.jsonl", b"[[1],[2],[3]]\n".to_vec(), &["a.jsonl:1", "row 1"]),
        ("a.jsonl", b"[NaN]\n".to_vec(), &["a.jsonl:1", "invalid JSON"]),
        ("a.jsonl", b"{\"x\": 1}\n".to_vec(), &["a.jsonl:1", "invalid JSON"]),
        ("a.jsonl", Vec::new(), &["empty"]),
        ("a.npy", npy("<f8", false, "(20, 24)", &data[..800]), &["truncated", "800"]),
        ("a.npy", npy("<f8", false, "(20, 23)", &data), &["n × 24", "20 × 23"]),
        ("a.npy", npy("<f8", true, "(20, 24)", &data), &["Fortran"]),
        ("a.npy", npy("<f8", true, "(1, 3, 8)", &data[..8 * 24]), &["Fortran"]),
        ("a.npy", npy("<f8", false, "(20, 24)", &spoiled), &["record 2", "number 7", &at_byte]),
        ("a.npy", npy("<f8", false, "(0, 24)", &[]), &["empty"]),
    ];
    for (name, content, words) in cases {
        let path = write(folder.path(), name, &content);
        let (code, _, error) = run("10", &[&DATA[..], &["--inputs", &path]].concat());
        assert_eq!(code, Some(2), "{name}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        for word in words {
            assert!(error.contains(word), "{word:?} is not in {error}");
        }
    }
    // Where a record is one number, an empty line may be a number that is missing.
    let gap = write(folder.path(), "a.csv", b"1\n\n2\n");
    let one =
        ["ood", "-D", "1", "-K", "1", "-d", "1", "-M", "1", "--inputs", &gap, "--moments-only"];
    let output = popgd(&one);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a.csv:2: it is empty"), "{}", text(&output.stderr));
    let inputs = write(folder.path(), "x.csv", &csv(&good));
    for (count, word) in [(19, "responses end after 19"), (21, "inputs end after 20")] {
        let labels = write(folder.path(), "y.csv", &csv(&rows(count, 16)));
        let args = [&DATA[..], &["--inputs", &inputs, "--labels", &labels]].concat();
        let (code, _, error) = run("10", &args);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains(word) && error.contains("y.csv"), "{error}");
    }
}

fn text_of(rows: &[Vec<f64>]) -> String {
    text(&csv(rows))
}

#[test]
fn data_are_checked_for_their_tails() {
    let folder = tempfile::tempdir().expect("a folder");
    for (index, count, code, verdict) in [
        (0.8, 4000, 3, "fails"),
        (6.0, 4000, 0, "holds"),
        (2.0, 4000, 4, "cannot_tell"),
        (6.0, 60, 4, "cannot_tell"),
    ] {
        let path = write(folder.path(), "x.csv", &csv(&heavy(index, count)));
        let args = ["-d", "1", "-M", "1", "--inputs", &path, "--moments-only"];
        let (found, document, error) = run("10", &args);
        assert_eq!(found, Some(code), "{index}: {error}");
        assert_eq!(document["moments"]["verdict"], verdict);
        assert_eq!(document["moments"]["tokens"].as_array().map(Vec::len), Some(8));
        if count > 100 {
            let tail = number(&document["moments"]["tokens"][0]["tail_index"]);
            assert!((tail / index - 1.0).abs() < 0.1, "{tail}");
        }
    }
}

/// Theorem 3.2 asks for second moments of responses too.
#[test]
fn responses_are_checked_for_their_tails() {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = write(folder.path(), "x.csv", &csv(&heavy(6.0, 4000)));
    for (index, code, verdict) in [(0.6, 3, "fails"), (6.0, 0, "holds"), (2.0, 4, "cannot_tell")] {
        let labels = write(folder.path(), "y.csv", &csv(&heavy(index, 4000)));
        for more in [&["--moments-only"][..], &["--epsilon", "100"]] {
            let data = ["-d", "1", "-M", "1", "--inputs", &inputs, "--labels", &labels];
            let (found, document, error) = run("3000", &[&data[..], more].concat());
            assert_eq!(found, Some(code), "{index}: {error}");
            let moments = &document["moments"];
            assert_eq!(moments["verdict"], verdict);
            assert_eq!(moments["responses"].as_array().map(Vec::len), Some(8));
            let said = error.contains("of the responses");
            assert_eq!(said, code != 0, "{error}");
        }
    }
}

#[test]
fn configurations_and_pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(
        folder.path(),
        "ood.json",
        br#"{"inputs": "gaussian", "mean": [0.5, 0], "covariance": [[2, "1/2"], [0.5, 1]],
             "features": 2, "labels": "worst", "label_distance": 0.25, "samples": 512}"#,
    );
    let picture = folder.path().join("gap.svg");
    let picture = picture.to_str().expect("UTF-8");
    let found = document("2000", &["--config", &config, "--plot", picture]);
    assert_eq!(found["config"]["covariance"][0][1].to_string(), "0.5");
    assert_eq!(number(&found["label_distance_at_most"]), 0.25);
    assert_eq!(number(&found["moments"]["largest"]), 3.25);
    let drawn = std::fs::read_to_string(picture).expect("drawn");
    assert!(drawn.contains("population gap") && drawn.contains("Inputs: gaussian"));
    // Fed back it gives the same.
    let again = write(folder.path(), "again.json", found.to_string().as_bytes());
    let repeated = document("2000", &["--config", &again]);
    assert_eq!(found["gaps"], repeated["gaps"]);
    let csv = popgd(&[&QUICK[..], &["100", "--samples", "300", "--format", "csv"]].concat());
    assert!(text(&csv.stdout).starts_with("t,square_distance,"), "{}", text(&csv.stdout));
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    for (args, word) in [
        (&["--inputs", "gauss"][..], "neither a family nor a file"),
        (&["--inputs", "t"], "degrees of freedom"),
        (&["--labels", "none"], "expected teacher"),
        (&["--labels", "y.csv"], "--inputs"),
        (&["--label-distance", "1"], "--labels worst"),
        (&["--epsilon", "0"], "above 0"),
        (&["--samples", "1"], "expected 2"),
        (&["--threads", "100000"], "at most 1024"),
        (&["--scalar", "f32"], "f64"),
        (&["--method", "dense"], "lumped"),
        (&["--inputs", "missing.csv"], "there is no such file"),
        (&["--inputs", "x.csv", "--centred"], "as they are"),
        (&["--moments-only", "--epsilon", "1"], "not about moments"),
        (&["--inputs", "lognormal:40"], "1e100"),
        (&["--inputs", "gaussian:1e200"], "1e100"),
        (&["--inputs", "gaussian:1e-200"], "1e-100"),
        (&["--scale", "1e90"], "1e100"),
        (&["-d", "10^11"], "1048576"),
        (&["-M", "10^6", "-d", "10"], "M × D"),
        (&["--inputs", "x.npy", "-d", "10^19", "--moments-only"], "2^63"),
        (&["--correlation", "0.5"], "gaussian"),
        (&["--inputs", "gaussian", "--correlation", "1.5"], "−1 to 1"),
    ] {
        let (code, _, error) = run("10", args);
        assert_eq!(code, Some(2), "{args:?}: {error}");
        assert!(error.contains(word) && error.lines().count() == 1, "{args:?}: {error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(folder.path(), "c.toml", b"labels = \"zero\"\n");
    let output = popgd(&["run", "--config", &config, "--steps", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("popgd ood"));
}
