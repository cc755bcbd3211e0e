//! Taking slices apart without a panic.

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
