//! Every wrong input ends in exit code 2, nothing on standard output, and one message that says
//! what is wrong and where.

use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;

/// Runs popgd in a folder with these files, and checks that it refuses, in words.
fn refuses(files: &[(&str, &[u8])], args: &[&str], words: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("a file in it");
    }
    refuses_in(folder.path(), args, words);
}

fn refuses_in(folder: &Path, args: &[&str], words: &[&str]) {
    let output = cargo_bin_cmd!("popgd").current_dir(folder).args(args).output().expect("it runs");
    let message = String::from_utf8(output.stderr).expect("messages are UTF-8");
    let case = format!("popgd {}\n{message}", args.join(" "));
    assert_eq!(output.status.code(), Some(2), "{case}");
    assert!(output.stdout.is_empty(), "nothing belongs on standard output: {case}");
    assert_eq!(message.lines().count(), 1, "one line, the error: {case}");
    assert!(message.starts_with("error: ") && message.ends_with('\n'), "{case}");
    for word in words {
        assert!(message.contains(word), "`{word}` is missing: {case}");
    }
}

/// Flags that are wrong for `run` and for `rates` alike.
fn refuses_flags(args: &[&str], words: &[&str]) {
    for command in ["run", "rates"] {
        let all: Vec<&str> = [command].iter().chain(args).copied().collect();
        refuses(&[], &all, words);
    }
}

/// A configuration that is wrong, in TOML; with the file and the line in the message.
fn refuses_toml(content: &str, line: usize, words: &[&str]) {
    let place = format!("bad.toml:{line}");
    let words: Vec<&str> = [place.as_str()].iter().chain(words).copied().collect();
    refuses(&[("bad.toml", content.as_bytes())], &["run", "--config", "bad.toml"], &words);
}

/// The same in JSON; with the file in the message.
fn refuses_json(content: &str, words: &[&str]) {
    let words: Vec<&str> = ["bad.json"].iter().chain(words).copied().collect();
    refuses(&[("bad.json", content.as_bytes())], &["run", "--config", "bad.json"], &words);
}

#[test]
fn sizes() {
    refuses_flags(&["--group", "0"], &["--group", "1 to 36", "found 0"]);
    refuses_flags(&["-K", "37"], &["--group", "1 to 36", "found 37"]);
    refuses_flags(&["--tokens", "3"], &["--group", "1 to 3"]);
    refuses_flags(&["-D", "0"], &["--tokens", "at least 1"]);
    refuses_flags(&["--tokens", "-5"], &["--tokens", "-5"]);
    refuses_flags(&["--tokens", "36.5"], &["--tokens", "36.5", "not an integer"]);
    refuses_flags(&["--tokens", "10^19"], &["--tokens", "10^19", "2^63"]);
    refuses_flags(&["--tokens", "2^54", "--group", "1"], &["--tokens", "2^53"]);
    refuses_flags(&["--tokens", "37"], &["--tokens", "36 or 40"]);
    refuses_flags(&["--group", "5"], &["--group", "multiple of 5", "35 or 40"]);
    refuses_flags(&["--task", "gcn", "-D", "21", "-K", "4"], &["--group", "even"]);
    refuses_flags(&["--task", "gslp", "--group", "2"], &["--group", "expected 1", "sts"]);
    refuses_flags(&["--task", "gslp", "-M", "3"], &["--channels", "expected 1"]);
    refuses_flags(&["--task", "sts", "-M", "3", "-d", "4"], &["--channels", "V* = I"]);
    refuses_flags(&["--channels", "0"], &["--channels", "at least 1"]);
    refuses_flags(&["--features", "0"], &["--features", "at least 1"]);
    refuses_flags(&["--method", "dense", "-D", "10^6"], &["--tokens", "--method lumped"]);
    refuses_flags(
        &["--method", "dense", "-M", "10^9", "-d", "10^9"],
        &["--channels", "--method lumped"],
    );
}

#[test]
fn numbers() {
    for flag in ["--rate", "--noise", "--teacher-norm", "--logit-gain"] {
        for text in ["nan", "inf", "-inf", "Infinity"] {
            refuses_flags(&[flag, text], &[flag, "finite"]);
        }
        for text in ["abc", "1..2", "1e", "0x10"] {
            refuses_flags(&[flag, text], &[flag, text, "not a number"]);
        }
        refuses_flags(&[flag, "1/0"], &[flag, "zero"]);
        refuses_flags(&[flag, ""], &[flag, "missing"]);
        refuses_flags(&[flag, "--quiet"], &[flag, "missing", "--quiet"]);
        for scalar in ["f32", "f64", "interval32", "interval64"] {
            refuses_flags(&[flag, "1e400", "--scalar", scalar], &[flag, "1e400", "out of range"]);
            refuses_flags(&[flag, "1e-400", "--scalar", scalar], &[flag, "out of range"]);
        }
        refuses_flags(&[flag, "1e39", "--scalar", "f32"], &[flag, "out of range", "f32"]);
        refuses_flags(&[flag, "1e-50", "--scalar", "interval32"], &[flag, "out of range", "f32"]);
        refuses_flags(&[flag, "10^999999999999"], &[flag, "out of range"]);
        refuses_flags(&[flag, &"1".repeat(30_000)], &[flag, "too long"]);
    }
    for flag in [
        "--steps",
        "--seed",
        "--tokens",
        "--group",
        "--channels",
        "--features",
        "--points-per-decade",
        "--at",
    ] {
        refuses_flags(&[flag, "1.5"], &[flag, "not an integer"]);
        refuses_flags(&[flag, "x"], &[flag, "not a number"]);
        refuses_flags(&[flag, "-1"], &[flag]);
        refuses_flags(&[flag, "1e400"], &[flag, "out of range"]);
    }
}

#[test]
fn training() {
    refuses_flags(&["--rate", "0"], &["--rate", "above 0"]);
    refuses_flags(&["--rate", "-1"], &["--rate", "above 0", "-1"]);
    refuses_flags(&["--eta=-1"], &["--rate", "above 0"]);
    refuses_flags(&["--noise", "-0.5"], &["--noise", "at least 0"]);
    refuses_flags(&["--teacher-norm", "0"], &["--teacher-norm", "above 0"]);
    refuses_flags(&["--teacher-norm", "-2"], &["--teacher-norm", "above 0"]);
    refuses_flags(&["--teacher-norm", "1e200"], &["--teacher-norm", "out of range"]);
    // Its square fits, but not the loss of 36 tokens.
    refuses_flags(&["--teacher-norm", "1e154"], &["--teacher-norm", "number of tokens"]);
    let single = ["--teacher-norm", "1e19", "--scalar", "f32"];
    refuses_flags(&single, &["--teacher-norm", "number of tokens", "f32"]);
    refuses_flags(&["--teacher-norm", "sqrt(-2)"], &["--teacher-norm", "above 0"]);
    refuses_flags(&["--logit-gain", "0"], &["--logit-gain", "above 0"]);
    refuses_flags(&["--kappa", "-1"], &["--logit-gain", "above 0"]);
    refuses_flags(&["--logit-gain", "D^-1.5"], &["--logit-gain", "integer"]);
    refuses_flags(&["--logit-gain", "D^-9999999"], &["--logit-gain", "out of range"]);
    refuses_flags(&["--logit-gain", "D^-1.5"], &["--logit-gain", "exact", "irrational"]);
    refuses_flags(&["--logit-gain", "D*2"], &["--logit-gain", "D^-2"]);
    refuses_flags(&["--logit-gain", "x/D"], &["--logit-gain", "D^-2"]);
    refuses_flags(&["--activation", "tanh"], &["--activation", "leaky-relu"]);
    refuses_flags(&["--activation", "leaky-relu"], &["--activation", "leaky-relu:0.1"]);
    refuses_flags(&["--activation", "leaky-relu:x"], &["--activation", "not a number"]);
    refuses_flags(&["--activation", "leaky-relu:1e200"], &["--activation", "out of range"]);
    refuses_flags(&["--task", "cmm"], &["--task", "cnn"]);
    refuses_flags(&["--preset", "cnn", "--task", "gcn"], &["--preset", "gcn"]);
    refuses_flags(&["--at", "1,10,1000", "--steps", "100"], &["--at", "1000", "beyond", "100"]);
    refuses_flags(&["--at", "1,,2"], &["--at", "missing"]);
    refuses_flags(&["--at", "1", "--points-per-decade", "2"], &["--at", "--points-per-decade"]);
    refuses_flags(&["--points-per-decade", "0"], &["--points-per-decade", "found 0"]);
}

#[test]
fn rates_beyond_the_limit() {
    // 2K/(gD) = 2·4/(½·36) = 4/9.
    refuses_flags(&["--rate", "4/9"], &["--rate", "4/9", "limit", "such as --rate 1.1e-1"]);
    refuses_flags(&["--rate", "0.5"], &["--rate", "limit"]);
    refuses_flags(
        &["--rate", "1/4", "--activation", "identity"],
        &["--rate", "limit 2/(g Σ‖s*‖²) = 2/9"],
    );
    // Dense: 2K²/(gκv²) = 2·16·36/(½·10⁴) = 0.2304, below 4/9.
    let dense = ["--method", "dense", "--teacher-norm", "100"];
    let with = |rate| [&dense[..], &["--rate", rate]].concat();
    refuses_flags(&with("0.25"), &["--rate", "dense", "= 0.2304"]);
    // The default rate, 1/18, is beyond it for a norm of 1000.
    refuses_flags(
        &["--method", "dense", "--teacher-norm", "1000"],
        &["--rate", "the default", "= 0.002304", "--rate 5.8e-4"],
    );
    // Weights that differ couple c and the logits; positions stretch them.
    let coupled = "teacher_norm = 100\nlogit_gain = 1\ns = [[0.75, 0.25], [0.25, 0.75]]\n";
    refuses_toml(&format!("{coupled}rate = 1"), 4, &["rate", "limit", "weights"]);
    refuses_toml(&format!("{coupled}rate = 1\nmethod = \"dense\""), 4, &["rate", "dense"]);
    refuses_toml(
        "rate = 0.1\ns = [[0.5, 0.5], [0.5, 0.5]]\np = [[100, 0], [0, 1]]",
        1,
        &["rate", "dense"],
    );
}

#[test]
fn starts_that_cannot_train() {
    refuses_flags(&["--activation", "abs"], &["--activation", "absolute value"]);
    refuses_flags(&["--activation", "leaky-relu:-1"], &["--activation"]);
    refuses_flags(&["--activation", "relu", "--slope-at-zero", "left"], &["--slope-at-zero right"]);
    refuses_flags(&["--activation", "leaky-relu:-2"], &["--activation", "basin"]);
    refuses_flags(
        &["--activation", "leaky-relu:-0.5", "--slope-at-zero", "left"],
        &["--slope-at-zero", "basin"],
    );
    refuses_flags(&["--activation", "abs", "--slope-at-zero", "mean"], &["--activation"]);
    refuses_toml("state = { c = -1, logits = [0, 0] }", 1, &["state", "c: ", "at least 0"]);
    refuses_toml("activation = \"abs\"\nstate = { c = 0, logits = [1, 0] }", 1, &["activation"]);
    refuses_toml(
        "v = [[1, 0], [0, 1]]\nw0 = [[0, 0], [1, 1]]\nactivation = \"abs\"",
        3,
        &["activation", "absolute value", "w0", "row 1"],
    );
    // Opposite to the teacher, whole or in one channel.
    refuses_toml("v = [[1, 2]]\nw0 = [[-1, -2]]", 2, &["w0", "row 1", "negative multiple"]);
    refuses_toml(
        "v = [[1, 2], [3, 0]]\nw0 = [[1, 1], [-1, 0]]\nactivation = \"leaky-relu:-0.5\"",
        2,
        &["w0", "row 2", "basin"],
    );
    refuses_toml("task = \"sts\"\nactivation = \"relu\"\nw0 = \"w.json\"", 3, &["w0"]);
    // Nobody can be told apart, or one of them cannot look.
    let two = "s = [[1, 0], [0, 1]]\n";
    refuses_toml(&format!("{two}p = [[0, 0], [0, 0]]"), 2, &["p", "column 1", "is 0"]);
    refuses_toml(&format!("{two}p = [[1, 0], [0, 0]]"), 2, &["p", "column 2", "is 0"]);
}

#[test]
fn configuration_files() {
    refuses(&[], &["run", "--config", "none.toml"], &["none.toml", "no such file"]);
    refuses(&[("x.toml", b"\xff\xfe")], &["run", "--config", "x.toml"], &["x.toml", "UTF-8"]);
    refuses_in(Path::new("."), &["run", "--config", "."], &["folder"]);
    refuses_toml("a = 1\nrate = = 2", 2, &["TOML"]);
    refuses_toml("rate = 0.1\n\nrate = 0.2", 3, &["TOML", "duplicate"]);
    refuses_toml(
        "tokens = 36\nteacher-norm = 2",
        2,
        &["unknown key", "did you mean `teacher_norm`"],
    );
    refuses_toml("eta = 0.1", 1, &["unknown key", "`rate`"]);
    refuses_toml("something = 0.1", 1, &["unknown key `something`"]);
    refuses_toml("[model]\ntokens = 36", 1, &["unknown key `model`"]);
    refuses_toml("tokens = 1_2\nrate = nan", 2, &["rate", "finite"]);
    refuses_toml("rate = 1e400", 1, &["rate", "out of range"]);
    refuses_toml("rate = true", 1, &["rate", "expected a number", "truth value"]);
    refuses_toml("rate = [1]", 1, &["rate", "a list"]);
    refuses_toml("rate = 2020-01-01", 1, &["rate", "a date"]);
    refuses_toml("quiet = 1", 1, &["quiet", "true or false"]);
    refuses_toml("task = \"gcm\"", 1, &["task", "did you mean `gcn`"]);
    refuses_toml("scalar = \"f16\"", 1, &["scalar", "f32, f64"]);
    refuses_toml("at = []", 1, &["at", "at least one"]);
    refuses_toml("steps = 10\nat = [1, 11]", 2, &["at", "beyond"]);
    refuses_toml("output = 3", 1, &["output", "path"]);
    refuses_toml("strict = true", 1, &["strict", "popgd rates"]);

    refuses_json("{\"rate\": 0.1,\n \"steps\": }", &["bad.json:2", "JSON"]);
    refuses_json("{\"rate\": 0.1", &["bad.json:1", "JSON", "EOF"]);
    refuses_json("{\"rate\": 0.1,\n \"rate\": 0.2}", &["bad.json:2", "`rate` is given twice"]);
    refuses_json("[1, 2]", &["object"]);
    refuses_json("{\"tokns\": 36}", &["unknown key `tokns`", "`tokens`"]);
    refuses_json("{\"rate\": 1e400}", &["rate", "out of range"]);
    refuses_json("{\"rate\": null}", &["rate", "null"]);
    refuses_json("", &["JSON"]);
}

#[test]
fn a_flag_does_not_hide_what_is_wrong_in_a_file() {
    let hidden = |content: &str, flags: &[&str], words: &[&str]| {
        let args = [&["run", "--config", "a.toml"], flags].concat();
        let words = [&["a.toml:1"], words].concat();
        refuses(&[("a.toml", content.as_bytes())], &args, &words);
    };
    hidden("rate = \"x\"", &["--rate", "0.1"], &["rate", "`x`"]);
    hidden("rate = -1", &["--rate", "0.1"], &["rate", "above 0"]);
    hidden("tokens = 1.5", &["-D", "36"], &["tokens", "not an integer"]);
    hidden("task = \"gcm\"", &["--task", "gcn"], &["task", "`gcn`"]);
    hidden("activation = 3", &["--activation", "relu"], &["activation", "leaky-relu"]);
    hidden("logit_gain = 0", &["--logit-gain", "1"], &["logit_gain", "above 0"]);
    hidden("at = [1, \"x\"]", &["--points-per-decade", "1"], &["at", "`x`"]);
    hidden("color = \"pink\"", &["--color", "never"], &["color", "`pink`"]);
    hidden("quiet = 1", &["--quiet"], &["quiet", "true or false"]);
}

#[test]
fn files_that_take_results() {
    for command in ["run", "rates"] {
        for dry in [&[][..], &["--dry-run"]] {
            let with =
                |args: &[&'static str]| -> Vec<&'static str> { [&[command], args, dry].concat() };
            refuses(&[], &with(&["--plot", "a.gif"]), &["--plot", "a.gif", ".svg or .png"]);
            refuses(&[], &with(&["--save-state", "a.txt"]), &["--save-state", "a.txt", ".json"]);
            refuses(&[], &with(&["--save-state", "a.npy"]), &["--save-state", "--method dense"]);
            refuses(&[], &with(&["--output", "."]), &["--output", "folder"]);
            refuses(
                &[],
                &with(&["-o", "a.json", "--save-state", "./a.json"]),
                &["--save-state", "same file", "--output"],
            );
            refuses(
                &[],
                &with(&["-o", "a.svg", "--plot", "a.svg"]),
                &["--plot", "same file", "--output"],
            );
        }
    }
}

#[test]
fn keys_that_exclude_each_other() {
    refuses_toml("teacher_norm = 1\nv = [[1]]", 2, &["v", "teacher_norm", "together"]);
    refuses_toml("p = [[1]]\nlogit_scale = 2\nlogit_gain = 1", 2, &["logit_scale", "logit_gain"]);
    refuses_toml("logit_scale = 2", 1, &["logit_scale", "`p`"]);
    refuses_toml("s = [[1]]\ntask = \"cnn\"", 2, &["task", "together"]);
    refuses_toml("s = [[1]]\npreset = \"cnn\"", 2, &["preset", "together"]);
    refuses_toml("s = [[1]]\nclasses = []", 2, &["classes", "together"]);
    refuses_toml("at = [1]\npoints_per_decade = 2", 2, &["points_per_decade", "together"]);
    refuses_toml("task = \"gcn\"\nedges = [[0, 1]]\noffsets = [1]", 3, &["offsets", "together"]);
    refuses_toml("state = { c = 1, logits = [0, 0] }\nw0 = [[1]]", 2, &["w0", "together"]);
    refuses_toml("edges = [[0, 1]]", 1, &["edges", "--task gcn"]);
    refuses_toml("task = \"gcn\"\npartition = [0]", 2, &["partition", "--task cnn"]);
    refuses_toml(
        "method = \"lumped\"\nkq0 = \"zero.csv\"",
        2,
        &["kq0", "zero.csv", "no such file"],
    );
    let two = "s = [[1, 0], [0, 1]]\n";
    let both = format!("{two}kq0 = [[1, 0], [0, 1]]\nlogits = [[1, 0], [0, 1]]");
    refuses_toml(&both, 3, &["logits", "kq0", "together"]);
    refuses_toml(
        &format!("{two}logits = [[{{ lo = 1, hi = 2 }}, 0], [0, 1]]"),
        2,
        &["logits", "enclosure", "--scalar"],
    );
    refuses_toml("state = { c = { lo = 2, hi = 1 }, logits = [0, 0] }", 1, &["state", "above"]);
    refuses_toml("method = \"dense\"\nstate = { c = 1, logits = [0, 0] }", 2, &["state", "w0"]);
    refuses(
        &[("a.toml", b"v = [[1]]")],
        &["run", "--config", "a.toml", "--teacher-norm", "2"],
        &["--teacher-norm", "a.toml:1: v", "together"],
    );
}

#[test]
fn value_matrices() {
    refuses_toml("v = []", 1, &["v", "empty"]);
    refuses_toml("v = [[]]", 1, &["v", "empty"]);
    refuses_toml("v = [[0, 0]]", 1, &["v", "all entries are 0"]);
    refuses_toml("v = [[1, 2], [3]]", 1, &["v", "row 2", "expected 2", "found 1"]);
    refuses_toml("v = [[1, 2], 3]", 1, &["v", "row 2", "a list of numbers"]);
    refuses_toml("v = [[1, \"x\"]]", 1, &["v", "row 1, column 2", "`x`"]);
    refuses_toml("v = [[1e200]]", 1, &["v", "out of range"]);
    refuses_toml("v = 3", 1, &["v", "rows of numbers"]);
    refuses_toml("v = \"v.txt\"", 1, &["v", "v.txt", ".csv"]);
    refuses_toml("channels = 2\nv = [[1]]", 1, &["channels", "expected 1", "found 2"]);
    refuses_toml("task = \"gslp\"\nv = [[1], [1]]", 2, &["v", "one channel"]);
    refuses_toml("v = [[1, 2]]\nw0 = [[1]]", 2, &["w0", "1 × 2", "found 1 × 1"]);
}

#[test]
fn scores() {
    refuses_toml("s = [[1, 0]]", 1, &["s", "square", "1 × 2"]);
    refuses_toml("s = [[1, 0], [0]]", 1, &["s", "row 2"]);
    refuses_toml("s = [[0.5, 0], [0.4, 1]]", 1, &["s", "column 1", "0.9", "expected 1"]);
    refuses_toml("s = [[1, 0], [0, 1.00000000001]]", 1, &["s", "column 2", "1e-12"]);
    refuses_toml("s = [[1, 1.5], [0, -0.5]]", 1, &["s", "row 2, column 2", "-0.5"]);
    refuses_toml("s = [[1, 0], [0, \"nan\"]]", 1, &["s", "row 2, column 2", "finite"]);
    refuses_toml("tokens = 3\ns = [[1, 0], [0, 1]]", 1, &["tokens", "expected 2", "found 3"]);
    refuses_toml("group = 2\ns = [[1, 0], [0, 1]]", 1, &["group", "expected 1", "found 2"]);
    refuses_toml("classes = []", 1, &["classes", "list of classes"]);
    refuses_toml("classes = [{ count = 2 }]", 1, &["classes", "`levels` is missing"]);
    refuses_toml("classes = [{ count = 2, level = [] }]", 1, &["classes", "did you mean `levels`"]);
    let class = |levels: &str| format!("classes = [{{ count = 2, levels = [{levels}] }}]");
    refuses_toml(&class("{ count = 2, weight = 0.4 }"), 1, &["class 1", "0.8", "expected 1"]);
    refuses_toml(
        &class("{ count = 1, weight = 1 }"),
        1,
        &["classes", "expected 1 column", "found 2"],
    );
    refuses_toml(&class("{ count = 0, weight = 1 }"), 1, &["class 1, level 1", "at least 1"]);
    refuses_toml(
        &class("{ count = 1, weight = 2 }, { count = 1, weight = -1 }"),
        1,
        &["level 2", "at least 0"],
    );
    refuses_toml(
        "classes = [{ count = 1, levels = [{ count = 1, weight = 1 }] },
                    { count = 1, levels = [{ count = 2, weight = 0.5 }] }]",
        1,
        &["class 2", "expected 1 token ", "found 2"],
    );
    refuses_toml("state = { c = 1, logits = [0] }", 1, &["state", "expected 2", "found 1"]);
    refuses_toml("state = { c = 1 }", 1, &["state", "`logits` is missing"]);
    refuses_toml("state = 1", 1, &["state", "c and logits"]);
}

#[test]
fn partitions_and_graphs() {
    refuses_toml("partition = [0, 0, 1]", 1, &["partition", "group 0 has 2", "group 1 has 1"]);
    refuses_toml("partition = []", 1, &["partition"]);
    refuses_toml("partition = [0, 0.5]", 1, &["partition", "integer"]);
    refuses_toml("partition = [0, 1]\ntokens = 3", 2, &["tokens", "expected 2"]);
    let graph = |rest: &str| format!("task = \"gcn\"\n{rest}");
    refuses_toml(&graph("edges = [[0, 1], [1, 2]]"), 2, &["edges", "regular", "vertex 1 has 2"]);
    refuses_toml(&graph("edges = [[0, 1], [1, 0]]"), 2, &["edges", "row 2", "twice"]);
    refuses_toml(&graph("edges = [[0, 0]]"), 2, &["edges", "itself"]);
    refuses_toml(&graph("edges = [[0, 1, 2]]"), 2, &["edges", "pairs"]);
    refuses_toml(&graph("edges = [[0, -1]]"), 2, &["edges", "row 1", "from 0"]);
    refuses_toml(&graph("tokens = 3\nedges = [[0, 3]]"), 3, &["edges", "vertex 3"]);
    refuses_toml(
        &graph("tokens = 3\nedges = [[0, 1]]"),
        3,
        &["edges", "regular", "vertex 2 has 0"],
    );
    refuses_toml(&graph("edges = [[0, 1]]\ngroup = 3"), 3, &["group", "expected 2"]);
    refuses_toml(&graph("adjacency = [[0, 1]]"), 2, &["adjacency", "square"]);
    refuses_toml(&graph("adjacency = [[0, 1], [0, 0]]"), 2, &["adjacency", "symmetric"]);
    refuses_toml(&graph("adjacency = [[0, 2], [2, 0]]"), 2, &["adjacency", "0 or 1"]);
    refuses_toml(&graph("adjacency = [[1, 1], [1, 0]]"), 2, &["adjacency", "self-loops"]);
    refuses_toml(&graph("offsets = [1, 19]"), 2, &["offsets", "19"]);
    refuses_toml(&graph("offsets = [20]"), 2, &["offsets", "20"]);
}

#[test]
fn positions() {
    let two = "s = [[1, 0], [0, 1]]\n";
    refuses_toml(&format!("{two}p = [[1]]"), 2, &["p", "2 × 2", "1 × 1"]);
    refuses_toml(&format!("{two}kq0 = [[1, 2, 3]]"), 2, &["kq0", "2 × 2", "1 × 3"]);
    refuses_toml(
        &format!("{two}method = \"lumped\"\np = [[1, 1], [0, 1]]"),
        2,
        &["method", "orthogonal", "dense"],
    );
    refuses_toml(
        &format!("{two}method = \"lumped\"\nkq0 = [[0, 1], [0, 0]]"),
        2,
        &["method", "kq0"],
    );
    refuses_toml(
        &format!("{two}p = [[1, 0], [0, 1]]\nlogit_scale = 0"),
        3,
        &["logit_scale", "above 0"],
    );
}

#[test]
fn data_files() {
    let with = |name: &str, content: &[u8], words: &[&str]| {
        let config = format!("s = \"{name}\"");
        let words: Vec<&str> = ["a.toml:1: s", name].iter().chain(words).copied().collect();
        refuses(
            &[("a.toml", config.as_bytes()), (name, content)],
            &["run", "--config", "a.toml"],
            &words,
        );
    };
    with("s.csv", b"1,0\n0,x\n", &["s.csv:2", "row 2", "column 2", "`x`"]);
    with("s.csv", b"1;0\n0;1\n", &["s.csv:1", "row 1", "semicolons", "commas"]);
    with("s.csv", b"a,b\n1,0\n", &["s.csv:1", "header", "remove"]);
    with("s.csv", b"1,0\n0\n", &["row 2", "expected 2"]);
    with("s.csv", b"1,2\n0,-1\n", &["row 2, column 2", "at least 0"]);
    with("s.json", b"[[1, 2], [0, -1]]", &["row 2, column 2", "at least 0"]);
    with("s.csv", b"\xff", &["UTF-8"]);
    with("s.json", b"[[1, 0], [0, 1]", &["s.json:1", "JSON"]);
    with("s.json", b"{}", &["list of rows"]);
    with("s.npy", b"", &["not a valid .npy"]);
    with("s.npy", b"\x93NUMPY\x01\x00", &["not a valid .npy"]);
    let mut header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }".to_vec();
    header.resize(117, b' ');
    header.push(b'\n');
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(&header);
    npy.extend(1.0_f64.to_le_bytes());
    with("s.npy", &npy, &["truncated"]);
    for _ in 0..3 {
        npy.extend(f64::NAN.to_le_bytes());
    }
    with("s.npy", &npy, &["row 1, column 2", "finite"]);
}

#[test]
fn command_lines() {
    refuses(&[], &["rum"], &["rum"]);
    refuses(&[], &["run", "--tokns", "3"], &["--tokns", "--tokens"]);
    refuses(&[], &["run", "--rate"], &["--rate"]);
    refuses(&[], &["run", "--rate", "1", "--rate", "2"], &["--rate"]);
    refuses(&[], &["run", "extra"], &["extra"]);
    refuses(&[], &["run", "--strict"], &["--strict"]);
    refuses(&[], &["completions"], &["SHELL"]);
    refuses(&[], &["completions", "dos"], &["dos", "bash"]);
    refuses(&[], &["run", "--format", "xml"], &["--format", "xml", "json"]);
    refuses(&[], &["run", "--at", "1", "--points-per-decade", "1"], &["--at", "cannot be used"]);
    refuses(&[], &["run", "--config"], &["--config", "value is required"]);
}
