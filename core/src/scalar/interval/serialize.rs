//! Intervals through serde (feature `serde`): a struct of `lo` and `hi`.
//!
//! What is read is checked like any other input: ends that make no interval are an error. The empty
//! interval has two NaN for ends; formats that have no NaN and no infinities, such as JSON, cannot
//! hold it, nor unbounded ones.
//!
//! What was written from an interval comes back as that interval, from any format that keeps numbers to
//! the last bit (for `serde_json` with its feature `float_roundtrip`; without it a number may come back
//! as a neighbour). Ends that somebody else wrote in decimals are rounded *to nearest* by the format,
//! not outwards, and so may lie inside of what was meant by half a unit in the last place of `F`:
//! where that matters, read them as text, by [`FromStr`](core::str::FromStr), which encloses them.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::Interval;
use crate::scalar::float::Float;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Interval", deny_unknown_fields)]
struct Ends<F> {
    lo: F,
    hi: F,
}

impl<F: Float + Serialize> Serialize for Interval<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Ends { lo: self.lo, hi: self.hi }.serialize(serializer)
    }
}

impl<'de, F: Float + Deserialize<'de>> Deserialize<'de> for Interval<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Ends { lo, hi } = Ends::<F>::deserialize(deserializer)?;
        if lo.is_nan() && hi.is_nan() {
            return Ok(Self::EMPTY);
        }
        Self::new(lo, hi).ok_or_else(|| D::Error::custom("expected lo ≤ hi, lo < ∞ and hi > −∞"))
    }
}
