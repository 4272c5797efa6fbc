//! Counts the memory that this program takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static BEGAN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: the system's allocator does the work; counting touches none of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(taken, Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of this same function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of this same function.
        unsafe { System.dealloc(at, layout) }
    }
}

/// From now on.
pub fn begin() {
    let taken = TAKEN.load(Ordering::Relaxed);
    BEGAN.store(taken, Ordering::Relaxed);
    MOST.store(taken, Ordering::Relaxed);
}

/// The most that was taken at once since then.
pub fn most() -> usize {
    MOST.load(Ordering::Relaxed).saturating_sub(BEGAN.load(Ordering::Relaxed))
}
