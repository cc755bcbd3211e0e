//! The keys of a configuration: their names, and what was meant by one that does not exist.

/// A key, and the flag of the same meaning if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name in files.
    pub name: &'static str,
    /// Whether there is a flag.
    pub flag: bool,
    /// Other names that people try.
    pub nicknames: &'static [&'static str],
}

const fn flag(name: &'static str, nicknames: &'static [&'static str]) -> Key {
    Key { name, flag: true, nicknames }
}

const fn file_only(name: &'static str, nicknames: &'static [&'static str]) -> Key {
    Key { name, flag: false, nicknames }
}

/// All keys.
pub const KEYS: &[Key] = &[
    flag("preset", &[]),
    flag("task", &["teacher", "example"]),
    flag("tokens", &["d", "patches", "num_tokens"]),
    flag("group", &["k", "group_size"]),
    flag("channels", &["m", "outputs"]),
    flag("features", &["dim", "inputs"]),
    flag("teacher_norm", &["norm", "v_norm"]),
    flag("activation", &["sigma", "nonlinearity"]),
    flag("slope_at_zero", &["derivative_at_zero"]),
    flag("logit_gain", &["kappa", "gain"]),
    flag("rate", &["eta", "step_size", "learning_rate", "lr"]),
    flag("steps", &["t", "iterations"]),
    flag("noise", &["noise_std", "deviation"]),
    flag("seed", &["random_seed"]),
    flag("method", &[]),
    flag("scalar", &["dtype", "precision"]),
    flag("accumulate", &["summation"]),
    flag("at", &["record"]),
    flag("points_per_decade", &["points"]),
    flag("format", &[]),
    flag("output", &["out"]),
    flag("plot", &["picture"]),
    flag("save_state", &["save"]),
    flag("dry_run", &[]),
    flag("quiet", &["silent"]),
    flag("color", &["colour"]),
    flag("strict", &[]),
    flag("sweep", &["vary"]),
    flag("product", &[]),
    flag("common_norm", &[]),
    flag("plan", &[]),
    flag("from", &["merge"]),
    flag("resume", &[]),
    flag("threads", &["jobs", "workers"]),
    flag("job", &[]),
    flag("from_step", &["t0", "start_step"]),
    flag("check", &["verify"]),
    flag("positions", &["encodings"]),
    flag("proof", &["exact"]),
    flag("boxes", &[]),
    flag("radius", &[]),
    flag("remainders", &["taylor"]),
    flag("print", &["formulas"]),
    flag("batch", &["batch_size", "n"]),
    flag("full_model", &["full"]),
    flag("images", &["pictures", "mnist"]),
    flag("digits", &["classes_of_images", "image_labels"]),
    flag("filters", &["kernels", "first_layer"]),
    flag("epochs", &["passes"]),
    flag("seeds", &["repeats"]),
    flag("evaluation", &["evaluation_samples"]),
    flag("checkpoint_every", &["checkpoint"]),
    flag("inputs", &["input", "law", "x"]),
    flag("centred", &["centered"]),
    flag("scale", &[]),
    flag("labels", &["responses"]),
    flag("label_distance", &["r"]),
    flag("epsilon", &["eps"]),
    flag("samples", &["num_samples"]),
    flag("moments_only", &[]),
    flag("covariance", &["sigma_x"]),
    flag("mean", &["mu"]),
    flag("correlation", &["rho"]),
    flag("instances", &[]),
    flag("labelled", &["labeled"]),
    flag("train", &["imitate"]),
    flag("atoms", &["measure"]),
    flag("prompts", &["prompt"]),
    flag("rank", &["low_rank"]),
    flag("alphabet", &["q", "vocabulary"]),
    flag("order", &["lag"]),
    flag("length", &["sequence_length"]),
    flag("concentration", &["alpha", "prior"]),
    flag("transitions", &["pi"]),
    flag("sequences", &["data"]),
    flag("mask_strength", &["delta"]),
    file_only("images_digest", &[]),
    file_only("v", &["value_matrix", "v_star"]),
    file_only("s", &["scores", "s_star", "attention"]),
    file_only("classes", &[]),
    file_only("p", &[]),
    file_only("logit_scale", &["tau", "temperature"]),
    file_only("w0", &["w", "w_v", "start_value_matrix"]),
    file_only("kq0", &["kq", "w_kq", "start_key_query"]),
    file_only("logits", &["logits0", "z0"]),
    file_only("state", &["start"]),
    file_only("partition", &["groups"]),
    file_only("edges", &["graph"]),
    file_only("adjacency", &["adjacency_matrix"]),
    file_only("offsets", &["circulant"]),
];

/// Keys of which only one may be given.
#[derive(Clone, Copy, Debug)]
pub struct Exclusive {
    /// The keys.
    pub keys: &'static [&'static str],
    /// Why not more of them.
    pub reason: &'static str,
}

/// A flag that wins over other keys of a file, because it says the same thing in another way.
#[derive(Clone, Copy, Debug)]
pub struct Replacement {
    /// The key of the flag.
    pub flag: &'static str,
    /// The keys that it takes the place of.
    pub keys: &'static [&'static str],
    /// Whether that deserves a warning: much else in the file may have been meant for them.
    pub warns: bool,
}

/// All such flags.
pub const REPLACEMENTS: &[Replacement] = &[
    Replacement { flag: "at", keys: &["points_per_decade"], warns: false },
    Replacement { flag: "points_per_decade", keys: &["at"], warns: false },
    Replacement { flag: "logit_gain", keys: &["logit_scale"], warns: true },
    Replacement { flag: "task", keys: &["preset", "s", "classes"], warns: true },
    Replacement { flag: "common_norm", keys: &["teacher_norm", "v"], warns: true },
    Replacement { flag: "preset", keys: &["task", "s", "classes"], warns: true },
];

/// All such groups.
pub const EXCLUSIVE: &[Exclusive] = &[
    Exclusive { keys: &["at", "points_per_decade"], reason: "both choose the recorded steps" },
    Exclusive { keys: &["logit_gain", "logit_scale"], reason: "the gain is 1/logit_scale²" },
    Exclusive { keys: &["teacher_norm", "v"], reason: "the norm is that of v" },
    Exclusive {
        keys: &["common_norm", "teacher_norm", "v"],
        reason: "each of them says what the norm is",
    },
    Exclusive { keys: &["from", "plan"], reason: "a plan comes before its results" },
    Exclusive {
        keys: &["s", "classes", "task"],
        reason: "each of them says what the scores of the teacher are",
    },
    Exclusive {
        keys: &["s", "classes", "preset"],
        reason: "each of them says what the scores of the teacher are",
    },
    Exclusive { keys: &["edges", "adjacency", "offsets"], reason: "each of them is the graph" },
    Exclusive {
        keys: &["state", "w0"],
        reason: "a lumped run starts from state, a dense one from w0 and kq0",
    },
    Exclusive {
        keys: &["state", "kq0"],
        reason: "a lumped run starts from state, a dense one from w0 and kq0",
    },
    Exclusive {
        keys: &["state", "logits"],
        reason: "a lumped run starts from state, a dense one from w0 and logits",
    },
    Exclusive { keys: &["kq0", "logits"], reason: "the logits are those that kq0 makes" },
];

/// The key of this name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The key that was probably meant.
pub fn suggest(name: &str) -> Option<&'static str> {
    let wanted = name.trim_start_matches('-').replace('-', "_").to_lowercase();
    let by_name =
        KEYS.iter().find(|key| key.name == wanted || key.nicknames.contains(&wanted.as_str()));
    by_name.map(|key| key.name).or_else(|| closest(&wanted, KEYS.iter().map(|key| key.name)))
}

/// The name that differs in the fewest letters, if they are few.
pub fn closest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, name) = names.map(|name| (distance(wanted, name), name)).min()?;
    (distance <= 1 + wanted.chars().count() / 4 && distance < name.chars().count()).then_some(name)
}

/// How many letters must be put in, taken out, replaced or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(&y) && b.get(j - 1) == Some(&x);
            let best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            row.push(if swapped { best.min(before[j - 1] + 1) } else { best });
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn misspelt_keys_are_recognised() {
        for (wrong, right) in [
            ("teacher-norm", "teacher_norm"),
            ("teachernorm", "teacher_norm"),
            ("tokes", "tokens"),
            ("tokesn", "tokens"),
            ("eta", "rate"),
            ("kappa", "logit_gain"),
            ("lr", "rate"),
            ("D", "tokens"),
            ("logit_sclae", "logit_scale"),
        ] {
            assert_eq!(suggest(wrong), Some(right), "{wrong}");
        }
        assert_eq!(suggest("zzzzzzzz"), None);
        assert_eq!(suggest("j"), None);
    }

    #[test]
    fn every_flag_has_a_key() {
        let command = Cli::command();
        let commands = ["run", "rates", "certify", "gradcheck", "precision", "ood", "simulate"];
        let constructions = command.find_subcommand("construct").unwrap().get_subcommands();
        let with_model = commands.iter().map(|sub| command.find_subcommand(sub).unwrap());
        for sub in with_model.chain(constructions) {
            for arg in command.get_arguments().chain(sub.get_arguments()) {
                let name = arg.get_long().unwrap_or_default().replace('-', "_");
                if !["config", "help", "version"].contains(&name.as_str()) {
                    assert!(find(&name).is_some_and(|key| key.flag), "{name}");
                }
            }
        }
    }
}
