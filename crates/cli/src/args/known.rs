//! Known values: shown in help, offered by completions, and checked by the commands.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use cwl_host::commands;

/// Accepts any text, and offers known names in help and completions. The command itself rejects unknown ones.
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

pub(crate) fn known_policies() -> SuggestedNames {
    let all = commands::choices().policies.into_iter();
    SuggestedNames(all.map(|policy| (policy.name, policy.about)).collect())
}

pub(crate) fn known_tokenizers() -> SuggestedNames {
    SuggestedNames(commands::choices().tokenizers.into_iter().map(|name| (name, String::new())).collect())
}

pub(crate) fn known_formats() -> SuggestedNames {
    let all = commands::formats().formats.into_iter();
    SuggestedNames(all.map(|format| (format.name, format.about)).collect())
}
