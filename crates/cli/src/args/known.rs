//! Values that the program knows: shown in help, offered by completions, checked where they are used.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use cwl_api::commands;

/// Takes any text; help and completions name those that are known. The command that uses it says what is wrong with another one.
#[derive(Clone)]
pub(crate) struct SuggestedNames(Vec<(String, String)>);

impl TypedValueParser for SuggestedNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|(name, about)| {
            let value = PossibleValue::new(name);
            if about.is_empty() { value } else { value.help(about) }
        })))
    }
}

/// The policies of the registry.
pub(crate) fn known_policies() -> SuggestedNames {
    let all = commands::choices().policies.into_iter();
    SuggestedNames(all.map(|policy| (policy.name, policy.about)).collect())
}

/// The tokenizers that count.
pub(crate) fn known_tokenizers() -> SuggestedNames {
    SuggestedNames(commands::choices().tokenizers.into_iter().map(|name| (name, String::new())).collect())
}

/// The formats of logs.
pub(crate) fn known_formats() -> SuggestedNames {
    let all = commands::formats().formats.into_iter();
    SuggestedNames(all.map(|format| (format.name, format.about)).collect())
}
