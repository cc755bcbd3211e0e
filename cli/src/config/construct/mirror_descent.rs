//! What `popgd construct mirror-descent` runs.

use super::super::Arguments;
use crate::construct_args::MirrorDescentArgs;
use crate::error::Failure;

/// Its flags, by key.
pub(super) fn flags(arguments: &mut Arguments, args: &MirrorDescentArgs) -> Result<(), Failure> {
    let MirrorDescentArgs {
        shared,
        alphabet,
        order,
        length,
        concentration,
        transitions,
        sequences,
        rate,
        steps,
        mask_strength,
    } = args;
    arguments.shared(shared)?;
    for (key, value) in [
        ("alphabet", alphabet),
        ("order", order),
        ("length", length),
        ("concentration", concentration),
        ("rate", rate),
        ("steps", steps),
        ("mask_strength", mask_strength),
    ] {
        arguments.text(key, value.as_deref());
    }
    arguments.path("transitions", transitions.as_deref())?;
    arguments.path("sequences", sequences.as_deref())
}
