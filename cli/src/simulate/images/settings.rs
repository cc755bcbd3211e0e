//! What is asked for when a student learns from images.

use std::path::PathBuf;
use std::sync::Arc;

use super::patches::Patches;

/// Images, and their teacher.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSettings {
    /// Where they were read from.
    pub path: PathBuf,
    /// Height and width of the images as they came.
    pub size: (usize, usize),
    /// What was read.
    pub patches: Arc<Patches>,
    /// The class of every image, if it is known.
    pub classes: Option<Arc<Vec<u8>>>,
    /// How often the network of the teacher sees every image.
    pub epochs: usize,
    /// Whether V* was given.
    pub has_filters: bool,
    /// η, if it was given; if not, the images tell.
    pub rate: Option<f64>,
    /// A short name of images, classes and given filters: other contents have another one.
    pub digest: String,
}
