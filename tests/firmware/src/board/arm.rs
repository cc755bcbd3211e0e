//! Cortex-M: starts from its vector table, prints by semihosting, and counts with SysTick.

use super::{Board, bare};
use core::arch::{asm, global_asm};
use core::ptr::{read_volatile, write_volatile};

// The first word is the stack, the second where to start, the others are faults of all kinds.
global_asm!(
    ".section .vectors, \"a\"",
    ".word stack_top",
    ".word reset",
    ".rept 14",
    ".word fault",
    ".endr",
    ".section .reset, \"ax\"",
    ".thumb_func",
    ".global reset",
    "reset:",
    // Where there is a unit for floats, it must be switched on before anyone uses it.
    ".if {floats}",
    "ldr r0, =0xe000ed88",
    "ldr r1, =0x00f00000",
    "str r1, [r0]",
    "dsb",
    "isb",
    ".endif",
    "ldr r0, =data_start",
    "ldr r1, =data_end",
    "ldr r2, =data_image",
    "2: cmp r0, r1",
    "beq 3f",
    "ldr r3, [r2]",
    "str r3, [r0]",
    "adds r0, #4",
    "adds r2, #4",
    "b 2b",
    "3: ldr r0, =bss_start",
    "ldr r1, =bss_end",
    "movs r2, #0",
    "4: cmp r0, r1",
    "beq 5f",
    "str r2, [r0]",
    "adds r0, #4",
    "b 4b",
    "5: bl start",
    ".thumb_func",
    ".global fault",
    "fault: ldr r1, =0x20023",
    "movs r0, #0x18",
    "bkpt #0xab",
    "b fault",
    ".ltorg",
    floats = const cfg!(target_abi = "eabihf") as u32,
);

const WRITE: u32 = 0x04;
const EXIT: u32 = 0x18;
const DONE: usize = 0x2_0026;

fn semihosting(operation: u32, argument: usize) {
    // SAFETY: hands a number or the address of a text that ends with 0 to the debugger, which
    // reads it and returns.
    unsafe {
        asm!("bkpt #0xab", inout("r0") operation => _, in("r1") argument, options(nostack));
    }
}

const TICK_CONTROL: *mut u32 = 0xe000_e010 as *mut u32;
const TICK_RELOAD: *mut u32 = 0xe000_e014 as *mut u32;
const TICK_VALUE: *mut u32 = 0xe000_e018 as *mut u32;
const TICKS: u32 = 0x00ff_ffff;

/// A board with a Cortex-M.
#[derive(Debug, Default)]
pub struct Here {
    /// What SysTick showed last, once it runs, and all ticks until then.
    last: Option<u32>,
    clock: u64,
}

impl Here {
    /// Ends the program.
    pub fn exit(self) -> ! {
        loop {
            semihosting(EXIT, DONE);
        }
    }
}

impl Board for Here {
    fn print(&mut self, text: &str) {
        // A copy with a 0 at its end.
        let mut line = [0_u8; 32];
        let room = line.len() - 1;
        for part in text.as_bytes().chunks(room) {
            line.fill(0);
            for (to, &from) in line.iter_mut().zip(part) {
                *to = from;
            }
            semihosting(WRITE, line.as_ptr() as usize);
        }
    }

    fn forget_stack(&mut self) {
        bare::paint();
    }

    fn stack_used(&mut self) -> Option<usize> {
        Some(bare::unpainted())
    }

    /// Starts with the first reading, and must be read more often than every 2²⁴ ticks.
    fn clock(&mut self) -> Option<u64> {
        // SAFETY: registers of SysTick, which every core here has and nobody else uses: counts
        // down with the clock of the processor, without interrupts.
        let now = unsafe {
            if self.last.is_none() {
                write_volatile(TICK_RELOAD, TICKS);
                write_volatile(TICK_VALUE, 0);
                write_volatile(TICK_CONTROL, 0b101);
            }
            read_volatile(TICK_VALUE)
        };
        self.clock += u64::from(self.last.unwrap_or(now).wrapping_sub(now) & TICKS);
        self.last = Some(now);
        Some(self.clock)
    }

    fn spin(&mut self, turns: u32) {
        // SAFETY: counts a register down.
        unsafe {
            asm!("2: subs {0}, #1", "bne 2b", inout(reg) turns => _, options(nomem, nostack));
        }
    }
}
