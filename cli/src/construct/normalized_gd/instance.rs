//! Samples to run on.

use popgd_core::in_context::normalized_descent::{signed, signed_by_relus};

use super::NormalizedGdSettings;
use crate::construct::comparison::Comparison;
use crate::construct::random::{Random, into_unit_ball};
use crate::error::Failure;
use crate::number::Exact;
use crate::scalar::CliScalar;
use crate::settings::ScalarKind;

/// Samples with labels, and the rate of descent on them.
#[derive(Clone, Debug)]
pub(super) struct Instance<S> {
    /// d.
    pub(super) features: usize,
    /// x, row by row.
    given: Vec<S>,
    labels: Vec<S>,
    /// z = y x.
    pub(super) rows: Vec<S>,
    /// η.
    pub(super) rate: S,
    /// ηR² ≤ 1, decided exactly.
    is_bounded: bool,
    /// R.
    pub(super) radius: S,
    /// γ, if it is known.
    pub(super) margin: Option<S>,
}

/// Samples z in the unit ball; for every other index, if there is room, such that the margin is
/// known exactly: two are (γ, v) and (γ, −v/2), and all others are farther along the first axis.
pub(super) fn draw(settings: &NormalizedGdSettings, index: u64) -> (Vec<f64>, Option<f64>) {
    let (features, count) = (settings.features, settings.samples);
    let mut random = Random::of(settings.shared.seed, index);
    if index % 2 == 1 || features < 2 || count < 2 {
        let mut rows = random.normals(features * count);
        into_unit_ball(&mut rows, features);
        return (rows, None);
    }
    let of_64 = |x: f64| (x * 64.0).floor() / 64.0;
    let margin = of_64(0.1 + 0.4 * random.uniform());
    let mut rows = Vec::with_capacity(features * count);
    for index in 0..count {
        let along = if index < 2 { margin } else { of_64(margin + 0.1 + 0.3 * random.uniform()) };
        let mut rest = random.normals(features - 1);
        if index == 1 {
            rest = rows[1..features].iter().map(|x: &f64| -0.5 * x).collect();
        } else {
            let most = 0.99 * (1.0 - along * along).sqrt() / super::super::random::norm(&rest);
            rest.iter_mut().for_each(|x| *x *= most);
        }
        rows.push(along);
        rows.extend(rest);
    }
    (rows, Some(margin))
}

impl<S: CliScalar> Instance<S> {
    /// One's own, or the random one of this index.
    pub(super) fn of(settings: &NormalizedGdSettings, index: u64) -> Result<Self, Failure> {
        let rate = S::from_exact(&settings.rate);
        let features = settings.features;
        if let Some(own) = &settings.labelled {
            let given: Vec<S> = own.entries.iter().map(S::from_exact).collect();
            let labels: Vec<S> = own
                .labels
                .iter()
                .map(|&label| if label { rate.one() } else { -rate.one() })
                .collect();
            let mut rows = given.clone();
            signed(features, &given, &labels, &mut rows).map_err(super::refused)?;
            let square = own.square_radius();
            let radius = S::from_exact(&square).sqrt();
            let is_bounded = &settings.rate * &square <= Exact::one();
            return Ok(Self {
                features,
                given,
                labels,
                rows,
                rate,
                is_bounded,
                radius,
                margin: None,
            });
        }
        let (drawn, margin) = draw(settings, index);
        let exact = |x: f64| S::from_exact(&Exact::from_f64(x).unwrap_or_else(Exact::zero));
        let rows: Vec<S> = drawn.iter().map(|&x| exact(x)).collect();
        let labels: Vec<S> = (0..settings.samples)
            .map(|at| if at % 2 == 0 { rate.one() } else { -rate.one() })
            .collect();
        let mut given = rows.clone();
        signed(features, &rows, &labels, &mut given).map_err(super::refused)?;
        let radius = rate.one();
        let margin = margin.map(exact);
        let is_bounded = settings.rate <= Exact::one();
        Ok(Self { features, given, labels, rows, rate, is_bounded, radius, margin })
    }

    /// Whether ηR² ≤ 1, as all bounds ask.
    pub(super) fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    /// z = y x, by a layer of ReLUs beside products.
    pub(super) fn compare_labels(&self, kind: ScalarKind, labels: &mut Comparison) {
        let largest =
            self.given.iter().fold(0.0, |most: f64, x| most.max(x.report().center().abs()));
        // Each of both sums and their difference is up to 2B, the difference to x of less: they round by
        // 3.5 units in the last place of B together.
        const ROUNDINGS: f64 = 3.5;
        // A power of 2 above.
        let bound = if largest > 0.0 { largest.log2().ceil().exp2().max(largest) } else { 1.0 };
        let mut rows = self.rows.clone();
        let shift = self.rate.lift(bound);
        if signed_by_relus(self.features, &self.given, &self.labels, shift, &mut rows).is_ok() {
            for (made, wanted) in rows.iter().zip(&self.rows) {
                labels.add(kind, made.report(), wanted.report(), bound, ROUNDINGS);
            }
        }
    }
}
