//! The two-level step in coordinates that say how late it is and how far c lags behind.
//!
//! With x = tan θ of the columns, `H = 1 + β̂(x − atan x)` and `c = c*(x)(1 + ŷx³)` a step is
//! (note 8)
//!
//! ```text
//! x′ = x e^{−Δ} ,   Δ = (μ/2) x² W(x, ŷ) ,
//! c′ = c*(x) (1 + (1 − λ(x)) ŷx³) .
//! ```
//!
//! Everything here is free of cancellation down to x = 0, and uses the four operations only, so that
//! floats, intervals, duals and series with remainders can be put in.

use core::ops::{Add, Div, Mul, Sub};

/// What a formula is made of here.
pub trait Ring:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl<T> Ring for T where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>
{
}

/// The numbers that a two-level run depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form<T> {
    /// 1.
    pub one: T,
    /// β̂ = b/g.
    pub bend: T,
    /// r = √((D−K)/K).
    pub ratio: T,
    /// μ = 2ηκv²gD/(K²(D−K)), by how much 1/x² grows a step in the limit.
    pub clock: T,
    /// λ = ηgD/K, the part of its lag that c makes up for in a step in the limit.
    pub contraction: T,
}

impl<T: Ring> Form<T> {
    /// The same numbers in other clothes.
    pub fn map<U>(&self, f: impl Fn(T) -> U) -> Form<U> {
        Form {
            one: f(self.one),
            bend: f(self.bend),
            ratio: f(self.ratio),
            clock: f(self.clock),
            contraction: f(self.contraction),
        }
    }

    fn stretch(&self, x: T) -> T {
        self.one + x * x
    }

    fn reach(&self, x: T) -> T {
        self.one + self.ratio * x
    }

    /// c* = (1 + rx) H/(1 + x²), the factor that is best at x. `bulge` is H.
    pub fn optimum(&self, x: T, bulge: T) -> T {
        self.reach(x) * bulge / self.stretch(x)
    }

    /// dc*/dx = [H (r − 2x − rx²) + β̂x²(1 + rx)]/(1 + x²)².
    pub fn optimum_slope(&self, x: T, bulge: T) -> T {
        let stretch = self.stretch(x);
        let square = x * x;
        (bulge * (self.ratio - x - x - self.ratio * square) + self.bend * square * self.reach(x))
            / (stretch * stretch)
    }

    /// λ(x) = λ (1 + x²)/(1 + rx)².
    pub fn pull(&self, x: T) -> T {
        let reach = self.reach(x);
        self.contraction * self.stretch(x) / (reach * reach)
    }

    /// W = C [C − β̂x/(1+x²) − r H ŷx²/(1+rx)] with C = H (1 + ŷx³)/(1+x²). `lag` is ŷx².
    pub fn pace(&self, x: T, bulge: T, lag: T) -> T {
        let stretch = self.stretch(x);
        let tilt = bulge * (self.one + lag * x) / stretch;
        tilt * (tilt - self.bend * x / stretch - self.ratio * bulge * lag / self.reach(x))
    }
}
