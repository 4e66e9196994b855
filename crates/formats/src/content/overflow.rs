//! Overflow: the messages by which providers refuse a request longer than the context window.

use cwl_engine::ReplyOutcome;

struct RefusalForm {
    provider: &'static str,
    /// Parts of the message in this order, in lower case.
    parts: &'static [&'static str],
    /// Thread on github.com or file in a repository there, looked up on 28 November 2026.
    #[cfg_attr(not(test), expect(dead_code, reason = "for those who read the table"))]
    source: &'static str,
}

const fn refusal_row(
    provider: &'static str,
    parts: &'static [&'static str],
    source: &'static str,
) -> RefusalForm {
    RefusalForm { provider, parts, source }
}

/// All known messages. Rate limits, and limits on the output alone, are worded differently.
const FORMS: &[RefusalForm] = &[
    refusal_row("Anthropic", &["prompt is too long"], "earendil-works/pi/issues/102"),
    // A limit in bytes, not tokens: harnesses answer it with a compaction too.
    refusal_row("Anthropic", &["request_too_large"], "earendil-works/pi/issues/2734"),
    refusal_row(
        "Anthropic",
        &["request size exceeds model context window"],
        "anthropics/claude-code/issues/6368",
    ),
    refusal_row(
        "Anthropic",
        &["input length and `max_tokens` exceed context limit"],
        "docker/docker-agent/issues/569",
    ),
    refusal_row("OpenAI", &["context_length_exceeded"], "openai/codex/issues/20866"),
    refusal_row("OpenAI", &["exceeds the context window of this model"], "openai/codex/issues/2921"),
    refusal_row("OpenAI", &["maximum context length is", "tokens"], "webtimemachine/wtm2/issues/579"),
    refusal_row(
        "Gemini",
        &["input token count", "exceeds the maximum number of tokens"],
        "google-gemini/gemini-cli/issues/6678",
    ),
    refusal_row("Bedrock", &["input is too long for requested model"], "aws-samples/bedrock-chat/issues/95"),
    refusal_row(
        "Copilot",
        &["prompt token count of", "exceeds the limit of"],
        "opencode-ai/opencode/issues/305",
    ),
    refusal_row(
        "Ollama",
        &["prompt too long", "exceeded", "context length"],
        "earendil-works/pi/packages/ai/src/utils/overflow.ts",
    ),
    refusal_row("llama.cpp", &["exceeds the available context size"], "can1357/oh-my-pi/issues/3752"),
    refusal_row("xAI", &["maximum prompt length is", "request contains"], "cline/cline/issues/3120"),
];

const LONGEST: usize = 4096;

pub(crate) fn failed_with(message: &str) -> ReplyOutcome {
    if refused_by(message).is_some() { ReplyOutcome::Overflow } else { ReplyOutcome::Error }
}

fn refused_by(message: &str) -> Option<&'static str> {
    let message: String = message.chars().take(LONGEST).collect::<String>().to_ascii_lowercase();
    let has_all = |form: &&RefusalForm| {
        let behind_all = form
            .parts
            .iter()
            .try_fold(&*message, |rest, part| rest.split_once(part).map(|(_, behind)| behind));
        behind_all.is_some()
    };
    FORMS.iter().find(has_all).map(|form| form.provider)
}

/// Parts of refusals that state the window's size, each with the sign before the number, in lower case.
const LIMITS: &[(&str, &str)] = &[
    ("prompt is too long", ">"),
    ("exceed context limit", ">"),
    ("maximum context length is", ""),
    ("exceeds the maximum number of tokens", ""),
    ("exceeds the limit of", ""),
    ("available context size", ""),
    ("maximum prompt length is", ""),
];

/// Reads the context window's size in tokens, which only some refusals state.
pub fn refusing_window(message: &str) -> Option<u64> {
    refused_by(message)?;
    let message: String = message.chars().take(LONGEST).collect::<String>().to_ascii_lowercase();
    LIMITS.iter().find_map(|(words, sign)| {
        let (_, behind) = message.split_once(words)?;
        let (_, behind) = behind.split_once(sign)?;
        let digits = behind.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let between = behind.len() - digits.len();
        let number: String = digits
            .chars()
            .take_while(|letter| letter.is_ascii_digit() || *letter == ',')
            .filter(char::is_ascii_digit)
            .collect();
        number.parse().ok().filter(|tokens| between < 16 && *tokens > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_may_state_the_window() {
        let check = |message: &str, expected: Option<u64>| {
            assert_eq!(refusing_window(message), expected, "{message}");
        };
        check("API Error: 400 prompt is too long: 204,118 tokens > 200,000 maximum", Some(200_000));
        check(
            "input length and `max_tokens` exceed context limit: 190001 + 20000 > 200000, less",
            Some(200_000),
        );
        check("This model's maximum context length is 128000 tokens. You asked for 140000.", Some(128_000));
        check(
            "The input token count (9) exceeds the maximum number of tokens allowed (1048575).",
            Some(1_048_575),
        );
        check("prompt token count of 131000 exceeds the limit of 128000", Some(128_000));
        check("request (9001 tokens) exceeds the available context size (8192 tokens)", Some(8192));
        check("maximum prompt length is 131072 but the request contains 140551 tokens", Some(131_072));
        check("Prompt is too long", None);
        check("the file exceeds the limit of 5 MB", None);
    }

    #[test]
    fn a_request_that_is_too_long_is_told_by_the_words() {
        let check =
            |message: &str, expected: &str| assert_eq!(refused_by(message), Some(expected), "{message}");
        check("Prompt is too long", "Anthropic");
        let error =
            r#"API Error: 400 {"error":{"message":"prompt is too long: 204,118 tokens > 200,000 maximum"}}"#;
        check(error, "Anthropic");
        let bytes =
            r#"413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#;
        check(bytes, "Anthropic");
        check("API Error: 413 Request size exceeds model context window", "Anthropic");
        let room =
            "input length and `max_tokens` exceed context limit: 190001 + 20000 > 200000, decrease either";
        check(room, "Anthropic");
        check(r#"{"error":{"code":"context_length_exceeded"}}"#, "OpenAI");
        check("Your input exceeds the context window of this model. Please adjust your input.", "OpenAI");
        let chat =
            "400 This model's maximum context length is 128000 tokens. However, you asked for 140000 tokens.";
        check(chat, "OpenAI");
        let gemini =
            "The input token count (1100000) exceeds the maximum number of tokens allowed (1048575).";
        check(gemini, "Gemini");
        check("ValidationException: Input is too long for requested model.", "Bedrock");
        check("prompt token count of 131000 exceeds the limit of 128000", "Copilot");
        check("prompt too long; exceeded max context length by 12 tokens", "Ollama");
        check("400 request (9001 tokens) exceeds the available context size (8192 tokens)", "llama.cpp");
        let xai = "This model's maximum prompt length is 131072 but the request contains 140551 tokens";
        check(xai, "xAI");
    }

    #[test]
    fn other_limits_are_no_overflow() {
        let check = |message: &str| assert_eq!(failed_with(message), ReplyOutcome::Error, "{message}");
        check("");
        check("API Error: 529 overloaded");
        check("429 Too many tokens, please wait before trying again.");
        check("Rate limit reached: this request would exceed the limit of 30000 input tokens per minute");
        check("max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens");
        check("the file exceeds the limit of 5 MB");
        check("exceeds the limit of 128000: that is the prompt token count of a request");
    }

    #[test]
    fn every_form_has_a_source_and_small_letters() {
        for form in FORMS {
            assert!(form.source.contains('/') && !form.parts.is_empty(), "{}", form.provider);
            let is_small = |part: &&str| part.chars().all(|letter| !letter.is_ascii_uppercase());
            assert!(form.parts.iter().all(is_small), "{}", form.provider);
        }
    }
}
