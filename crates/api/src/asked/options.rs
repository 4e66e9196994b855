//! Options of policies as text: one spelling for each setting, so equal settings have equal names.

use std::collections::BTreeMap;

use cwl_engine::{COMMON_OPTIONS, Policy};

/// Returns the one spelling of an option's value; `None` if it is the default. The option and the value fit `policy`.
pub(crate) fn read_option(policy: &Policy, key: &str, value: &str) -> Option<String> {
    let value = match value.parse::<u64>() {
        // Levels are a set of digits.
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

/// Writes options as `key=value` with commas between, by key.
pub(crate) fn options_said(options: &BTreeMap<String, String>) -> String {
    options.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}
