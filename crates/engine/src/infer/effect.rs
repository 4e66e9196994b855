//! Effects: what a call does, as far as its tool and command line show.

use alloc::string::String;

use super::git::{git_effect, hub_effect};
use super::programs::{
    ASKS, CHANGING, CHECKS, DELEGATES, FILE_MUTATORS, INSTALLS, LOOKERS, LOOKING, MANAGERS, MUTATORS,
    PREFIXES, RUNNERS, SILENT, TASKS, WAITS,
};
use crate::tool::shell::after_options;
use crate::{CallReading, ShellCommand, ToolClass, shell_commands};

/// A turn's class is its first effect in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    Edit,
    Publish,
    /// Changes anything else: installs, moves, switches branches.
    Mutate,
    Delegate,
    /// Runs tests, a build or a linter.
    Check,
    /// Runs something with an unknown effect.
    Run,
    Look,
    Ask,
    GitLook,
    Wait,
    Tasks,
}

impl Effect {
    pub const ALL: [Self; 11] = [
        Self::Edit,
        Self::Publish,
        Self::Mutate,
        Self::Delegate,
        Self::Check,
        Self::Run,
        Self::Look,
        Self::Ask,
        Self::GitLook,
        Self::Wait,
        Self::Tasks,
    ];

    fn bit_of_effect(self) -> u16 {
        1 << self as u16
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effects(pub u16);

impl Effects {
    pub fn single(effect: Effect) -> Self {
        Self(effect.bit_of_effect())
    }

    pub fn add(&mut self, effect: Effect) {
        self.0 |= effect.bit_of_effect();
    }

    pub fn contains(self, effect: Effect) -> bool {
        self.0 & effect.bit_of_effect() != 0
    }

    pub fn has_any(self, effects: &[Effect]) -> bool {
        effects.iter().any(|effect| self.contains(*effect))
    }

    pub fn first(self) -> Option<Effect> {
        Effect::ALL.into_iter().find(|effect| self.contains(*effect))
    }
}

pub(crate) fn effects_of_call(name: &str, class: ToolClass, reading: Option<&CallReading<'_>>) -> Effects {
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit("__").next().unwrap_or(&lower);
    let is = |names: &[&str]| names.contains(&last);
    if is(&TASKS) || reading.is_some_and(|reading| reading.todo.is_some()) {
        return Effects::single(Effect::Tasks);
    }
    if is(&WAITS) {
        return Effects::single(Effect::Wait);
    }
    match class {
        ToolClass::Write => return Effects::single(Effect::Edit),
        ToolClass::Search | ToolClass::Read => return Effects::single(Effect::Look),
        ToolClass::Delimiter => return Effects::single(Effect::Tasks),
        ToolClass::Shell => {
            let line = reading.and_then(CallReading::command_line);
            let effects = line.map(|line| effects_of_line(&line)).unwrap_or_default();
            return if effects == Effects::default() { Effects::single(Effect::Look) } else { effects };
        }
        ToolClass::Other => {}
    }
    Effects::single(match () {
        () if is(&DELEGATES) => Effect::Delegate,
        () if is(&ASKS) => Effect::Ask,
        () => match effect_of_words(words_of(name)) {
            Some(Effect::Mutate) => Effect::Edit,
            Some(effect) => effect,
            None => Effect::Run,
        },
    })
}

fn words_of(name: &str) -> impl Iterator<Item = String> {
    let last = name.rsplit("__").next().unwrap_or(name);
    let mut words = alloc::vec![String::new()];
    let mut was_small = false;
    for c in last.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            words.push(String::new());
        }
        was_small = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.into_iter()
}

pub(super) fn effect_of_words(words: impl IntoIterator<Item = impl AsRef<str>>) -> Option<Effect> {
    words.into_iter().find_map(|word| match word.as_ref() {
        word if CHANGING.contains(&word) => Some(Effect::Mutate),
        word if LOOKING.contains(&word) => Some(Effect::Look),
        _ => None,
    })
}

pub(super) fn effects_of_line(line: &str) -> Effects {
    let mut effects = Effects::default();
    if line.contains("*** Begin Patch") || line.contains("*** Update File") || line.contains("*** Add File") {
        return Effects::single(Effect::Edit);
    }
    for command in shell_commands(line) {
        if let Some(effect) = effect_of(&command, effect_on_host) {
            effects.add(effect);
        }
    }
    effects
}

/// Returns a command's effect; `None` if it does nothing outside its shell.
fn effect_of(command: &ShellCommand, on_host: fn(&[&str]) -> Effect) -> Option<Effect> {
    let mut words = command.words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next_if(|word| PREFIXES.contains(word) || word.contains('=')) {
        let takes_number = word == "timeout";
        words.next_if(|word| takes_number && word.starts_with(|c: char| c.is_ascii_digit()));
    }
    let is_file = |target: &String| target != "/dev/null" && !target.starts_with('&');
    let writes =
        command.writes && command.targets.iter().any(|target| is_file(target) && !target.starts_with("/tmp"));
    let Some(first) = words.next() else { return writes.then_some(Effect::Edit) };
    let program = first.rsplit('/').next().unwrap_or(first);
    let rest: alloc::vec::Vec<&str> = words.collect();
    if SILENT.contains(&program) {
        return writes.then_some(Effect::Edit);
    }
    match program {
        "ssh" => return Some(on_host(&rest)),
        "git" => return Some(git_effect(&rest)),
        "gh" => return Some(hub_effect(&rest)),
        "apply_patch" | "patch" | "tee" => return Some(Effect::Edit),
        "sed" | "perl" if rest.iter().any(|word| word.starts_with("-i") || *word == "--in-place") => {
            return Some(Effect::Edit);
        }
        "claude" | "codex" | "gemini" | "aider" | "opencode" if rest.len() > 1 => {
            return Some(Effect::Delegate);
        }
        _ => {}
    }
    if writes && ["cat", "printf", "sed", "awk", "jq", "head", "curl"].contains(&program) {
        return Some(Effect::Edit);
    }
    let checks = || {
        let words = rest.iter().flat_map(|word| word.split([':', '/', '-', '.'])).chain([program]);
        words.into_iter().any(|word| CHECKS.contains(&word))
    };
    let told = || effect_of_words(rest.iter().find(|word| is_command(word)));
    if RUNNERS.contains(&program) || first.contains('/') {
        let manages = MANAGERS.contains(&program);
        let installs = manages && rest.first().is_some_and(|word| INSTALLS.contains(word));
        return Some(match () {
            () if installs => Effect::Mutate,
            () if checks() => Effect::Check,
            // `npm start` runs the project's own program.
            () if manages => told().filter(|effect| *effect == Effect::Look).unwrap_or(Effect::Run),
            () if first.contains('/') => told().unwrap_or(Effect::Run),
            () => Effect::Run,
        });
    }
    Some(match () {
        // Arguments of these are files, not subcommands: `mkdir logs` looks at nothing.
        () if FILE_MUTATORS.contains(&program) => Effect::Mutate,
        () if MUTATORS.contains(&program) => told().unwrap_or(Effect::Mutate),
        () if LOOKERS.contains(&program) => Effect::Look,
        () if checks() => Effect::Check,
        () => told().unwrap_or(Effect::Run),
    })
}

fn is_command(word: &str) -> bool {
    ["--version", "--help"].contains(&word)
        || !word.starts_with('-') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// A further `ssh` inside is not followed, since logs may nest it to any depth.
fn effect_on_host(rest: &[&str]) -> Effect {
    let line = match after_options(rest, &["-o", "-i", "-p", "-l", "-F", "-J"]) {
        [_host, words @ ..] => words.join(" "),
        [] => String::new(),
    };
    let effects = shell_commands(&line).filter_map(|command| effect_of(&command, |_| Effect::Run));
    effects.min().unwrap_or(Effect::Run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn letters(effects: Effects) -> String {
        let letter = |effect: &Effect| b"EPMDCRLAGWT"[*effect as usize] as char;
        Effect::ALL.iter().filter(|effect| effects.contains(**effect)).map(letter).collect()
    }

    /// Effects by letter: Edit, Publish, Mutate, Delegate, Check, Run, Look, Ask, Git look.
    fn check(line: &str, expected: &str) {
        assert_eq!(letters(effects_of_line(line)), expected, "line {line:?}");
    }

    #[test]
    fn command_lines() {
        check("cat src/a.rs | head -20", "L");
        check("cd x && rg foo", "L");
        check("cat > a.txt <<'EOF'\nrm -rf /\nEOF", "E");
        check("cat a.txt > /dev/null", "L");
        check("echo hi", "");
        check("echo hi >> notes.md", "E");
        check("sed -n 1,20p a.rs", "L");
        check("sed -i 's/a/b/' a.rs", "E");
        check("git status && git diff", "G");
        check("git add -A && git commit -m 'rm -rf everything'", "P");
        check("git -C ../x log --oneline", "G");
        check("git checkout -b y", "M");
        check("git branch -D y", "M");
        check("git stash list", "G");
        check("gh pr create --fill", "P");
        check("gh pr view 3", "L");
        check("cargo test -p x 2>&1 | tail -5", "CL");
        check("cargo add serde", "M");
        check("npm run lint", "C");
        check("npm run test:unit", "C");
        check("npm start", "R");
        check("node script.js", "R");
        check("./target/debug/cwl report x", "R");
        check("python3 -m pytest", "C");
        check("timeout 20s cargo build", "C");
        check("FOO=1 make", "R");
        check("mkdir -p x; touch x/y", "M");
        check("apply_patch <<'EOF'\n*** Begin Patch\nEOF", "E");
        check("claude -p 'do it'", "D");
        check("docker ps", "L");
        check("docker run x", "M");
        check("mkdir logs", "M");
        check("rm -v log", "M");
        check("npm ls", "L");
        check("bd create --title='Plan'", "M");
        check("bd ready", "L");
        check("frob --version", "L");
        check("rtk cargo test", "C");
        check("ssh -p 22 me@host 'systemctl restart x'", "M");
        check("ssh me@host", "R");
        check("ssh a ssh b reboot", "R");
        check(&"ssh a ".repeat(100_000), "R");
        check("gh pr checkout 3", "M");
        check("gh workflow run ci.yml", "M");
        check("gh run view 3", "L");
        check("gh api repos/a/b/pulls/3/comments", "L");
        check("gh api repos/a/b/issues/3/comments -f body=done", "P");
        check("gh api -X PATCH repos/a/b/issues/3", "P");
        check("gh api graphql -f query='{ viewer { login } }'", "L");
        check("gh api graphql -f query='mutation { resolve }'", "P");
        check("", "");
    }

    #[test]
    fn tools() {
        let check = |name: &str, class: ToolClass, expected: &str| {
            assert_eq!(letters(effects_of_call(name, class, None)), expected, "tool {name}");
        };
        check("Edit", ToolClass::Write, "E");
        check("Grep", ToolClass::Search, "L");
        check("Bash", ToolClass::Shell, "L");
        check("BashOutput", ToolClass::Shell, "W");
        check("Task", ToolClass::Other, "D");
        check("TodoWrite", ToolClass::Other, "T");
        check("AskUserQuestion", ToolClass::Other, "A");
        check("mcp__github__list_issues", ToolClass::Other, "L");
        check("mcp__github__create_issue", ToolClass::Other, "E");
        check("WebFetch", ToolClass::Other, "L");
        check("mcp__pencil__batch_design", ToolClass::Other, "E");
        check("mcp__context7__resolve-library-id", ToolClass::Other, "L");
        check("_create_issue", ToolClass::Other, "E");
        check("memory_search", ToolClass::Other, "L");
        check("sendEmail", ToolClass::Other, "E");
        check("browser_click", ToolClass::Other, "R");
        check("frobnicate", ToolClass::Other, "R");
    }
}
