//! Ctrl+C while a reader works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::commands::end::hear_end;
use crate::out::Failure;

/// Listens from now on, and sets the flag once the user ends the program, by Ctrl+C for example.
pub(crate) fn listen_for_stop() -> Result<Arc<AtomicBool>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Said(format!("Ctrl+C cannot be heard ({error})")))?;
    let end = {
        let _context = runtime.enter();
        hear_end()?
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stopped);
    thread::spawn(move || {
        runtime.block_on(end);
        flag.store(true, Ordering::Relaxed);
    });
    Ok(stopped)
}
