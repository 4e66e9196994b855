//! Limits on the work of a search with a regular expression.
//!
//! In the worst case, matching takes time proportional to compiled size times text length. Each expression therefore
//! has a weight. A text too long for the weight is refused, and a search that lasts too long ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use regex::{Regex, RegexBuilder};

use crate::access::{HostAccess, SearchLimit};
use crate::{ApiError, ErrorCode};

/// Weights an expression may have: size limits of the compiled program, KiB. The smallest sufficient limit is used.
const WEIGHTS: [usize; 3] = [64, 256, 1024];
/// Maximum work in one text, as weight times bytes: a few seconds for the slowest expressions.
const MOST_IN_TEXT: u64 = 1 << 30;
const LONGEST: Duration = Duration::from_secs(10);

#[derive(Debug, Clone)]
pub(crate) struct WeightedExpression {
    pub regex: Regex,
    weight: u64,
}

impl WeightedExpression {
    /// Compiles an expression with the smallest sufficient weight.
    ///
    /// # Errors
    /// If the expression is invalid or too large.
    pub(crate) fn compile_weighted(builder: &mut RegexBuilder) -> Result<Self, regex::Error> {
        let mut built = Err(regex::Error::CompiledTooBig(0));
        for weight in WEIGHTS {
            built =
                builder.size_limit(weight << 10).build().map(|regex| Self { regex, weight: weight as u64 });
            if !matches!(built, Err(regex::Error::CompiledTooBig(_))) {
                break;
            }
        }
        built
    }
}

pub struct Effort {
    goes_on: SearchLimit,
    is_over: AtomicBool,
}

impl Effort {
    pub fn begin_search(access: &dyn HostAccess) -> Self {
        Self { goes_on: access.begin_search(LONGEST), is_over: AtomicBool::new(false) }
    }

    /// Tells whether `text` may be searched. A refusal ends the whole search, and [`Self::end_search`] reports it.
    pub(crate) fn allows_text(&self, expression: &WeightedExpression, text: &str) -> bool {
        let fits = expression.weight.saturating_mul(text.len() as u64) <= MOST_IN_TEXT;
        let goes_on = fits && !self.is_over.load(Ordering::Relaxed) && (self.goes_on)();
        if !goes_on {
            self.is_over.store(true, Ordering::Relaxed);
        }
        goes_on
    }

    /// Ends the search.
    ///
    /// # Errors
    /// If `allows_text` refused a text.
    pub fn end_search(&self) -> Result<(), ApiError> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(ApiError::new(
                ErrorCode::BadPattern,
                "the expression takes too much work on this log",
            )
            .with_hint("write a simpler one: fewer and smaller counts in braces, or a plain text"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::access::NoHost;

    #[test]
    fn the_larger_the_expression_the_shorter_the_text() {
        let check = |pattern: &str, n_bytes: usize, expected: bool| {
            let (weighed, effort) = (
                WeightedExpression::compile_weighted(&mut RegexBuilder::new(pattern)).unwrap(),
                Effort::begin_search(&NoHost),
            );
            assert_eq!(
                effort.allows_text(&weighed, &"x".repeat(n_bytes)),
                expected,
                "{pattern} on {n_bytes} bytes"
            );
            assert_eq!(effort.end_search().is_ok(), expected, "{pattern} on {n_bytes} bytes");
        };
        check("a.*b", 8 << 20, true);
        check("a.*b", 20 << 20, false);
        check("(?:[a-z]{1,60} ){60}!", 64 << 10, true);
        check("(?:[a-z]{1,60} ){60}!", 8 << 20, false);
    }

    #[test]
    fn too_large_an_expression_is_none() {
        for pattern in ["(?:a{1000}){1000}", r"\w{2000}"] {
            assert!(matches!(
                WeightedExpression::compile_weighted(&mut RegexBuilder::new(pattern)),
                Err(regex::Error::CompiledTooBig(_))
            ));
        }
        assert!(matches!(
            WeightedExpression::compile_weighted(&mut RegexBuilder::new(&"(".repeat(2))),
            Err(regex::Error::Syntax(_))
        ));
    }

    #[test]
    fn a_search_that_is_over_stays_so() {
        let weighed = WeightedExpression::compile_weighted(&mut RegexBuilder::new("a")).unwrap();
        let effort = Effort { goes_on: Box::new(|| false), is_over: AtomicBool::new(false) };
        assert!(!effort.allows_text(&weighed, "a"));
        assert!(effort.end_search().unwrap_err().to_string().contains("write a simpler one"));
    }
}
