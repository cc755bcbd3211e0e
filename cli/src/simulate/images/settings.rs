//! What is asked for when a student learns from images.

use std::path::PathBuf;
use std::sync::Arc;

use super::patches::Patches;
use crate::provenance;

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
    /// Whether η was given; if not, the images tell.
    pub has_rate: bool,
}

impl ImageSettings {
    /// A short name of everything that was read: other images have another one.
    pub fn digest(&self) -> String {
        let classes = self.classes.iter().flat_map(|classes| classes.iter().copied());
        provenance::digest(self.patches.bytes().chain(classes))
    }
}
