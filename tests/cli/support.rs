//! What end-to-end tests of several commands do with what the program printed.

use std::process::Output;

use serde_json::Value;

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The document, and the exit code.
pub(crate) fn document(output: &Output) -> (Option<i32>, Value) {
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    (output.status.code(), document)
}

/// That input was refused, in one line with these words.
#[track_caller]
pub(crate) fn assert_refused(output: &Output, args: &[&str], words: &[&str]) {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
    assert!(output.stdout.is_empty() && message.lines().count() == 1, "{args:?}: {message}");
    for word in words {
        assert!(message.contains(word), "`{word}` is missing: {message}");
    }
}
