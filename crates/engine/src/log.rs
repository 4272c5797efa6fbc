//! What the C++ library complained about last. Its calls only say that they failed; its log says why.

use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, PoisonError};

use llama_cpp_sys_2::{GGML_LOG_LEVEL_ERROR, ggml_log_level, llama_log_set};

/// More than this is no complaint but a dump.
const MOST: usize = 300;

static LAST: Mutex<String> = Mutex::new(String::new());

/// Keeps complaints and drops everything else. Standard error stays for what ends the program.
pub(crate) fn listen() {
    // SAFETY: the function lives as long as the program, and it takes no data.
    unsafe { llama_log_set(Some(heard), std::ptr::null_mut()) }
}

/// The last complaint, once.
pub(crate) fn last_complaint() -> Option<String> {
    let text = std::mem::take(&mut *LAST.lock().unwrap_or_else(PoisonError::into_inner));
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MOST).collect();
    (!short.is_empty()).then_some(short)
}

unsafe extern "C" fn heard(level: ggml_log_level, text: *const c_char, _: *mut c_void) {
    if level != GGML_LOG_LEVEL_ERROR || text.is_null() {
        return;
    }
    // SAFETY: the library hands over a text with its end, which is copied before it returns.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    // The first complaint of a failure is the reason; what follows says that it failed.
    if last.is_empty() {
        text.trim().clone_into(&mut last);
    }
}
