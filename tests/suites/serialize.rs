//! What goes through serde comes back the same, and nothing comes in that could not have been made.

use popgd_core::descent::accumulate::Accumulate;
use popgd_core::model::Quantities;
use popgd_core::model::teacher::Shape;
use popgd_core::{Activation, Interval};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, MapDeserializer};
use serde::{Deserialize, Serialize};

fn returned<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn values_come_back() {
    let third = Interval::new(0.333, 0.334).unwrap();
    assert_eq!(serde_json::to_string(&third).unwrap(), r#"{"lo":0.333,"hi":0.334}"#);
    assert_eq!(returned(&third), third);
    let single = Interval::new(-0.1_f32, 0.1).unwrap();
    assert_eq!(returned(&single), single);
    let leaky = Activation::leaky_relu(0.1);
    assert_eq!(serde_json::to_string(&leaky).unwrap(), "0.1");
    assert_eq!(returned(&leaky), leaky);
    let enclosed = Quantities { excess_loss: third, score_error: third, value_error: third };
    assert_eq!(returned(&enclosed), enclosed);
    let shape = Shape { tokens: 4, channels: 2, features: 3 };
    assert_eq!(returned(&shape), shape);
    assert_eq!(returned(&Accumulate::Plain), Accumulate::Plain);
}

#[test]
fn what_is_no_interval_is_refused() {
    for text in
        [r#"{"lo":2.0,"hi":1.0}"#, r#"{"lo":1.0}"#, r#"{"lo":1.0,"hi":2.0,"mid":1.5}"#, "[]", "1"]
    {
        assert!(serde_json::from_str::<Interval<f64>>(text).is_err(), "{text}");
    }
    let read = |lo: f64, hi: f64| {
        let ends = MapDeserializer::<_, Error>::new([("lo", lo), ("hi", hi)].into_iter());
        Interval::<f64>::deserialize(ends)
    };
    let infinity = f64::INFINITY;
    assert_eq!(read(f64::NAN, f64::NAN), Ok(Interval::EMPTY));
    assert_eq!(read(-infinity, infinity), Ok(Interval::ENTIRE));
    for (lo, hi) in [(1.0, f64::NAN), (f64::NAN, 1.0), (infinity, infinity), (-infinity, -infinity)]
    {
        assert!(read(lo, hi).is_err(), "[{lo}, {hi}]");
    }
}
