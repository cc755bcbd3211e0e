//! Where a result comes from.

use serde_json::{Map, Value};

use crate::settings::{ScalarKind, Settings};

/// The version of `libm` that all elementary functions come from: two builds with the same one
/// give the same bits. (A test compares it with the lockfile.)
pub const LIBM: &str = "0.2.16";

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The number of the schema of JSON results.
pub const SCHEMA: u64 = 1;

/// What a result is determined by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// A hash of the resolved configuration.
    pub config_hash: String,
    /// What random numbers were drawn from.
    pub seed: u64,
    /// The scalar type, by its name on the command line.
    pub scalar: &'static str,
}

impl Provenance {
    /// Of a run with these settings.
    pub fn of(settings: &Settings) -> Self {
        Self {
            config_hash: hash(&settings.echo),
            seed: settings.model.seed,
            scalar: scalar_name(settings.model.scalar),
        }
    }

    /// As it stands in results.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("config_hash".into(), self.config_hash.clone().into());
        map.insert("seed".into(), crate::output::json::integer(self.seed));
        map.insert("scalar".into(), self.scalar.into());
        map.insert("libm".into(), LIBM.into());
        Value::Object(map)
    }
}

/// A hash of a value, whatever the order of its keys.
pub fn hash(value: &Value) -> String {
    digest(canonical(value).bytes())
}

/// A hash of bytes.
pub fn digest(bytes: impl Iterator<Item = u8>) -> String {
    format!("fnv1a64:{:016x}", fnv1a(bytes))
}

/// The name of a scalar type on the command line.
pub fn scalar_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::F32 => "f32",
        ScalarKind::F64 => "f64",
        ScalarKind::Interval32 => "interval32",
        ScalarKind::Interval64 => "interval64",
    }
}

/// JSON without spaces and with sorted keys, so that equal configurations have equal text.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|&(key, _)| key);
            let fields: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        plain => plain.to_string(),
    }
}

/// The 64-bit hash of Fowler, Noll and Vo, variant 1a: enough to tell configurations apart, and
/// the same on every machine.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b"".iter().copied()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar".iter().copied()), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let one: Value =
            serde_json::from_str(r#"{"b": [1, {"y": 2, "x": 3}], "a": 0.10}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"a":0.10,"b":[1,{"x":3,"y":2}]}"#).unwrap();
        assert_eq!(canonical(&one), canonical(&two));
        assert_eq!(canonical(&one), r#"{"a":0.10,"b":[1,{"x":3,"y":2}]}"#);
    }

    #[test]
    fn libm_is_the_locked_one() {
        let lockfile = include_str!("../../Cargo.lock");
        let mut versions = lockfile
            .split("[[package]]")
            .filter(|package| package.contains("name = \"libm\""))
            .filter_map(|package| package.split("version = \"").nth(1)?.split('"').next());
        assert_eq!(versions.next(), Some(LIBM));
        assert_eq!(versions.next(), None, "only one libm may be linked");
    }
}
