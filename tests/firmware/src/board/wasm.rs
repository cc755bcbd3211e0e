//! WebAssembly: prints with a function of whoever runs it.

use super::Board;

#[link(wasm_import_module = "board")]
unsafe extern "C" {
    /// Takes a text in the memory of the program.
    fn print(text: *const u8, length: usize);
}

/// A WebAssembly machine.
#[derive(Debug, Default)]
pub struct Here;

impl Board for Here {
    fn print(&mut self, text: &str) {
        // SAFETY: hands over a text that lives until the function returns.
        unsafe { print(text.as_ptr(), text.len()) }
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
