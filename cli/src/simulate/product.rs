//! Products of matrices: of floats by a library, of any other [`Scalar`] entry by entry.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};
use popgd_core::scalar::Scalar;

/// A matrix somebody else owns.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, S> {
    entries: &'a [S],
    rows: usize,
    columns: usize,
    turned: bool,
}

impl<'a, S> View<'a, S> {
    /// Of entries row by row, with rows of this length; a last row that is not whole is left out.
    pub fn with_columns(entries: &'a [S], columns: usize) -> Self {
        let rows = entries.len().checked_div(columns).unwrap_or(0);
        let entries = entries.get(..rows * columns).unwrap_or(entries);
        Self { entries, rows, columns, turned: false }
    }

    /// Its transpose.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { turned: !self.turned, ..self }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        if self.turned { (self.columns, self.rows) } else { (self.rows, self.columns) }
    }
}

impl<S: Copy> View<'_, S> {
    fn row(&self, row: usize) -> impl Iterator<Item = S> {
        let (start, stride) =
            if self.turned { (row, self.columns) } else { (row * self.columns, 1) };
        let (_, length) = self.shape();
        self.entries.get(start..).unwrap_or_default().iter().copied().step_by(stride).take(length)
    }
}

/// Scalars whose matrices can be multiplied.
pub trait Product: Scalar {
    /// `sum += left · right`, the sum row by row. Nothing happens if the shapes do not fit.
    fn add_product(left: View<'_, Self>, right: View<'_, Self>, sum: &mut [Self]) {
        let (_, columns) = right.shape();
        if !fit(left, right, sum) || columns == 0 {
            return;
        }
        for (row, sums) in sum.chunks_exact_mut(columns).enumerate() {
            for (factor, line) in left.row(row).zip(0..) {
                for (slot, entry) in sums.iter_mut().zip(right.row(line)) {
                    *slot = *slot + factor * entry;
                }
            }
        }
    }
}

impl Product for f64 {
    fn add_product(left: View<'_, Self>, right: View<'_, Self>, sum: &mut [Self]) {
        if !fit(left, right, sum) {
            return;
        }
        let shape = (left.shape().0, right.shape().1);
        let Ok(mut sum) = ArrayViewMut2::from_shape(shape, sum) else { return };
        if let (Some(left), Some(right)) = (array(left), array(right)) {
            general_mat_mul(1.0, &left, &right, 1.0, &mut sum);
        }
    }
}

fn fit<S>(left: View<'_, S>, right: View<'_, S>, sum: &[S]) -> bool {
    let ((rows, inner), (same, columns)) = (left.shape(), right.shape());
    let fit = inner == same && sum.len() == rows * columns;
    debug_assert!(fit, "{rows} × {inner} times {same} × {columns} for {} entries", sum.len());
    fit
}

fn array(view: View<'_, f64>) -> Option<ArrayView2<'_, f64>> {
    let array = ArrayView2::from_shape((view.rows, view.columns), view.entries).ok()?;
    Some(if view.turned { array.reversed_axes() } else { array })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, with the default of the trait.
    #[derive(Clone, Copy)]
    enum Sides {
        Plain,
        LeftTurned,
        RightTurned,
        BothTurned,
    }

    #[test]
    fn the_library_multiplies_as_the_definition() {
        use popgd_core::scalar::dual::Dual;
        type Number = Dual<f64, 1>;
        impl Product for Number {}

        let (rows, inner, columns) = (5, 7, 3);
        // Small integers: every way of adding up is exact.
        let numbers = |count: usize, step: usize| -> Vec<f64> {
            (0..count).map(|at| ((at * step) % 11) as f64 - 5.0).collect()
        };
        let (left, right) = (numbers(rows * inner, 7), numbers(inner * columns, 4));
        for sides in [Sides::Plain, Sides::LeftTurned, Sides::RightTurned, Sides::BothTurned] {
            let (mut sum, mut expected) = (vec![1.0; rows * columns], Vec::new());
            let (turn_left, turn_right) = match sides {
                Sides::Plain => (false, false),
                Sides::LeftTurned => (true, false),
                Sides::RightTurned => (false, true),
                Sides::BothTurned => (true, true),
            };
            f64::add_product(
                sided(&left, (rows, inner), turn_left),
                sided(&right, (inner, columns), turn_right),
                &mut sum,
            );
            let entry = |of: &[f64], (_, width): (usize, usize), turned: bool, height: usize| {
                let of = of.to_vec();
                move |row: usize, column: usize| match turned {
                    false => of[row * width + column],
                    true => of[column * height + row],
                }
            };
            let a = entry(&left, (rows, inner), turn_left, rows);
            let b = entry(&right, (inner, columns), turn_right, inner);
            for row in 0..rows {
                for column in 0..columns {
                    let product: f64 = (0..inner).map(|at| a(row, at) * b(at, column)).sum();
                    expected.push(1.0 + product);
                }
            }
            assert_eq!(sum, expected);

            let lifted = |of: &[f64]| of.iter().map(|&x| Number::constant(x)).collect::<Vec<_>>();
            let (left, right) = (lifted(&left), lifted(&right));
            let mut sum = vec![Number::constant(1.0); rows * columns];
            Number::add_product(
                sided(&left, (rows, inner), turn_left),
                sided(&right, (inner, columns), turn_right),
                &mut sum,
            );
            assert_eq!(sum.iter().map(|x| x.value).collect::<Vec<_>>(), expected);
        }
    }

    fn sided<S>(entries: &[S], (rows, columns): (usize, usize), turned: bool) -> View<'_, S> {
        match turned {
            false => View::with_columns(entries, columns),
            true => View::with_columns(entries, rows).transposed(),
        }
    }
}
