//! What bare metal has in common: a stack whose depth can be seen by painting it.

use core::hint::black_box;
use core::ptr::{addr_of, read_volatile, write_volatile};

unsafe extern "C" {
    static stack_bottom: u32;
    static stack_top: u32;
}

/// What unused stack is painted with: no float, count or address of the program looks like it.
const PAINT: u32 = 0x5aa5_c33c;

/// Words below the frame of the painter that are left alone, for the painter itself.
const OWN_FRAMES: usize = 32;

/// Paints all of the stack that is not in use.
#[inline(never)]
pub(super) fn paint() {
    let here = black_box(0_u32);
    let end = addr_of!(here).wrapping_sub(OWN_FRAMES);
    // SAFETY: between the variables and the frames in use there is nothing but free stack, which
    // belongs to nobody.
    unsafe {
        let mut place = addr_of!(stack_bottom).cast_mut();
        while place.cast_const() < end {
            write_volatile(place, PAINT);
            place = place.wrapping_add(1);
        }
    }
}

/// How many bytes of the stack are no longer painted.
#[inline(never)]
pub(super) fn unpainted() -> usize {
    // SAFETY: reads words between two symbols of the linker script, all of them memory.
    unsafe {
        let end = addr_of!(stack_top);
        let mut place = addr_of!(stack_bottom);
        while place < end && read_volatile(place) == PAINT {
            place = place.wrapping_add(1);
        }
        end as usize - place as usize
    }
}

unsafe extern "C" {
    /// Defined nowhere.
    safe fn a_panic_is_linked() -> !;
}

/// An image from which this can be reached does not link.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    a_panic_is_linked()
}
