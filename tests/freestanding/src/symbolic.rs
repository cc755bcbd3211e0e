//! A heap, so that what needs one links at all.

use core::alloc::{GlobalAlloc, Layout};

struct NoHeap;

#[global_allocator]
static HEAP: NoHeap = NoHeap;

// SAFETY: a null pointer says that there is no memory, and so nothing is ever given back.
unsafe impl GlobalAlloc for NoHeap {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
