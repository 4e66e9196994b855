//! The functions that the page's worker calls: it writes into the input, calls a function, and reads the answer.
#![expect(unsafe_code, reason = "exported names; no function has an unsafe block")]

use std::sync::Mutex;

use cwl_inspect::recent::lock_unpoisoned;
use cwl_inspect::router::CommandAnswer;
use cwl_inspect::{ApiError, ErrorCode};

use crate::PageEngine;

/// Forms of an answer: JSON, bytes, or an error as JSON.
const JSON: u32 = 0;
const BYTES: u32 = 1;
const ERROR: u32 = 2;

#[derive(Default)]
struct PageState {
    engine: PageEngine,
    input: Vec<u8>,
    answer: Vec<u8>,
}

static STATE: Mutex<Option<PageState>> = Mutex::new(None);

/// Makes the input `length` bytes long and returns its place. Later calls read it from there.
#[unsafe(no_mangle)]
extern "C" fn reserve_input(length: usize) -> *mut u8 {
    let mut exchange = lock_unpoisoned(&STATE);
    let input = &mut exchange.get_or_insert_default().input;
    input.clear();
    input.resize(length, 0);
    input.as_mut_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn answer_place() -> *const u8 {
    lock_unpoisoned(&STATE).get_or_insert_default().answer.as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn answer_length() -> usize {
    lock_unpoisoned(&STATE).get_or_insert_default().answer.len()
}

/// Begins a log; the input is its name.
#[cfg(feature = "logs")]
#[unsafe(no_mangle)]
extern "C" fn begin_log() -> u32 {
    exchange_with(|engine, input| {
        engine.begin_log(&String::from_utf8_lossy(input));
        Ok(CommandAnswer::Bytes(Vec::new()))
    })
}

/// Reads the input as the next bytes of the log.
#[cfg(feature = "logs")]
#[unsafe(no_mangle)]
extern "C" fn feed_log() -> u32 {
    exchange_with(|engine, input| engine.feed_bytes(input).map(|()| CommandAnswer::Bytes(Vec::new())))
}

#[cfg(feature = "logs")]
#[unsafe(no_mangle)]
extern "C" fn finish_log() -> u32 {
    exchange_with(|engine, _| engine.finish_log())
}

/// Opens the session of an exported page; the input is its data.
#[unsafe(no_mangle)]
extern "C" fn open_session() -> u32 {
    exchange_with(|engine, input| engine.open_bundle(input))
}

/// Answers a command; the input is its name, of `name_length` bytes, and its arguments.
#[unsafe(no_mangle)]
extern "C" fn call_command(name_length: usize) -> u32 {
    exchange_with(|engine, input| {
        let (name, args) = input
            .split_at_checked(name_length)
            .ok_or_else(|| ApiError::new(ErrorCode::BadRequest, "no name of a command"))?;
        engine.call_command(&String::from_utf8_lossy(name), args)
    })
}

/// Runs `act` on the input, which is dropped after it, and keeps the answer.
fn exchange_with(act: impl FnOnce(&mut PageEngine, &[u8]) -> Result<CommandAnswer, ApiError>) -> u32 {
    let mut exchange = lock_unpoisoned(&STATE);
    let PageState { engine, input, answer } = exchange.get_or_insert_default();
    let input = std::mem::take(input);
    let (form, bytes) = match act(engine, &input) {
        Ok(CommandAnswer::Json(text)) => (JSON, text.into_bytes()),
        Ok(CommandAnswer::Bytes(bytes)) => (BYTES, bytes),
        Err(error) => (ERROR, serde_json::to_vec(&error).unwrap_or_default()),
    };
    *answer = bytes;
    form
}
