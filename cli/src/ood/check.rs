//! Does the hypothesis of Theorem 3.2 hold: are second moments finite, and how large are they?

use super::family::Moments;
use super::settings::Inputs;
use super::tail::{self, TailIndex, Verdict};
use super::watch::Watch;

/// The check of a law or of data.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The verdict.
    pub verdict: Verdict,
    /// One plain sentence.
    pub sentence: String,
    /// ξ: the largest `E‖x̃_i‖²` over the tokens; none if it is infinite.
    pub largest_moment: Option<f64>,
    /// Mean and variance of an entry, of laws with independent entries.
    pub entry: Option<Moments>,
    /// What data say.
    pub data: Option<DataCheck>,
    /// Whether fourth moments are finite, without which means of squares have no standard error; of
    /// data with 99 % confidence.
    pub has_fourth_moments: bool,
}

/// What data say.
#[derive(Clone, Debug, PartialEq)]
pub struct DataCheck {
    /// n.
    pub samples: u64,
    /// Token by token.
    pub tokens: Vec<TokenCheck>,
    /// Column by column of the responses, if there are some: of ỹ_i what is said of x̃_i.
    pub responses: Vec<TokenCheck>,
}

impl DataCheck {
    /// Whether mean squares have standard errors: they rest on fourth moments.
    pub fn fourth_moments_are_finite(&self) -> bool {
        self.tokens.iter().chain(&self.responses).all(TokenCheck::bounds_hold)
    }
}

/// What data say of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenCheck {
    /// The mean of `‖x̃_i‖²`.
    pub moment: f64,
    /// Within it two standard errors lie on either side, 95 % for a law with fourth moments.
    pub moment_least: f64,
    /// The other end.
    pub moment_most: f64,
    /// The tail index of `‖x̃_i‖` about its median; none if too few samples are elsewhere.
    pub tail: Option<TailIndex>,
    /// How many samples are elsewhere.
    pub elsewhere: u64,
}

impl TokenCheck {
    /// Whether the bounds of the moment can be trusted: they rest on fourth moments.
    pub fn bounds_hold(&self) -> bool {
        self.tail.is_some_and(|tail| tail.least > 4.0)
    }
}

/// Of a law of inputs of d features and D tokens.
pub fn of_law(inputs: &Inputs, features: usize, tokens: usize) -> Check {
    let count = features as f64;
    let known = |moments: Moments, largest: f64, of: String| Check {
        verdict: Verdict::Holds,
        sentence: format!("the hypothesis holds: {of} has finite second moments"),
        largest_moment: Some(largest),
        entry: Some(moments),
        data: None,
        has_fourth_moments: match inputs {
            Inputs::Family { family, .. } => family.fourth_moment_is_finite(),
            _ => true,
        },
    };
    match inputs {
        Inputs::Family { family, centred, scale } => match family.moments() {
            Ok(Moments { mean, variance }) => {
                let mean = if *centred { 0.0 } else { scale * mean };
                let variance = scale * scale * variance;
                let moments = Moments { mean, variance };
                known(moments, count * (variance + mean * mean), family.name())
            }
            Err(reason) => Check {
                verdict: Verdict::Fails,
                sentence: format!("the hypothesis of Theorem 3.2 fails: {reason}"),
                largest_moment: None,
                entry: None,
                data: None,
                has_fourth_moments: false,
            },
        },
        Inputs::Gaussian(gaussian) => {
            let squares = gaussian.square_norms(features, tokens);
            let largest = squares.into_iter().fold(0.0, f64::max);
            Check {
                entry: None,
                ..known(Moments { mean: 0.0, variance: 0.0 }, largest, "gaussian".to_owned())
            }
        }
        Inputs::File(_) => Check {
            verdict: Verdict::CannotTell,
            sentence: String::new(),
            largest_moment: None,
            entry: None,
            data: None,
            has_fourth_moments: false,
        },
    }
}

/// Of data, inputs and, if they come from a file too, responses.
pub(super) fn of_data(inputs: &Watch<'_>, responses: Option<&Watch<'_>>) -> Check {
    let samples = inputs.sums().count();
    let shared = inputs.largest().len() + responses.map_or(0, |watch| watch.largest().len());
    let tokens = columns(inputs, shared);
    let responses = responses.map_or(Vec::new(), |watch| columns(watch, shared));
    let all: Vec<TokenCheck> = tokens.iter().chain(&responses).copied().collect();
    let indices: Vec<Option<TailIndex>> = all.iter().map(|token| token.tail).collect();
    let verdict = tail::verdict(&indices);
    let name = |at: usize| match at.checked_sub(tokens.len()) {
        None => format!("token {}", at + 1),
        Some(column) => format!("column {} of the responses", column + 1),
    };
    let sentence = sentence(verdict, &all, samples, name);
    let largest_moment = tokens.iter().map(|token| token.moment).fold(0.0, f64::max);
    let data = DataCheck { samples, tokens, responses };
    Check {
        verdict,
        sentence,
        largest_moment: Some(largest_moment),
        entry: None,
        has_fourth_moments: data.fourth_moments_are_finite(),
        data: Some(data),
    }
}

/// Of every column, of so many of which one may fail by chance.
fn columns(watch: &Watch<'_>, shared: usize) -> Vec<TokenCheck> {
    let (sums, samples) = (watch.sums(), watch.sums().count());
    let n = samples as f64;
    let column = |(token, largest)| {
        let moment = sums.mean(token).unwrap_or(f64::NAN);
        let fourth = sums.mean_of_squares(token).unwrap_or(f64::NAN);
        let variance = ((fourth - moment * moment) * n / (n - 1.0)).max(0.0);
        let reach = if samples > 1 { 1.96 * (variance / n).sqrt() } else { f64::INFINITY };
        TokenCheck {
            moment,
            moment_least: (moment - reach).max(0.0),
            moment_most: moment + reach,
            tail: tail::tail_index(largest, samples, shared),
            elsewhere: largest.positive(),
        }
    };
    watch.largest().iter().enumerate().map(column).collect()
}

fn sentence(
    verdict: Verdict,
    tokens: &[TokenCheck],
    samples: u64,
    name: impl Fn(usize) -> String,
) -> String {
    let heaviest =
        tokens.iter().enumerate().filter_map(|(token, found)| Some((token, found.tail?))).min_by(
            |a, b| {
                let by_verdict = |tail: &TailIndex| match verdict {
                    Verdict::Fails => tail.most,
                    Verdict::Holds => tail.estimate,
                    Verdict::CannotTell => tail.least,
                };
                by_verdict(&a.1).total_cmp(&by_verdict(&b.1))
            },
        );
    let silent = tokens.iter().enumerate().find(|(_, token)| token.tail.is_none());
    let index =
        |value: f64| if value.is_finite() { format!("{value:.2}") } else { "∞".to_owned() };
    let least = tail::LEAST * tail::LEAST;
    match (verdict, silent, heaviest) {
        (Verdict::Fails, _, Some((token, tail))) => format!(
            "the hypothesis of Theorem 3.2 fails: the second moment of {} is infinite if its \
             tail goes on as far as independent records show it (tail index {}, below {} with 99 % \
             confidence, and 2 is needed)",
            name(token),
            index(tail.estimate),
            index(tail.most)
        ),
        (Verdict::Holds, _, Some((_, tail))) => format!(
            "the hypothesis holds, as far as {samples} independent records show: every tail index is \
             above 2 with 99 % confidence if tails go on as they do there (the smallest estimate is \
             {})",
            index(tail.estimate)
        ),
        (_, Some((token, found)), _) if samples as usize >= least => format!(
            "cannot tell whether second moments are finite: of {} only {} of {samples} records \
             differ from its median; take so many more that at least {least} do",
            name(token),
            found.elsewhere
        ),
        (_, None, Some((token, tail))) => format!(
            "cannot tell whether second moments are finite: the tail index of {} is between {} \
             and {} by the several parts of its tail that were looked at, and 2 is needed; take more \
             samples",
            name(token),
            index(tail.least),
            index(tail.most)
        ),
        _ => format!(
            "cannot tell whether second moments are finite: {samples} samples are too few; take at \
             least {least}"
        ),
    }
}
