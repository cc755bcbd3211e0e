//! JSON results, schema 1: one document; and CSV, which is described here too.
//!
//! Every document has `schema`, `popgd` (the version), `command`, `config` (every default filled
//! in: fed back, it gives the same run) and `provenance` (`config_hash`, `seed`, `scalar`,
//! `libm`); `warnings`, a list of texts, if there are any.
//!
//! * `run` adds `trajectory`, a list of rows `t`, `c1`, `c2`, `c3` (absent where they do not
//!   exist), `excess_loss`, `score_error`, `value_error`; and `stopped` (`reason`: `interrupted`
//!   or `not_finite`; `t`) if the run ended early.
//! * `rates` adds the same, and `asymptotic` (`past_burn_in`, `tangent_at_decade_start`,
//!   `tangent_at_end`, and `needed_steps` if they were too few), `tolerance`, and `rates`: for each
//!   quantity its `verdict` (`agrees`, `differs`, `inconclusive`), the `claimed` slope, what was
//!   `measured` (`slope` over the last decade `from` … `to`; `limit_slope` with its `uncertainty`
//!   where they mean something), its `constant` (`exact`, `stated`, `measured_over_exact`) and
//!   `local_slopes`. Where convergence is geometric there is `geometric` instead, with the
//!   `measured` and the `predicted` factor.
//! * `rates --sweep` has no `config` of its own, and in `provenance` the `plan`, a hash of all
//!   configurations; and no `warnings`, which are told while it is planned. It adds `sweep` (`axes`,
//!   each a `variable` with its `values`; `product`), `tolerance`, `exponents` and `runs`, and if the
//!   user ended it before all were finished, `stopped` (`reason`: `interrupted`; how many are
//!   `finished` of the `runs`; nothing is decided then). An entry of `exponents` has a `variable`, `at`
//!   (what else was varied), `least_tokens_over_group` (the least D/K), and for each of its
//!   `quantities` what is `claimed`, `exact` by the closed form (of the burn-in, which has none,
//!   `predicted` instead, null where that is doubtful), `measured` between the first and the last
//!   value, the `limit` for D/K → ∞, the `verdict` (with a `reason` if it is inconclusive) and the same
//!   `between_neighbours` (`from`, `to`, `exact` or `predicted`, `measured`, and its `uncertainty`,
//!   null where it is not known). For tokens there are also `halves` (each with `quantity`, `half`
//!   (`upper` or `lower`), the `verdict` `holds`, `fails` or `open`, the `constant` that the sweep
//!   admits in the limit, `constant_from_stated_start`, which it admits at the recorded steps from T*
//!   on, `exponent_of_ratio`, that of the measured constant over the stated one, and `ratios`, pairs of
//!   D and that ratio) and `at_stated_start`: `rows` (`tokens`, `steps` T*, `excess_at_zero`, the
//!   `excess` at T* or null if the run is shorter, and the bound `stated` there), and the exponents in
//!   D of the excess at T* and at 0 over that bound, `exponent_of_ratio` and
//!   `exponent_of_ratio_at_zero`.
//! * A job (`rates --plan`) is a line with `job`, `jobs`, `plan`, `sweep`, `point` and `config`; its
//!   result (`run --job`, an entry of `runs`) has `provenance` and `findings` too. Their `approach` is
//!   `powers` or `geometric`. Of powers there are `settled`, whether constants could be read off, and
//!   `needed_steps`, which would do, where not; `tangent_at_end`, tan θ at the last step; `constants`,
//!   one a `quantity`: the `exact` limit of √(ηT) times the error or ηT times the excess loss, the same
//!   `at_end`, the `limit` and the `power_of_steps` that the run extrapolates to (`value`,
//!   `uncertainty`; null before their time), what is `stated` without its constant, and
//!   `over_stated`, the least and the largest ratio to that at the recorded steps from T* on;
//!   `stated_start`: T* in `steps`, `excess_at_zero`, the `excess` there, and the bound `stated`;
//!   `burn_in` (steps, `measured` and `predicted`, the latter to `predicted_within` steps;
//!   `stiffness`, κ‖V*‖²/K²); and `records` (T, tan θ, score error, value error, excess loss). Of a
//!   geometric one there are the `measured_factor` (null if two windows of the run do not agree) and
//!   the `predicted_factor`, by which errors shrink a step in the end.
//! * `certify` adds `certificate_hash` and `certificate`: the exact `problem`, `t0`, `lambda` and
//!   `mu`, the `checkpoints` (t, c, gap; the last is at T₀, the first the start, if that is given), the `region` (`x0`, `lag`), the `clocks` (`upper`,
//!   `lower`) and `claims`: the quantities `at` T₀ and the steps asked for; `later`, T times the excess
//!   loss and √T times the errors for all T ≥ T₀ together; their `limits`; and `over_stated`, the
//!   quantities over the bounds of Theorem 3.1 without constants, for all T ≥ T₀. `certify --check` has
//!   `check` instead of a configuration: `proof` (`holds`, `fails` with a `reason`), `hash` (`matches`,
//!   `differs`; it is of the whole document but itself), the number of `checkpoints`, the `problem`
//!   and, if the proof holds, the `claims`. CSV has the readings alone.
//! * `precision` adds `stalls`, one of `f32` and one of `f64` (`scalar`): what is `predicted` of a
//!   plain sum (`gap`, `within` which it may be off, `spacing`, the `steps` to its standstill, and the step
//!   at which the exact run has `passed` that gap; absent where there is no clock), what was `seen`
//!   (`steps`, the `period` in which the state comes again, `gap` if there is one) and the `gap` from which a run that starts there does not move (`placed`); and `ways`,
//!   each with its name (`way`), `stands_still_after` and `not_finite_at` if that happened, and
//!   `readings`: `t`, the three quantities, and of a float its `relative_error` in the excess loss
//!   (`proven`: an enclosure of it; or `measured`, against f64 compensated, where the enclosure did
//!   not reach), of an enclosure its `relative_width`. `stopped` has the `reason` `interrupted`. In CSV
//!   a line is a reading; of floats both columns of a quantity are the same, and the columns of the
//!   error are empty for enclosures and for what has nothing to be judged by.
//! * `gradcheck` adds the `verdict` over all (`proven`, `consistent`, `undecided`, `refuted`);
//!   `stopped` with its `reason` (`interrupted`) if it was broken off: entries that were not reached
//!   have neither `proof` nor `enclosure`, and the verdict is not better than `undecided`;
//!   `gradient`, for each kind of `positions` its `entries` (`block`, `row`, `column`; `proof` with
//!   `verdict`, `operations` and `terms`; `enclosure` with `verdict`, `consistent` only if it is
//!   narrow, `difference_at_most` with its own `status`, and `difference_at_least` if it is refuted)
//!   and `remainders` (`of` a block; `verdict` `right`, `wrong` or `undecided`, the median `order`,
//!   how many points were `right`, `wrong`, `silent`, and how many of the wrong ones an enclosure
//!   `refuted`: without these it is `undecided`; and the `first` of them); or, in the place of
//!   proofs, `proof_left_out` with the `expected_seconds`; `lumped_step` with `entries` and a
//!   `remainder` likewise; and `claims` (`about`, `claim`, `verdict`, `formulas`, `operations`,
//!   `terms`), with `claims_left_out`, and `comparison_left_out` with the `expected_seconds` if
//!   lumped and dense steps were not compared. What is refuted has the `difference`, of a proof as an
//!   enclosure of it at some point, of a remainder as a lower bound. Its `dry_run` has `gradient`
//!   (`positions`, the number of `entries`, whether there is a `proof`, `proof_seconds`,
//!   `boxes_seconds`, `remainders_seconds`), `claims_seconds` and `expected_seconds`.
//!   In CSV a line is a check of an entry, a block or a claim: `about`, `positions`, `of`, `check`
//!   (`proof`, `enclosure`, `remainder`), `verdict`, `status`, `operations`, `terms`, `order`,
//!   `difference_at_least`, `difference_at_most`. Cells are empty where there is no such figure:
//!   `positions` of what has none; `status` of what is undecided or consistent (the bounds of an
//!   enclosure are always proven); `operations` and `terms` but of proofs, `order` but of
//!   remainders, `difference_at_most` but of enclosures; `difference_at_least` of proofs and
//!   remainders that are not refuted.
//! * `ood` adds `moments`: the `verdict` (`holds`, `fails`, `cannot_tell`), a `sentence`, the `largest`
//!   E‖x̃_i‖² (`"inf"` if it is infinite), of laws with independent entries `entry_mean` and
//!   `entry_variance`; whether `fourth_moments_are_finite` (of data with 99 % confidence), without which
//!   means of squares have no standard errors; of data the number of `samples`, the `confidence` of bounds
//!   on tail indices, and `tokens`, and of labels in a file `responses`, one a column, each with `moment`,
//!   its bounds of 95 % `moment_least` and `moment_most` and whether these can be trusted
//!   (`moment_bounds_hold`: `tail_index_least` is above 4), and, if there are enough samples, `tail_index`
//!   by the `order_statistics` largest values, and `tail_index_least` and `tail_index_most`, which span
//!   three numbers of largest values, that one, a half and an eighth of it: the least of the three lower
//!   bounds, each of that confidence, and the largest of the three upper ones, whose doubt is shared among
//!   all columns. If the hypothesis does not fail: `samples`; `batch_samples`, which may be fewer than
//!   asked for if a file ends; `amplification`, by what σ may stretch a mean square;
//!   `label_distance_at_most`, the bound R of (2) in note 10; `gaps`, for every recorded `t` the
//!   `square_distance` Δ² and the `gap` (each a `value` with `status` `cited`, from a closed form, or
//!   `measured`, with a `standard_error`, null without fourth moments), the `bound`, whether the gap
//!   `is_below` it (of laws up to four standard errors, null without any; of data as it is), and
//!   `batch_gap`, that of one finite batch; `slopes` `of` `population_gap`, `batch_gap` and `bound` (`from`
//!   which step on; the `slope`, null where the sign changes within the last decade, and its
//!   `uncertainty`, what standard errors may move it at most; `sign_changes` over all steps; the `power`
//!   that it is near: `-1`, `-1/2`, `neither`, or `open`); `sharp_constant` where there is a limit law
//!   (`limit` of ηTΔ², `at_end_over_limit` with its `standard_error`, that of the measured shares p_m
//!   included); `noise_dominates_batch_from`, a T; and `theorem`: `epsilon`, `input_moment`, `label_moment`
//!   (measured), `stated_steps` (T_ε with constant 1, null for a teacher that is none of the paper's), the
//!   `verdict` on it (`holds`: the bound is at most ε from T_ε on; `exceeds`: a recorded step beyond T_ε has
//!   a larger gap; `open`), the `steps` from which on the bound is at most ε (null if nothing is proven,
//!   or beyond 2^62) and `steps_over_stated`, their `status` (`proven`; of data `measured`, for it rests
//!   on their moments) with `proven_from` (T₀) and `bound_there`, or the `reason` why there are none; and
//!   `measured_steps`: the last recorded step `after` which, and the first `by` which and later, the gap is
//!   at most ε (null if there is none), `about` where between the two, and that `over_stated`. `stopped` with
//!   its `reason` (`interrupted`) if not all samples were looked at. In CSV a line is a recorded step: `t`,
//!   `square_distance` and `gap`, each with `_error` and `_status`, `bound`, `is_below`, `batch_gap`; of a
//!   moment check alone a column (`of` `inputs` or `responses`; `token`, `moment`, `moment_least`,
//!   `moment_most`, `tail_index`, `tail_index_least`, `tail_index_most`, `verdict`), or, of a law, `moment`
//!   and `verdict`.
//! * The `construct` commands add `stopped` (`reason`: `interrupted`; how many instances are `finished`) if
//!   they were broken off; `claims`, each with a name (`claim`), what it is `about`, how often it was
//!   `checked`, the `worst` figure, the `at_least` (absent if there is none) and `at_most` that are
//!   allowed, the `status` `proven` (in intervals) or `measured`, and the `verdict` (`holds`, `fails`,
//!   `open`, or `not applicable` where there was nothing to look at); and `curves`, each with a name
//!   (`curve`), what it is `about` and `against`, its `points`, the `bounds` at these if there are any,
//!   and, where an order is claimed, the `claimed_order` and the `fitted_order`, from `fitted_from` on. It is
//!   among the claims too, under the name of its curve. In CSV a line is a claim. Beside:
//!   - `mirror-descent`: `lowered`, on how many sequences the steps lower the likelihood (which they may);
//!     `from_posterior`, the mean distance of λ and of the uniform λ to the posterior mean, where that was
//!     computed; of several steps over floats `whole`, the largest difference of λ after all layers and after
//!     all steps; of sequences of one's own `weights_1`, … (λ by the layers), and `posterior_1`, … .
//!   - `normalized-gd`, of samples of one's own: `weights`, where the layers end, and `margin`, a lower and an
//!     upper bound of γ.
//!   - `attention-operator`, of atoms of one's own: `query` (x), `value` (A_μ(x)) and the recovered
//!     `weights`.
//! * `simulate` adds `exact`: the `trajectory` of the exact descent (`t`, `excess_loss`, `score_error`,
//!   `value_error`), `limit_law` (`t_times_excess_loss`) where there is one, and `teacher_scores`, S* row
//!   by row; `late`, one entry a `batch` size: over the window `from` … `to` the `slopes`, each with its
//!   `measure`, that of the `trained` students and of the `exact` run (`value` and `standard_error`, null
//!   where it cannot be told), and the `predicted` one, null where there is none (without a limit law, on
//!   the floor of label noise, for inputs without second moments);
//!   `exponents_of_batch`, if there are several sizes: for `value_distance` and `score_distance` the power
//!   of N by which they fall, `measured` and `predicted`; and `runs` (`batch`, `run`, the `steps` made, its
//!   `trajectory`, `attention_error`, which is max |S − S*| over the largest entry of S*, `value_matrix`
//!   and `scores` at the end; of the full model `value_matrix` and `key_query` instead, and no `late`).
//!   A row of a trajectory has `t` and the measures that
//!   [`Measure`](crate::simulate::measure::Measure) describes: `batch_excess`, `excess_loss`,
//!   `score_error`, `value_error`, `cosine`, `value_distance`, `score_distance`, `ood_half_square`,
//!   `ood_teacher`, `ood_unrelated`, `ood_unrelated_mean`, and these last four of the exact run with
//!   `exact_` before their names; of the full model `batch_excess`, `score_error`, `value_error`, `cosine`
//!   and the sizes of blocks `value_inputs`, `value_positions`, `keys_inputs`, `keys_inputs_positions`,
//!   `keys_positions_inputs`, `keys_positions`. `stopped` is as for `run`, of the slowest run. In CSV a line is a
//!   recorded step of a run: `batch`, `run`, `t`, the measures, and `exact_excess_loss`,
//!   `exact_score_error`, `exact_value_error`.
//!   With `--images` it adds instead `images` (`count`, `height`, `width`, a `digest` of all that was
//!   read, `windows` down and across, how many are `kept_back`, the row and column of all `patches`
//!   in an image, and the share of images of training in which each is `blank`); `teacher` (`origin`
//!   `given` or `trained`; if trained `epochs`, `accuracy` on images kept back and `norm` before it was
//!   scaled; `filters`, V* row by row; `half_mean_square`, ½E‖f*‖²; `curvature` λ and `rate` η); and
//!   `runs`, with a `trajectory` of `training_loss`, `kept_back_loss`, `score_error`, `value_error`,
//!   `cosine` and `window_weight`, `cosines_of_filters`, `window_weights` by query, the queries that
//!   have less than ½ there as `failing_queries`, counted from 0; `shares_of_patches`, the mean weight on
//!   each patch by the queries of its window over 1/K, and those below ½ as `missed_patches`; and
//!   `value_matrix` and `scores`.
//! * `--dry-run`, where it adds anything, adds only `dry_run`: `stability` (`rate`, `lumped_limit`, `dense_limit`),
//!   `burn_in_steps` where it can be predicted, and `expected_seconds`.
//! * `--save-state` writes `t` and, of a lumped run, `state` (a start for a configuration file) and
//!   `classes`; of a dense run `w0`, `logits` (starts likewise) and `scores`, and `kq0` where the
//!   positions determine it.
//!
//! Every document is a configuration too: `--config` takes its `config`, and of a saved state the
//! start; the steps of the new run count from 0.
//!
//! CSV has one line a record after a line of names: of `run` a recorded step, `t` and the figures
//! of a row as above; of `rates` a quantity; of
//! `rates --sweep` an exponent between two neighbours, and after them one between the first and the
//! last value (`variable`, `others` that were varied, `quantity`, `from`, `to`, `claimed`, `exact`,
//! `predicted`, `measured`, `uncertainty`; in the last also `limit`, `limit_uncertainty`, `verdict`);
//! of `--dry-run` a `key` and its `value`. Columns that do not exist are left out, and an enclosure is
//! two columns, `_lo` and `_hi`.
//!
//! A result is a number whose digits give the same bits back, `{"lo", "hi"}` of an enclosure (with
//! the digits of doubles, also for `interval32`, so that they enclose for every reader), or `"inf"`
//! and `"-inf"`; an integer above 2^53 is a string. Figures that are claims have a
//! `status`: `cited` from the paper or the notes, `measured`, `predicted`, or `proven`.

use serde_json::{Map, Value};

use crate::error::Warning;
use crate::provenance::{Provenance, SCHEMA, VERSION};
use crate::scalar::Number;
use crate::settings::Settings;
use crate::trajectory::{End, Row, Trajectory};

/// The part that all documents begin with, and what the user was warned of.
pub fn document(command: &str, settings: &Settings, warnings: &[Warning]) -> Map<String, Value> {
    let mut document = head(command, &settings.echo, &Provenance::of(settings));
    if !warnings.is_empty() {
        let texts = warnings.iter().map(|warning| Value::from(warning.to_string()));
        document.insert("warnings".into(), texts.collect());
    }
    document
}

/// What a document says of its origin.
pub fn head(command: &str, config: &Value, provenance: &Provenance) -> Map<String, Value> {
    let mut document = Map::new();
    document.insert("schema".into(), SCHEMA.into());
    document.insert("popgd".into(), VERSION.into());
    document.insert("command".into(), command.into());
    document.insert("config".into(), config.clone());
    document.insert("provenance".into(), provenance.to_json());
    document
}

/// The text of a document, with a line end.
pub fn text(document: Map<String, Value>) -> String {
    let mut text = String::new();
    write_value(&mut text, &Value::Object(document), 0);
    text.push('\n');
    text
}

/// The rows of a trajectory, and how it ended if not as planned.
pub fn insert_trajectory(document: &mut Map<String, Value>, trajectory: &Trajectory) {
    let rows = trajectory.rows.iter().map(row).collect();
    document.insert("trajectory".into(), Value::Array(rows));
    let (reason, t) = match trajectory.end {
        End::Complete => return,
        End::Interrupted { after } => ("interrupted", after),
        End::NotFinite { at } => ("not_finite", at),
    };
    let mut stopped = Map::new();
    stopped.insert("reason".into(), reason.into());
    stopped.insert("t".into(), integer(t));
    document.insert("stopped".into(), Value::Object(stopped));
}

fn row(row: &Row) -> Value {
    let mut map = Map::new();
    map.insert("t".into(), integer(row.t));
    for (name, value) in [("c1", row.c1), ("c2", row.c2), ("c3", row.c3)] {
        if let Some(value) = value {
            map.insert(name.into(), number(value));
        }
    }
    map.insert("excess_loss".into(), number(row.excess_loss));
    map.insert("score_error".into(), number(row.score_error));
    map.insert("value_error".into(), number(row.value_error));
    Value::Object(map)
}

/// A count: a string above 2^53, beyond which many readers would round it.
pub fn integer(value: u64) -> Value {
    if value > 1 << 53 { value.to_string().into() } else { value.into() }
}

/// A result: digits that give the same bits back, `"inf"`, `"-inf"`, or `{"lo", "hi"}`.
pub fn number(number: Number) -> Value {
    match number {
        Number::Float(value) => float(value),
        Number::Single(value) => single(value),
        Number::Interval { lo, hi } => interval(float(lo), float(hi)),
        // The shortest digits of an f32, read as a double, may lie within the ends; those of the
        // double that it is are the f32 for either reader.
        Number::SingleInterval { lo, hi } => interval(float(lo.into()), float(hi.into())),
    }
}

/// A float, as in [`number`].
pub fn float(value: f64) -> Value {
    if value.is_finite() { value.into() } else { not_finite(value) }
}

fn single(value: f32) -> Value {
    if value.is_finite() { value.into() } else { not_finite(f64::from(value)) }
}

fn not_finite(value: f64) -> Value {
    if value.is_nan() {
        "nan".into()
    } else if value > 0.0 {
        "inf".into()
    } else {
        "-inf".into()
    }
}

fn interval(lo: Value, hi: Value) -> Value {
    let mut map = Map::new();
    map.insert("lo".into(), lo);
    map.insert("hi".into(), hi);
    Value::Object(map)
}

/// Indented where it helps: what holds nothing but plain values, or intervals, is one line, so
/// that a row of a trajectory is.
fn write_value(text: &mut String, value: &Value, depth: usize) {
    let nested = nesting(value) > 2;
    let line = |text: &mut String, depth: usize| {
        if nested {
            text.push('\n');
            text.push_str(&"  ".repeat(depth));
        }
    };
    let separate = |text: &mut String, first: bool| {
        if !first {
            text.push_str(if nested { "," } else { ", " });
        }
        line(text, depth + 1);
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                separate(text, at == 0);
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push_str(": ");
                write_value(text, value, depth + 1);
            }
            line(text, depth);
            text.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                separate(text, at == 0);
                write_value(text, item, depth + 1);
            }
            line(text, depth);
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

/// 0 for plain values, one more for what holds them; a list of maps counts as deep.
fn nesting(value: &Value) -> usize {
    match value {
        Value::Object(map) => 1 + map.values().map(nesting).max().unwrap_or(0),
        Value::Array(items) => {
            let inside = items.iter().map(nesting).max().unwrap_or(0);
            if inside > 0 && items.iter().any(Value::is_object) { 3 + inside } else { 1 + inside }
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_back_to_the_same_bits() {
        for value in [0.1, 1.0 / 3.0, 5e-324, f64::MAX, -0.0, 1e16, 123_456_789.0] {
            let text = number(Number::Float(value)).to_string();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
        for value in [0.1_f32, 1.0 / 3.0, 1e-45, f32::MAX] {
            let text = number(Number::Single(value)).to_string();
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
        assert_eq!(number(Number::Single(0.1)).to_string(), "0.1");
    }

    #[test]
    fn infinities_and_large_integers_are_strings() {
        let wide = number(Number::Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY });
        assert_eq!(wide.to_string(), r#"{"lo":"-inf","hi":"inf"}"#);
        assert_eq!(integer(1 << 53).to_string(), "9007199254740992");
        assert_eq!(integer((1 << 53) + 1).to_string(), "\"9007199254740993\"");
    }

    #[test]
    fn layout() {
        let value: Value = serde_json::from_str(
            r#"{"a":1,"rows":[{"t":1,"x":{"lo":1,"hi":2}},{"t":2,"x":3}],"m":{"k":[1,2]},"e":[]}"#,
        )
        .unwrap();
        let Value::Object(map) = value.clone() else { unreachable!() };
        let text = text(map);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "{",
                "  \"a\": 1,",
                "  \"rows\": [",
                "    {\"t\": 1, \"x\": {\"lo\": 1, \"hi\": 2}},",
                "    {\"t\": 2, \"x\": 3}",
                "  ],",
                "  \"m\": {\"k\": [1, 2]},",
                "  \"e\": []",
                "}"
            ]
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
