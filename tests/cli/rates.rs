//! `popgd rates` from end to end: what it says of the theorem, and when it refuses to say.

use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

fn rates(args: &[&str]) -> Output {
    Command::new(cargo_bin!("popgd")).arg("rates").args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn document(args: &[&str]) -> (Option<i32>, Value) {
    let output = rates(&[args, &["--format", "json"]].concat());
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (output.status.code(), document)
}

fn verdicts(document: &Value) -> Vec<&str> {
    let rates = document["rates"].as_array().expect("rates");
    rates.iter().map(|rate| rate["verdict"].as_str().expect("a verdict")).collect()
}

#[test]
fn the_default_agrees_on_three_lines() {
    let output = rates(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    let lines: Vec<&str> = table.lines().filter(|line| line.ends_with("agrees")).collect();
    assert_eq!(lines.len(), 3, "{table}");
    for (line, name) in lines.iter().zip(["score error", "value error", "excess loss"]) {
        assert!(line.contains(name), "{line}");
    }
}

#[test]
fn measured_slopes_and_sizes_are_those_of_theory() {
    let args = ["-D", "16", "-K", "4", "--teacher-norm", "4", "-T", "10^6"];
    let (code, found) = document(&args);
    assert_eq!(code, Some(0));
    for (rate, claimed) in found["rates"].as_array().expect("rates").iter().zip([-0.5, -0.5, -1.0])
    {
        let number = |value: &Value| value.as_f64().expect("a number");
        assert_eq!(number(&rate["claimed"]["slope"]), claimed);
        assert_eq!(rate["claimed"]["status"], json!("cited"));
        let measured = &rate["measured"];
        assert_eq!(measured["status"], json!("measured"));
        assert!((number(&measured["limit_slope"]) - claimed).abs() < 0.01, "{rate}");
        let ratio = number(&rate["constant"]["measured_over_exact"]["limit"]);
        assert!((ratio - 1.0).abs() < 0.02, "{rate}");
    }
}

#[test]
fn too_short_a_run_says_how_long_it_must_be() {
    for args in [&["-D", "16", "-K", "4"][..], &["-D", "20", "-K", "10"], &["--task", "gslp"]] {
        let (code, found) = document(&[args, &["-T", "1000"]].concat());
        assert_eq!(code, Some(4), "{args:?}");
        assert_eq!(verdicts(&found), ["inconclusive"; 3]);
        assert_eq!(found["asymptotic"]["past_burn_in"], json!(false));
        for rate in found["rates"].as_array().expect("rates") {
            assert!(rate["measured"].get("limit_slope").is_none(), "no rate before its time");
        }
        let needed = found["asymptotic"]["needed_steps"].to_string();
        let (code, found) = document(&[args, &["-T", &needed]].concat());
        assert_eq!(code, Some(0), "{args:?} with {needed} steps: {}", found["rates"]);
        assert_eq!(verdicts(&found), ["agrees"; 3]);
    }
}

#[test]
fn the_flag_to_set_is_named() {
    let output = rates(&["-T", "1000"]);
    assert_eq!(output.status.code(), Some(4));
    let told = text(&output.stderr);
    assert!(told.contains("--steps "), "{told}");
    assert!(text(&output.stdout).contains("Not decided: too early"));
}

#[test]
fn full_support_is_geometric() {
    let (code, found) = document(&["-D", "6", "-K", "6", "-T", "200"]);
    assert_eq!(code, Some(4));
    let factor = |name: &str| found["geometric"][name]["factor"].as_f64().expect("a factor");
    // λ = ¼: |c − 1| shrinks by ¾ a step.
    assert!((factor("predicted") - 0.75).abs() < 1e-12);
    assert!((factor("measured") - 0.75).abs() < 1e-5);
    let output = rates(&["-D", "6", "-K", "6", "-T", "200"]);
    assert!(text(&output.stdout).contains("geometric"));
}

#[test]
fn one_line_a_quantity_as_csv() {
    let output = rates(&["-D", "16", "-K", "4", "-T", "1000", "--format", "csv"]);
    let csv = text(&output.stdout);
    let names: Vec<_> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(names, ["score_error", "value_error", "excess_loss"]);
}

#[test]
fn pictures_show_the_limit_laws_and_the_slopes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rates.svg");
    let file = path.to_str().expect("UTF-8");
    rates(&["-D", "16", "-K", "4", "-T", "10^5", "--plot", file]);
    let drawn = std::fs::read_to_string(&path).expect("it is there");
    for part in ["exact limit law", "claimed slopes −½ and −1", "burn-in"] {
        assert!(drawn.contains(part), "{part}");
    }
}

/// κ = D⁻³ and a small norm: a plateau of some 3·10⁹ steps, on which slopes are 0 to all digits.
#[test]
fn a_plateau_is_no_rate() {
    let model = ["-D", "64", "-K", "4", "--logit-gain", "D^-3", "--teacher-norm", "1"];
    for steps in ["10", "1000", "10^5"] {
        let (code, found) = document(&[&model[..], &["-T", steps]].concat());
        assert_eq!((code, verdicts(&found)), (Some(4), vec!["inconclusive"; 3]), "{steps}");
        let needed = found["asymptotic"]["needed_steps"].as_f64().expect("steps");
        assert!((1e11..1e12).contains(&needed), "{needed}");
        for rate in found["rates"].as_array().expect("rates") {
            assert!(rate["measured"].get("limit_slope").is_none(), "{rate}");
        }
    }
}

/// At λ = 2 descent no longer converges; below it nothing wrong is said, however near.
#[test]
fn near_the_stability_limit_no_rate_is_wrong() {
    for rate in ["0.49", "0.499", "0.49999", "0.4999999"] {
        for steps in ["300", "3000", "30000", "300000"] {
            let model = ["-D", "32", "-K", "4", "--teacher-norm", "4", "--rate", rate];
            let (code, found) = document(&[&model[..], &["-T", steps]].concat());
            let said = verdicts(&found);
            assert!(!said.contains(&"differs"), "{rate} {steps}: {}", found["rates"]);
            assert_eq!(code == Some(0), said == ["agrees"; 3], "{rate} {steps}");
        }
    }
    let beyond = rates(&["-D", "32", "-K", "4", "--rate", "0.5000001"]);
    assert_eq!(beyond.status.code(), Some(2));
    assert!(text(&beyond.stderr).contains("stability limit"));
}

/// A configuration in a file of its own.
fn with_file(content: &str, args: &[&str]) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rates.toml");
    std::fs::write(&path, content).expect("written");
    document(&[&["--config", path.to_str().expect("UTF-8")], args].concat())
}

fn doubt(found: &Value) -> &str {
    found["asymptotic"]["doubt"].as_str().unwrap_or("none")
}

const UNEQUAL: &str = "s = [[0.999,0,0],[0.001,1,0],[0,0,1]]";

#[test]
fn what_is_not_the_clock_of_the_theorem_is_no_disagreement() {
    for (args, reason) in [
        // One step moves attention so far that it stands still afterwards.
        (&["-D", "2", "-K", "1", "--teacher-norm", "60", "-T", "10^5"][..], "other_clock"),
        (&["--task", "sts", "-D", "3", "-K", "2", "--teacher-norm", "254", "-T", "42120"], ""),
        (&["-D", "16", "-K", "4", "-T", "10^6", "--scalar", "f32", "--accumulate", "plain"], ""),
    ] {
        let (code, found) = document(args);
        assert_eq!((code, verdicts(&found)), (Some(4), vec!["inconclusive"; 3]), "{args:?}");
        assert!(reason.is_empty() || doubt(&found) == reason, "{args:?}: {}", found["asymptotic"]);
    }
    // A state late in training: T counts from there.
    for state in ["state = { c = 1, logits = [50, 0] }", "state = { c = 1, logits = [6, 0] }"] {
        let config = format!("tokens = 8\ngroup = 2\nsteps = 10000\n{state}");
        let (code, found) = with_file(&config, &[]);
        assert_eq!((code, verdicts(&found)), (Some(4), vec!["inconclusive"; 3]), "{state}");
    }
}

#[test]
fn slow_modes_and_wrong_sizes_are_not_agreement() {
    for steps in ["10^6", "10^7"] {
        let (code, found) = with_file(UNEQUAL, &["-T", steps]);
        assert_eq!((code, verdicts(&found)), (Some(4), vec!["inconclusive"; 3]), "{steps}");
        assert_eq!(doubt(&found), "slow_modes");
    }
    let (code, found) = with_file("s = [[0.999999,0,0],[0.000001,1,0],[0,0,1]]", &["-T", "10^6"]);
    assert_eq!((code, verdicts(&found)), (Some(4), vec!["inconclusive"; 3]));
}

#[test]
fn general_positions_have_no_limit_law() {
    let config = "tokens = 2\ngroup = 1\np = [[2,0],[0,1]]\nsteps = 10000";
    let (_, found) = with_file(config, &[]);
    for rate in found["rates"].as_array().expect("rates") {
        assert!(rate.get("constant").is_none(), "{rate}");
    }
    assert!(!verdicts(&found).contains(&"differs"));
}

#[test]
fn longer_is_not_advised_where_it_does_not_help() {
    for args in [
        &["--teacher-norm", "10^6", "-T", "1000"][..],
        &["--rate", "1e-300", "-T", "1000"],
        &["-D", "4", "-K", "1", "-T", "200", "--scalar", "interval64"],
        &["-D", "4", "-K", "1", "-T", "200", "--scalar", "interval32"],
    ] {
        let (code, found) = document(&[args, &["-q"]].concat());
        assert_eq!(code, Some(4), "{args:?}");
        if doubt(&found) != "burn_in" || args.contains(&"1e-300") {
            assert!(
                found["asymptotic"].get("needed_steps").is_none(),
                "{args:?}: {}",
                found["asymptotic"]
            );
        }
        let told = text(&rates(args).stderr);
        assert!(!told.contains("certify"), "{told}");
    }
    // From a start that has attention on the wrong tokens, burn-in has no end in sight.
    let config = "tokens = 2\ngroup = 1\nsteps = 1000\nstate = { c = 1, logits = [-40, 0] }";
    let (code, found) = with_file(config, &[]);
    assert_eq!(code, Some(4));
    assert!(found["asymptotic"].get("needed_steps").is_none(), "{}", found["asymptotic"]);
}

/// SplitMix64.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Evenly spread in the logarithm.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low * (high / low).powf(share)
    }
}

/// The exact limits are proven for these models (note 4), with the slopes that the theorem claims:
/// a `differs` would be false, whatever the configuration. `POPGD_LONG` makes more of them.
#[test]
fn no_false_disagreement_over_random_models() {
    let long = std::env::var_os("POPGD_LONG").is_some_and(|value| value != "0");
    let (count, longest) = if long { (1000, 1e6) } else { (60, 3e4) };
    let mut draws = Draws(1);
    let mut agreeing = 0;
    for case in 0..count {
        let slope = ["1", "0.4", "0", "-0.3", "2"][draws.below(5) as usize];
        let norm = draws.between(0.3, 300.0);
        let steps = draws.between(100.0, longest) as u64;
        let scalar = ["f64", "f32"][draws.below(2) as usize];
        let sums = ["compensated", "compensated", "plain"][draws.below(3) as usize];
        let mut config = format!(
            "teacher_norm = \"{norm:.3}\"\nactivation = \"leaky-relu:{slope}\"\nsteps = {steps}\n\
             scalar = \"{scalar}\"\naccumulate = \"{sums}\"\n"
        );
        let tokens = 2 + draws.below(11);
        if draws.below(2) == 0 {
            let group = 1 + draws.below(tokens - 1);
            config += &format!("task = \"sts\"\ntokens = {tokens}\ngroup = {group}\n");
        } else {
            let first = 1 + draws.below(tokens - 1);
            let mut classes = Vec::new();
            for count in [first, tokens - first] {
                let inside = 1 + draws.below(tokens - 1);
                let mut levels = Vec::new();
                if inside > 1 && draws.below(2) == 0 {
                    // One token is heavier than the others.
                    let heavy = 2 + draws.below(20);
                    let whole = heavy + inside - 1;
                    levels.push(format!("{{ count = 1, weight = \"{heavy}/{whole}\" }}"));
                    levels.push(format!("{{ count = {}, weight = \"1/{whole}\" }}", inside - 1));
                } else {
                    levels.push(format!("{{ count = {inside}, weight = \"1/{inside}\" }}"));
                }
                levels.push(format!("{{ count = {}, weight = 0 }}", tokens - inside));
                classes.push(format!("{{ count = {count}, levels = [{}] }}", levels.join(", ")));
            }
            config += &format!("classes = [{}]\n", classes.join(", "));
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rates.toml");
        std::fs::write(&path, &config).expect("written");
        let output = rates(&["-q", "--format", "json", "--config", path.to_str().expect("UTF-8")]);
        let code = output.status.code();
        if code == Some(2) && text(&output.stderr).contains("stability limit") {
            continue;
        }
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let verdicts = verdicts(&found);
        assert!(!verdicts.contains(&"differs"), "case {case}:\n{config}{}", found["rates"]);
        agreeing += usize::from(code == Some(0));
        for rate in found["rates"].as_array().expect("rates") {
            if rate["verdict"] == json!("agrees") {
                let ratio = rate["constant"]["measured_over_exact"]["limit"].as_f64();
                assert!(
                    (ratio.expect("a limit") - 1.0).abs() < 0.06,
                    "case {case}:\n{config}{rate}"
                );
            }
        }
    }
    // Nor is everything left open.
    assert!(agreeing * 20 >= count, "{agreeing} of {count} agree");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_told_to_run_longer_than_it_did() {
    let mut child = Command::new(cargo_bin!("popgd"))
        .args(["rates", "-D", "64", "-K", "4", "-T", "10^12", "--format", "json", "-q"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_secs(2));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    if !killed.is_ok_and(|status| status.success()) {
        child.kill().expect("stopped");
        child.wait().expect("it ends");
        return;
    }
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let done = found["trajectory"].as_array().and_then(|rows| rows.last()).expect("rows")["t"]
        .as_u64()
        .expect("a step");
    if let Some(needed) = found["asymptotic"].get("needed_steps") {
        assert!(needed.as_u64().expect("steps") > done, "{needed} after {done}");
    }
    let measured = &found["rates"][0]["measured"];
    let (from, to) = (measured["from"].as_u64().unwrap(), measured["to"].as_u64().unwrap());
    let recorded =
        |t| found["trajectory"].as_array().expect("rows").iter().any(|row| row["t"] == json!(t));
    assert!(recorded(from) && recorded(to) && from * 10 <= to + 9 && from * 20 > to, "{from} {to}");
}

/// Drawings but for what changes with the version, and for a rounding of the mathematical library
/// of the system: names and numbers in turn.
fn drawing(svg: &str) -> (String, Vec<f64>) {
    let svg: String = svg
        .lines()
        .filter(|line| !line.starts_with("<metadata>") && !line.starts_with("popgd "))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut numbers = Vec::new();
    let mut rest = String::new();
    for part in svg.split_inclusive(|c: char| !(c.is_ascii_digit() || c == '.')) {
        let digits = part.trim_end_matches(|c: char| !(c.is_ascii_digit() || c == '.'));
        match digits.parse() {
            Ok(number) => numbers.push(number),
            Err(_) => rest.push_str(digits),
        }
        rest.push_str(&part[digits.len()..]);
    }
    (rest, numbers)
}

#[test]
fn the_picture_of_the_readme_is_what_the_program_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rates.svg");
    rates(&["--plot", path.to_str().expect("UTF-8")]);
    let drawn = drawing(&std::fs::read_to_string(&path).expect("it is there"));
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/pictures/rates.svg");
    let kept = drawing(&std::fs::read_to_string(kept).expect("it is there"));
    let mend = "draw it anew: popgd rates --plot cli/pictures/rates.svg";
    assert_eq!(drawn.0, kept.0, "{mend}");
    assert_eq!(drawn.1.len(), kept.1.len(), "{mend}");
    for (a, b) in drawn.1.iter().zip(&kept.1) {
        assert!((a - b).abs() <= 1.0, "{a} for {b}; {mend}");
    }
}

#[test]
fn a_picture_of_nothing_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rates.svg");
    let output = rates(&["-T", "0", "--plot", path.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--plot"));
    assert!(!path.exists());
}

#[test]
fn tables_fit_eighty_columns() {
    let short: &[&str] = &["-D", "16", "-K", "4", "-T", "1000"];
    for args in [short, &[short, &["--dry-run"]].concat()] {
        for line in text(&rates(args).stdout).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
