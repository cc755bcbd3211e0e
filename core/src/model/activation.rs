//! The leaky-ReLU family and its exact Gaussian expectations.
//!
//! With `σ(x) = αx + β|x|`, `α = (1+s)/2`, `β = (1−s)/2` and slope s, for centred jointly
//! Gaussian u and v with deviations A, B at angle θ (correlation cos θ):
//!
//! * `E σ(u)² = g A²`, with gain `g = α² + β²`;
//! * `E σ(u)σ(v) = A B κ̂(θ)`, `κ̂(θ) = α² cos θ + β² [cos θ + (2/π)(sin θ − θ cos θ)]`.
//!
//! Derivation and proof: note 1 (expectations) and note 3 (stable forms).

use super::alignment::Alignment;
use crate::Scalar;

/// An activation `σ(x) = x` for x ≥ 0 and `s x` for x < 0.
///
/// Slope s = 1 is the identity, 0 is ReLU, −1 the absolute value; every real slope is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activation<S> {
    slope: S,
    linear: S,
    linear_square: S,
    absolute_square: S,
    gain: S,
    bend: S,
}

/// As its slope, which is all there is to it.
#[cfg(feature = "serde")]
impl<S: Scalar + serde::Serialize> serde::Serialize for Activation<S> {
    fn serialize<T: serde::Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.slope.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, S: Scalar + serde::Deserialize<'de>> serde::Deserialize<'de> for Activation<S> {
    fn deserialize<T: serde::Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        S::deserialize(deserializer).map(Self::leaky_relu)
    }
}

impl<S: Scalar> Activation<S> {
    /// The leaky ReLU with this slope on the negative side.
    pub fn leaky_relu(slope: S) -> Self {
        let half = slope.rational(1, 2);
        let linear = (slope.one() + slope) * half;
        let absolute = (slope.one() - slope) * half;
        let (linear_square, absolute_square) = (linear.square(), absolute.square());
        Self {
            slope,
            linear,
            linear_square,
            absolute_square,
            gain: linear_square + absolute_square,
            bend: absolute_square * slope.integer(2) / slope.pi(),
        }
    }

    /// σ(x) = x. The argument only says where constants live.
    pub fn identity(context: S) -> Self {
        Self::leaky_relu(context.one())
    }

    /// σ(x) = max(x, 0). The argument only says where constants live.
    pub fn relu(context: S) -> Self {
        Self::leaky_relu(context.zero())
    }

    /// σ(x) = |x|. The argument only says where constants live.
    pub fn absolute_value(context: S) -> Self {
        Self::leaky_relu(-context.one())
    }

    /// s, the slope on the negative side.
    pub fn slope(&self) -> S {
        self.slope
    }

    /// α = (1 + s)/2, the weight of x in σ; also the expectation of σ′ under a symmetric law.
    pub fn linear(&self) -> S {
        self.linear
    }

    /// g = α² + β² = (1 + s²)/2, the mean square of σ(u) for a standard Gaussian u.
    pub fn gain(&self) -> S {
        self.gain
    }

    /// b = 2β²/π, the weight of the angle in `κ̂′ = g − bθ`.
    pub fn bend(&self) -> S {
        self.bend
    }

    /// `κ̂(θ) = E σ(u)σ(v)` for standard Gaussians u, v at angle θ in \[0, π\].
    pub fn kernel(&self, angle: S) -> S {
        self.gain * angle.cos() + self.bend * angle.sin_minus_angle_cos()
    }

    /// `dκ̂/d(cos θ) = g − bθ`, how strongly the student is pulled to its teacher at angle θ in
    /// \[0, π\].
    pub fn pull(&self, angle: S) -> S {
        self.gain - self.bend * angle
    }

    /// `g − κ̂(θ)`, to full relative accuracy at θ = 0, and at θ = π too where it vanishes
    /// there (the absolute value).
    ///
    /// θ is given by numbers proportional to its sine (≥ 0) and cosine. The part that |x|
    /// contributes is the same at θ and π − θ, so it is evaluated at the smaller of the two.
    pub fn gap(&self, sine: S, cosine: S) -> S {
        let angle = sine.atan2(cosine);
        let folded = sine.atan2(cosine.fold());
        let two_over_pi = sine.integer(2) / sine.pi();
        let absolute = folded.one_minus_cos() - two_over_pi * folded.sin_minus_angle_cos();
        self.linear_square * angle.one_minus_cos() + self.absolute_square * absolute
    }

    /// `½ E (σ(u) − σ(v))²` for `u = ⟨own, x⟩`, `v = ⟨target, x⟩` and standard Gaussian x:
    /// `½ g (A − B)² + A B (g − κ̂(θ))`, both terms ≥ 0.
    pub fn half_square_distance(&self, alignment: &Alignment<S>) -> S {
        let Alignment { own, target, inner, wedge } = *alignment;
        self.gain * (own - target).square() * own.rational(1, 2)
            + own * target * self.gap(wedge, inner)
    }
}

impl Activation<f64> {
    /// σ(x).
    pub fn apply(&self, x: f64) -> f64 {
        if x < 0.0 { self.slope * x } else { x }
    }
}
