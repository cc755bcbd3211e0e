//! Tells the linker where the memory of a board is, so that `cargo build --target …` is enough.

use std::env::var;

fn main() {
    let (folder, os) = (var("CARGO_MANIFEST_DIR"), var("CARGO_CFG_TARGET_OS"));
    let (Ok(folder), Ok("none")) = (folder, os.as_deref()) else { return };
    let arm = var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("arm");
    let script = if arm { "arm.ld" } else { "riscv.ld" };
    println!("cargo::rerun-if-changed={script}");
    println!("cargo::rustc-link-arg-bins=-T{folder}/{script}");
}
