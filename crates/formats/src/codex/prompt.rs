//! The system prompt as Codex sends it.
//!
//! Since 0.152 the tool `update_plan` is opt-in (openai/codex#41744), and the sent prompt leaves out its
//! sections. Version 0.171 was observed to send the prompt as the first `developer` message. Which version
//! began this is unknown, so both changes begin with 0.152 here.

use cwl_engine::{Author, Message, Role};

use super::item::developer_message;
use crate::blocks::plain_message;

/// The first version whose sent prompt differs from the logged one.
const OPT_IN: (u64, u64) = (0, 152);
/// The omitted sections, each up to the next heading of its level or above.
const SECTIONS: [&str; 2] = ["## Planning", "## `update_plan`"];

pub(super) fn sent_prompt(logged: &str, cli_version: Option<&str>) -> (String, Message) {
    if cli_version.and_then(major_minor).is_none_or(|version| version < OPT_IN) {
        return (logged.to_owned(), plain_message(Role::System, Author::Harness));
    }
    let (mut is_left_out, mut is_fenced) = (false, false);
    let mut sent = String::with_capacity(logged.len());
    for line in logged.split_inclusive('\n') {
        is_fenced ^= line.starts_with("```");
        if !is_fenced && (line.starts_with("# ") || line.starts_with("## ")) {
            is_left_out = SECTIONS.contains(&line.trim_end());
        }
        if !is_left_out {
            sent.push_str(line);
        }
    }
    (sent, developer_message())
}

fn major_minor(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.splitn(3, '.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(version: Option<&str>, logged: &str, expected: &str) {
        assert_eq!(sent_prompt(logged, version).0, expected, "{version:?}: {logged:?}");
    }

    #[test]
    fn sections_on_plans_are_left_out_since_0_152() {
        let logged = "a\n## Planning\nb\n### c\n```\n# d\n```\n## Next\ne\n## `update_plan`\nf\n";
        check(Some("0.152.0"), logged, "a\n## Next\ne\n");
        check(Some("1.0.0-alpha.1"), logged, "a\n## Next\ne\n");
        check(Some("0.151.9"), logged, logged);
        check(Some("next"), logged, logged);
        check(None, logged, logged);
    }

    #[test]
    fn other_prompts_stay_as_they_are() {
        for logged in ["", "no headings", "# Planning\n## Planning too\nx", "a\r\n## Plan\r\n"] {
            check(Some("0.171.0"), logged, logged);
        }
    }
}
