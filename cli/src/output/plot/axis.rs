//! Axes: from figures to places on the sheet, and where their ticks are.

/// An axis from one place on the sheet to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Its place on the sheet.
    pub(super) place: f64,
    /// What is written at it; nothing at small ones.
    pub(super) label: Option<String>,
}

impl Axis {
    /// A logarithmic axis that covers all of these figures (those above 0) by whole decades.
    pub(super) fn decades(figures: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) =
            extremes(figures.filter(|x| *x > 0.0).map(f64::log10)).unwrap_or((0.0, 1.0));
        // A figure at a decade, up to rounding, does not open the next.
        let (low, high) = ((low + 1e-6).floor(), (high - 1e-6).ceil());
        Self { low, high: high.max(low + 1.0), from, to, logarithmic: true }
    }

    /// A logarithmic axis of exactly the span of these figures.
    pub(super) fn span(figures: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) =
            extremes(figures.filter(|x| *x > 0.0).map(f64::log10)).unwrap_or((0.0, 1.0));
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, from, to, logarithmic: true }
    }

    /// A linear axis.
    pub(super) fn linear((low, high): (f64, f64), from: f64, to: f64) -> Self {
        Self { low, high, from, to, logarithmic: false }
    }

    /// Where a figure is; nothing for what a logarithmic axis has no place for.
    pub(super) fn place(&self, figure: f64) -> Option<f64> {
        let figure = if self.logarithmic {
            if figure > 0.0 { figure.log10() } else { return None }
        } else {
            figure
        };
        let share = (figure - self.low) / (self.high - self.low);
        share.is_finite().then_some(self.from + share * (self.to - self.from))
    }

    /// Whether a figure is on the axis, with a hair of tolerance.
    pub(super) fn covers(&self, figure: f64) -> bool {
        self.place(figure).is_some_and(|place| {
            let (a, b) = (self.from.min(self.to), self.from.max(self.to));
            place >= a - 0.5 && place <= b + 0.5
        })
    }

    /// The figures at both ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        if self.logarithmic {
            (10_f64.powf(self.low), 10_f64.powf(self.high))
        } else {
            (self.low, self.high)
        }
    }

    /// Ticks of a logarithmic axis: at powers of ten, with small ones between while there are few
    /// decades, and labels as close as they stay readable.
    pub(super) fn power_ticks(&self) -> Vec<Tick> {
        let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
        let decades = (self.high - self.low).max(1e-9);
        let room = ((self.to - self.from).abs() / 48.0).max(1.0);
        let stride = (decades / room).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for power in first - 1..=last {
            for digit in 1..10_u32 {
                let figure = f64::from(digit) * 10_f64.powi(power);
                let Some(place) = self.place(figure).filter(|_| self.covers(figure)) else {
                    continue;
                };
                let label =
                    (digit == 1 && power.rem_euclid(stride) == 0).then(|| power_of_ten(power));
                if digit == 1 || decades <= 10.0 {
                    ticks.push(Tick { place, label });
                }
            }
        }
        ticks
    }

    /// Ticks of a linear axis at multiples of `step`, with these decimals.
    pub(super) fn even_ticks(&self, step: f64, decimals: usize) -> Vec<Tick> {
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last)
            .filter_map(|k| {
                let figure = k as f64 * step;
                let place = self.place(figure)?;
                Some(Tick {
                    place, label: Some(format!("{figure:.decimals$}").replace('-', "−"))
                })
            })
            .collect()
    }
}

fn extremes(figures: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    figures.filter(|x| x.is_finite()).fold(None, |found, x| match found {
        None => Some((x, x)),
        Some((low, high)) => Some((f64::min(low, x), f64::max(high, x))),
    })
}

/// 10 with its power above the line.
pub(super) fn power_of_ten(power: i32) -> String {
    let digits = power.to_string();
    let raised = digits.chars().map(|digit| match digit {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        _ => '⁹',
    });
    format!("10{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_places() {
        let axis = Axis::decades([0.003, 20.0].into_iter(), 100.0, 600.0);
        assert_eq!(axis.ends(), (0.001, 100.0));
        assert_eq!(axis.place(1.0), Some(400.0));
        assert_eq!(axis.place(0.0), None);
        assert!(axis.covers(0.001) && !axis.covers(1e-4));
        let labels: Vec<_> = axis.power_ticks().into_iter().filter_map(|tick| tick.label).collect();
        assert_eq!(labels, ["10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²"]);
    }

    #[test]
    fn nothing_to_show_is_shown_all_the_same() {
        let axis = Axis::decades([0.0, f64::NAN].into_iter(), 0.0, 1.0);
        assert_eq!(axis.ends(), (1.0, 10.0));
        let axis = Axis::span([5.0].into_iter(), 0.0, 1.0);
        assert_eq!(axis.place(5.0), Some(0.0));
    }

    #[test]
    fn labels_thin_out() {
        let axis = Axis::decades([1.0, 1e18].into_iter(), 0.0, 240.0);
        let labels = axis.power_ticks().into_iter().filter(|tick| tick.label.is_some()).count();
        assert!((3..=6).contains(&labels), "{labels}");
    }
}
