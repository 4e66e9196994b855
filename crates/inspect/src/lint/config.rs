//! `cwl.toml`: thresholds and switches of lint.
//!
//! ```toml
//! [lint]
//! allow = ["Q008"]          # codes that are not reported
//! deny = ["error", "Q003"]  # severities and codes that end with exit code 1
//!
//! [lint.Q001]
//! edits = 2                 # a threshold of that rule
//! ```

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use cwl_engine::{THRESHOLDS, Thresholds};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{DenyLevel, read_code};
use crate::{ApiError, ErrorCode};

pub const FILE: &str = "cwl.toml";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LintConfig {
    pub thresholds: Thresholds,
    pub allow: BTreeSet<String>,
    /// Findings that cause exit code 1.
    pub deny: Vec<DenyLevel>,
}

struct ConfigProblem {
    at: Range<usize>,
    message: String,
    hint: String,
}

impl LintConfig {
    /// Parses the text of a file; `path` stands for it in messages.
    ///
    /// # Errors
    /// If the text is invalid; the message names the line.
    pub fn parse_file(text: &str, path: &Path) -> Result<Self, ApiError> {
        Self::parse(text).map_err(|odd| {
            let line = 1 + text.as_bytes().iter().take(odd.at.start).filter(|b| **b == b'\n').count();
            let message = format!("line {line}: {}", odd.message);
            ApiError::new(ErrorCode::BadRequest, message).with_hint(odd.hint).with_path(path)
        })
    }

    fn parse(text: &str) -> Result<Self, ConfigProblem> {
        let document = DeTable::parse(text).map_err(|error| ConfigProblem {
            at: error.span().unwrap_or(0..0),
            message: error.message().to_owned(),
            hint: "write TOML, as docs/lints.md shows".to_owned(),
        })?;
        let mut config = Self::default();
        for (key, value) in document.get_ref() {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("lint", DeValue::Table(lint)) => config.parse_lint(lint)?,
                (other, _) => {
                    let message = format!("`{other}` is not known here");
                    return Err(config_problem(
                        key.span(),
                        message,
                        "the settings of lint stand under [lint]",
                    ));
                }
            }
        }
        Ok(config)
    }

    fn parse_lint(&mut self, lint: &DeTable<'_>) -> Result<(), ConfigProblem> {
        for (key, value) in lint {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("allow", _) => {
                    for (text, at) in parse_texts("allow", value)? {
                        let code = read_code(&text).map_err(|error| ConfigProblem::new(at, error))?;
                        self.allow.insert(code);
                    }
                }
                ("deny", _) => {
                    for (text, at) in parse_texts("deny", value)? {
                        self.deny.push(
                            DenyLevel::parse_level(&text).map_err(|error| ConfigProblem::new(at, error))?,
                        );
                    }
                }
                (code, DeValue::Table(thresholds)) => {
                    let code = read_code(code).map_err(|error| ConfigProblem::new(key.span(), error))?;
                    self.parse_rule(&code, thresholds)?;
                }
                (other, _) => {
                    let message = format!("`{other}` is no setting of lint");
                    return Err(config_problem(
                        key.span(),
                        message,
                        "settings are allow, deny, and tables as [lint.Q001]",
                    ));
                }
            }
        }
        Ok(())
    }

    fn parse_rule(&mut self, code: &str, thresholds: &DeTable<'_>) -> Result<(), ConfigProblem> {
        for (key, value) in thresholds {
            let name = key.get_ref().as_ref();
            let number = value.get_ref().as_integer().and_then(|number| {
                u32::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
            });
            let Some(number) = number else {
                let message = format!("`{name}` must be a whole number from 0");
                return Err(config_problem(
                    value.span(),
                    message,
                    "docs/lints.md names the unit of each threshold",
                ));
            };
            if !self.thresholds.set_value(code, name, number) {
                let known = THRESHOLDS.iter().filter(|row| row.code == code).map(|row| row.key);
                let known: Vec<&str> = known.collect();
                let hint = match known.is_empty() {
                    true => format!("{code} has no threshold; `allow` switches it off"),
                    false => format!("{code} has {}", known.join(", ")),
                };
                return Err(config_problem(key.span(), format!("`{name}` is no threshold of {code}"), &hint));
            }
        }
        Ok(())
    }
}

impl ConfigProblem {
    fn new(at: Range<usize>, error: ApiError) -> Self {
        Self { at, message: error.message, hint: error.hint.unwrap_or_default() }
    }
}

fn config_problem(at: Range<usize>, message: String, hint: &str) -> ConfigProblem {
    ConfigProblem { at, message, hint: hint.to_owned() }
}

fn parse_texts(
    name: &str,
    value: &Spanned<DeValue<'_>>,
) -> Result<Vec<(String, Range<usize>)>, ConfigProblem> {
    let no_list = |at| {
        config_problem(at, format!("`{name}` must be a list of texts"), &format!("write {name} = [\"Q008\"]"))
    };
    let items = value.get_ref().as_array().ok_or_else(|| no_list(value.span()))?;
    let text = |item: &Spanned<DeValue<'_>>| {
        let text = item.get_ref().as_str().ok_or_else(|| no_list(item.span()))?;
        Ok((text.to_owned(), item.span()))
    };
    items.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::Severity;

    fn find(text: &str) -> Result<LintConfig, ApiError> {
        LintConfig::parse_file(text, Path::new(FILE))
    }

    #[test]
    fn a_file_is_read() {
        assert_eq!(find("").unwrap(), LintConfig::default());
        let text = "[lint]\nallow = [\"q008\"]\ndeny = [\"error\", \"Q003\"]\n[lint.Q001]\nedits = 1_000\n";
        let config = find(text).unwrap();
        assert_eq!(config.allow, BTreeSet::from(["Q008".to_owned()]));
        assert_eq!(config.deny, [DenyLevel::Severity(Severity::Error), DenyLevel::Code("Q003".into())]);
        assert_eq!(config.thresholds.value(cwl_engine::Threshold::Edits), 1000);
    }

    #[test]
    fn what_is_not_understood_is_told_with_its_line_and_a_way_out() {
        let check = |text: &str, expected: &str| {
            let error = find(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
            assert!(error.contains("; ") && error.ends_with(FILE), "a way out, and the path last: {error}");
        };
        check("[lint", "line 1: ");
        check("\n[lints]\n", "line 2: `lints` is not known here");
        check("[lint]\nallow = \"Q008\"", "line 2: `allow` must be a list of texts");
        check("[lint]\nallow = [\n1]", "line 3: `allow` must be a list of texts");
        check("[lint]\ndeny = [\"grave\"]", "line 2: no rule has the code `grave`");
        check("[lint]\n\n[lint.Q999]\n", "line 3: no rule has the code `Q999`");
        check("[lint]\ncolour = 1", "line 2: `colour` is no setting of lint");
        check("[lint.Q001]\nedit = 1", "line 2: `edit` is no threshold of Q001; Q001 has edits, mutations");
        check("[lint.P005]\nedits = 1", "line 2: `edits` is no threshold of P005; P005 has no threshold");
        check("[lint.Q001]\nedits = -1", "line 2: `edits` must be a whole number from 0");
        check("[lint.Q001]\nedits = \"1\"", "line 2: `edits` must be a whole number from 0");
    }
}
