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

/// What a block adds to it.
pub(super) struct Part<'m> {
    sums: Option<TokenSums<'m, f64>>,
    /// For every column how many squared norms about the median are above 0.
    positive: Vec<u64>,
    /// Columns, and squared norms about the median that may be among the largest.
    large: Vec<(usize, f64)>,
    /// The first record, from 0 on, with a number whose fourth power overflows, or whose square is lost
    /// below all floats.
    overflow: Option<usize>,
}

impl<'m> Watch<'m> {
    /// How many numbers of memory it, or a part, asks for.
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

    /// What further records add, which are as long as those that were looked at.
    pub(super) fn part<'p>(&self, records: &[f64], memory: &'p mut [f64]) -> Part<'p> {
        let columns = self.largest.len();
        let mut part = Part {
            sums: TokenSums::new(0.0, columns, memory).ok(),
            positive: vec![0; columns],
            large: Vec::new(),
            overflow: None,
        };
        let floors: Vec<f64> = self.largest.iter().map(Largest::floor).collect();
        // ‖x̃_i‖² and ‖x̃_i − m_i‖², m being the medians.
        let (mut whole, mut about) = (vec![0.0; columns], vec![0.0; columns]);
        for (at, record) in records.chunks_exact(self.centre.len().max(1)).enumerate() {
            whole.fill(0.0);
            about.fill(0.0);
            let rows = record.chunks_exact(columns).zip(self.centre.chunks_exact(columns));
            for (row, middle) in rows {
                let slots = whole.iter_mut().zip(about.iter_mut());
                for ((whole, about), (x, m)) in slots.zip(row.iter().zip(middle)) {
                    *whole += x * x;
                    *about += (x - m) * (x - m);
                }
            }
            // Of a sum of squares that is finite each is.
            let size: f64 = whole.iter().zip(&about).map(|(a, b)| a * a + b * b).sum();
            let is_lost = about.iter().enumerate().any(|(column, &norm)| {
                let entries = record.iter().skip(column).step_by(columns);
                let middles = self.centre.iter().skip(column).step_by(columns);
                norm < f64::MIN_POSITIVE && entries.zip(middles).any(|(x, m)| x != m)
            });
            if !size.is_finite() || is_lost {
                part.overflow = Some(at);
                return part;
            }
            if let Some(sums) = &mut part.sums {
                // Its length is that of the sums.
                let _ = sums.push(&whole);
            }
            let found = part.positive.iter_mut().zip(&about).zip(&floors).enumerate();
            for (column, ((positive, &norm), &floor)) in found {
                *positive += u64::from(norm > 0.0);
                if norm > floor {
                    part.large.push((column, norm));
                }
            }
        }
        part
    }

    /// Takes in what a block adds.
    ///
    /// # Errors
    /// Which of its records, from 0 on, has a number too large or too small to be squared twice.
    pub(super) fn take(&mut self, part: &Part<'_>) -> Result<(), usize> {
        if let Some(row) = part.overflow {
            return Err(row);
        }
        if let Some(sums) = &part.sums {
            // It has as many columns.
            let _ = self.sums.merge(sums);
        }
        for (largest, &count) in self.largest.iter_mut().zip(&part.positive) {
            largest.count(count);
        }
        for &(column, norm) in &part.large {
            if let Some(largest) = self.largest.get_mut(column) {
                largest.keep(norm);
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

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// In blocks it is what it is record by record: sums, and the tail of every column.
    #[test]
    fn blocks_add_up_to_the_whole() {
        const COLUMNS: usize = 2;
        const LENGTH: usize = 3 * COLUMNS;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
        let records: Vec<f64> =
            (0..6000 * LENGTH).map(|_| StandardNormal.sample(&mut random)).collect();
        let mut memory = vec![0.0; Watch::memory(COLUMNS)];
        let mut watch = Watch::new(COLUMNS, &mut memory).unwrap();
        watch.look(&records[..700 * LENGTH], LENGTH);
        let centre = watch.centre.clone();
        for block in records.chunks(700 * LENGTH) {
            let mut memory = vec![7.0; Watch::memory(COLUMNS)];
            let part = watch.part(block, &mut memory);
            watch.take(&part).unwrap();
        }
        let count = watch.sums().count();
        assert_eq!(count, 6000);
        for column in 0..COLUMNS {
            let mut largest = Largest::default();
            let mut sum = 0.0;
            for record in records.chunks(LENGTH) {
                let entries = (column..LENGTH).step_by(COLUMNS);
                sum += entries.clone().map(|at| record[at].powi(2)).sum::<f64>();
                largest.push(entries.map(|at| (record[at] - centre[at]).powi(2)).sum());
            }
            let mean = watch.sums().mean(column).unwrap();
            assert!((mean / (sum / 6000.0) - 1.0).abs() < 1e-12, "{mean}");
            let of = |largest: &Largest| tail::tail_index(largest, count, COLUMNS).unwrap();
            assert_eq!(of(&watch.largest()[column]), of(&largest));
        }
        // A number whose fourth power is beyond all floats, in the second of three records.
        let mut huge = vec![1.0; 3 * LENGTH];
        huge[LENGTH + 1] = 1e80;
        let mut memory = vec![0.0; Watch::memory(COLUMNS)];
        let part = watch.part(&huge, &mut memory);
        assert_eq!(watch.take(&part), Err(1));
    }
}
