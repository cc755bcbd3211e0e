//! Arguments of which the optimiser knows nothing.

use core::hint::black_box;

/// Where arguments come from: the same few every time, as far as anyone can tell.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a, S> {
    number: S,
    numbers: &'a [S],
    size: usize,
    sizes: &'a [usize],
}

impl<'a, S: Copy> Input<'a, S> {
    pub(crate) fn new(numbers: &'a [S], sizes: &'a [usize]) -> Option<Self> {
        Some(Self { number: *numbers.first()?, numbers, size: *sizes.first()?, sizes })
    }

    /// Some number.
    pub(crate) fn number(&self) -> S {
        black_box(self.number)
    }

    /// Some numbers, none to very many.
    pub(crate) fn numbers(&self) -> &'a [S] {
        black_box(self.numbers)
    }

    /// Some numbers, or no slice at all.
    pub(crate) fn counts(&self) -> Option<&'a [S]> {
        black_box(Some(self.numbers))
    }

    /// Some length, index or count.
    pub(crate) fn size(&self) -> usize {
        black_box(self.size)
    }

    /// Some lengths, indices or counts.
    pub(crate) fn sizes(&self) -> &'a [usize] {
        black_box(self.sizes)
    }

    /// Some integer.
    pub(crate) fn integer(&self) -> i64 {
        black_box(self.size as i64)
    }

    /// Some text.
    pub(crate) fn text(&self) -> &'static str {
        black_box("[1.5, 0x1.8p3]")
    }

    /// Some `f64`.
    pub(crate) fn float(&self) -> f64 {
        black_box(self.size as f64)
    }
}

/// Some place for results.
pub(crate) fn room<S>(memory: &mut [S]) -> &mut [S] {
    black_box(memory)
}

/// Several places for results that do not overlap.
pub(crate) fn rooms<S, const N: usize>(memory: &mut [S], size: usize) -> [&mut [S]; N] {
    let mut rest = memory;
    core::array::from_fn(|_| {
        let length = black_box(size).min(rest.len());
        match core::mem::take(&mut rest).split_at_mut_checked(length) {
            Some((part, tail)) => {
                rest = tail;
                black_box(part)
            }
            None => black_box(&mut []),
        }
    })
}
