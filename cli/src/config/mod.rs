//! From flags and a file to a configuration in which everything is filled in and checked.
//!
//! Every wrong input ends in one message that names the flag (or the file and the key), says
//! what was expected, and how to mend it.

pub mod construct;
pub mod gradcheck;
pub mod keys;
mod ood;
mod overridden;
mod saved;
pub mod schedule;
pub mod scores;
pub mod simulate;
pub mod sweep;
pub mod tree;
pub mod value_matrix;
pub mod values;

mod echo;
mod stability;
mod start;
mod training;

use std::path::{Path, PathBuf};

use self::schedule::Schedule;
use self::scores::Target;
use self::start::Start;
use self::tree::{Kind, Node};
use self::value_matrix::ValueMatrix;
use self::values::Values;
use crate::cli::{
    self, CertifyArgs, CommonArgs, ModelArgs, PrecisionArgs, RatesArgs, RunArgs, SimulationArgs,
};
use crate::error::{Failure, Warning};
use crate::gradcheck_args::GradcheckArgs;
use crate::ood_args::OodArgs;
use crate::output::sink;
use crate::settings::{
    ColorChoice, DenseSettings, Format, Method, ModelSettings, OutputSettings, ScalarKind, Settings,
};

/// Which command a configuration is for; they differ in defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// `run`.
    Run,
    /// `rates`.
    Rates,
    /// `certify`.
    Certify,
    /// `precision`.
    Precision,
    /// `ood`.
    Ood,
    /// `simulate`.
    Simulate,
}

/// The flags of the command line, by key, and the configuration file.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    flags: Vec<(&'static str, Node)>,
    file: Option<File>,
}

/// A configuration file, read once: it may be a pipe.
#[derive(Clone, Debug)]
struct File {
    path: PathBuf,
    entries: Vec<(String, Node)>,
}

impl Arguments {
    /// Of `run`.
    ///
    /// # Errors
    /// A path that is not UTF-8, a configuration file that cannot be read or parsed.
    pub fn of_run(common: &CommonArgs, args: &RunArgs) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        arguments.common(common);
        arguments.model(&args.model)?;
        arguments.path("save_state", args.save_state.as_deref())?;
        Ok(arguments)
    }

    /// Of `rates`.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_rates(common: &CommonArgs, args: &RatesArgs) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        arguments.common(common);
        arguments.model(&args.model)?;
        arguments.path("save_state", args.save_state.as_deref())?;
        arguments.switch("strict", args.strict);
        let sweep = &args.sweep;
        if !sweep.sweep.is_empty() {
            let axes = sweep.sweep.iter().map(Node::text).collect();
            arguments.flags.push(("sweep", Node::new(Kind::List(axes))));
        }
        arguments.switch("product", sweep.product);
        arguments.text("common_norm", sweep.common_norm.as_deref());
        arguments.text("from", sweep.from.as_deref());
        arguments.text("threads", sweep.threads.as_deref());
        arguments.path("plan", sweep.plan.as_deref())?;
        arguments.path("resume", sweep.resume.as_deref())?;
        Ok(arguments)
    }

    /// Of `certify`.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_certify(common: &CommonArgs, args: &CertifyArgs) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        arguments.common(common);
        arguments.model(&args.model)?;
        arguments.text("from_step", args.from_step.as_deref());
        arguments.path("check", args.check.as_deref())?;
        Ok(arguments)
    }

    /// Of `precision`.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_precision(common: &CommonArgs, args: &PrecisionArgs) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        arguments.common(common);
        arguments.model(&args.model)?;
        arguments.switch("strict", args.strict);
        Ok(arguments)
    }

    /// Of `simulate`.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_simulate(common: &CommonArgs, args: &SimulationArgs) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        arguments.common(common);
        arguments.model(&args.model)?;
        let own = &args.simulation;
        for (key, value) in [
            ("batch", &own.batch),
            ("seeds", &own.seeds),
            ("inputs", &own.inputs),
            ("evaluation", &own.evaluation),
            ("checkpoint_every", &own.checkpoint_every),
            ("epochs", &own.epochs),
            ("threads", &own.threads),
        ] {
            arguments.text(key, value.as_deref());
        }
        arguments.switch("full_model", own.full_model);
        for (key, file) in
            [("images", &own.images), ("digits", &own.digits), ("filters", &own.filters)]
        {
            arguments.path(key, file.as_deref())?;
        }
        arguments.path("resume", own.resume.as_deref())?;
        Ok(arguments)
    }

    /// Of `ood`.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_ood(common: &CommonArgs, args: &OodArgs) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        arguments.common(common);
        arguments.model(&args.model)?;
        for (key, value) in [
            ("inputs", &args.inputs),
            ("scale", &args.scale),
            ("correlation", &args.correlation),
            ("labels", &args.labels),
            ("label_distance", &args.label_distance),
            ("epsilon", &args.epsilon),
            ("from_step", &args.from_step),
            ("samples", &args.samples),
            ("batch", &args.batch),
            ("threads", &args.threads),
        ] {
            arguments.text(key, value.as_deref());
        }
        for (key, path) in [("covariance", &args.covariance), ("mean", &args.mean)] {
            // A file on the command line is not looked for beside a configuration.
            let path = path.as_deref().map(|path| std::path::absolute(path).unwrap_or(path.into()));
            arguments.path(key, path.as_deref())?;
        }
        arguments.switch("centred", args.centred);
        arguments.switch("moments_only", args.moments_only);
        Ok(arguments)
    }

    /// Of `gradcheck`.
    ///
    /// # Errors
    /// As [`of_run`](Self::of_run).
    pub fn of_gradcheck(common: &CommonArgs, args: &GradcheckArgs) -> Result<Self, Failure> {
        let GradcheckArgs {
            config,
            dry_run,
            tokens,
            group,
            channels,
            features,
            activation,
            positions,
            proof,
            boxes,
            radius,
            remainders,
            seed,
            print,
            format,
            output,
        } = args;
        let mut arguments = Self::default();
        arguments.common(common);
        arguments.file(config.as_deref())?;
        arguments.switch("dry_run", *dry_run);
        for (key, value) in [
            ("tokens", tokens),
            ("group", group),
            ("channels", channels),
            ("features", features),
            ("activation", activation),
            ("positions", positions),
            ("proof", proof),
            ("boxes", boxes),
            ("radius", radius),
            ("remainders", remainders),
            ("seed", seed),
            ("print", print),
            ("format", format),
        ] {
            arguments.text(key, value.as_deref());
        }
        arguments.path("output", output.as_deref())?;
        Ok(arguments)
    }

    /// Flags and file together.
    fn values(&self) -> Result<Values, Failure> {
        let file = self.file.as_ref().map(|file| (file.path.clone(), file.entries.clone()));
        Values::gather(self.flags.clone(), file)
    }

    /// The form of a result and its file, for commands that have no model.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn form_of_output(&self) -> Result<(Format, Option<PathBuf>), Failure> {
        let output = output(&self.values()?)?;
        Ok((output.format, output.output))
    }

    /// Whether nothing but results is wanted.
    pub fn is_quiet(&self) -> bool {
        self.flagged().any(|key| key == "quiet")
    }

    /// What is said of colours: errors have them too, before all else is understood.
    pub fn color(&self) -> Option<ColorChoice> {
        let in_file = self.file.iter().flat_map(|file| &file.entries);
        let flags = self.flags.iter().map(|(key, node)| (*key, node));
        let mut all = flags.chain(in_file.map(|(key, node)| (key.as_str(), node)));
        match all.find(|(key, _)| *key == "color").map(|(_, node)| &node.kind) {
            Some(Kind::Text(text)) => color_named(text),
            _ => None,
        }
    }

    /// Of a configuration that was resolved before, as it stands in results.
    ///
    /// # Errors
    /// An unknown key, by its name.
    pub fn of_echo(echo: &serde_json::Value) -> Result<Self, Failure> {
        let mut arguments = Self::default();
        for (name, value) in echo.as_object().into_iter().flatten() {
            let Some(key) = keys::find(name) else {
                return Err(Failure::usage(format!("unknown key `{name}` in a configuration")));
            };
            arguments.flags.push((key.name, Node::from_json(value)));
        }
        Ok(arguments)
    }

    /// The same with a key set, whether it was before or not.
    #[must_use]
    pub fn with(&self, key: &'static str, text: &str) -> Self {
        let mut changed = self.clone();
        changed.flags.retain(|(other, _)| *other != key);
        changed.text(key, Some(text));
        changed
    }

    /// The same without a flag.
    #[must_use]
    pub fn without(&self, key: &str) -> Self {
        let mut changed = self.clone();
        changed.flags.retain(|(other, _)| *other != key);
        changed
    }

    /// The keys that flags set.
    pub fn flagged(&self) -> impl Iterator<Item = &'static str> {
        self.flags.iter().map(|(key, _)| *key)
    }

    fn common(&mut self, args: &CommonArgs) {
        self.switch("quiet", args.quiet);
        self.text("color", args.color.as_deref());
    }

    fn model(&mut self, args: &ModelArgs) -> Result<(), Failure> {
        let ModelArgs {
            config,
            dry_run,
            preset,
            task,
            tokens,
            group,
            channels,
            features,
            teacher_norm,
            activation,
            slope_at_zero,
            logit_gain,
            rate,
            steps,
            noise,
            seed,
            method,
            scalar,
            accumulate,
            at,
            points_per_decade,
            format,
            output,
            plot,
        } = args;
        self.file(config.as_deref())?;
        self.switch("dry_run", *dry_run);
        for (key, value) in [
            ("preset", preset),
            ("task", task),
            ("tokens", tokens),
            ("group", group),
            ("channels", channels),
            ("features", features),
            ("teacher_norm", teacher_norm),
            ("activation", activation),
            ("slope_at_zero", slope_at_zero),
            ("logit_gain", logit_gain),
            ("rate", rate),
            ("steps", steps),
            ("noise", noise),
            ("seed", seed),
            ("method", method),
            ("scalar", scalar),
            ("accumulate", accumulate),
            ("at", at),
            ("points_per_decade", points_per_decade),
            ("format", format),
        ] {
            self.text(key, value.as_deref());
        }
        self.path("output", output.as_deref())?;
        self.path("plot", plot.as_deref())
    }

    fn file(&mut self, path: Option<&Path>) -> Result<(), Failure> {
        if let Some(path) = path {
            self.file = Some(File { path: path.to_owned(), entries: tree::read(path)? });
        }
        Ok(())
    }

    fn text(&mut self, key: &'static str, value: Option<&str>) {
        self.flags.extend(value.map(|text| (key, Node::text(text))));
    }

    fn switch(&mut self, key: &'static str, value: bool) {
        if value {
            self.flags.push((key, Node::new(Kind::Bool(true))));
        }
    }

    fn path(&mut self, key: &'static str, value: Option<&Path>) -> Result<(), Failure> {
        let Some(path) = value else { return Ok(()) };
        let Some(text) = path.to_str() else {
            return Err(Failure::usage(format!(
                "{}: {} is not UTF-8: choose another name",
                values::flag_of(key),
                path.display()
            )));
        };
        self.text(key, Some(text));
        Ok(())
    }
}

/// Everything that the echo of a configuration is made from.
#[derive(Debug)]
struct Resolved {
    model: ModelSettings,
    target: Target,
    value_matrix: ValueMatrix,
    schedule: Schedule,
    slope_at_zero: &'static str,
}

/// Fills in all defaults and checks everything.
///
/// # Errors
/// [`Failure::Usage`], about the first thing that is wrong.
pub fn resolve(
    command: CommandKind,
    arguments: Arguments,
) -> Result<(Settings, Vec<Warning>), Failure> {
    let mut values = arguments.values()?;
    check_belongs(command, &values)?;
    let unused = unused(command, &arguments);
    if let Some(key) = gradcheck::KEYS.into_iter().find(|key| values.has(key)) {
        let hint = if key == "positions" { "; a matrix P is the key p" } else { "" };
        let message = format!("belongs to `popgd gradcheck`: leave it out{hint}");
        return Err(values.fail(key, message));
    }
    let kinds: [(CommandKind, &str, &[&str]); 2] = [
        (CommandKind::Ood, "ood", &ood::KEYS),
        (CommandKind::Simulate, "simulate", &simulate::KEYS),
    ];
    // Some keys have a use in both.
    let own = kinds.iter().find(|(kind, ..)| *kind == command).map_or(&[][..], |(.., keys)| keys);
    for (_, name, keys) in kinds {
        if let Some(key) = keys.iter().find(|key| values.has(key) && !own.contains(key)) {
            return Err(values.fail(key, format_args!("belongs to `popgd {name}`: leave it out")));
        }
    }
    let foreign = |key: &&str| values.has(key) && !ood::KEYS.contains(key);
    if let Some(key) = construct::KEYS.into_iter().find(foreign) {
        return Err(values.fail(key, "belongs to `popgd construct`: leave it out"));
    }
    let scalar = match values.choice("scalar", &cli::SCALARS)? {
        // It computes in all of them, whatever a file is about.
        _ if command == CommandKind::Precision => ScalarKind::F64,
        Some("f32") => ScalarKind::F32,
        Some("interval32") => ScalarKind::Interval32,
        Some("interval64") => ScalarKind::Interval64,
        Some(_) => ScalarKind::F64,
        None if command == CommandKind::Certify => ScalarKind::Interval64,
        None => ScalarKind::F64,
    };
    if command == CommandKind::Certify && scalar != ScalarKind::Interval64 {
        return Err(values.fail("scalar", "only interval64 proves anything: leave it out"));
    }
    if command == CommandKind::Simulate && scalar != ScalarKind::F64 {
        return Err(values.fail("scalar", "training is simulated in f64: leave it out"));
    }
    if command == CommandKind::Ood && scalar != ScalarKind::F64 {
        return Err(values.fail("scalar", "ood measures in f64: leave it out"));
    }
    values.set_scalar(scalar);
    let output = output(&values)?;

    let target = Target::resolve(&values)?;
    let value_matrix = ValueMatrix::resolve(&values, command, target.task)?;
    value_matrix.check_scale(&values, target.tokens)?;
    let start = Start::resolve(&values, &target, &value_matrix)?;
    let training = training::Training::resolve(&values, command, &target, &start, &value_matrix)?;
    let schedule = match command {
        CommandKind::Certify => Schedule::beyond(&values)?,
        CommandKind::Run | CommandKind::Rates | CommandKind::Precision | CommandKind::Ood => {
            Schedule::resolve(&values, training.steps, schedule::DEFAULT_PER_DECADE)?
        }
        CommandKind::Simulate => Schedule::resolve(&values, training.steps, 8)?,
    };

    if command == CommandKind::Precision && start.method == Method::Dense {
        let message = "precision is about lumped runs: leave out a start in full matrices, \
                       positions p and --method dense";
        return Err(Failure::usage(message));
    }
    let dense = match start.method {
        Method::Lumped => None,
        Method::Dense => Some(DenseSettings {
            value_matrix: value_matrix.matrix(&values, target.task, training.seed)?,
            scores: target.matrix(&values)?,
            positions: start.positions,
            logit_scale: training.logit_scale,
            start_value_matrix: start.value_matrix,
            start_key_query: start.key_query,
            start_logits: start.logits,
        }),
    };
    let mut model = ModelSettings {
        task: target.task,
        tokens: target.tokens,
        group: target.group,
        channels: value_matrix.channels,
        features: value_matrix.features,
        slope: training.slope,
        slope_at_zero: training.slope_at_zero.1,
        teacher_norm: value_matrix.norm.clone(),
        logit_gain: training.logit_gain,
        rate: training.rate,
        steps: training.steps,
        noise: training.noise,
        seed: training.seed,
        classes: target.classes.clone(),
        state: start.state,
        dense,
        method: start.method,
        scalar,
        compensated: training.compensated,
    };
    if !values.has("rate") {
        stability::temper_default_rate(&mut model, &target)?;
    }
    let mut warnings = values.replaced();
    warnings.extend(unused);
    warnings.extend(stability::check(&values, &model, &target, &value_matrix)?);
    let resolved =
        Resolved { slope_at_zero: training.slope_at_zero.0, model, target, value_matrix, schedule };
    let mut echo = echo::echo(&resolved);
    if let (CommandKind::Precision, serde_json::Value::Object(map)) = (command, &mut echo) {
        // It computes in all ways at once.
        map.retain(|key, _| key != "scalar" && key != "accumulate");
    }
    let ood = match command {
        CommandKind::Ood => {
            let (target, value_matrix) = (&resolved.target, &resolved.value_matrix);
            let ood = ood::resolve(&values, target, value_matrix, &resolved.model)?;
            if let serde_json::Value::Object(map) = &mut echo {
                ood::echo(&values, &ood, map);
            }
            Some(ood)
        }
        _ => None,
    };
    let settings = Settings {
        at: match command {
            CommandKind::Certify => resolved.schedule.listed(),
            CommandKind::Run
            | CommandKind::Rates
            | CommandKind::Precision
            | CommandKind::Ood
            | CommandKind::Simulate => resolved.schedule.steps(resolved.model.steps),
        },
        from_step: values.integer("from_step")?,
        model: resolved.model,
        output,
        dry_run: values.switch("dry_run")?,
        strict: values.switch("strict")?,
        ood,
        echo,
    };
    Ok((settings, warnings))
}

/// Refuses keys of other commands that would change nothing.
fn check_belongs(command: CommandKind, values: &Values) -> Result<(), Failure> {
    let foreign: &[(&str, &str)] = match command {
        CommandKind::Run => &[
            (
                "strict",
                "belongs to `popgd rates`, which has verdicts: leave it out for `popgd run`",
            ),
            ("from_step", "belongs to `popgd certify`: leave it out for `popgd run`"),
        ],
        CommandKind::Rates => {
            &[("from_step", "belongs to `popgd certify`: leave it out for `popgd rates`")]
        }
        CommandKind::Certify => &[
            ("strict", "belongs to `popgd rates`: leave it out for `popgd certify`"),
            ("plot", "a certificate has no picture: leave it out, or draw it with `popgd rates`"),
            ("save_state", "belongs to `popgd run`: leave it out for `popgd certify`"),
        ],
        CommandKind::Precision => &[
            ("scalar", "precision compares all scalars: leave it out"),
            ("accumulate", "precision compares plain and compensated sums: leave it out"),
            ("from_step", "belongs to `popgd certify`: leave it out for `popgd precision`"),
            ("save_state", "belongs to `popgd run`: leave it out for `popgd precision`"),
        ],
        CommandKind::Simulate => &[
            ("strict", "belongs to `popgd rates`: leave it out for `popgd simulate`"),
            ("sweep", "belongs to `popgd rates`: leave it out for `popgd simulate`"),
            (
                "accumulate",
                "students are trained with plain sums, and the exact descent beside them \
                            with compensated ones: leave it out",
            ),
            ("from_step", "belongs to `popgd certify`: leave it out for `popgd simulate`"),
            ("save_state", "belongs to `popgd run`; --resume FOLDER keeps states of training"),
        ],
        CommandKind::Ood => &[
            ("strict", "belongs to `popgd rates`: leave it out for `popgd ood`"),
            ("save_state", "belongs to `popgd run`: leave it out for `popgd ood`"),
        ],
    };
    // A saved state says how it was computed, and is a start for precision all the same.
    let kept = |key: &str| {
        matches!(command, CommandKind::Precision | CommandKind::Simulate)
            && matches!(key, "scalar" | "accumulate")
            && matches!(values.origin(key), Some(values::Origin::File { .. }))
    };
    match foreign.iter().find(|(key, _)| values.has(key) && !kept(key)) {
        Some((key, message)) => Err(values.fail(key, message)),
        None => Ok(()),
    }
}

/// What flags of the model change nothing in a command. A file may hold them for other commands.
fn unused(command: CommandKind, arguments: &Arguments) -> Vec<Warning> {
    let idle: &[(&str, &str)] = match command {
        CommandKind::Run
        | CommandKind::Rates
        | CommandKind::Precision
        | CommandKind::Ood
        | CommandKind::Simulate => &[],
        CommandKind::Certify => &[
            ("noise", "a certificate is about the excess loss, which has no label noise in it"),
            ("accumulate", "an enclosure holds whatever rounding takes"),
            (
                "points_per_decade",
                "a certificate speaks of the steps of --at, and of all later ones",
            ),
        ],
    };
    let given = |key: &str| arguments.flagged().any(|flag| flag == key);
    idle.iter()
        .filter(|(key, _)| given(key))
        .map(|&(key, why)| Warning::Unused { flag: values::flag_of(key), why })
        .collect()
}

/// How results leave.
fn output(values: &Values) -> Result<OutputSettings, Failure> {
    // Of two results in one file the later one would be left.
    let mut taken: Vec<(&str, PathBuf)> = Vec::new();
    for key in ["output", "plot", "save_state"] {
        let Some(path) = values.path(key)? else { continue };
        let path = sink::target(&path);
        if let Some((other, _)) = taken.iter().find(|(_, other)| *other == path) {
            let message = format!(
                "names the same file as {}: choose another name for one of them",
                values.label(other)
            );
            return Err(values.fail(key, message));
        }
        taken.push((key, path));
    }
    Ok(OutputSettings {
        format: match values.choice("format", &cli::FORMATS)? {
            Some("json") => Format::Json,
            Some("csv") => Format::Csv,
            _ => Format::Table,
        },
        output: values.path("output")?,
        plot: values.path("plot")?,
        save_state: values.path("save_state")?,
        quiet: values.switch("quiet")?,
        color: values.choice("color", &cli::COLORS)?.and_then(color_named).unwrap_or_default(),
    })
}

fn color_named(name: &str) -> Option<ColorChoice> {
    match name {
        "always" => Some(ColorChoice::Always),
        "never" => Some(ColorChoice::Never),
        "auto" => Some(ColorChoice::Auto),
        _ => None,
    }
}
