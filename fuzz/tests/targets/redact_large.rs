//! Redaction of large texts: repeated a megabyte long, any input is processed within the memory that
//! `make fuzz` allows.
#![no_main]

use cwl_redact::{Learner, People};
use libfuzzer_sys::fuzz_target;

const SIZE: usize = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let Ok(part) = std::str::from_utf8(data) else { return };
    if part.is_empty() {
        return;
    }
    // A number in each repetition makes the secrets distinct.
    let mut text = String::new();
    for n in 0.. {
        if text.len() + part.len() > SIZE {
            break;
        }
        text.push_str(part);
        text.push_str(&n.to_string());
    }
    let mut learner = Learner::new(&People::default());
    learner.text(&text);
    let mut redactor = learner.finish().expect("the searches are built");
    let written = redactor.text(&text);
    let page = serde_json::to_string(&written).expect("a text is JSON");
    assert_eq!(redactor.first_leak(&page), None);
});
