#![doc = "popgd-core"]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "symbolic")]
extern crate alloc;

pub mod descent;
pub mod error;
pub mod model;
pub mod scalar;
pub mod theory;

pub use error::Error;
pub use scalar::Scalar;
