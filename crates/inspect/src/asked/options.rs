//! Policy options as text. Equal settings have equal texts.

use std::collections::BTreeMap;

use cwl_engine::{COMMON_OPTIONS, Policy};

/// Normalises an option's value; returns `None` for the default. `key` and `value` must be valid for `policy`.
pub(crate) fn read_option(policy: &Policy, key: &str, value: &str) -> Option<String> {
    let value = match value.parse::<u64>() {
        // `levels` is a set of digits.
        Ok(_) if key == "levels" => {
            let mut digits: Vec<char> = value.chars().collect();
            digits.sort_unstable();
            digits.dedup();
            digits.into_iter().collect()
        }
        Ok(number) => number.to_string(),
        Err(_) => value.to_owned(),
    };
    let spec = COMMON_OPTIONS.iter().chain(policy.options).find(|spec| spec.key == key);
    Some(value).filter(|value| spec.is_none_or(|spec| spec.default != value))
}

pub(crate) fn options_said(options: &BTreeMap<String, String>) -> String {
    options.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}
