//! Overflow: the words by which providers refuse a request that is longer than the model's window.

use cwl_engine::ReplyOutcome;

/// Parts of such messages, in small letters: of Anthropic, and the code of OpenAI.
const WORDS: [&str; 2] = ["prompt is too long", "context_length_exceeded"];

/// The part of a message that is looked through, characters.
const LONGEST: usize = 4096;

/// Tells how a reply ended whose request failed with this message.
pub(crate) fn failed_with(message: &str) -> ReplyOutcome {
    let message: String = message.chars().take(LONGEST).collect::<String>().to_ascii_lowercase();
    let is_overflow = WORDS.iter().any(|words| message.contains(words));
    if is_overflow { ReplyOutcome::Overflow } else { ReplyOutcome::Error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_too_long_is_told_by_the_words() {
        let check =
            |message: &str, expected: ReplyOutcome| assert_eq!(failed_with(message), expected, "{message}");
        check("Prompt is too long", ReplyOutcome::Overflow);
        let error =
            r#"API Error: 400 {"error":{"message":"prompt is too long: 204,118 tokens > 200,000 maximum"}}"#;
        check(error, ReplyOutcome::Overflow);
        check(r#"{"code":"context_length_exceeded"}"#, ReplyOutcome::Overflow);
        check("API Error: 529 overloaded", ReplyOutcome::Error);
        check("", ReplyOutcome::Error);
    }
}
