//! Translates a choice to live harnesses: the closest settings of each, and what these cannot express. Every
//! name was confirmed in a project's documents or source; unconfirmed defaults are left out.

use cwl_host::api::LiveSupport;
use cwl_host::commands::policies;

use crate::settings::Setting;

/// Policies that clear the oldest outputs, as Anthropic's API does.
const CLEARING: [&str; 2] = ["mask", "claude-code-clearing"];

pub(crate) fn live_settings(setting: &Setting) -> Vec<LiveSupport> {
    let policy = setting.policy.as_ref();
    let found = [
        (pi_cwl(policy, setting.budget), &[][..]),
        (anthropic_settings(setting), &["keep", "clear_at_least"]),
        (opencode_settings(policy, setting.budget), &[]),
        (codex_settings(policy, setting.budget), &[]),
    ];
    found
        .into_iter()
        .map(|(mut live, expressed)| {
            // If the choice cannot be expressed at all, one sentence covers the options too.
            let others = setting.changed_options().filter(|(key, _)| !expressed.contains(key));
            if !live.settings.is_empty() {
                live.cannot.extend(others.map(|(key, value)| {
                    format!("It has no setting for the option `{key}={value}` of the policy.")
                }));
            }
            live
        })
        .collect()
}

fn numeric_option(setting: &Setting, key: &str) -> Option<u64> {
    let set = setting.changed_options().find(|(one, _)| *one == key).map(|(_, value)| value.to_owned());
    let default = || {
        let known = policies(Some(&setting.policy)).ok()?.policies.into_iter().next()?;
        known.options.into_iter().find(|option| option.key == key).map(|option| option.default)
    };
    set.or_else(default)?.parse().ok()
}

fn owned_lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn pi_cwl(policy: &str, budget: Option<u64>) -> LiveSupport {
    let (mut settings, mut cannot) = (Vec::new(), Vec::new());
    match budget {
        Some(tau) => {
            if tau % 1000 == 0 {
                settings.push(format!("/cwl {}k", tau / 1000));
            }
            settings.push(format!("cwlLimit: {{ type: \"tokens\", value: {tau} }} (in its SDK)"));
            if policy != "pi-cwl" {
                cannot.push(format!("It has an order of eviction of its own, which the policy pi-cwl plays; `{policy}` is another one."));
            }
            cannot.push("Its fast mode counts by an estimate, so its budget is not τ by a tokenizer; /cwl-mode changes to a provider's counts.".to_owned());
        }
        None => settings.push("/cwl-toggle (until it says that CWL is off)".to_owned()),
    }
    LiveSupport {
        harness: "pi-cwl".into(),
        settings,
        cannot,
        source: "Kiz8-Team/pi-cwl at cd2ea3f: docs/sdk.md, src/core/slash-commands.ts".into(),
    }
}

fn anthropic_settings(setting: &Setting) -> LiveSupport {
    let Setting { policy, budget, .. } = setting;
    let source = "platform.claude.com, context editing (beta context-management-2025-06-27)".into();
    let harness = "Anthropic context editing".into();
    let kept = CLEARING.contains(&policy.as_ref()).then(|| numeric_option(setting, "keep")).flatten();
    let (Some(tau), Some(keep)) = (budget, kept) else {
        let cannot = match budget {
            None => "Send no context_management: it clears nothing unless it is asked to.".to_owned(),
            Some(_) => format!(
                "It clears the oldest results of tools and nothing else; `{policy}` evicts by other rules."
            ),
        };
        return LiveSupport { harness, settings: Vec::new(), cannot: vec![cannot], source };
    };
    let mut edit = serde_json::json!({
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": tau},
        "keep": {"type": "tool_uses", "value": keep},
        "clear_tool_inputs": false,
    });
    let left_out = match numeric_option(setting, "clear_at_least").filter(|least| *least > 0) {
        Some(least) => {
            edit["clear_at_least"] = serde_json::json!({"type": "input_tokens", "value": least});
            "leave exclude_tools out: the policy names no tools"
        }
        None => "leave clear_at_least and exclude_tools out: the policy has no least, and names no tools",
    };
    LiveSupport {
        harness,
        settings: vec![format!("\"context_management\": {{\"edits\": [{edit}]}}"), left_out.into()],
        cannot: owned_lines(&[
            "Its trigger counts the whole prompt with the provider's tokenizer; τ here is by this program's count.",
            "Whether it clears in the same turns was not measured against live requests.",
        ]),
        source,
    }
}

fn opencode_settings(policy: &str, budget: Option<u64>) -> LiveSupport {
    let source = "anomalyco/opencode: docs/config.mdx, src/session/overflow.ts (version 1), core/src/config/compaction.ts (version 2)".into();
    let harness = "OpenCode".into();
    let (settings, cannot) = match (policy, budget) {
        ("none", _) => (owned_lines(&["\"compaction\": {\"auto\": false, \"prune\": false}"]), Vec::new()),
        ("opencode-prune", _) => (
            owned_lines(&["\"compaction\": {\"prune\": true}"]),
            owned_lines(&["It prunes without a budget: the 40,000 tokens that it protects and the 20,000 that it clears at least are no settings of version 1."]),
        ),
        ("auto" | "summary", Some(tau)) => (
            owned_lines(&["version 1: \"compaction\": {\"auto\": true, \"reserved\": INPUT LIMIT OF THE MODEL − τ}"]),
            vec![
                format!("It has no budget: it compacts where `reserved` tokens of the model's input limit are left, so τ = {tau} must be worked out for each model; of a model without an input limit of its own, version 1 does not use `reserved`."),
                "Version 2 has `auto`, `keep.tokens` and `buffer` instead; how `buffer` enters its limit was not confirmed in its source, so no value is given.".into(),
                "Its summary is written by a model; the one that was replayed is of a fixed size.".into(),
            ],
        ),
        _ => (
            Vec::new(),
            vec![format!("It compacts near the model's limit and prunes old outputs; `{policy}` at a budget is neither. A plugin may change the messages before they are sent.")],
        ),
    };
    LiveSupport { harness, settings, cannot, source }
}

fn codex_settings(policy: &str, budget: Option<u64>) -> LiveSupport {
    let source = "openai/codex: codex-rs/protocol/src/openai_models.rs at 0d4367d".into();
    let harness = "Codex".into();
    let (settings, cannot) = match (policy, budget) {
        ("auto" | "summary", Some(tau)) => (
            vec![format!("model_auto_compact_token_limit = {tau}")],
            owned_lines(&[
                "Left out, the limit is 90 % of the model's window. Whether a limit above that counts was not confirmed.",
                "Its summary is written by a model; the one that was replayed is of a fixed size.",
            ]),
        ),
        ("none", _) => {
            (Vec::new(), owned_lines(&["A setting that switches its compaction off was not confirmed."]))
        }
        _ => (
            Vec::new(),
            vec![format!(
                "It compacts the whole history into a summary; `{policy}` takes out parts of it, which no setting of it does."
            )],
        ),
    };
    LiveSupport { harness, settings, cannot, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_harness_has_its_settings_or_says_why_not() {
        let check = |named: &str, budget: Option<u64>, expected: [Option<&str>; 4]| {
            let (policy, options) = named.split_once(':').unwrap_or((named, ""));
            let found = live_settings(&Setting { policy: policy.into(), options: options.into(), budget });
            for (one, expected) in found.iter().zip(expected) {
                match expected {
                    Some(part) => assert!(one.settings.concat().contains(part), "{policy}: {one:?}"),
                    None => assert!(one.settings.is_empty() && !one.cannot.is_empty(), "{policy}: {one:?}"),
                }
            }
        };
        check("cwl", Some(60_000), [Some("/cwl 60k"), None, None, None]);
        check("pi-cwl", Some(1_234), [Some("value: 1234"), None, None, None]);
        let trigger = "\"trigger\":{\"type\":\"input_tokens\",\"value\":80000},\"keep\":{\"type\":\"tool_uses\",\"value\":10}";
        check("mask", Some(80_000), [Some("/cwl 80k"), Some(trigger), None, None]);
        check("claude-code-clearing", Some(80_000), [Some("/cwl 80k"), Some("\"value\":3}"), None, None]);
        check(
            "mask:keep=5",
            Some(80_000),
            [Some("/cwl 80k"), Some("\"tool_uses\",\"value\":5}"), None, None],
        );
        let least = "\"clear_at_least\":{\"type\":\"input_tokens\",\"value\":9000}";
        check("mask:clear_at_least=9000", Some(80_000), [Some("/cwl 80k"), Some(least), None, None]);
        check("auto", Some(9_000), [Some("/cwl 9k"), None, Some("reserved"), Some("= 9000")]);
        check("opencode-prune", Some(9_000), [Some("/cwl"), None, Some("prune\": true"), None]);
        check("none", None, [Some("/cwl-toggle"), None, Some("\"auto\": false"), None]);
    }

    #[test]
    fn an_option_that_cannot_be_expressed_is_named() {
        let setting = Setting {
            policy: "mask".into(),
            options: "clear_at_least=9000,keep=5,until_met=1".into(),
            budget: Some(80_000),
        };
        let found = live_settings(&setting);
        let [pi_cwl, anthropic, opencode, codex] = found.as_slice() else { panic!("{found:?}") };
        let named = |one: &LiveSupport| -> Vec<String> {
            one.cannot
                .iter()
                .filter_map(|said| Some(said.split_once('`')?.1.split_once('`')?.0.to_owned()))
                .collect()
        };
        assert_eq!(named(anthropic), ["until_met=1"]);
        assert_eq!(named(pi_cwl), ["mask", "clear_at_least=9000", "keep=5", "until_met=1"]);
        assert_eq!((named(opencode), named(codex)), (vec!["mask".to_owned()], vec!["mask".to_owned()]));
    }
}
