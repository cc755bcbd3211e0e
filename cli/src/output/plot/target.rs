//! Where a picture goes and what it says of itself: SVG, or PNG from the same SVG.

use std::path::Path;

use super::canvas::{self, Canvas};
use super::png;
use crate::error::Failure;
use crate::output::sink::{Sink, extension};
use crate::provenance::VERSION;
use crate::settings::Settings;

/// Where a picture goes, and in which form.
#[derive(Debug)]
pub struct Target {
    sink: Sink,
    png: bool,
}

const FLAG: &str = "--plot";

/// Opens what `--plot` names for a picture of a run, if it was given.
///
/// # Errors
/// If it ends neither in `.svg` nor in `.png`, or cannot be made.
pub fn open(settings: &Settings) -> Result<Option<Target>, Failure> {
    let Some(path) = &settings.output.plot else { return Ok(None) };
    if settings.at.iter().all(|&t| t == 0) {
        return Err(Failure::usage(format!(
            "{FLAG}: a picture needs a step after the start, for its axis of T is logarithmic; \
             record one, with --steps 1 or more"
        )));
    }
    of_path(Some(path))
}

/// Opens what `--plot` names, if it was given.
///
/// # Errors
/// As [`open`], whatever is to be drawn.
pub fn of_path(path: Option<&Path>) -> Result<Option<Target>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let png = match extension(path).as_str() {
        "svg" => false,
        "png" => true,
        _ => {
            return Err(Failure::usage(format!(
                "{FLAG} {}: a name that ends in .svg or .png was expected",
                path.display()
            )));
        }
    };
    Ok(Some(Target { sink: Sink::file(path, FLAG)?, png }))
}

/// What is written into a picture beside what is seen.
#[derive(Clone, Debug)]
pub(super) struct Caption {
    /// A line.
    pub(super) title: String,
    /// What is drawn, for those who do not see it.
    pub(super) description: String,
    /// Where it comes from, as JSON.
    pub(super) metadata: String,
}

impl Target {
    /// Draws a picture of this width and height.
    ///
    /// # Errors
    /// What the system reports.
    pub(super) fn write(
        self,
        size: (u32, u32),
        caption: &Caption,
        draw: impl FnOnce(&Canvas<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Caption { title, description, metadata } = caption;
        let mut svg = String::new();
        let canvas = Canvas::new(&mut svg, size)?;
        draw(&canvas)?;
        canvas.finish()?;
        let svg = canvas::described(&svg, size, title, description, metadata);
        if !self.png {
            return self.sink.write(svg.as_bytes());
        }
        let texts = [
            ("Title", title.as_str()),
            ("Description", description),
            ("Software", &*format!("popgd {VERSION}")),
            ("Source", metadata),
        ];
        self.sink.write(&png::render(&svg, &texts)?)
    }
}
