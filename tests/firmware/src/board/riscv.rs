//! QEMU's virtual RISC-V machine: prints on its serial line, and counts retired instructions.

use super::{Board, bare};
use core::arch::{asm, global_asm};
use core::ptr::write_volatile;

global_asm!(
    ".section .reset, \"ax\"",
    ".global reset",
    "reset:",
    "la sp, stack_top",
    "la t0, fault",
    "csrw mtvec, t0",
    "la t0, data_start",
    "la t1, data_end",
    "la t2, data_image",
    "2: beq t0, t1, 3f",
    "lw t3, 0(t2)",
    "sw t3, 0(t0)",
    "addi t0, t0, 4",
    "addi t2, t2, 4",
    "j 2b",
    "3: la t0, bss_start",
    "la t1, bss_end",
    "4: beq t0, t1, 5f",
    "sw zero, 0(t0)",
    "addi t0, t0, 4",
    "j 4b",
    "5: call start",
    ".align 2",
    "fault: li t0, 0x100000",
    "li t1, 0x13333",
    "sw t1, 0(t0)",
    "j fault",
);

const SERIAL: *mut u8 = 0x1000_0000 as *mut u8;
const FINISH: *mut u32 = 0x0010_0000 as *mut u32;
const DONE: u32 = 0x5555;

/// QEMU's machine `virt`.
#[derive(Debug, Default)]
pub struct Here;

impl Here {
    /// Ends the program.
    pub fn exit(self) -> ! {
        loop {
            // SAFETY: the device that ends the machine.
            unsafe { write_volatile(FINISH, DONE) }
        }
    }
}

impl Board for Here {
    fn print(&mut self, text: &str) {
        for &byte in text.as_bytes() {
            // SAFETY: the sending register of the serial line, which takes any byte at once.
            unsafe { write_volatile(SERIAL, byte) }
        }
    }

    fn forget_stack(&mut self) {
        bare::paint();
    }

    fn stack_used(&mut self) -> Option<usize> {
        Some(bare::unpainted())
    }

    fn clock(&mut self) -> Option<u64> {
        let (high, low, again): (u32, u32, u32);
        // SAFETY: reads counters.
        unsafe {
            asm!("csrr {0}, minstreth", "csrr {1}, minstret", "csrr {2}, minstreth",
                out(reg) high, out(reg) low, out(reg) again, options(nomem, nostack));
        }
        // Should the lower half have run over between the two, the later upper half goes with 0.
        let low = if high == again { low } else { 0 };
        Some(u64::from(again) << 32 | u64::from(low))
    }

    fn spin(&mut self, turns: u32) {
        // SAFETY: counts a register down.
        unsafe {
            asm!("2: addi {0}, {0}, -1", "bnez {0}, 2b", inout(reg) turns => _,
                options(nomem, nostack));
        }
    }
}
