//! Our own documents as configurations: results repeat their run, saved states go on with it.

use std::path::Path;

use super::tree::{Kind, Node};
use crate::error::Failure;
use crate::provenance::SCHEMA;

/// Where a run may begin, by the keys of a configuration.
const STARTS: [&str; 4] = ["state", "w0", "kq0", "logits"];

/// The entries of a configuration: those of the file, or if it is a document of ours, those of its
/// `config`, with the state that it ends in as the start.
///
/// # Errors
/// A document of another schema.
pub(super) fn configuration(
    entries: Vec<(String, Node)>,
    path: &Path,
) -> Result<Vec<(String, Node)>, Failure> {
    let find = |name: &str| entries.iter().find(|(key, _)| key == name).map(|(_, node)| node);
    let (Some(schema), Some(Node { kind: Kind::Table(config), .. })) =
        (find("schema"), find("config"))
    else {
        return Ok(entries);
    };
    if schema.kind != Kind::Number(SCHEMA.to_string()) {
        return Err(Failure::usage(format!(
            "{}: schema: expected {SCHEMA}, the schema of results that this version reads: repeat \
             the run, or give its `config` alone",
            path.display()
        )));
    }
    let mut config = config.clone();
    // W_KQ says no more than the logits, which are there for all positions, and to the last bit.
    let names: &[&str] = if find("logits").is_some() { &["w0", "logits"] } else { &STARTS };
    let starts: Vec<_> = names
        .iter()
        .filter_map(|&name| find(name).map(|node| (name.to_owned(), node.clone())))
        .collect();
    if !starts.is_empty() {
        config.retain(|(key, _)| !STARTS.contains(&key.as_str()));
        config.extend(starts);
    }
    Ok(config)
}
