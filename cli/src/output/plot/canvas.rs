//! Drawing: lines with dashes, markers and text, into an SVG document.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::Failure;

/// Coordinates are whole numbers, so pictures are drawn at this multiple of their size.
pub(super) const FINENESS: f64 = 2.0;

/// The font of all text; DejaVu Sans is drawn into PNG pictures, and SVG viewers that lack it take
/// the next.
const FAMILY: &str = "DejaVu Sans";
const FAMILIES: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// A point of a picture, from the upper left.
pub(super) type Point = (f64, f64);

/// How a line looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    /// Its colour.
    pub(super) color: RGBColor,
    /// Its width.
    pub(super) width: f64,
    /// Lengths of dashes and gaps in turn; none for a line without gaps.
    pub(super) dashes: &'static [f64],
}

/// The shape of a marker.
#[derive(Clone, Copy, Debug)]
pub(super) enum Marker {
    /// ●
    Circle,
    /// ▲
    Triangle,
    /// ■
    Square,
    /// ◆
    Diamond,
    /// ▼
    Inverted,
}

/// Which part of a line of text is at its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// How text sits at its point, and how it looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lettering {
    /// Its size.
    pub(super) size: f64,
    /// Its colour.
    pub(super) color: RGBColor,
    /// Whether it is bold.
    pub(super) bold: bool,
    /// Which part of it is at the point.
    pub(super) anchor: Anchor,
    /// Whether it is turned to run upwards.
    pub(super) upright: bool,
}

impl Lettering {
    /// Plain text that begins at its point.
    pub(super) fn new(size: f64, color: RGBColor) -> Self {
        Self { size, color, bold: false, anchor: Anchor::Start, upright: false }
    }

    /// The same in bold.
    pub(super) fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// The same, centred.
    pub(super) fn centered(self) -> Self {
        Self { anchor: Anchor::Middle, ..self }
    }

    /// The same, ending at its point.
    pub(super) fn ending(self) -> Self {
        Self { anchor: Anchor::End, ..self }
    }

    /// The same, running upwards.
    pub(super) fn upright(self) -> Self {
        Self { upright: true, ..self }
    }
}

/// A sheet to draw on.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, plotters::coord::Shift>,
}

impl std::fmt::Debug for Canvas<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Canvas").finish_non_exhaustive()
    }
}

impl<'a> Canvas<'a> {
    /// A white sheet, whose SVG text will be in `text`.
    ///
    /// # Errors
    /// None in practice: drawing into memory.
    pub(super) fn new(text: &'a mut String, (width, height): (u32, u32)) -> Result<Self, Failure> {
        let size = (width * FINENESS as u32, height * FINENESS as u32);
        let area = SVGBackend::with_string(text, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        Ok(Self { area })
    }

    /// A line through points.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn line(&self, points: &[Point], stroke: Stroke) -> Result<(), Failure> {
        let style = stroke.color.stroke_width((stroke.width * FINENESS).round() as u32);
        for part in dashed(points, stroke.dashes) {
            let path: Vec<_> = part.into_iter().map(fine).collect();
            self.area.draw(&PathElement::new(path, style)).map_err(failed)?;
        }
        Ok(())
    }

    /// A filled area.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn fill(
        &self,
        corners: &[Point],
        color: RGBColor,
        opacity: f64,
    ) -> Result<(), Failure> {
        let corners: Vec<_> = corners.iter().copied().map(fine).collect();
        self.area.draw(&Polygon::new(corners, color.mix(opacity))).map_err(failed)
    }

    /// A marker, with a white rim that sets it off from the line.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn marker(&self, at: Point, marker: Marker, color: RGBColor) -> Result<(), Failure> {
        for (radius, color) in [(5.5, WHITE), (4.2, color)] {
            match marker {
                Marker::Circle => {
                    let radius = (radius * FINENESS).round() as u32;
                    self.area
                        .draw(&Circle::new(fine(at), radius, color.filled()))
                        .map_err(failed)?;
                }
                Marker::Triangle => {
                    self.fill(&around(at, 1.25 * radius, &[90.0, 210.0, 330.0]), color, 1.0)?;
                }
                Marker::Inverted => {
                    self.fill(&around(at, 1.25 * radius, &[30.0, 150.0, 270.0]), color, 1.0)?;
                }
                Marker::Diamond => {
                    let corners = around(at, 1.25 * radius, &[0.0, 90.0, 180.0, 270.0]);
                    self.fill(&corners, color, 1.0)?;
                }
                Marker::Square => {
                    let half = 0.9 * radius;
                    let corner = |x: f64, y: f64| (at.0 + x * half, at.1 + y * half);
                    let corners = [
                        corner(-1.0, -1.0),
                        corner(1.0, -1.0),
                        corner(1.0, 1.0),
                        corner(-1.0, 1.0),
                    ];
                    self.fill(&corners, color, 1.0)?;
                }
            }
        }
        Ok(())
    }

    /// An arrow with its tip at the point, upwards for −1 and downwards for 1.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn arrow(
        &self,
        (x, y): Point,
        direction: f64,
        color: RGBColor,
    ) -> Result<(), Failure> {
        let stroke = Stroke { color, width: 2.0, dashes: &[] };
        let wing = y - 5.0 * direction;
        self.line(&[(x, y - 14.0 * direction), (x, y)], stroke)?;
        self.line(&[(x - 4.5, wing), (x, y), (x + 4.5, wing)], stroke)
    }

    /// A line of text, its middle at the height of the point.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn text(&self, text: &str, at: Point, lettering: Lettering) -> Result<(), Failure> {
        // The backend takes font sizes for heights of lines.
        let font = (FAMILY, lettering.size * FINENESS * 1.24).into_font();
        let font = if lettering.bold { font.style(FontStyle::Bold) } else { font };
        let font = if lettering.upright { font.transform(FontTransform::Rotate270) } else { font };
        let horizontal = match lettering.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let style = font.color(&lettering.color).pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), fine(at), style)).map_err(failed)
    }

    /// Ends the document.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.area.present().map_err(failed)
    }
}

/// Points around another, at these angles.
fn around((x, y): Point, radius: f64, angles: &[f64]) -> Vec<Point> {
    let point = |angle: &f64| {
        let (sine, cosine) = angle.to_radians().sin_cos();
        (x + radius * cosine, y - radius * sine)
    };
    angles.iter().map(point).collect()
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Io(format!("drawing the plot: {error}"))
}

fn fine((x, y): Point) -> (i32, i32) {
    ((x * FINENESS).round() as i32, (y * FINENESS).round() as i32)
}

/// Puts what the picture is, and where it comes from, into an SVG document, and gives it its size
/// and its fonts.
pub(super) fn described(
    svg: &str,
    (width, height): (u32, u32),
    title: &str,
    description: &str,
    metadata: &str,
) -> String {
    let (opening, rest) = svg.split_once('>').unwrap_or((svg, ""));
    let fine_size =
        format!("width=\"{}\" height=\"{}\"", width * FINENESS as u32, height * FINENESS as u32);
    let opening = opening.replace(&fine_size, &format!("width=\"{width}\" height=\"{height}\""));
    let rest = rest.replace(&format!("\"{FAMILY}\""), &format!("\"{FAMILIES}\""));
    format!(
        "{opening} role=\"img\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n\
         <title>{}</title>\n<desc>{}</desc>\n<metadata>{}</metadata>{rest}",
        escaped(title),
        escaped(description),
        escaped(metadata)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The parts of a line that its dashes leave.
fn dashed(points: &[Point], dashes: &[f64]) -> Vec<Vec<Point>> {
    if dashes.is_empty() || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let mut parts = Vec::new();
    let mut part: Vec<Point> = points.first().copied().into_iter().collect();
    let (mut at, mut left) = (0, dashes[0]);
    for pair in points.windows(2) {
        let &[mut from, to] = pair else { continue };
        loop {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = dx.hypot(dy);
            if length <= left {
                left -= length;
                part.push(to);
                break;
            }
            from = (from.0 + dx * left / length, from.1 + dy * left / length);
            part.push(from);
            if at % 2 == 0 {
                parts.push(std::mem::take(&mut part));
            }
            part = vec![from];
            at += 1;
            left = dashes[at % dashes.len()];
        }
    }
    if at % 2 == 0 && part.len() > 1 {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_and_gaps_alternate() {
        let parts = dashed(&[(0.0, 0.0), (4.0, 0.0), (10.0, 0.0)], &[3.0, 2.0]);
        assert_eq!(parts, [vec![(0.0, 0.0), (3.0, 0.0)], vec![(5.0, 0.0), (8.0, 0.0)],]);
        assert_eq!(dashed(&[(0.0, 0.0), (1.0, 1.0)], &[]).len(), 1);
    }

    #[test]
    fn descriptions_are_escaped() {
        let svg = "<svg width=\"200\" height=\"100\" viewBox=\"0 0 200 100\">\nrest";
        let text = described(svg, (100, 50), "a < b", "c & d", "{}");
        assert!(text.starts_with("<svg width=\"100\" height=\"50\" viewBox=\"0 0 200 100\""));
        assert!(
            text.contains("<title>a &lt; b</title>") && text.contains("<desc>c &amp; d</desc>")
        );
    }
}
