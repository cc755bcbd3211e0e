//! Every public function of `popgd-core`, for every scalar, in a library without std.
//!
//! Nothing here is run. What counts is how it links:
//!
//! * A panic handler of one's own clashes with that of std (error E0152), so that this crate
//!   builds at all says that neither core nor anything below it brings std along.
//! * The handler calls [`a_panic_is_linked`], which nobody defines. When an image of the
//!   functions `instantiate_*` still asks for that symbol after the linker has dropped whatever
//!   they do not reach, then one of them can panic. (Names of panicking functions alone would
//!   not do: the optimiser may inline them all.)
//!
//! All arguments pass through `black_box`, lengths of slices too, so that no check is removed
//! for what is known here about an argument; whatever comes back passes through it as well, so
//! that no call is removed. Calls are spelled `Type::function`, which lets a script compare
//! them with the pages of rustdoc: a public function that is missing here is an error.
//!
//! Formatting (`Display`, `Debug`) is exempt: `core::fmt` has panics of its own.
#![no_std]

#[cfg(feature = "leak")]
extern crate std;

mod certificates;
mod descent;
mod input;
mod model;
mod scalar;
#[cfg(feature = "symbolic")]
mod symbolic;
mod theory;

use input::Input;
use popgd_core::Scalar;
use popgd_core::scalar::dual::Dual;
use popgd_core::scalar::interval::Interval;

unsafe extern "C" {
    /// Defined nowhere.
    safe fn a_panic_is_linked() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    a_panic_is_linked()
}

/// What every scalar has in common.
fn every_function<S: Scalar>(input: &Input<'_, S>, memory: &mut [S]) {
    #[cfg(feature = "panicking")]
    core::hint::black_box(&input.numbers()[input.size()]);
    scalar::scalar(input, memory);
    model::activation(input);
    model::alignment(input);
    model::classes(input);
    model::teacher(input, memory);
    model::population(input, memory);
    model::positions(input, memory);
    descent::accumulate(input);
    descent::lumped(input, memory);
    descent::dense(input, memory);
    theory::statements(input);
    theory::second_moments(input, memory);
}

macro_rules! instantiate {
    ($($name:ident: $scalar:ty $(, also $($own:path),+)?;)*) => { $(
        /// Root of the image.
        #[unsafe(no_mangle)]
        pub fn $name(numbers: &[$scalar], sizes: &[usize], memory: &mut [$scalar]) {
            let Some(input) = Input::new(numbers, sizes) else { return };
            every_function(&input, memory);
            $($($own(&input, memory);)+)?
        }
    )* };
}

instantiate! {
    instantiate_f32: f32, also scalar::float, theory::statements_in_floats;
    instantiate_f64: f64,
        also scalar::float, theory::statements_in_floats, theory::clock, model::activation_of_samples;
    instantiate_interval_f32: Interval<f32>, also scalar::interval, certificates::enclosure;
    instantiate_interval_f64: Interval<f64>,
        also scalar::interval, certificates::enclosure, certificates::forever;
    instantiate_dual_f64: Dual<f64, 2>, also scalar::dual;
    instantiate_dual_interval: Dual<Interval<f64>, 2>, also scalar::dual;
}
