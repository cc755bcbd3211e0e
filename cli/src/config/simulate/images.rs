//! What `popgd simulate --images` does, from flags and a file.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::count;
use crate::config::Arguments;
use crate::config::values::Values;
use crate::error::Failure;
use crate::provenance;
use crate::settings::Matrix;
use crate::simulate::images::patches::{AREA, Patches, SIDE};
use crate::simulate::images::read::{self, Images};
use crate::simulate::images::settings::ImageSettings;

/// Keys that have no meaning without images.
const OWN: [&str; 4] = ["digits", "filters", "epochs", "images_digest"];

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
/// Any, and so small that no law of other inputs forbids it: what is stable only the images tell.
const RATE: &str = "1/10^9";

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
        rate: rate(values)?,
        digest: String::new(),
    }))
}

/// η, if it was given.
fn rate(values: &Values) -> Result<Option<f64>, Failure> {
    let Some(rate) = values.number("rate")? else { return Ok(None) };
    if !rate.is_positive() {
        return Err(values.fail("rate", format_args!("expected a rate above 0, found {rate}")));
    }
    Ok(Some(rate.to_f64()))
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
    model = model.with("rate", RATE);
    if !values.has("noise") {
        model = model.with("noise", "0");
    }
    Ok(model)
}

/// Names all that was read: other contents under the same names are another configuration.
///
/// # Errors
/// Other contents than those that a result was of.
pub(super) fn identify(
    values: &Values,
    images: &mut ImageSettings,
    filters: Option<&Matrix>,
) -> Result<(), Failure> {
    let filters = filters.filter(|_| images.has_filters).into_iter();
    let filters = filters.flat_map(|matrix| &matrix.entries).flat_map(|x| x.to_f64().to_le_bytes());
    let classes = images.classes.iter().flat_map(|classes| classes.iter().copied());
    images.digest = provenance::digest(images.patches.bytes().chain(classes).chain(filters));
    match values.text("images_digest")? {
        Some(digest) if digest != images.digest => Err(values.fail(
            "images_digest",
            format_args!(
                "images, classes or filters are others than those that this was of, whose digest is \
                 {digest}: leave the key out to take them all the same"
            ),
        )),
        _ => Ok(()),
    }
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
    echo.insert("images_digest".into(), images.digest.clone().into());
    match values.text("rate") {
        Ok(Some(rate)) => drop(echo.insert("rate".into(), rate.into())),
        Ok(None) => drop(echo.remove("rate")),
        // It was a number in a file.
        Err(_) => drop(echo.insert("rate".into(), images.rate.unwrap_or_default().into())),
    }
    Ok(())
}
