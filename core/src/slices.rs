//! Taking slices apart without a panic.

use core::iter::from_fn;

/// Takes the first `length` entries off a slice.
pub(crate) fn split_off<'a, S>(rest: &mut &'a [S], length: usize) -> Option<&'a [S]> {
    let (head, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(head)
}

/// The same, to write to.
pub(crate) fn split_off_mut<'a, S>(rest: &mut &'a mut [S], length: usize) -> Option<&'a mut [S]> {
    let (head, tail) = core::mem::take(rest).split_at_mut_checked(length)?;
    *rest = tail;
    Some(head)
}

/// The rows of a matrix; none if they have no entries. What is left after the last whole row is
/// left out.
///
/// `chunks_exact` would do the same, but where its own length is asked for it divides by the
/// width, and an optimiser for size no longer knows that this is not 0: a panic is linked.
pub(crate) fn rows<S>(matrix: &[S], width: usize) -> impl Iterator<Item = &[S]> {
    let mut rest = matrix;
    from_fn(move || if width == 0 { None } else { split_off(&mut rest, width) })
}

/// The same, to write to.
pub(crate) fn rows_mut<S>(matrix: &mut [S], width: usize) -> impl Iterator<Item = &mut [S]> {
    let mut rest = matrix;
    from_fn(move || if width == 0 { None } else { split_off_mut(&mut rest, width) })
}
