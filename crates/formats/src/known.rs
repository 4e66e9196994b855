//! Names used by harnesses and providers, listed in `known.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static LISTS: LazyLock<BTreeMap<String, BTreeMap<String, Vec<String>>>> =
    LazyLock::new(|| toml::from_str(include_str!("../known.toml")).unwrap_or_default());

/// `list` is a name such as `codex.events`; an unknown one is empty.
pub(crate) fn names_of(list: &str) -> &'static [String] {
    let names = list.split_once('.').and_then(|(harness, list)| LISTS.get(harness)?.get(list));
    names.map_or(&[], Vec::as_slice)
}

pub(crate) fn lists_of(harness: &str) -> impl Iterator<Item = (&'static str, &'static [String])> {
    LISTS.get(harness).into_iter().flatten().map(|(name, list)| (name.as_str(), list.as_slice()))
}

pub(crate) fn is_known(list: &str, name: &str) -> bool {
    names_of(list).iter().any(|known| known == name)
}

pub fn known_sources() -> impl Iterator<Item = ListSource> {
    let section = |(harness, lists): (&String, &BTreeMap<String, Vec<String>>)| {
        let [source, as_of] = names_of(&format!("sources.{harness}")) else { return None };
        Some(ListSource {
            name: harness.clone(),
            n_names: lists.values().map(Vec::len).sum(),
            as_of: as_of.clone(),
            source: source.clone(),
        })
    };
    LISTS.iter().filter(|(harness, _)| *harness != "sources").filter_map(section)
}

/// A source section in `known.toml` or in a user's tool table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSource {
    pub name: String,
    pub n_names: usize,
    /// Day on which the source was looked up, as `YYYY-MM-DD`; empty if a user's table omits it.
    pub as_of: String,
    /// Empty if a user's table omits it.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_that_is_asked_for_is_there() {
        for (list, kind) in [
            ("claude-code.rows", "progress"),
            ("claude-code.system", "turn_duration"),
            ("claude-code.attachments", "queued_command"),
            ("codex.lines", "world_state"),
            ("codex.events", "web_search_end"),
            ("claude-code.quiet_attachments", "hook_cancelled"),
            ("claude-code.sent_hooks", "SessionStart"),
            ("copilot.read", "assistant.message"),
            ("copilot.rows", "hook.start"),
            ("claude-code.injected", "system-reminder"),
            ("claude-code.trailers", "Full transcript available at:"),
            ("codex.refusals", "aborted"),
            ("pi.tree", "compaction"),
            ("qwen-code.system", "ui_telemetry"),
            ("kimi-code.read", "context.undo"),
            ("kimi-code.rows", "usage.record"),
            ("droid.rows", "agent_turn_outcome"),
            ("antigravity.results", "VIEW_FILE"),
            ("antigravity.injected", "SYSTEM_MESSAGE"),
            ("antigravity.rows", "CONVERSATION_HISTORY"),
            ("vscode-copilot.rows", "turn_start"),
            ("vscode-copilot.asides", "title"),
            ("hermes.injected", "hidden"),
            ("hermes.summaries", "[CONTEXT SUMMARY]:"),
            ("hermes.echoing_models", "deepseek"),
            ("hermes.echoing_providers", "kimi-coding"),
            ("hermes.echoing_hosts", "moonshot.ai"),
            ("bodies.injected", "<system-reminder>"),
            ("arguments.paths", "file_path"),
            ("arguments.commands", "keystrokes"),
        ] {
            assert!(is_known(list, kind), "{list}: {kind}");
            assert!(!is_known(list, "moon_phase"), "{list}");
        }
        for (harness, name, kind, n_lists) in [
            ("codex-injected", "skill", "<skill>", 16),
            ("gemini-cli-injected", "continue", "System: Please continue.", 4),
            ("qwen-code-injected", "task-notification", "<task-notification>", 3),
            ("claude-code-asides", "sessionId", "ai-title", 4),
        ] {
            let lists: BTreeMap<_, _> = lists_of(harness).collect();
            assert!(lists[name].iter().any(|known| known == kind), "{harness}: {name}: {kind}");
            assert_eq!(lists.len(), n_lists, "{harness}");
        }
        assert!(lists_of("codex-injected").all(|(_, marks)| marks.len() == 2), "a beginning and an end");
        let lists = LISTS.iter().filter(|(section, _)| *section != "sources");
        let n_lists: usize = lists.clone().map(|(_, lists)| lists.len()).sum();
        assert_eq!(n_lists, 30 + 16 + 4 + 3 + 4 + 1, "no list is left over");
        let told: Vec<String> = known_sources().map(|section| section.name).collect();
        assert_eq!(
            told,
            lists.map(|(name, _)| name.clone()).collect::<Vec<_>>(),
            "each has a source and a day"
        );
        assert_eq!(told.len(), LISTS["sources"].len(), "no source is left over");
    }
}
