//! `popgd simulate --images` from end to end.

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

use self::support::text;

fn simulate(args: &[&str]) -> Output {
    let quiet = ["simulate", "--quiet"];
    Command::new(cargo_bin!("popgd")).args(quiet).args(args).output().expect("the program starts")
}

#[track_caller]
fn document(args: &[&str]) -> Value {
    support::document(&simulate(&[args, &["--format", "json"]].concat())).1
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key} in {value}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

const SIDE: usize = 19;
const COUNT: usize = 140;

/// Pictures with two classes: a bright bar that stands, or that lies, somewhere; on a ground of
/// weak noise but for the first nine rows, which are blank.
fn pictures() -> (Vec<u8>, Vec<u8>) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let (mut pixels, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..COUNT {
        let class = random(2);
        let at = 9 + random(8) as usize;
        for row in 0..SIDE {
            for column in 0..SIDE {
                let across = if class == 0 { row } else { column };
                let shade = match (row < 9, across == at) {
                    (true, _) => 0,
                    (_, true) => 200 + random(56),
                    _ => random(60),
                };
                pixels.push(shade as u8);
            }
        }
        classes.push(class as u8);
    }
    (pixels, classes)
}

fn idx(sides: &[usize], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, sides.len() as u8];
    bytes.extend(sides.iter().flat_map(|&side| (side as u32).to_be_bytes()));
    bytes.extend(data);
    bytes
}

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The pictures above, as MNIST comes.
    fn new() -> (Self, String, String) {
        let files = Self { folder: tempfile::tempdir().unwrap() };
        let (pixels, classes) = pictures();
        let images = files.write("images-idx3-ubyte", &idx(&[COUNT, SIDE, SIDE], &pixels));
        let digits = files.write("labels-idx1-ubyte", &idx(&[COUNT], &classes));
        (files, images, digits)
    }
}

const SMALL: [&str; 6] = ["--channels", "4", "--batch", "20", "--steps", "400"];

#[test]
fn a_student_of_images_finds_filters_and_windows() {
    let (_files, images, digits) = Files::new();
    let flags = ["--images", &images, "--digits", &digits, "--epochs", "400"];
    let more = [&flags[..], &["--steps", "3000"]].concat();
    let found = document(&[&SMALL[..4], &more[..]].concat());
    assert_eq!(found["images"]["count"], json!(COUNT));
    assert_eq!(found["images"]["windows"], json!([2, 2]));
    assert_eq!(found["images"]["kept_back"], json!(COUNT / 7));
    assert!(number(&found["teacher"]["accuracy"]) > 0.9);
    // The upper two windows are blank in all images; nothing else ever is.
    let blank = list(&found["images"], "blank");
    assert!(blank.iter().take(18).all(|share| *share == json!(1.0)));
    assert!(blank.iter().skip(18).all(|share| number(share) < 0.01));

    let run = &found["runs"][0];
    let rows = list(run, "trajectory");
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    assert!(number(&last["cosine"]) > 0.9, "{last}");
    assert!(number(&last["kept_back_loss"]) < 0.1 * number(&first["kept_back_loss"]), "{last}");
    let weights: Vec<f64> = list(run, "window_weights").iter().map(number).collect();
    assert_eq!(weights.len(), 36);
    let mean = weights.iter().sum::<f64>() / 36.0;
    assert!((mean - number(&last["window_weight"])).abs() < 1e-12);
    let scores = list(run, "scores");
    for query in 0..36 {
        let own = (0..36).filter(|token| token / 9 == query / 9);
        let sum: f64 = own.map(|token| number(&scores[token][query])).sum();
        assert!((sum - weights[query]).abs() < 1e-12);
    }
    // A query of a blank window looks for nothing, and finds it in the other one as well: by
    // symmetry all blank tokens have the same weight.
    for (query, weight) in weights.iter().enumerate().take(18) {
        let nothing: f64 = (0..18).map(|token| number(&scores[token][query])).sum();
        assert!((weight - nothing / 2.0).abs() < 1e-12, "{weights:?}");
    }
    assert!(weights[18..].iter().all(|weight| *weight > 0.5), "{weights:?}");
    let shares: Vec<f64> = list(run, "shares_of_patches").iter().map(number).collect();
    for (token, share) in shares.iter().enumerate() {
        let queries = (0..36).filter(|query| query / 9 == token / 9);
        let sum: f64 = queries.map(|query| number(&scores[token][query])).sum();
        assert!((sum - share).abs() < 1e-12);
    }
    let missed: Vec<usize> = (0..36).filter(|&token| shares[token] < 0.5).collect();
    assert_eq!(run["missed_patches"], Value::from(missed.clone()));
    assert!(missed.len() < 22 && (0..18).all(|token| missed.contains(&token)), "{shares:?}");
    let failures: Vec<f64> = list(run, "failing_queries").iter().map(number).collect();
    let expected: Vec<f64> =
        (0..36).filter(|&query| weights[query] < 0.5).map(|query| query as f64).collect();
    assert_eq!(failures, expected);
}

/// A header of numpy's format 1.0 and the data.
fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}

fn rows(pixels: &[u8], classes: Option<&[u8]>) -> String {
    let lines = pixels.chunks(SIDE * SIDE).enumerate().map(|(at, image)| {
        let own = classes.map(|classes| classes[at]);
        let numbers: Vec<String> = own.iter().chain(image).map(u8::to_string).collect();
        numbers.join(",") + "\n"
    });
    lines.collect()
}

#[test]
fn all_forms_of_images_are_the_same() {
    let (files, images, digits) = Files::new();
    let (pixels, classes) = pictures();
    let run = |images: &str, digits: Option<&str>| {
        let mut args = vec!["--images", images];
        args.extend(digits.iter().flat_map(|digits| ["--digits", digits]));
        let found = document(&[&SMALL[..], &args].concat());
        (found["images"]["digest"].clone(), found["teacher"].clone(), found["runs"].clone())
    };
    let expected = run(&images, Some(&digits));

    let packed = |name: &str, bytes: &[u8]| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).unwrap();
        files.write(name, &writer.finish().unwrap())
    };
    let packed_images = packed("images.gz", &idx(&[COUNT, SIDE, SIDE], &pixels));
    let packed_digits = packed("labels.gz", &idx(&[COUNT], &classes));
    assert_eq!(run(&packed_images, Some(&packed_digits)), expected);

    let shape = format!("({COUNT}, {SIDE}, {SIDE})");
    let array = files.write("images.npy", &npy("|u1", &shape, &pixels));
    let words: Vec<u8> = classes.iter().flat_map(|&x| i64::from(x).to_le_bytes()).collect();
    let line = files.write("digits.npy", &npy("<i8", &format!("({COUNT},)"), &words));
    assert_eq!(run(&array, Some(&line)), expected);

    // From 0 to 1, and one line an image.
    let floats: Vec<u8> =
        pixels.iter().flat_map(|&x| (f64::from(x) / 255.0).to_le_bytes()).collect();
    let shape = format!("({COUNT}, {})", SIDE * SIDE);
    let array = files.write("floats.npy", &npy("<f8", &shape, &floats));
    assert_eq!(run(&array, Some(&digits)), expected);

    let heading: Vec<String> = (0..=SIDE * SIDE).map(|at| format!("pixel{at}")).collect();
    let lines = format!("{}\n{}", heading.join(","), rows(&pixels, Some(&classes)));
    let both = files.write("both.csv", lines.as_bytes());
    assert_eq!(run(&both, None), expected);

    let apart = files.write("images.csv", rows(&pixels, None).as_bytes());
    let lines: String = classes.iter().map(|class| format!("{class}\n")).collect();
    let column = files.write("digits.csv", lines.as_bytes());
    assert_eq!(run(&apart, Some(&column)), expected);
}

#[test]
fn given_filters_need_no_classes() {
    let (files, images, _) = Files::new();
    let filters = files.write("filters.csv", b"1,0,-1,1,0,-1,1,0,-1\n1,1,1,0,0,0,-1,-1,-1\n");
    let flags = ["--images", &images, "--filters", &filters, "--logit-gain", "3"];
    let found = document(&[&SMALL[2..], &flags].concat());
    assert_eq!(found["teacher"]["origin"], json!("given"));
    let rows = json!([
        [1.0, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0, 0.0, -1.0],
        [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0]
    ]);
    for (row, expected) in list(&found["teacher"], "filters").iter().zip(rows.as_array().unwrap()) {
        let numbers: Vec<f64> = row.as_array().unwrap().iter().map(number).collect();
        let expected: Vec<f64> = expected.as_array().unwrap().iter().map(number).collect();
        assert_eq!(numbers, expected);
    }
    assert_eq!(list(&found["runs"][0], "cosines_of_filters").len(), 2);
}

#[test]
fn results_are_configurations() {
    let (files, images, digits) = Files::new();
    let filters = files.write("filters.csv", b"1,0,-1,1,0,-1,1,0,-1\n");
    let teachers = [["--digits", &digits], ["--filters", &filters]];
    for teacher in teachers {
        let output = files.path("result.json");
        let flags = ["--images", &images, "--format", "json", "--output", &output];
        let status = simulate(&[&SMALL[2..], &flags, &teacher].concat()).status;
        assert!(status.success());
        let first: Value = serde_json::from_slice(&std::fs::read(&output).unwrap()).unwrap();
        let second = document(&["--config", &output]);
        assert_eq!(first["runs"], second["runs"]);
        assert_eq!(first["provenance"], second["provenance"]);
    }
}

#[test]
fn threads_do_not_matter() {
    let (_files, images, digits) = Files::new();
    let flags = ["--images", &images, "--digits", &digits, "--seeds", "3"];
    let one = document(&[&SMALL[..], &flags, &["--threads", "1"]].concat());
    let three = document(&[&SMALL[..], &flags, &["--threads", "3"]].concat());
    assert_eq!(one["runs"], three["runs"]);
    assert_ne!(one["runs"][0]["value_matrix"], one["runs"][1]["value_matrix"]);
}

fn has_checkpoint(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let (files, images, digits) = Files::new();
    let flags = ["--images", &images, "--digits", &digits, "--format", "json"];
    let args = [&SMALL[..4], &flags, &["--steps", "4000"]].concat();
    let unbroken = simulate(&args);
    let folder = files.path("states");
    let resumed = [&args[..], &["--resume", &folder, "--checkpoint-every", "20"]].concat();
    let mut child = Command::new(cargo_bin!("popgd"))
        .args(["simulate", "--quiet"])
        .args(&resumed)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let end = Instant::now() + Duration::from_secs(120);
    while !has_checkpoint(&PathBuf::from(&folder))
        && child.try_wait().unwrap().is_none()
        && Instant::now() < end
    {
        std::thread::sleep(Duration::from_millis(1));
    }
    // Whether it was over or not: what follows holds.
    let _ = child.kill();
    child.wait().unwrap();
    let again = simulate(&resumed);
    assert_eq!(text(&again.stdout), text(&unbroken.stdout));
    assert!(has_checkpoint(&PathBuf::from(&folder)));
}

/// Other contents under the same name are another task: nothing of the old one is gone on with.
#[test]
fn a_changed_file_is_another_task() {
    let (files, images, _) = Files::new();
    let filters = files.write("filters.csv", b"1,0,-1,1,0,-1,1,0,-1\n");
    let (folder, output) = (files.path("states"), files.path("result.json"));
    let flags = ["--images", &images, "--filters", &filters, "--resume", &folder];
    let first = document(&[&SMALL[2..], &flags].concat());
    files.write("filters.csv", b"1,1,1,0,0,0,-1,-1,-1\n");
    let second = document(&[&SMALL[2..], &flags].concat());
    let fresh = document(&[&SMALL[2..], &flags[..4]].concat());
    assert_eq!(second["runs"], fresh["runs"]);
    assert_ne!(second["runs"], first["runs"]);
    assert_ne!(second["provenance"], first["provenance"]);
    // Nor does an old result, read as a configuration, speak of the new contents.
    std::fs::write(&output, first.to_string()).unwrap();
    let args = ["--config", &output];
    support::assert_refused(&simulate(&args), &args, &["images_digest", "others"]);
}

#[test]
fn rates_are_those_of_the_images() {
    let (files, images, _) = Files::new();
    let filters = files.write("filters.csv", b"1,0,-1,1,0,-1,1,0,-1\n");
    let flags = ["--images", &images, "--filters", &filters];
    let found = document(&[&SMALL[2..], &flags].concat());
    let (curvature, rate) =
        (number(&found["teacher"]["curvature"]), number(&found["teacher"]["rate"]));
    assert!(rate * curvature < 1.06, "{rate} {curvature}");
    let [stable, unstable] = [1.8, 2.2].map(|share| (share / curvature).to_string());
    let stable = document(&[&SMALL[2..], &flags, &["--rate", &stable]].concat());
    let losses: Vec<f64> = list(&stable["runs"][0], "trajectory")
        .iter()
        .map(|row| number(&row["training_loss"]))
        .collect();
    assert!(losses[losses.len() - 1] < 0.8 * losses[0], "{losses:?}");
    let args = [&SMALL[2..], &flags, &["--rate", &unstable]].concat();
    support::assert_refused(&simulate(&args), &args, &["--rate", "stable with these images"]);
    // Logits that move fast slow W_V down, so that attention is stable.
    let large =
        document(&[&SMALL[2..4], &flags, &["--steps", "50", "--logit-gain", "10^5"]].concat());
    assert!(number(&large["teacher"]["rate"]) < 0.5 * rate);
}

#[test]
fn pictures_and_tables() {
    let (files, images, digits) = Files::new();
    let picture = files.path("images.svg");
    let flags = ["--images", &images, "--digits", &digits, "--plot", &picture];
    let output = simulate(&[&SMALL[..], &flags].concat());
    let table = text(&output.stdout);
    for words in [
        "cut to 18 × 18",
        "How well is each filter found?",
        "patches missed",
        "row 2, column 1",
        "■",
    ] {
        assert!(table.contains(words), "{table}");
    }
    let svg = std::fs::read_to_string(&picture).unwrap();
    for words in ["images kept back", "weight on the own window", "S* of the teacher"] {
        assert!(svg.contains(words), "no {words}");
    }
    let csv = text(&simulate(&[&SMALL[..], &flags[..4], &["--format", "csv"]].concat()).stdout);
    assert!(csv.starts_with("batch,run,t,training_loss,kept_back_loss,score_error"), "{csv}");
    let plan = text(&simulate(&[&SMALL[..], &flags[..4], &["--dry-run"]].concat()).stdout);
    assert!(plan.contains("expected to take about"), "{plan}");
}

#[test]
fn what_is_no_image_is_refused() {
    let (files, images, digits) = Files::new();
    let (pixels, classes) = pictures();
    let refused = |args: &[&str], words: &[&str]| {
        support::assert_refused(&simulate(&[args, &SMALL[2..]].concat()), args, words);
    };
    refused(&["--images", &images], &["--digits FILE", "--filters FILE"]);
    refused(&["--digits", &digits], &["--digits", "--images FILE"]);
    refused(&["--images", &images, "--digits", &digits, "-D", "36"], &["--tokens", "--images"]);
    refused(&["--images", &images, "--digits", &digits, "--full-model"], &["--full-model"]);
    refused(&["--images", "nowhere.gz", "--digits", &digits], &["nowhere.gz"]);

    let write = |name: &str, bytes: &[u8]| files.write(name, bytes);
    let short = write("short", &idx(&[COUNT, SIDE, SIDE], &pixels[1..]));
    refused(&["--images", &short, "--digits", &digits], &["truncated", "140 × 19 × 19"]);
    let floats = write("floats", &[0, 0, 13, 1, 0, 0, 0, 0]);
    refused(&["--images", &floats, "--digits", &digits], &["type 13"]);
    let words = write("words.txt", b"these are not images");
    refused(&["--images", &words, "--digits", &digits], &["expected IDX"]);
    let empty = write("empty", b"");
    refused(&["--images", &empty, "--digits", &digits], &["expected IDX"]);
    let packed = write("broken.gz", &[0x1f, 0x8b, 8, 0, 1, 2, 3]);
    refused(&["--images", &packed, "--digits", &digits], &["gzip", "damaged"]);
    let few = write("few", &idx(&[2, SIDE, SIDE], &pixels[..2 * SIDE * SIDE]));
    let two = write("two", &idx(&[2], &classes[..2]));
    refused(&["--images", &few, "--digits", &digits], &["each of 2 images", "140"]);
    refused(&["--images", &few, "--digits", &two], &["at least 7 images"]);
    let small = write("small", &idx(&[COUNT, 8, 8], &pixels[..COUNT * 64]));
    refused(&["--images", &small, "--digits", &digits], &["9 × 9", "8 × 8"]);
    let black = write("black", &idx(&[COUNT, 9, 9], &[0; COUNT * 81]));
    refused(&["--images", &black, "--digits", &digits], &["blank"]);
    let ragged = write("ragged.csv", b"0,0,0,0\n0,0,0\n");
    refused(&["--images", &ragged, "--digits", &digits], &["ragged.csv:2:", "found 3"]);
    let letters = write("letters.csv", b"0,0,0,0\n0,0,x,0\n");
    refused(&["--images", &letters, "--digits", &digits], &["letters.csv:2: column 3", "`x`"]);
    let bright = write("bright.csv", b"0,0,0,0\n0,0,0,256\n");
    refused(&["--images", &bright, "--digits", &digits], &["image 2, pixel 4", "256"]);
    let mixed = write("mixed.csv", b"0,0.5,0,0\n0,0,0,2\n");
    refused(&["--images", &mixed, "--digits", &digits], &["image 1, pixel 2", "0.5"]);
    let filters = write("filters.csv", b"1,2,3\n");
    let flags = ["--images", &images, "--filters", &filters, "--channels", "1"];
    refused(&flags[..], &["filters.csv", "9 numbers", "found 3"]);
}

/// The digits themselves, where they are at hand: `.ci/digits` fetches ten thousand of them.
#[test]
fn digits_are_learnt() {
    let Ok(folder) = std::env::var("POPGD_MNIST") else { return };
    let (images, digits) =
        (format!("{folder}/images-idx3-ubyte"), format!("{folder}/labels-idx1-ubyte"));
    let found = document(&["--images", &images, "--digits", &digits, "--steps", "1500"]);
    // The paper: about 71 %.
    let accuracy = number(&found["teacher"]["accuracy"]);
    assert!((0.66..0.8).contains(&accuracy), "{accuracy}");
    let run = &found["runs"][0];
    let last = list(run, "trajectory").last().unwrap();
    assert!(number(&last["cosine"]) > 0.8, "{last}");
    let weights: Vec<f64> = list(run, "window_weights").iter().map(number).collect();
    let window = |at: usize| weights[9 * at..9 * (at + 1)].iter().sum::<f64>() / 9.0;
    // Ink is in the middle, and corners are blank.
    assert!([0, 2, 6, 8].iter().all(|&corner| window(corner) < 0.5 * window(4)), "{weights:?}");
}
