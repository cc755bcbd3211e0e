//! Sweeps in parts: plans, jobs, merging, resuming; the same bytes whatever the way.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use assert_cmd::cargo::cargo_bin;

fn popgd(args: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin!("popgd"));
    command.args(args);
    command
}

fn output(args: &[&str]) -> Output {
    popgd(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn name(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A sweep of a few short runs, in JSON: all bytes of all results are in it.
const SWEEP: [&str; 11] = [
    "rates",
    "--sweep",
    "tokens=8,16,32",
    "--sweep",
    "rate=1/40,1/20",
    "--product",
    "-K",
    "2",
    "--format",
    "json",
    "--quiet",
];

fn job(line: &str) -> Output {
    let mut child = popgd(&["run", "--job", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(line.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

#[test]
fn parts_in_any_order_are_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = folder.path().join("plan.jsonl");
    let whole = output(&SWEEP);
    assert!(output(&[&SWEEP[..], &["--plan", name(&plan)]].concat()).status.success());
    let plan = std::fs::read_to_string(plan).expect("the plan");
    assert_eq!(plan.lines().count(), 6);

    let pattern = folder.path().join("r*.jsonl");
    let pattern = name(&pattern).to_owned();
    let merged = || output(&["rates", "--from", &pattern, "--format", "json", "--quiet"]);
    // The files are read in another order than the jobs have.
    for (index, line) in plan.lines().enumerate() {
        let result = job(line);
        assert!(result.status.success(), "{}", text(&result.stderr));
        assert_eq!(text(&result.stdout).lines().count(), 1);
        let file = folder.path().join(format!("r{}.jsonl", 9 - index));
        std::fs::write(file, &result.stdout).expect("it can be written");
    }
    let all = merged();
    assert_eq!(text(&all.stdout), text(&whole.stdout));
    assert_eq!(all.status.code(), whole.status.code());

    // One is missing, one is there twice, one was tampered with, one is broken off.
    let last = folder.path().join("r4.jsonl");
    let bytes = std::fs::read(&last).expect("job 5");
    std::fs::remove_file(&last).expect("it can be removed");
    let told = |part: &str| {
        let output = merged();
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(part), "{part}: {}", text(&output.stderr));
    };
    told("1 of 6 results are missing: run the jobs 5 of");
    std::fs::write(&last, &bytes).expect("back");
    let extra = folder.path().join("r0.jsonl");
    std::fs::write(&extra, &bytes).expect("twice");
    told("the same result twice");
    let changed = text(&bytes).replacen("\"at_end\":", "\"at_end\":1", 1);
    std::fs::write(&extra, changed).expect("another");
    told("two results that differ");
    let changed = text(&bytes).replacen("\"seed\":0", "\"seed\":1", 1);
    std::fs::write(&extra, changed).expect("another configuration");
    told("hash differs");
    std::fs::write(&extra, &bytes[..bytes.len() / 2]).expect("broken off");
    told("broken off");
    std::fs::write(&extra, plan.lines().next().expect("a job")).expect("a job");
    told("a job without its result");
}

/// The commands of note 7 for more machines than one: GNU parallel where it is installed, and a
/// Slurm array, whose index is set by hand here.
#[cfg(unix)]
#[test]
fn shells_and_schedulers_give_the_same() {
    let whole = output(&SWEEP);
    let parallel = "parallel --will-cite --pipe -N1 'popgd run --job - --output results/{#}.jsonl' \
                    < plan.jsonl";
    let slurm = "for SLURM_ARRAY_TASK_ID in 6 2 3 1 5 4; do sed -n \"${SLURM_ARRAY_TASK_ID}p\" \
                 plan.jsonl | popgd run --job - --output \"results/$SLURM_ARRAY_TASK_ID.jsonl\"; done";
    let binary = cargo_bin!("popgd").parent().expect("a folder");
    let path = format!("{}:{}", name(binary), std::env::var("PATH").unwrap_or_default());
    for script in [parallel, slurm] {
        let folder = tempfile::tempdir().expect("a folder");
        let shell = |script: &str| {
            let mut shell = Command::new("sh");
            let here = folder.path();
            shell.args(["-c", script]).current_dir(here).env("PATH", &path).env("HOME", here);
            shell.output().expect("a shell")
        };
        if script == parallel && !shell("command -v parallel").status.success() {
            eprintln!("GNU parallel is not installed: not tested");
            continue;
        }
        let plan = folder.path().join("plan.jsonl");
        assert!(output(&[&SWEEP[..], &["--plan", name(&plan)]].concat()).status.success());
        std::fs::create_dir(folder.path().join("results")).expect("a folder");
        let ran = shell(script);
        assert!(ran.status.success(), "{}", text(&ran.stderr));
        let merged = shell("popgd rates --from 'results/*.jsonl' --format json --quiet");
        assert_eq!(text(&merged.stdout), text(&whole.stdout), "{}", text(&merged.stderr));
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let one = output(&[&SWEEP[..], &["--threads", "1"]].concat());
    for threads in ["2", "3", "7"] {
        let many = output(&[&SWEEP[..], &["--threads", threads]].concat());
        assert_eq!(text(&many.stdout), text(&one.stdout));
    }
}

/// Ends runs at random times, and lets the same command go on until it is done.
#[test]
fn killed_and_resumed_it_is_the_same() {
    let long = std::env::var_os("POPGD_LONG").is_some_and(|value| value == "1");
    let kills = if long { 20 } else { 5 };
    let started = Instant::now();
    let whole = output(&SWEEP);
    let unbroken = started.elapsed();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ u64::from(std::process::id());
    let folder = tempfile::tempdir().expect("a folder");
    let mut ended = 0;
    for round in 0..kills {
        let kept =
            folder.path().join(if long { format!("r{}", round / 4) } else { "r".to_owned() });
        let mut child = popgd(&[&SWEEP[..], &["--resume", name(&kept), "--threads", "2"]].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        // xorshift
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        std::thread::sleep(unbroken.mul_f64((random >> 11) as f64 / (1_u64 << 53) as f64));
        if child.try_wait().expect("its state").is_none() {
            ended += 1;
        }
        // Not a polite request: the process ends here and now.
        let _ = child.kill();
        child.wait().expect("it ended");
    }
    assert!(!long || ended >= kills / 2, "only {ended} of {kills} were still running");
    let folders = if long { 5 } else { 1 };
    for round in 0..folders {
        let kept = folder.path().join(if long { format!("r{round}") } else { "r".to_owned() });
        let resumed = output(&[&SWEEP[..], &["--resume", name(&kept)]].concat());
        assert_eq!(text(&resumed.stdout), text(&whole.stdout), "after {ended} of {kills} kills");
        // And once more, when there is nothing left to do.
        let again = output(&[&SWEEP[..], &["--resume", name(&kept)]].concat());
        assert_eq!(text(&again.stdout), text(&whole.stdout));
    }
}

#[test]
fn a_job_has_it_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = folder.path().join("plan.jsonl");
    assert!(output(&[&SWEEP[..], &["--plan", name(&plan)]].concat()).status.success());
    for (args, part) in [
        (&["run", "--job", name(&plan), "--steps", "5"][..], "cannot be given with --job"),
        (&["run", "--job", name(&plan)], "expected one job"),
        (&["run", "--job", "no-such-file"], "there is no such file"),
        (&["rates", "--from", "no-such-folder/*.jsonl"], "no such"),
    ] {
        let output = output(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
    let other = text(&std::fs::read(&plan).expect("the plan"));
    let line = other.lines().next().expect("a job").replacen("\"popgd\":\"", "\"popgd\":\"9.", 1);
    assert!(text(&job(&line).stderr).contains("plan the sweep anew"));
}
