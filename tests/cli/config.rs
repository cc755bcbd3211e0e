//! Configuration files: forms, defaults, precedence, and the echo that reproduces a run.

use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use clap::Parser;
use popgd::cli::{Cli, Command};
use popgd::config::{Arguments, CommandKind, resolve};
use popgd::error::{Failure, Warning};
use popgd::number::Exact;
use popgd::settings::{
    Method, ModelSettings, PositionSettings, ScalarKind, Settings, Task, TeacherNorm,
};

/// Resolves a command line.
fn resolved(args: &[&str]) -> Result<(Settings, Vec<Warning>), Failure> {
    let all = ["popgd"].iter().chain(args);
    let cli = Cli::try_parse_from(all).expect("the flags exist");
    match cli.command {
        Some(Command::Run(run)) => resolve(CommandKind::Run, Arguments::of_run(&cli.common, &run)?),
        Some(Command::Rates(rates)) => {
            resolve(CommandKind::Rates, Arguments::of_rates(&cli.common, &rates)?)
        }
        Some(Command::Certify(certify)) => {
            resolve(CommandKind::Certify, Arguments::of_certify(&cli.common, &certify)?)
        }
        _ => panic!("a command with a configuration"),
    }
}

fn model(args: &[&str]) -> ModelSettings {
    resolved(args).expect("a right configuration").0.model
}

/// Resolves a file, with further flags.
fn from_file(name: &str, content: &str, flags: &[&str]) -> Settings {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file in it");
    let path = path.to_str().expect("a path in UTF-8");
    let args: Vec<&str> = ["run", "--config", path].iter().chain(flags).copied().collect();
    resolved(&args).unwrap_or_else(|failure| panic!("{content}\n{failure}")).0
}

fn exact(text: &str) -> Exact {
    Exact::parse(text).expect("a number")
}

#[test]
fn defaults_are_those_of_the_paper() {
    let run = model(&["run"]);
    assert_eq!((run.task, run.tokens, run.group), (Task::Cnn, 36, Some(4)));
    assert_eq!(run.slope, exact("0"));
    assert_eq!(run.slope_at_zero, exact("1"));
    assert_eq!(run.logit_gain, exact("1/36"));
    // 0.25·K/(gD), g = ½.
    assert_eq!(run.rate, exact("1/18"));
    assert_eq!(run.steps, 100_000);
    assert_eq!(run.teacher_norm, TeacherNorm::Norm(exact("1")));
    assert_eq!((run.method, run.scalar, run.compensated), (Method::Lumped, ScalarKind::F64, true));
    assert!(run.dense.is_none() && run.state.is_none());

    for (preset, tokens, group, slope) in
        [("cnn", 36, 4, "0"), ("gcn", 20, 3, "0"), ("sts", 20, 4, "1"), ("gslp", 20, 1, "1")]
    {
        let run = model(&["run", "--preset", preset]);
        assert_eq!((run.tokens, run.group), (tokens, Some(group)));
        assert_eq!(run.slope, exact(slope));
        assert_eq!(run.classes.len(), 1);
    }

    let rates = model(&["rates"]);
    assert_eq!(rates.steps, 10_000_000);
    assert_eq!(rates.teacher_norm, TeacherNorm::Norm(exact("4")));
}

#[test]
fn numbers_stay_exact() {
    let run = model(&[
        "run",
        "--rate",
        "0.1",
        "--steps",
        "10^12",
        "--teacher-norm",
        "1/3",
        "--kappa",
        "D^-2",
    ]);
    assert_eq!(run.rate, exact("1/10"));
    assert_eq!(run.steps, 1_000_000_000_000);
    assert_eq!(run.teacher_norm, TeacherNorm::Norm(exact("1/3")));
    assert_eq!(run.logit_gain, exact("1/1296"));
    for (text, value) in [
        ("1/D", "1/36"),
        ("D^-1", "1/36"),
        ("1/D^2", "1/1296"),
        ("D", "36"),
        ("D^0", "1"),
        ("2/D", "1/18"),
        ("d^-1", "1/36"),
        ("D^\u{2212}2", "1/1296"),
        ("0.5", "1/2"),
    ] {
        assert_eq!(model(&["run", "--logit-gain", text]).logit_gain, exact(value), "{text}");
    }
    for (name, content) in [
        ("a.toml", "rate = 0.1\nteacher_norm = \"1/3\"\nsteps = \"10^12\"\nseed = 1_000"),
        ("a.json", r#"{"rate": 0.1, "teacher_norm": "1/3", "steps": 1e12, "seed": "1e3"}"#),
        (
            "a.conf",
            r#"{"rate": "0.1", "teacher_norm": "1/3", "steps": 1000000000000, "seed": 1000}"#,
        ),
    ] {
        let run = from_file(name, content, &[]).model;
        assert_eq!(run.rate, exact("1/10"), "{name}");
        assert_eq!(run.teacher_norm, TeacherNorm::Norm(exact("1/3")));
        assert_eq!((run.steps, run.seed), (1_000_000_000_000, 1000));
    }
}

#[test]
fn flags_win_over_files() {
    let settings = from_file(
        "a.toml",
        "tokens = 64\ngroup = 8\nat = [1, 2]\nquiet = true",
        &["--group", "16"],
    );
    assert_eq!((settings.model.tokens, settings.model.group), (64, Some(16)));
    assert_eq!(settings.at, [1, 2, 100_000]);
    assert!(settings.output.quiet);
    let settings =
        from_file("a.toml", "at = [1, 2]", &["--points-per-decade", "1", "--steps", "100"]);
    assert_eq!(settings.at, [0, 1, 10, 100]);
    let settings = from_file("a.toml", "points_per_decade = 3", &["--at", "7,5", "--steps", "9"]);
    assert_eq!(settings.at, [5, 7, 9]);
}

#[test]
fn flags_that_say_it_another_way_win_with_a_warning() {
    let of = |content: &str, flags: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, content).unwrap();
        let args = [&["run", "--config", path.to_str().unwrap()], flags].concat();
        let (settings, warnings) = resolved(&args).unwrap();
        let replaced =
            warnings.iter().filter(|warning| matches!(warning, Warning::Replaced { .. }));
        (settings.model, replaced.count())
    };
    let turned = "s = [[1, 0], [0, 1]]\np = [[0, 1], [1, 0]]\nlogit_scale = 3";
    let (run, replaced) = of(turned, &["--logit-gain", "0.5"]);
    assert_eq!((run.logit_gain, replaced), (exact("0.5"), 1));
    let (run, replaced) = of("preset = \"cnn\"", &["--task", "gcn"]);
    assert_eq!((run.task, run.tokens, replaced), (Task::Gcn, 20, 1));
    let (run, replaced) = of("s = [[1, 0], [0, 1]]", &["--task", "gcn"]);
    assert_eq!((run.task, replaced), (Task::Gcn, 1));
    let (run, replaced) = of("preset = \"gcn\"", &["--task", "gcn"]);
    assert_eq!((run.task, replaced), (Task::Gcn, 0));
    assert_eq!(of("at = [1]", &["--points-per-decade", "1"]).1, 0);
}

#[test]
fn default_rates_converge_for_unequal_weights() {
    let content = |more: &str| {
        format!("s = [[0.75, 0.25], [0.25, 0.75]]\nteacher_norm = 100\nlogit_gain = 1\n{more}")
    };
    let run = from_file("a.toml", &content(""), &[]).model;
    let formula = exact("0.25").checked_div(&exact("0.625")).unwrap();
    assert!(run.rate < formula && run.rate.is_positive(), "{}", run.rate);
    // A fifth more than four times as much does not converge: it is the limit, not just small.
    let beyond = (&run.rate * &exact("4.8")).to_string();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    std::fs::write(&path, content("")).unwrap();
    let args = ["run", "--config", path.to_str().unwrap(), "--method", "dense", "--rate", &beyond];
    assert!(resolved(&args).is_err());
    // Equal weights keep the formula.
    assert_eq!(model(&["run", "--teacher-norm", "100"]).rate, exact("1/18"));
}

#[test]
fn positions_that_are_nearly_orthogonal_are_so_for_floats_only() {
    let nearly = "s = [[1, 0], [0, 1]]\np = [[1.0000000000004, 0], [0, 1.0000000000004]]";
    assert_eq!(from_file("a.toml", nearly, &[]).model.method, Method::Lumped);
    for scalar in ["interval32", "interval64"] {
        let run = from_file("a.toml", nearly, &["--scalar", scalar]).model;
        let dense = run.dense.expect("full matrices");
        assert!(matches!(dense.positions, PositionSettings::General(_)), "{scalar}");
        let exactly = "s = [[1, 0], [0, 1]]\np = [[0.6, -0.8], [0.8, 0.6]]";
        let run = from_file("a.toml", exactly, &["--scalar", scalar]).model;
        assert_eq!(run.method, Method::Lumped);
    }
}

#[test]
fn huge_lumped_runs_need_no_matrix() {
    let run = model(&["run", "--tokens", "10^9", "--group", "10^6"]);
    assert_eq!(run.classes.len(), 1);
    let run = model(&["run", "--task", "gcn", "--tokens", "10^9", "--group", "10^8"]);
    assert_eq!(run.classes[0].levels[0].count, 100_000_000);
    let run = model(&["run", "--tokens", "2^53", "--group", "2^53"]);
    assert_eq!(run.classes[0].levels.len(), 1, "no second level without tokens in it");
}

#[test]
fn scores_are_reduced_to_classes() {
    // Two columns with the weights ½, ½, 0 and one with ¾, ¼, 0.
    let content = "s = [[0.5, 0, 0.25], [0.5, 0.5, 0], [0, 0.5, 0.75]]";
    let run = from_file("a.toml", content, &[]).model;
    assert_eq!(
        (run.task, run.tokens, run.group, run.method),
        (Task::Custom, 3, None, Method::Lumped)
    );
    let shape: Vec<_> = run
        .classes
        .iter()
        .map(|class| {
            let levels = class.levels.iter().map(|level| (level.count, level.weight.to_string()));
            (class.count, levels.collect::<Vec<_>>())
        })
        .collect();
    let level = |count, weight: &str| (count, weight.to_owned());
    assert_eq!(
        shape,
        [
            (2, vec![level(2, "0.5"), level(1, "0")]),
            (1, vec![level(1, "0.75"), level(1, "0.25"), level(1, "0")]),
        ]
    );
    assert!(run.dense.is_none());

    let run = from_file("a.toml", content, &["--method", "dense"]).model;
    let dense = run.dense.expect("full matrices");
    assert_eq!(dense.scores.entries[2], exact("0.25"), "row 1, column 3");

    let content = "s = [[0.5, 0.5], [\"1/2\", 5e-1]]";
    assert_eq!(from_file("a.toml", content, &[]).model.group, Some(2));
}

#[test]
fn levels_are_sorted_and_their_logits_with_them() {
    let content = "
        classes = [{ count = 4, levels = [{ count = 2, weight = 0 }, { count = 1, weight = 0.25 }, { count = 1, weight = 0.75 }] }]
        state = { c = 0.5, logits = [10, 20, 30] }";
    let run = from_file("a.toml", content, &[]).model;
    let weights: Vec<_> =
        run.classes[0].levels.iter().map(|level| level.weight.to_string()).collect();
    assert_eq!(weights, ["0.75", "0.25", "0"]);
    let state = run.state.expect("a state");
    assert_eq!(state.logits, [exact("30"), exact("20"), exact("10")]);
}

#[test]
fn equal_classes_are_one() {
    let levels = "levels = [{ count = 1, weight = 0.5 }, { count = 1, weight = 0.5 }, { count = 2, weight = 0 }]";
    let content = format!("classes = [{{ count = 1, {levels} }}, {{ count = 3, {levels} }}]");
    let run = from_file("a.toml", &content, &[]).model;
    assert_eq!(run.classes.len(), 1);
    assert_eq!((run.classes[0].count, run.classes[0].levels.len(), run.group), (4, 2, Some(2)));
}

#[test]
fn the_start_and_positions_decide_the_method() {
    let two = "s = [[1, 0], [0, 1]]\nv = [[1]]\n";
    let method = |rest: &str| from_file("a.toml", &format!("{two}{rest}"), &[]).model.method;
    assert_eq!(method(""), Method::Lumped);
    assert_eq!(method("w0 = [[0.5]]"), Method::Dense);
    assert_eq!(method("kq0 = [[0, 0], [0, 0]]"), Method::Dense);
    assert_eq!(method("p = [[0, 1], [-1, 0]]"), Method::Lumped);
    assert_eq!(method("p = [[1, 1], [0, 1]]"), Method::Dense);

    let run = from_file(
        "a.toml",
        &format!("{two}p = [[0.6, -0.8], [0.8, 0.6]]\nlogit_scale = 2"),
        &["--method", "dense"],
    );
    assert_eq!(run.model.logit_gain, exact("0.25"));
    let dense = run.model.dense.expect("full matrices");
    assert!(matches!(dense.positions, PositionSettings::Orthogonal(_)));
    assert_eq!(dense.logit_scale, Some(exact("2")));
}

#[test]
fn tasks_in_full_have_stochastic_columns() {
    for (args, symmetric) in [
        (&["--task", "cnn", "-D", "6", "-K", "3"][..], true),
        (&["--task", "gcn", "-D", "7", "-K", "3"], true),
        (&["--task", "gcn", "-D", "8", "-K", "4"], true),
        (&["--task", "gcn", "-D", "8", "-K", "8"], true),
        (&["--task", "gcn", "-D", "7", "-K", "7"], true),
        (&["--task", "gcn", "-D", "6", "-K", "1"], true),
        (&["--task", "sts", "-D", "6", "-K", "2"], false),
        (&["--task", "gslp", "-D", "5"], false),
    ] {
        let all: Vec<&str> = ["run", "--method", "dense"].iter().chain(args).copied().collect();
        let run = model(&all);
        let side = usize::try_from(run.tokens).unwrap();
        let scores = run.dense.expect("full matrices").scores;
        let group = Exact::ratio(1, run.group.unwrap()).unwrap();
        for j in 0..side {
            let column: Vec<&Exact> = (0..side).map(|i| &scores.entries[i * side + j]).collect();
            let inside = column.iter().filter(|weight| ***weight == group).count();
            assert_eq!(u64::try_from(inside).ok(), run.group, "{args:?}");
            assert!(column.iter().all(|weight| weight.is_zero() || **weight == group));
            if symmetric {
                assert!(
                    (0..side).all(|i| scores.entries[i * side + j] == scores.entries[j * side + i])
                );
            }
        }
    }
    // Every query of a selection looks at the same tokens: rows are constant.
    let scores = model(&["run", "--preset", "sts", "--method", "dense"]).dense.unwrap().scores;
    assert!(scores.entries.chunks(20).all(|row| row.iter().all(|weight| *weight == row[0])));
}

#[test]
fn graphs_and_partitions() {
    let run = from_file("a.toml", "partition = [0, 1, 0, 1]", &["--method", "dense"]).model;
    assert_eq!((run.tokens, run.group), (4, Some(2)));
    assert_eq!(run.dense.unwrap().scores.entries[2], exact("1/2"));
    let cycle = "task = \"gcn\"\nedges = [[0, 1], [1, 2], [2, 3], [3, 0]]";
    let by_edges = from_file("a.toml", cycle, &["--method", "dense"]).model.dense.unwrap().scores;
    let matrix =
        "task = \"gcn\"\nadjacency = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]";
    let by_matrix = from_file("a.toml", matrix, &["--method", "dense"]).model.dense.unwrap().scores;
    let offsets = "task = \"gcn\"\ntokens = 4\noffsets = [1]";
    let by_offsets =
        from_file("a.toml", offsets, &["--method", "dense"]).model.dense.unwrap().scores;
    let default =
        model(&["run", "--task", "gcn", "-D", "4", "--method", "dense"]).dense.unwrap().scores;
    assert!(by_edges == by_matrix && by_edges == by_offsets && by_edges == default);
}

#[test]
fn value_matrices_come_from_the_seed() {
    let drawn = |seed| {
        let run = model(&[
            "run",
            "--method",
            "dense",
            "-M",
            "3",
            "-d",
            "5",
            "--seed",
            seed,
            "--teacher-norm",
            "2",
        ]);
        run.dense.unwrap().value_matrix
    };
    assert_eq!(drawn("1"), drawn("1"));
    assert_ne!(drawn("1"), drawn("2"));
    let square: f64 = drawn("1").entries.iter().map(|entry| entry.to_f64().powi(2)).sum();
    assert!((square - 4.0).abs() < 1e-14);

    let identity = model(&["run", "--task", "sts", "-d", "3", "--method", "dense"]);
    assert_eq!(identity.teacher_norm, TeacherNorm::Square(exact("3")));
    let entries: Vec<f64> =
        identity.dense.unwrap().value_matrix.entries.iter().map(Exact::to_f64).collect();
    assert!(
        entries
            .iter()
            .enumerate()
            .all(|(at, x)| (x - if at % 4 == 0 { 1.0 } else { 0.0 }).abs() < 1e-15),
        "{entries:?}"
    );
}

#[test]
fn matrices_come_from_files_beside_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.csv"), "1/2,1/2\n1/2,1/2\n").unwrap();
    std::fs::write(folder.path().join("v.json"), "[[3, 4]]").unwrap();
    let config = folder.path().join("a.toml");
    std::fs::write(&config, "s = \"s.csv\"\nv = \"v.json\"").unwrap();
    let run = model(&["run", "--config", config.to_str().unwrap()]);
    assert_eq!((run.group, run.teacher_norm), (Some(2), TeacherNorm::Square(exact("25"))));
    assert_eq!((run.channels, run.features), (1, 2));
}

#[test]
fn a_lumped_run_beyond_the_dense_limit_is_warned_of() {
    let (_, warnings) = resolved(&["run", "--teacher-norm", "1000"]).unwrap();
    assert!(matches!(warnings[..], [Warning::BeyondDenseLimit { .. }]));
    let (_, warnings) =
        resolved(&["run", "-K", "1", "-D", "36", "--teacher-norm", "1000"]).unwrap();
    assert!(warnings.is_empty(), "a group of one token has no differences within");
    let (_, warnings) =
        resolved(&["run", "--scalar", "f32", "--accumulate", "plain", "--steps", "10^7"]).unwrap();
    assert!(matches!(warnings[..], [Warning::Stalls { .. }]));
}

#[test]
fn flags_that_change_nothing_are_told() {
    let command = ["certify", "-D", "16", "-K", "4"];
    let told = |flags: &[&str]| {
        let args: Vec<&str> = command.iter().chain(flags).copied().collect();
        let (_, warnings) = resolved(&args).unwrap();
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(told(&["--seed", "3"]).is_empty(), "V* is drawn with it");
    for flags in [["--noise", "1"], ["--accumulate", "plain"], ["--points-per-decade", "2"]] {
        let told = told(&flags);
        assert!(matches!(&told[..], [text] if text.starts_with(flags[0])), "{told:?}");
    }
}

#[test]
fn starts_that_train_are_let_through() {
    for args in [
        &["--activation", "leaky-relu:-0.5"][..],
        &["--activation", "leaky-relu:-2", "--slope-at-zero", "left"],
        &["--activation", "leaky-relu:0.3", "--slope-at-zero", "left"],
        &["--activation", "relu", "--slope-at-zero", "mean"],
        &["--activation", "leaky-relu:-2", "--slope-at-zero", "mean"],
    ] {
        let all: Vec<&str> = ["run"].iter().chain(args).copied().collect();
        resolved(&all).unwrap_or_else(|failure| panic!("{args:?}: {failure}"));
    }
    from_file("a.toml", "activation = \"abs\"\nstate = { c = 0.5, logits = [0, 0] }", &[]);
    for content in [
        // The identity and slopes above 0 come back, and ReLU turns round.
        "activation = \"identity\"\nv = [[1, 2]]\nw0 = [[-1, -2]]",
        "activation = \"leaky-relu:0.5\"\nv = [[1, 2]]\nw0 = [[-1, -2]]",
        "activation = \"abs\"\nv = [[1, 2]]\nw0 = [[-1, -2]]",
        "activation = \"relu\"\nv = [[1, 2]]\nw0 = [[-1, -1]]",
        // A position of 0 does for a query that looks at everything.
        "s = [[0.5, 0], [0.5, 1]]\np = [[0, 0], [0, 1]]",
    ] {
        from_file("a.toml", content, &[]);
    }
}

#[test]
fn the_echo_reproduces_the_configuration() {
    let check = |settings: &Settings| {
        let text = serde_json::to_string(&settings.echo).unwrap();
        let again = from_file("echo.json", &text, &[]);
        assert_eq!(again.model, settings.model, "{text}");
        assert_eq!(again.at, settings.at, "{text}");
        assert_eq!(again.echo, settings.echo);
        // A sheet of JSON that rounds numbers to f64 must not change it either.
        assert_eq!(again.echo.to_string(), text);
    };
    for args in [
        &["run"][..],
        &["rates"],
        &["run", "--preset", "sts"],
        &["run", "--preset", "sts", "--method", "dense"],
        &["run", "--preset", "gslp", "--rate", "0.09", "--noise", "0.3", "--seed", "2^63"],
        &["run", "--preset", "gcn", "--activation", "leaky-relu:0.1", "--slope-at-zero", "left"],
        &[
            "run",
            "--method",
            "dense",
            "--seed",
            "7",
            "--teacher-norm",
            "1/3",
            "--scalar",
            "interval64",
        ],
        &["run", "--at", "1,10,100", "--steps", "1e3", "--accumulate", "plain", "--kappa", "D^-3"],
        &["run", "--tokens", "2^53", "--group", "1", "--steps", "2^62"],
        &["run", "--teacher-norm", "sqrt(2)"],
    ] {
        check(&resolved(args).unwrap().0);
    }
    for content in [
        "s = [[0.5, 0, 0.25], [0.5, 0.5, 0], [0, 0.5, 0.75]]\nv = [[1, \"1/3\"]]",
        "s = [[0.5, 0, 0.25], [0.5, 0.5, 0], [0, 0.5, 0.75]]\nmethod = \"dense\"",
        "s = [[1, 0], [0, 1]]\nv = [[0.1]]\np = [[1, 1], [0, 1]]\nlogit_scale = 3\nw0 = [[0.3]]\nkq0 = [[0, 0.1], [0.2, 0]]",
        "s = [[1, 0], [0, 1]]\np = [[0.6, -0.8], [0.8, 0.6]]\nlogit_scale = 3",
        "s = [[1, 0], [0, 1]]\np = [[0.6, -0.8], [0.8, 0.6]]\nlogit_scale = 3\nmethod = \"dense\"",
        "s = [[1, 0], [0, 1]]\np = [[1, 0], [0, 1]]\nlogit_scale = 3\nmethod = \"dense\"",
        "classes = [{ count = 4, levels = [{ count = 2, weight = 0 }, { count = 2, weight = 0.5 }] }]\nstate = { c = \"1/7\", logits = [10, 20] }",
        "classes = [{ count = 4, levels = [{ count = 2, weight = 0 }, { count = 2, weight = 0.5 }] }]\nmethod = \"dense\"",
        "partition = [0, 1, 0, 1]\nmethod = \"dense\"",
        "task = \"gcn\"\nedges = [[0, 1], [1, 2], [2, 3], [3, 0]]\nmethod = \"dense\"",
        "task = \"gcn\"\ntokens = 9\noffsets = [2, 3]\nmethod = \"dense\"",
        "state = { c = 0.5, logits = [0.1, 0] }\nscalar = \"f32\"",
        "state = { c = { lo = 0.5, hi = 0.75 }, logits = [0.1, 0] }\nscalar = \"interval64\"",
        "s = [[1, 0], [0, 1]]\nv = [[0.1]]\np = [[1, 1], [0, 1]]\nw0 = [[{ lo = 0.1, hi = 0.2 }]]\nlogits = [[0, 0.1], [0.2, 0]]\nscalar = \"interval64\"",
    ] {
        check(&from_file("a.toml", content, &[]));
    }
}

#[test]
fn the_program_explains_itself() {
    let run = |args: &[&str]| {
        let output = cargo_bin_cmd!("popgd").args(args).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(run(&[]).contains("Usage: popgd"));
    assert!(run(&["--help"]).contains("popgd::output::json"), "where the schemas are");
    for args in [&["--help"][..], &["help", "run"], &["run", "--help"], &["rates", "-h"]] {
        assert!(run(args).contains("Examples:"), "{args:?}");
    }
    assert!(run(&["--version"]).starts_with("popgd "));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(&["completions", shell]).contains("teacher-norm"), "{shell}");
    }
    assert!(run(&["man"]).contains("teacher"));
}

#[test]
fn colours_are_a_choice() {
    let run = |choice: &str| {
        let color = format!("--color={choice}");
        let output =
            cargo_bin_cmd!("popgd").args(["run", "--rate", "0", &color]).output().expect("it runs");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(run("always").contains("\u{1b}["));
    assert!(!run("never").contains('\u{1b}'));
    assert!(!run("auto").contains('\u{1b}'), "standard error is no terminal here");
}

#[test]
fn colours_of_a_file_hold_for_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    std::fs::write(&path, "color = \"always\"\nrate = 0").unwrap();
    let run = |more: &[&str]| {
        let output = cargo_bin_cmd!("popgd")
            .args(["run", "--config", path.to_str().unwrap()])
            .args(more)
            .output()
            .expect("it runs");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(run(&[]).contains("\u{1b}["));
    assert!(!run(&["--color", "never"]).contains('\u{1b}'), "the flag wins");
}

/// A reader who closes the pipe ends the program quietly.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let program = assert_cmd::cargo::cargo_bin!("popgd");
    for args in [&["man"][..], &["completions", "zsh"], &["help", "run"], &[]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = Command::new(Path::new(program))
            .args(args)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
