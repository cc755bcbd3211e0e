//! SVG to PNG, with the font that comes along: the same picture on every machine.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::error::Failure;

/// Pixels a unit of the picture.
const SCALE: f32 = 1.6;

/// A PNG of an SVG document, with these texts in it (keyword and text).
///
/// # Errors
/// If the document cannot be drawn.
pub(super) fn render(svg: &str, texts: &[(&str, &str)]) -> Result<Vec<u8>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Io(format!("drawing the plot: {error}"));
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(&error))?;
    let size =
        tree.size().to_int_size().scale_by(SCALE).ok_or_else(|| failed(&"it has no size"))?;
    let mut pixels =
        Pixmap::new(size.width(), size.height()).ok_or_else(|| failed(&"it is too large"))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    let bytes = pixels.encode_png().map_err(|error| failed(&error))?;
    Ok(with_texts(&bytes, texts))
}

/// Puts text chunks right after the header of a PNG: 8 bytes of signature and 25 of header.
fn with_texts(png: &[u8], texts: &[(&str, &str)]) -> Vec<u8> {
    let Some((header, rest)) = png.split_at_checked(33) else { return png.to_vec() };
    let mut result = header.to_vec();
    for (keyword, text) in texts {
        // iTXt: keyword, 0, not compressed, no language, no translation, UTF-8.
        let mut chunk = b"iTXt".to_vec();
        chunk.extend(keyword.as_bytes());
        chunk.extend([0; 5]);
        chunk.extend(text.as_bytes());
        let length = u32::try_from(chunk.len() - 4).unwrap_or(0);
        result.extend(length.to_be_bytes());
        let check = crc32(&chunk);
        result.extend(chunk);
        result.extend(check.to_be_bytes());
    }
    result.extend(rest);
    result
}

/// The checksum of PNG chunks.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn text_is_drawn_without_fonts_of_the_machine() {
        let svg = |text: &str| {
            format!(
                "<svg width=\"60\" height=\"30\" xmlns=\"http://www.w3.org/2000/svg\">\
                 <text x=\"5\" y=\"20\" font-family=\"DejaVu Sans, sans-serif\">{text}</text></svg>"
            )
        };
        let blank = render(&svg(""), &[]).unwrap();
        assert_ne!(render(&svg("T²"), &[]).unwrap(), blank);
        let noted = render(&svg(""), &[("Title", "κ = 1")]).unwrap();
        assert_eq!(noted.len(), blank.len() + 12 + "Title".len() + 5 + "κ = 1".len());
    }
}
