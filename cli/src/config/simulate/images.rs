//! What `popgd simulate --images` does, from flags and a file.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::count;
use crate::config::Arguments;
use crate::config::values::Values;
use crate::error::Failure;
use crate::simulate::images::patches::{AREA, Patches, SIDE};
use crate::simulate::images::read::{self, Images};
use crate::simulate::images::settings::ImageSettings;

/// Keys that have no meaning without images.
const OWN: [&str; 3] = ["digits", "filters", "epochs"];

/// Keys that the images answer.
const ANSWERED: [&str; 17] = [
    "preset",
    "task",
    "tokens",
    "group",
    "features",
    "s",
    "classes",
    "partition",
    "edges",
    "adjacency",
    "offsets",
    "p",
    "inputs",
    "full_model",
    "w0",
    "kq0",
    "logits",
];

/// Weights of the student move by `κ‖V*‖²`: with that of a trained network, attention would take far
/// longer than W_V.
const TEACHER_NORM: &str = "50";
/// Any, and small: what it should be only the images tell.
const RATE: &str = "1/100";

/// Reads the images, if there are any.
///
/// # Errors
/// Files that cannot be read, and keys that do not go with images.
pub(super) fn resolve(values: &Values) -> Result<Option<ImageSettings>, Failure> {
    let Some(path) = values.path("images")? else {
        return match OWN.into_iter().find(|key| values.has(key)) {
            Some(key) => Err(values.fail(key, "is about images: give these with --images FILE")),
            None => Ok(None),
        };
    };
    if let Some(key) = ANSWERED.into_iter().find(|key| values.has(key)) {
        return Err(values.fail(key, "has no meaning with --images: leave it out"));
    }
    let has_filters = values.has("filters") || values.has("v");
    if has_filters && let Some(key) = ["digits", "epochs"].into_iter().find(|key| values.has(key)) {
        let message = "is for the network that V* is taken from, and V* is given: leave it out";
        return Err(values.fail(key, message));
    }
    let (pictures, mut classes) = Images::read(&path)?;
    let patches = Patches::of(&pictures)
        .map_err(|message| Failure::usage(format!("{}: {message}", path.display())))?;
    if let Some(file) = values.path("digits")? {
        classes = Some(read::classes(&file, patches.count())?);
    }
    if !has_filters && classes.is_none() {
        let message = "the network that V* is taken from learns to tell classes of images apart: \
                       give these with --digits FILE, or V* with --filters FILE";
        return Err(values.fail("images", message));
    }
    Ok(Some(ImageSettings {
        path,
        size: (pictures.height, pictures.width),
        patches: Arc::new(patches),
        classes: classes.map(Arc::new),
        epochs: count(values, "epochs", 20, 1000)?,
        has_filters,
        has_rate: values.has("rate"),
    }))
}

/// The arguments of the model that these images make.
///
/// # Errors
/// Those of single keys.
pub(super) fn model(
    values: &Values,
    images: &ImageSettings,
    arguments: &Arguments,
) -> Result<Arguments, Failure> {
    let mut model = arguments
        .with("preset", "cnn")
        .with("tokens", &images.patches.tokens().to_string())
        .with("group", &AREA.to_string())
        .with("features", &AREA.to_string());
    match values.text("filters")? {
        Some(path) => {
            if let Some(table) = values.table("filters")? {
                let place = table.place.clone();
                let columns = table.matrix()?.columns;
                if columns != AREA {
                    return Err(Failure::usage(format!(
                        "{place}: expected filters of {AREA} numbers, {SIDE} × {SIDE} pixels, one a \
                         row, found {columns} in a row"
                    )));
                }
            }
            model = model.with("v", path);
        }
        None if !values.has("channels") => model = model.with("channels", "16"),
        None => {}
    }
    if !images.has_filters && !values.has("teacher_norm") {
        model = model.with("teacher_norm", TEACHER_NORM);
    }
    if !images.has_rate {
        model = model.with("rate", RATE);
    }
    if !values.has("noise") {
        model = model.with("noise", "0");
    }
    Ok(model)
}

/// Tells what results depend on.
///
/// # Errors
/// Those of single keys.
pub(super) fn echo(
    values: &Values,
    images: &ImageSettings,
    echo: &mut Map<String, Value>,
) -> Result<(), Failure> {
    let path = |key: &str| -> Result<Option<Value>, Failure> {
        Ok(values.path(key)?.map(|path| path.display().to_string().into()))
    };
    // What the images answer is not asked again when this is read as a configuration.
    for key in ANSWERED {
        echo.remove(key);
    }
    if values.has("filters") {
        echo.remove("v");
    }
    for key in ["images", "digits", "filters"] {
        if let Some(path) = path(key)? {
            echo.insert(key.into(), path);
        }
    }
    if !images.has_filters {
        echo.insert("epochs".into(), images.epochs.into());
    }
    if !images.has_rate {
        echo.remove("rate");
    }
    Ok(())
}
