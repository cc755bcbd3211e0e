//! What the moment check keeps of a stream of matrices: of every column the sums of its squared norm,
//! and the largest squared norms about a median.

use popgd_core::theory::moments::TokenSums;

use super::tail::{self, Largest};

/// A stream of matrices that is watched.
pub(super) struct Watch<'m> {
    sums: TokenSums<'m, f64>,
    largest: Vec<Largest>,
    /// The medians of the first records, once there are some.
    centre: Vec<f64>,
}

impl<'m> Watch<'m> {
    /// How many numbers of memory are asked for.
    pub(super) fn memory(columns: usize) -> usize {
        TokenSums::<f64>::memory(columns)
    }

    /// Of nothing yet; none if the memory does not fit.
    pub(super) fn new(columns: usize, memory: &'m mut [f64]) -> Option<Self> {
        let sums = TokenSums::new(0.0, columns, memory).ok()?;
        Some(Self { sums, largest: vec![Largest::default(); columns], centre: Vec::new() })
    }

    /// Looks at the first records, of so many numbers each, to know where their middle is.
    pub(super) fn look(&mut self, first: &[f64], length: usize) {
        if self.centre.is_empty() {
            self.centre = tail::medians(first, length);
        }
    }

    /// The norms of records that are as long as those that were looked at.
    pub(super) fn norms(&self, records: &[f64]) -> Norms {
        Norms::of(records, &self.centre, self.largest.len())
    }

    /// Takes in the norms of further records.
    ///
    /// # Errors
    /// Which of the records, from 0 on, has a number whose fourth power overflows.
    pub(super) fn take(&mut self, norms: &Norms) -> Result<(), usize> {
        let columns = self.largest.len().max(1);
        let pairs = norms.whole.chunks_exact(columns).zip(norms.about.chunks_exact(columns));
        for (row, (whole, about)) in pairs.enumerate() {
            if whole.iter().chain(about).any(|norm| !(norm * norm).is_finite()) {
                return Err(row);
            }
            // Its length is that of the sums.
            let _ = self.sums.push(whole);
            for (largest, &norm) in self.largest.iter_mut().zip(about) {
                largest.push(norm);
            }
        }
        Ok(())
    }

    /// The sums of squared norms.
    pub(super) fn sums(&self) -> &TokenSums<'m, f64> {
        &self.sums
    }

    /// For every column the largest squared norms about the medians.
    pub(super) fn largest(&self) -> &[Largest] {
        &self.largest
    }
}

/// Of every column of every record.
pub(super) struct Norms {
    /// ‖x̃_i‖².
    whole: Vec<f64>,
    /// ‖x̃_i − m_i‖², m being the medians.
    about: Vec<f64>,
}

impl Norms {
    /// Of records as long as their centre.
    fn of(records: &[f64], centre: &[f64], columns: usize) -> Self {
        let count = columns * (records.len() / centre.len().max(1));
        let (mut whole, mut about) = (vec![0.0; count], vec![0.0; count]);
        let slots =
            whole.chunks_exact_mut(columns.max(1)).zip(about.chunks_exact_mut(columns.max(1)));
        for (record, (whole, about)) in records.chunks_exact(centre.len().max(1)).zip(slots) {
            let rows = record.chunks_exact(columns).zip(centre.chunks_exact(columns));
            for (row, middle) in rows {
                let slots = whole.iter_mut().zip(about.iter_mut());
                for ((whole, about), (x, m)) in slots.zip(row.iter().zip(middle)) {
                    *whole += x * x;
                    *about += (x - m) * (x - m);
                }
            }
        }
        Self { whole, about }
    }
}
