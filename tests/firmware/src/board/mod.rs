//! What the program asks of a board.

#[cfg(all(target_os = "none", target_arch = "arm"))]
#[path = "arm.rs"]
mod here;
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
#[path = "riscv.rs"]
mod here;
#[cfg(target_arch = "wasm32")]
#[path = "wasm.rs"]
mod here;
#[cfg(not(any(target_os = "none", target_arch = "wasm32")))]
#[path = "host.rs"]
mod here;

#[cfg(target_os = "none")]
mod bare;

pub use here::Here;

/// A place where the program runs.
pub trait Board {
    /// Prints text as it is.
    fn print(&mut self, text: &str);

    /// Forgets how deep the stack has been until now.
    fn forget_stack(&mut self) {}

    /// How many bytes deep the stack has been since then, from its very top; none where nobody
    /// can tell.
    fn stack_used(&mut self) -> Option<usize> {
        None
    }

    /// A clock that advances with every instruction, in whatever unit; none where there is none.
    fn clock(&mut self) -> Option<u64> {
        None
    }

    /// Executes a known number of instructions, `2 · turns` and a few; the measure for the clock.
    fn spin(&mut self, turns: u32) {
        let _ = turns;
    }
}
