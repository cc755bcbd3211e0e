//! Activation, logit gain, rate and the rest of training, and whether it can work at all.

use super::CommandKind;
use super::scores::Target;
use super::start::Start;
use super::value_matrix::ValueMatrix;
use super::values::{Values, after_flag};
use crate::cli;
use crate::error::Failure;
use crate::number::{Exact, NumberError, Span};
use crate::output::words;
use crate::presets;
use crate::settings::PositionSettings;

/// How training is done.
#[derive(Clone, Debug)]
pub(super) struct Training {
    /// s.
    pub(super) slope: Exact,
    /// The name and the value of σ′(0).
    pub(super) slope_at_zero: (&'static str, Exact),
    /// κ.
    pub(super) logit_gain: Exact,
    /// τ, if it was given.
    pub(super) logit_scale: Option<Exact>,
    /// η.
    pub(super) rate: Exact,
    /// T.
    pub(super) steps: u64,
    /// The standard deviation of the label noise.
    pub(super) noise: Exact,
    /// Of what is drawn.
    pub(super) seed: u64,
    /// Whether sums are compensated.
    pub(super) compensated: bool,
}

impl Training {
    /// As given.
    ///
    /// # Errors
    /// Everything that can be wrong with it, and a start that cannot train.
    pub(super) fn resolve(
        values: &Values,
        command: CommandKind,
        target: &Target,
        start: &Start,
        v: &ValueMatrix,
    ) -> Result<Self, Failure> {
        let slope = activation(values, presets::of(target.task).activation)?;
        let slope_at_zero = slope_at_zero(values, &slope)?;
        check_start(values, start, v, &slope, &slope_at_zero.1)?;
        let (logit_gain, logit_scale) = logit_gain(values, target.tokens, &start.positions)?;
        let rate = match values.number("rate")? {
            Some(rate) if rate.is_positive() => rate,
            Some(rate) => {
                let message = format!(
                    "expected a rate above 0, found {rate}; without it the rate is {}",
                    shown(&default_rate(target, &slope))
                );
                return Err(values.fail("rate", message));
            }
            None => {
                let rate = default_rate(target, &slope);
                values
                    .check_range(&rate, "the default rate, 0.25/(g Σ‖s*‖²),")
                    .map_err(|message| values.fail("rate", message))?;
                rate
            }
        };
        let seed = values.integer("seed")?.unwrap_or(0);
        check_basin(values, start, v, target, &slope, (&rate, seed))?;
        let noise = values.number("noise")?.unwrap_or_else(|| match command {
            CommandKind::Simulate => Exact::ratio(1, 10).unwrap_or_else(Exact::zero),
            _ => Exact::zero(),
        });
        if noise.is_negative() {
            let message = format!("expected a standard deviation of at least 0, found {noise}");
            return Err(values.fail("noise", message));
        }
        Ok(Self {
            slope,
            slope_at_zero,
            logit_gain,
            logit_scale,
            rate,
            steps: values.integer("steps")?.unwrap_or(match command {
                CommandKind::Run => 100_000,
                CommandKind::Rates | CommandKind::Precision | CommandKind::Ood => 10_000_000,
                CommandKind::Certify => 1_000_000_000,
                CommandKind::Simulate => 10_000,
            }),
            noise,
            seed,
            compensated: values.choice("accumulate", &cli::ACCUMULATES)? != Some("plain"),
        })
    }
}

/// s, from the name of the activation.
pub(super) fn activation(values: &Values, default: &str) -> Result<Exact, Failure> {
    const KEY: &str = "activation";
    let text = values.text(KEY)?.unwrap_or(default).trim();
    match text {
        "identity" => return Ok(Exact::one()),
        "relu" => return Ok(Exact::zero()),
        "abs" => return Ok(-&Exact::one()),
        _ => {}
    }
    let expected =
        "expected identity, relu, abs, or leaky-relu:S with a slope S, such as leaky-relu:0.1";
    match text.split_once(':') {
        Some(("leaky-relu", slope)) => {
            let slope = Exact::parse(slope).map_err(|error| values.fail(KEY, error))?;
            values.check_range(&slope, text).map_err(|message| values.fail(KEY, message))?;
            let gain = gain(&slope);
            values
                .check_range(&gain, "the square of the slope")
                .map_err(|message| values.fail(KEY, message))?;
            Ok(slope)
        }
        _ => Err(values.fail(KEY, format_args!("{expected}; found `{text}`"))),
    }
}

/// g = (1 + s²)/2.
pub(super) fn gain(slope: &Exact) -> Exact {
    &(&Exact::one() + &slope.square()) * &half()
}

fn half() -> Exact {
    Exact::ratio(1, 2).unwrap_or_else(Exact::one)
}

/// σ′(0), by its convention.
fn slope_at_zero(values: &Values, slope: &Exact) -> Result<(&'static str, Exact), Failure> {
    let name = values.choice("slope_at_zero", &cli::SLOPES_AT_ZERO)?.unwrap_or("right");
    let value = match name {
        "left" => slope.clone(),
        "mean" => &(&Exact::one() + slope) * &half(),
        _ => Exact::one(),
    };
    Ok((name, value))
}

/// From W_V = 0 the first step is α σ′(0) times something positive, which must be positive.
fn check_start(
    values: &Values,
    start: &Start,
    v: &ValueMatrix,
    slope: &Exact,
    slope_at_zero: &Exact,
) -> Result<(), Failure> {
    let from_zero = match (&start.state, &start.value_matrix) {
        (Some(state), _) => state.c.is_zero().then_some(0),
        // One zero row is enough, if the teacher has none there.
        (None, Some(w0)) => {
            let wanted = |at: usize| {
                let v = v.given.as_ref()?;
                v.entries.chunks(v.columns.max(1)).nth(at)
            };
            w0.entries.chunks(w0.columns.max(1)).enumerate().position(|(at, row)| {
                let silent = wanted(at).is_some_and(|row| row.iter().all(Exact::is_zero));
                row.iter().all(Span::is_zero) && !silent
            })
        }
        (None, None) => Some(0),
    };
    let twice_linear = &Exact::one() + slope;
    let Some(row) = from_zero.filter(|_| !(&twice_linear * slope_at_zero).is_positive()) else {
        return Ok(());
    };
    // A start that is not 0 as a whole is at fault by that row.
    let from_zero = match &start.value_matrix {
        Some(w0) if !w0.entries.iter().all(Span::is_zero) => {
            format!("w0 has only zeros in row {}, and training that channel from zero", row + 1)
        }
        _ => "training from zero".to_owned(),
    };
    let elsewhere = "or start elsewhere, with `state` or `w0` in a configuration file";
    let (key, message) = if twice_linear.is_zero() {
        (
            "activation",
            format!(
                "{from_zero} cannot start with the absolute value: its mean slope is 0, and \
                 the first step with it; choose another slope than -1, {elsewhere}"
            ),
        )
    } else if slope_at_zero.is_zero() {
        (
            "slope_at_zero",
            format!(
                "{from_zero} cannot start: the slope of the activation at 0 is taken to be \
                 0, and the first step is 0 with it; use --slope-at-zero right, {elsewhere}"
            ),
        )
    } else {
        let mend = if twice_linear.is_negative() {
            "choose a slope above -1"
        } else {
            "use --slope-at-zero right"
        };
        let key = if twice_linear.is_negative() { "activation" } else { "slope_at_zero" };
        (
            key,
            format!(
                "{from_zero} cannot succeed: the first step points away from the teacher \
                 (slope {slope}, slope at zero {slope_at_zero}), and descent ends in a bad basin; \
                 {mend}, {elsewhere}"
            ),
        )
    };
    Err(values.fail(key, message))
}

/// A channel that starts opposite to the teacher stays there, if the activation falls on that
/// side or is flat (note 2, section 5): every step takes W to a sum of two vectors that point away
/// from V*. The identity and slopes above 0 come back, the absolute value does not care.
fn check_basin(
    values: &Values,
    start: &Start,
    v: &ValueMatrix,
    target: &Target,
    slope: &Exact,
    (rate, seed): (&Exact, u64),
) -> Result<(), Failure> {
    let Some(w0) = &start.value_matrix else { return Ok(()) };
    let twice_linear = &Exact::one() + slope;
    if slope.is_positive() || twice_linear.is_zero() {
        return Ok(());
    }
    // The argument is for steps with η g Σ‖s‖² ≤ 1, whatever S comes to be. From uniform
    // attention the tokens of a group stay alike, and no column is longer than it is on them.
    let alike = start.key_query.is_none()
        && start.logits.is_none()
        && !matches!(start.positions, PositionSettings::General(_));
    let tokens = Exact::integer(target.tokens);
    let longest = match target.group {
        Some(group) if alike => {
            let smaller = group.min(target.tokens.saturating_sub(group));
            let smaller = if smaller == 0 { group } else { smaller };
            tokens.checked_div(&Exact::integer(smaller)).unwrap_or_else(|| tokens.clone())
        }
        _ => tokens.clone(),
    };
    if &(rate * &gain(slope)) * &longest > Exact::one() {
        return Ok(());
    }
    let teacher = v.matrix(values, target.task, seed)?.entries;
    let columns = w0.columns.max(1);
    let rows = w0.entries.chunks(columns).zip(teacher.chunks(columns));
    match rows.enumerate().find(|(_, (own, wanted))| are_opposite(own, wanted)) {
        None => Ok(()),
        Some((at, _)) => Err(values.fail(
            "w0",
            format_args!(
                "row {} is a negative multiple of row {} of the teacher's value matrix: with a \
                 slope of {slope} the channel stays opposite, and descent ends in a bad basin; \
                 start that row elsewhere",
                at + 1,
                at + 1
            ),
        )),
    }
}

/// Whether one is a negative multiple of the other.
fn are_opposite(own: &[Span], wanted: &[Exact]) -> bool {
    let pairs = || own.iter().zip(wanted);
    if !own.iter().all(Span::is_point) {
        return false;
    }
    let Some((pivot, reference)) = pairs().find(|(_, wanted)| !wanted.is_zero()) else {
        return false;
    };
    (&pivot.lo * reference).is_negative()
        && pairs().all(|(x, y)| &x.lo * reference == &pivot.lo * y)
}

/// κ, and τ if that was given.
fn logit_gain(
    values: &Values,
    tokens: u64,
    positions: &PositionSettings,
) -> Result<(Exact, Option<Exact>), Failure> {
    if let Some(scale) = values.number("logit_scale")? {
        if !values.has("p") {
            let message = "belongs to positions: give `p` too, or logit_gain = 1/τ² instead";
            return Err(values.fail("logit_scale", message));
        }
        if !scale.is_positive() {
            let message = format!("expected a temperature above 0, found {scale}");
            return Err(values.fail("logit_scale", message));
        }
        let gain = scale.square().reciprocal().unwrap_or_else(Exact::one);
        values
            .check_range(&gain, "the logit gain 1/τ²")
            .map_err(|message| values.fail("logit_scale", message))?;
        // The identity is no matter of its own: then only the gain counts.
        let scale = (!matches!(positions, PositionSettings::Identity)).then_some(scale);
        return Ok((gain, scale));
    }
    Ok((logit_gain_of(values, tokens)?, None))
}

/// κ, if it is not by way of τ.
pub(super) fn logit_gain_of(values: &Values, tokens: u64) -> Result<Exact, Failure> {
    const KEY: &str = "logit_gain";
    let text = values.text(KEY)?.unwrap_or("1/D");
    let gain = match power_of_tokens(text, tokens) {
        Some(gain) => gain.map_err(|message| values.fail(KEY, message))?,
        None => Exact::parse(text).map_err(|error| match error {
            NumberError::Syntax(_) if !text.starts_with("--") => {
                values.fail(KEY, format_args!("{error}, or 1/D, or a power of D such as D^-2"))
            }
            _ => values.fail(KEY, after_flag(text, &error)),
        })?,
    };
    values.check_range(&gain, text).map_err(|message| values.fail(KEY, message))?;
    if !gain.is_positive() {
        return Err(values.fail(KEY, format_args!("expected a gain above 0, found {gain}")));
    }
    Ok(gain)
}

/// `D`, `D^p`, and a number over one of these, such as `1/D`, in capitals or not; nothing if it has
/// another form.
fn power_of_tokens(text: &str, tokens: u64) -> Option<Result<Exact, String>> {
    let whole = text.trim().replace('\u{2212}', "-");
    let (text, factor) = match whole.split_once('/') {
        Some((factor, rest)) => (rest.trim(), Some(Exact::parse(factor).ok()?)),
        None => (whole.as_str(), None),
    };
    let power = match text.strip_prefix(['D', 'd'])?.trim_start() {
        "" => "1",
        rest => rest.strip_prefix('^')?.trim(),
    };
    let Ok(power) = power.parse::<i64>() else {
        return Some(Err(format!(
            "the power of D must be an integer, such as D^-2, because gains are exact and other \
             powers are irrational, found `{power}`; give the number itself"
        )));
    };
    let power = if factor.is_some() { power.checked_neg() } else { Some(power) };
    let value = power.and_then(|power| Exact::integer(tokens).power(power));
    let value = value.map(|value| factor.map_or(value.clone(), |factor| &factor * &value));
    let text = &whole;
    Some(
        value.ok_or_else(|| {
            format!("{text} is out of range for D = {tokens}: choose a smaller power")
        }),
    )
}

/// 0.25/(g Σ_j ‖s*_j‖²).
fn default_rate(target: &Target, slope: &Exact) -> Exact {
    let curvature = &gain(slope) * &target.square_norm();
    let quarter = Exact::ratio(1, 4).unwrap_or_else(Exact::one);
    quarter.checked_div(&curvature).unwrap_or(quarter)
}

/// A number for reading, as in headings.
pub(super) fn shown(value: &Exact) -> String {
    words::exact(value)
}
