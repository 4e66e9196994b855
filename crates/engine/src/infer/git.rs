//! Effects of `git` and `gh` commands.

use super::effect::{Effect, effect_of_words};
use super::programs::{GIT_LOOKS, GIT_PUBLISHES, GIT_STATE};
use crate::tool::shell::{GIT_OPTIONS, after_options};

pub(super) fn git_effect(rest: &[&str]) -> Effect {
    let [command, rest @ ..] = after_options(rest, &GIT_OPTIONS) else { return Effect::Mutate };
    let has = |words: &[&str]| rest.iter().any(|word| words.contains(word));
    match *command {
        "worktree" if has(&["add", "remove", "prune"]) => Effect::Mutate,
        "branch" if has(&["-D", "-d", "-f", "-m", "-M"]) => Effect::Mutate,
        "stash" if has(&["list", "show"]) => Effect::GitLook,
        "tag" if rest.is_empty() => Effect::Look,
        "config" if rest.len() > 1 && !has(&["--get", "--list", "-l"]) => Effect::Mutate,
        command if GIT_PUBLISHES.contains(&command) => Effect::Publish,
        command if GIT_STATE.contains(&command) => Effect::GitLook,
        command if GIT_LOOKS.contains(&command) => Effect::Look,
        _ => Effect::Mutate,
    }
}

pub(super) fn hub_effect(rest: &[&str]) -> Effect {
    const WRITES: [&str; 11] = [
        "create", "merge", "edit", "comment", "close", "ready", "review", "reopen", "delete", "upload",
        "lock",
    ];
    let (what, how) = (rest.first().copied().unwrap_or_default(), rest.get(1).copied().unwrap_or_default());
    match what {
        "pr" | "release" | "issue" | "label" | "gist" if WRITES.contains(&how) => Effect::Publish,
        "workflow" | "run" if ["run", "rerun"].contains(&how) => Effect::Mutate,
        "api" => hub_call_effect(&rest[1..]),
        _ => effect_of_words([how]).unwrap_or(Effect::Look),
    }
}

fn hub_call_effect(rest: &[&str]) -> Effect {
    let methods =
        rest.iter().zip(rest.iter().skip(1)).filter(|(option, _)| matches!(**option, "-X" | "--method"));
    let reads = |method: &str| method.eq_ignore_ascii_case("GET") || method.eq_ignore_ascii_case("HEAD");
    let fields = ["-f", "-F", "--field", "--raw-field", "--input"];
    let changes = match methods.map(|(_, method)| *method).next() {
        Some(method) => !reads(method),
        None if rest.contains(&"graphql") => rest.iter().any(|word| word.contains("mutation")),
        None => rest.iter().any(|word| fields.contains(word)),
    };
    if changes { Effect::Publish } else { Effect::Look }
}
