//! Images as the tokens of a student: patches of 3 × 3 pixels, pooled by windows of 3 × 3 patches.
//!
//! Patches are numbered window by window, from left to right and top to bottom, and within a window
//! likewise: those of a window are neighbours, and the S* of average pooling has a block for each.

use super::read::Images;

/// The side of a patch, in pixels, and of a window, in patches.
pub const SIDE: usize = 3;
/// K, the patches of a window; and d, the pixels of a patch.
pub const AREA: usize = SIDE * SIDE;

/// Images cut to patches.
#[derive(Clone, Debug, PartialEq)]
pub struct Patches {
    /// Windows from top to bottom, and from left to right.
    pub windows: (usize, usize),
    /// X for one image after the other: d × D, row by row.
    entries: Vec<f32>,
}

impl Patches {
    /// Of images, from which what is more than a whole number of windows is cut: half of it at the top
    /// and left (rounded down), the rest at the bottom and right.
    ///
    /// # Errors
    /// Images smaller than a window: 9 × 9 pixels.
    pub fn of(images: &Images) -> Result<Self, String> {
        let windows = (images.height / AREA, images.width / AREA);
        if windows.0 == 0 || windows.1 == 0 {
            return Err(format!(
                "expected images of at least {AREA} × {AREA} pixels, found {} × {}",
                images.height, images.width
            ));
        }
        let top = (images.height - windows.0 * AREA) / 2;
        let left = (images.width - windows.1 * AREA) / 2;
        let tokens = windows.0 * windows.1 * AREA;
        let mut entries = Vec::with_capacity(images.count() * AREA * tokens);
        for image in images.pixels.chunks_exact(images.height * images.width) {
            for pixel in 0..AREA {
                for token in 0..tokens {
                    let (row, column) = place(windows, token);
                    let row = top + SIDE * row + pixel / SIDE;
                    let column = left + SIDE * column + pixel % SIDE;
                    entries.push(image.get(row * images.width + column).copied().unwrap_or(0.0));
                }
            }
        }
        Ok(Self { windows, entries })
    }

    /// D.
    pub fn tokens(&self) -> usize {
        self.windows.0 * self.windows.1 * AREA
    }

    /// How many images.
    pub fn count(&self) -> usize {
        self.entries.len() / (AREA * self.tokens())
    }

    /// X of an image, d × D.
    pub fn image(&self, index: usize) -> &[f32] {
        let size = AREA * self.tokens();
        self.entries.get(index * size..(index + 1) * size).unwrap_or_default()
    }

    /// `X S*`, its columns once each: d × number of windows, row by row.
    pub fn pooled(&self, index: usize) -> impl Iterator<Item = f64> {
        let windows = self.image(index).chunks_exact(AREA);
        windows.map(|window| window.iter().map(|&x| f64::from(x)).sum::<f64>() / AREA as f64)
    }

    /// All of it, in bytes.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        self.entries.iter().flat_map(|x| x.to_le_bytes())
    }

    /// Where a patch is in an image: its row and column among patches.
    pub fn place(&self, token: usize) -> (usize, usize) {
        place(self.windows, token)
    }

    /// For every patch, the share of these images in which it is blank.
    pub fn blank(&self, images: &[usize]) -> Vec<f64> {
        let tokens = self.tokens();
        let mut counts = vec![0_usize; tokens];
        for &index in images {
            let image = self.image(index);
            for (token, count) in counts.iter_mut().enumerate() {
                let mut pixels = image.iter().skip(token).step_by(tokens);
                *count += usize::from(pixels.all(|&x| x == 0.0));
            }
        }
        counts.into_iter().map(|count| count as f64 / images.len().max(1) as f64).collect()
    }
}

fn place(windows: (usize, usize), token: usize) -> (usize, usize) {
    let (window, within) = (token / AREA, token % AREA);
    let (row, column) = (window / windows.1, window % windows.1);
    (SIDE * row + within / SIDE, SIDE * column + within % SIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pixel_is_in_its_patch() {
        // 10 × 19 pixels, each its own number: a row and a column are cut.
        let pixels: Vec<f32> = (0..2 * 190).map(|at| at as f32).collect();
        let patches = Patches::of(&Images { height: 10, width: 19, pixels }).unwrap();
        assert_eq!((patches.windows, patches.tokens(), patches.count()), ((1, 2), 18, 2));
        let image = patches.image(1);
        for token in 0..18 {
            let (row, column) = patches.place(token);
            assert_eq!(token / 9, column / 3);
            for pixel in 0..9 {
                let (y, x) = (3 * row + pixel / 3, 3 * column + pixel % 3);
                assert_eq!(image[pixel * 18 + token], (190 + 19 * y + x) as f32);
            }
        }
        let mut places: Vec<_> = (0..18).map(|token| patches.place(token)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 18);

        let pooled: Vec<f64> = patches.pooled(1).collect();
        assert_eq!(pooled.len(), 9 * 2);
        let (pixel, window) = (5, 1);
        let mean = (9..18).map(|token| f64::from(image[pixel * 18 + token])).sum::<f64>() / 9.0;
        assert!((pooled[pixel * 2 + window] - mean).abs() < 1e-12 * mean);
    }

    #[test]
    fn small_images_have_no_window() {
        let images = Images { height: 8, width: 28, pixels: vec![0.0; 224] };
        assert!(Patches::of(&images).unwrap_err().contains("9 × 9"));
    }
}
