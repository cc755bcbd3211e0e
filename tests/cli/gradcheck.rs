//! `popgd gradcheck` from end to end. Wrong gradients are met by the unit tests of the command:
//! the program has none.

mod support;

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

use self::support::text;

fn gradcheck(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd"))
        .arg("gradcheck")
        .args(args)
        .output()
        .expect("the program starts")
}

/// The document, and the exit code.
fn document(args: &[&str]) -> (Option<i32>, Value) {
    support::document(&gradcheck(&[args, &["--format", "json", "--quiet"]].concat()))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list {key} in {value}"))
}

#[track_caller]
fn refuses(args: &[&str], words: &[&str]) {
    support::assert_refused(&gradcheck(args), args, words);
}

/// A small case, without the comparison for all groups.
const SMALL: [&str; 8] = ["-D", "2", "-K", "1", "-M", "1", "-d", "2"];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

#[test]
fn without_flags_everything_is_proven() {
    let (code, found) = document(&[]);
    assert_eq!(code, Some(0));
    assert_eq!(found["schema"], json!(1));
    assert_eq!(found["command"], json!("gradcheck"));
    assert_eq!(found["verdict"], json!("proven"));
    assert_eq!(found["config"]["activation"], json!("leaky-relu"));
    let gradients = list(&found, "gradient");
    assert_eq!(gradients.len(), 2);
    for (gradient, positions) in gradients.iter().zip(["identity", "general"]) {
        assert_eq!(gradient["positions"], json!(positions));
        let entries = list(gradient, "entries");
        assert_eq!(entries.len(), 2 * 2 + 3 * 3);
        for entry in entries {
            let (proof, enclosure) = (&entry["proof"], &entry["enclosure"]);
            assert_eq!((&proof["verdict"], &proof["status"]), (&json!("proven"), &json!("proven")));
            assert!(proof["operations"].as_u64() > Some(100), "{entry}");
            assert!(proof["terms"].as_u64() > Some(1), "{entry}");
            assert_eq!(enclosure["verdict"], json!("consistent"));
            assert!(enclosure["status"].is_null(), "not claimed: {entry}");
            let bound = &enclosure["difference_at_most"];
            assert_eq!(bound["status"], json!("proven"));
            let width = bound["value"].as_f64().expect("a width");
            assert!(width > 0.0 && width < 1e-4, "{entry}");
        }
        let remainders = list(gradient, "remainders");
        assert_eq!(remainders.len(), 2);
        for remainder in remainders {
            assert_eq!(remainder["status"], json!("measured"));
            assert_eq!((&remainder["right"], &remainder["wrong"]), (&json!(8), &json!(0)));
            let order = remainder["order"].as_f64().expect("an order");
            assert!((order - 2.0).abs() < 0.05, "{remainder}");
        }
    }
    assert_eq!(list(&found["lumped_step"], "entries").len(), 4);
    assert_eq!(found["lumped_step"]["remainder"]["verdict"], json!("right"));
    let claims = list(&found, "claims");
    let of = |about: &str| claims.iter().filter(|claim| claim["about"] == about).count();
    // 21 pairs K ≤ D and the 14 of them where K divides D; each from zero, too.
    assert_eq!(of("lumped_is_dense"), 2 * (21 + 14));
    assert_eq!((of("dense_step"), of("lumped_step"), of("invariant")), (4, 5, 9));
    assert!(claims.iter().all(|claim| claim["status"] == "proven"), "{claims:?}");
    assert_eq!(found["claims_left_out"], json!(false));
}

#[test]
fn activations() {
    for (activation, name) in [
        ("identity", "identity"),
        ("relu", "relu"),
        ("abs", "abs"),
        ("leaky-relu:1/10", "leaky-relu:0.1"),
        // So large or small that sums seem to vanish: proven for every slope.
        ("leaky-relu:10^9", "leaky-relu:1000000000"),
        ("leaky-relu:1e-9", "leaky-relu:1e-9"),
        ("leaky-relu", "leaky-relu"),
    ] {
        let (code, found) = document(&small(&["--activation", activation]));
        assert_eq!((code, &found["verdict"]), (Some(0), &json!("proven")), "{activation}");
        assert_eq!(found["config"]["activation"], json!(name));
    }
}

#[test]
fn large_sizes_are_not_proven_and_that_is_said() {
    let args = ["-D", "9", "-K", "3", "--boxes", "1", "--remainders", "2"];
    let (code, found) = document(&args);
    assert_eq!((code, &found["verdict"]), (Some(0), &json!("consistent")));
    assert_eq!(found["claims_left_out"], json!(true));
    for gradient in list(&found, "gradient") {
        assert!(gradient["proof_left_out"]["expected_seconds"].as_f64() > Some(20.0));
        assert!(list(gradient, "entries").iter().all(|entry| entry["proof"].is_null()));
    }
    let table = text(&gradcheck(&args).stdout);
    assert!(table.contains("Not proven: at this size that would take about"), "{table}");
    assert!(table.contains("--proof always"), "{table}");
    assert!(table.contains("W_KQ, 81 entries"), "many entries are one line: {table}");
    let never = text(&gradcheck(&small(&["--proof", "never", "--boxes", "1"])).stdout);
    assert!(never.contains("Not proven, as asked."), "{never}");
}

#[test]
fn boxes_that_are_too_wide_are_undecided() {
    let output = gradcheck(&small(&["--radius", "2", "--proof", "never"]));
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("W_V[1,1] with P = I by enclosure"), "{message}");
    assert!(message.contains("choose a smaller --radius"), "{message}");
    assert!(text(&output.stdout).contains("undecided"));
}

#[test]
fn wide_boxes_agree_with_nothing() {
    let args = small(&["--radius", "0.1", "--proof", "never", "--remainders", "0"]);
    let (code, found) = document(&args);
    assert_eq!((code, &found["verdict"]), (Some(4), &json!("undecided")));
    let enclosure = &list(&found["gradient"][0], "entries")[0]["enclosure"];
    assert_eq!(enclosure["verdict"], json!("undecided"), "{enclosure}");
}

#[test]
fn a_group_is_compared_at_its_own_size() {
    let (code, found) = document(&["-D", "8", "-K", "3", "--boxes", "0", "--remainders", "1"]);
    assert_eq!(code, Some(0));
    let claims = list(&found, "claims");
    let compared: Vec<_> = claims.iter().filter(|c| c["about"] == "lumped_is_dense").collect();
    assert_eq!(compared.len(), 2);
    assert!(compared[0]["claim"].as_str().is_some_and(|name| name.contains("D = 8, K = 3")));
}

#[test]
fn formulas() {
    let print = |args: &[&str]| {
        let output = gradcheck(&small(args));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let plain = print(&["--print", "--positions", "identity", "--activation", "relu"]);
    let lines: Vec<_> = plain.lines().filter(|line| !line.starts_with('#')).collect();
    let names: Vec<_> =
        lines.iter().map(|line| line.split_once(" = ").expect("a definition").0).collect();
    for name in ["L", "dw11", "dw12", "dq11", "dq22"] {
        assert_eq!(names.iter().filter(|&&other| other == name).count(), 1, "{name}: {plain}");
    }
    assert!(lines[0].starts_with("t1 = "), "what is shared is named first: {plain}");
    assert!(!plain.contains("slope*") && plain.contains("atan2("), "{plain}");
    let any = print(&["--print", "text", "--positions", "general"]);
    assert!(any.contains("p11") && any.contains("slope"), "{any}");
    let latex = print(&["--print", "latex", "--positions", "identity"]);
    let body: String = latex.lines().filter(|line| !line.starts_with('%')).collect();
    assert!(body.starts_with(r"\begin{aligned}") && body.ends_with(r"\end{aligned}"), "{latex}");
    assert!(body.contains("W_{11}") || body.contains("w_{11}"), "{latex}");
    refuses(&["--print", "--format", "json"], &["--print", "--format"]);
    refuses(&["--print", "--dry-run"], &["--print", "--dry-run"]);
}

#[test]
fn formulas_for_both_positions() {
    let print = |args: &[&str]| text(&gradcheck(&small(args)).stdout);
    let plain = print(&["--print"]);
    assert_eq!(plain.matches("w is W_V").count(), 1, "one legend: {plain}");
    assert_eq!(plain.matches("# Positions: ").count(), 2, "{plain}");
    let mut names: Vec<_> =
        plain.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    names.retain(|name| !name.starts_with('#'));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "no name has two meanings: {plain}");
    assert!(names.contains(&"iL") && names.contains(&"gdw11"), "{names:?}");
    let latex = print(&["--print", "latex"]);
    assert_eq!(latex.matches(r"\begin{aligned}").count(), 1, "{latex}");
    assert!(latex.contains(r"\mathrm{gdw}_{11}") && latex.contains(r"\text{any } P"), "{latex}");
    let single = text(&gradcheck(&["-D", "1", "--print"]).stdout);
    assert_eq!(single.matches("\nL = ").count(), 1, "{single}");
}

#[test]
fn sizes_are_not_guessed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run.toml");
    let name = path.to_str().expect("UTF-8");
    let content = "classes = [{ columns = 4, counts = [2, 2], weights = [0.5, 0] }]\nrate = 0.1\n";
    std::fs::write(&path, content).expect("a file");
    refuses(&["--config", name], &["run.toml:1: classes", "--tokens"]);
    std::fs::write(&path, "tokens = 2\nv = [[1, 2, 3]]\n").expect("a file");
    refuses(&["--config", name], &["run.toml:2: v", "--channels"]);
}

#[test]
fn csv_has_a_line_for_every_finding() {
    let output = gradcheck(&small(&["--format", "csv", "--positions", "general"]));
    let csv = text(&output.stdout);
    let mut lines = csv.lines();
    let head = "about,positions,of,check,verdict,status,operations,terms,order,difference_at_least,\
                difference_at_most";
    assert_eq!(lines.next(), Some(head));
    let count = |start: &str| csv.lines().filter(|line| line.starts_with(start)).count();
    // Six entries, each proven and enclosed, and the orders of two blocks.
    assert_eq!(count("gradient,general,"), 6 * 2 + 2);
    assert_eq!(count("lumped_step,,"), 4 + 1 + 5);
    assert_eq!(count("dense_step,general,"), 2);
}

#[test]
fn a_result_is_a_configuration() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("result.json");
    let name = path.to_str().expect("UTF-8");
    let args = small(&["--seed", "7", "--radius", "1/1000", "--format", "json"]);
    let first = gradcheck(&[&args[..], &["--output", name]].concat());
    assert!(first.status.success() && first.stdout.is_empty(), "{}", text(&first.stderr));
    let again = gradcheck(&["--config", name, "--format", "json"]);
    let written = std::fs::read_to_string(&path).expect("the result");
    assert_eq!(text(&again.stdout), written);
    let other = gradcheck(&["--config", name, "--format", "json", "--seed", "8"]);
    assert_ne!(text(&other.stdout), written);
    assert!(text(&other.stderr).is_empty(), "no progress but on a terminal");
}

#[test]
fn a_configuration_of_a_run_gives_sizes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run.toml");
    let content = "tokens = 2\ngroup = 1\nchannels = 1\nfeatures = 1\nrate = 0.1\nsteps = 10\n\
                   activation = \"relu\"\n";
    std::fs::write(&path, content).expect("a file");
    let name = path.to_str().expect("UTF-8");
    let (code, found) = document(&["--config", name, "--features", "2"]);
    assert_eq!(code, Some(0));
    assert_eq!(found["config"]["activation"], json!("relu"));
    assert_eq!((&found["config"]["tokens"], &found["config"]["features"]), (&json!(2), &json!(2)));
}

#[test]
fn a_dry_run_tells_what_to_expect() {
    let (code, found) = document(&["-D", "36", "--dry-run"]);
    assert_eq!(code, Some(0));
    let plan = &found["dry_run"];
    assert_eq!(plan["gradient"][0]["proof"], json!(false));
    assert!(plan["gradient"][0]["proof_seconds"].as_f64() > Some(1000.0));
    assert!(plan["expected_seconds"].as_f64() > Some(0.0));
    assert!(found["gradient"].is_null(), "nothing is checked");
    // As large as can be: what is timed is not.
    let (code, found) = document(&["-D", "1000", "-M", "1000", "-d", "1000", "--dry-run"]);
    assert_eq!(code, Some(0));
    assert!(found["dry_run"]["expected_seconds"].as_f64() > Some(1e5), "{found}");
    let (_, found) = document(&["-D", "9", "--boxes", "0", "--remainders", "2", "--dry-run"]);
    let part = &found["dry_run"]["gradient"][0];
    assert_eq!(part["boxes_seconds"].as_f64(), Some(0.0));
    let remainders = part["remainders_seconds"].as_f64();
    let claims = found["dry_run"]["claims_seconds"].as_f64();
    assert!(remainders > Some(0.0) && claims > Some(0.0), "{found}");
    assert!(found["dry_run"]["expected_seconds"].as_f64() > claims, "{found}");
    let table = text(&gradcheck(&["--dry-run"]).stdout);
    for part in ["13 entries, proven, in about", "4 boxes", "8 remainders", "run time"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let csv = text(&gradcheck(&["--dry-run", "--format", "csv"]).stdout);
    assert!(csv.contains("general_proof,true\n") && csv.contains("expected_seconds,"), "{csv}");
}

#[test]
fn bad_input() {
    refuses(&["-D", "0"], &["--tokens", "1 to 1000", "found 0"]);
    refuses(&["-M", "1001"], &["--channels", "found 1001"]);
    refuses(&["--features", "2.5"], &["--features", "not an integer"]);
    refuses(&["-D", "3", "-K", "4"], &["--group", "1 to 3", "found 4"]);
    refuses(&["-K", "0"], &["--group", "found 0"]);
    refuses(&["--activation", "leaky-relu:x"], &["--activation"]);
    refuses(&["--activation", "gelu"], &["--activation", "leaky-relu:S", "gelu"]);
    refuses(
        &["--activation", "leaky-relu:0.1234567890123456789012345"],
        &["--activation", "leaky-relu is every slope"],
    );
    refuses(&["--radius", "-1"], &["--radius", "found -1"]);
    refuses(&["--boxes", "10^7"], &["--boxes", "1000000"]);
    refuses(&["--positions", "none"], &["--positions", "identity, general, both"]);
    refuses(
        &["--proof", "never", "--boxes", "0", "--remainders", "0"],
        &["--proof", "nothing is left to check"],
    );
    refuses(&["--seed", "-1"], &["--seed"]);
    refuses(&["--output", "."], &["--output", "folder"]);
}

#[test]
fn keys_of_gradcheck_are_refused_elsewhere() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("run.toml");
    std::fs::write(&path, "tokens = 8\ngroup = 2\nboxes = 3\n").expect("a file");
    let output = Command::new(cargo_bin!("popgd"))
        .args(["run", "--config"])
        .arg(&path)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("run.toml:3: boxes: belongs to `popgd gradcheck`"));
}

#[test]
fn progress_and_colour_are_for_terminals() {
    let output = gradcheck(&small(&[]));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    assert!(!text(&output.stdout).contains('\u{1b}'));
    let coloured = gradcheck(&small(&["--color", "always"]));
    assert!(text(&coloured.stdout).contains("\u{1b}[32mproven\u{1b}[0m"));
}

#[test]
#[cfg(unix)]
fn an_interrupt_writes_what_was_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.json");
    let child = Command::new(cargo_bin!("popgd"))
        .args(["gradcheck", "-D", "12", "-K", "1", "--boxes", "10^6", "--proof", "never"])
        .args(["--format", "json", "--output"])
        .arg(&path)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Its temporary file is made when all is understood.
    for _ in 0..500 {
        if std::fs::read_dir(folder.path()).expect("a folder").count() > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let written = std::fs::read(&path).expect("the result");
    let found: Value = serde_json::from_slice(&written).expect("JSON");
    assert_eq!(found["stopped"]["reason"], json!("interrupted"));
    assert_eq!(found["verdict"], json!("undecided"), "what was not looked at is open");
    let first = &list(&found["gradient"][0], "entries")[0];
    assert_eq!(first["enclosure"]["verdict"], json!("consistent"));
}
