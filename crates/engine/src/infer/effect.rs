//! Effects: what a call does to the world, as far as its tool and its command line tell.

use alloc::string::String;

use crate::{CallReading, ShellCommand, ToolClass, shell_commands};

/// The effects of calls; of a turn with several the first in this order is its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Writes or changes a file.
    Edit,
    /// Commits, pushes, opens a pull request.
    Publish,
    /// Changes anything else: installs, moves, switches a branch.
    Mutate,
    /// Asks a subagent.
    Delegate,
    /// Checks: tests, a build, a linter.
    Check,
    /// Runs something of which the effect is not known.
    Run,
    /// Looks: reads, searches, lists.
    Look,
    /// Asks the human.
    Ask,
    /// Looks at the state of the repository.
    GitLook,
    /// Waits for something that runs.
    Wait,
    /// Keeps the list of tasks.
    Tasks,
}

impl Effect {
    /// All effects, in their order.
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

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effects(pub u16);

impl Effects {
    /// The set of one effect.
    pub fn of(effect: Effect) -> Self {
        Self(effect.bit())
    }

    /// Adds an effect.
    pub fn add(&mut self, effect: Effect) {
        self.0 |= effect.bit();
    }

    /// Tells whether an effect is in the set.
    pub fn has(self, effect: Effect) -> bool {
        self.0 & effect.bit() != 0
    }

    /// Tells whether one of some effects is in the set.
    pub fn has_any(self, effects: &[Effect]) -> bool {
        effects.iter().any(|effect| self.has(*effect))
    }

    /// Returns the first effect of the set.
    pub fn first(self) -> Option<Effect> {
        Effect::ALL.into_iter().find(|effect| self.has(*effect))
    }
}

/// Tools that ask a subagent.
const DELEGATES: [&str; 8] = [
    "task",
    "agent",
    "spawn_agent",
    "subagent",
    "sessions_spawn",
    "delegate_to_agent",
    "read_agent",
    "sendmessage",
];
/// Tools that keep the agent's own list of tasks or its plan.
const TASKS: [&str; 14] = [
    "todowrite",
    "todoread",
    "todo_write",
    "update_plan",
    "taskcreate",
    "taskupdate",
    "tasklist",
    "taskget",
    "enterplanmode",
    "exitplanmode",
    "exit_plan_mode",
    "write_todos",
    "update_todo",
    "skill",
];
/// Tools that ask the human.
const ASKS: [&str; 4] = ["askuserquestion", "ask_user", "request_user_input", "question"];
/// Tools that wait for something that runs.
const WAITS: [&str; 10] = [
    "write_stdin",
    "process",
    "bashoutput",
    "taskoutput",
    "wait",
    "killshell",
    "wait_agent",
    "monitor",
    "read_bash",
    "sleep",
];
/// The first words of the names of tools that only look.
const LOOKING: [&str; 14] = [
    "get",
    "list",
    "read",
    "search",
    "find",
    "fetch",
    "query",
    "browser_snapshot",
    "describe",
    "resolve",
    "view",
    "navigate",
    "web",
    "toolsearch",
];
/// The first words of the names of tools that change something.
const CHANGING: [&str; 9] = ["create", "update", "write", "edit", "delete", "insert", "set", "apply", "add"];

/// Programs that only look.
const LOOKERS: [&str; 62] = [
    "cat",
    "ls",
    "find",
    "grep",
    "rg",
    "head",
    "tail",
    "sed",
    "awk",
    "wc",
    "tree",
    "eza",
    "fd",
    "nl",
    "stat",
    "file",
    "which",
    "type",
    "pwd",
    "printenv",
    "du",
    "df",
    "diff",
    "jq",
    "sort",
    "uniq",
    "cut",
    "less",
    "more",
    "date",
    "test",
    "[",
    "ps",
    "lsof",
    "whoami",
    "hostname",
    "uname",
    "id",
    "strings",
    "xxd",
    "od",
    "curl",
    "wget",
    "ag",
    "bat",
    "command",
    "realpath",
    "readlink",
    "basename",
    "dirname",
    "cmp",
    "md5sum",
    "sha256sum",
    "printf",
    "true",
    "sleep",
    "tmux",
    "column",
    "xargs",
    "man",
    "help",
    "env",
];
/// Programs that change the machine.
const MUTATORS: [&str; 28] = [
    "rm",
    "mv",
    "cp",
    "mkdir",
    "touch",
    "chmod",
    "chown",
    "ln",
    "kill",
    "pkill",
    "install",
    "unzip",
    "tar",
    "launchctl",
    "systemctl",
    "docker",
    "brew",
    "apt",
    "apt-get",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "gem",
    "code",
    "open",
    "crontab",
    "mkfifo",
];
/// Programs that run other programs, or the project's own.
const RUNNERS: [&str; 48] = [
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "bunx",
    "cargo",
    "go",
    "make",
    "mise",
    "python",
    "python3",
    "pytest",
    "node",
    "deno",
    "mvn",
    "gradle",
    "gradlew",
    "dotnet",
    "tsc",
    "ruff",
    "mypy",
    "eslint",
    "vitest",
    "jest",
    "uv",
    "poetry",
    "just",
    "task",
    "turbo",
    "swift",
    "xcodebuild",
    "biome",
    "golangci-lint",
    "gofmt",
    "shellcheck",
    "bash",
    "sh",
    "ctest",
    "cmake",
    "ninja",
    "tox",
    "nox",
    "rake",
    "bundle",
    "composer",
    "php",
    "nx",
];
/// Words of a command line that checks.
const CHECKS: [&str; 30] = [
    "test",
    "tests",
    "lint",
    "check",
    "typecheck",
    "type-check",
    "build",
    "tsc",
    "pytest",
    "vitest",
    "jest",
    "clippy",
    "vet",
    "gofmt",
    "fmt",
    "eslint",
    "ruff",
    "mypy",
    "prettier",
    "rspec",
    "phpunit",
    "verify",
    "format",
    "playwright",
    "compile",
    "bench",
    "ctest",
    "nextest",
    "tox",
    "spec",
];
/// Package managers, and their commands that change what is installed.
const MANAGERS: [&str; 11] =
    ["npm", "pnpm", "yarn", "bun", "pip", "uv", "poetry", "go", "cargo", "gem", "bundle"];
const INSTALLS: [&str; 11] =
    ["i", "install", "add", "ci", "remove", "uninstall", "update", "upgrade", "get", "mod", "sync"];
/// Git's commands that publish, and that only look.
const GIT_PUBLISHES: [&str; 8] = ["add", "commit", "push", "merge", "tag", "rebase", "cherry-pick", "am"];
const GIT_STATE: [&str; 8] = ["status", "log", "diff", "show", "branch", "rev-parse", "remote", "fetch"];
const GIT_LOOKS: [&str; 15] = [
    "ls-files",
    "ls-remote",
    "blame",
    "describe",
    "reflog",
    "cat-file",
    "config",
    "for-each-ref",
    "grep",
    "shortlog",
    "merge-base",
    "rev-list",
    "check-ignore",
    "worktree",
    "whatchanged",
];
/// Words of a shell's own language that may stand before a program, and programs that start another one.
const PREFIXES: [&str; 14] =
    ["sudo", "time", "timeout", "nohup", "exec", "(", "{", "do", "then", "if", "!", "for", "while", "else"];
/// Words of a shell that do nothing outside it.
const SILENT: [&str; 17] = [
    "cd", "done", "fi", "else", "export", "set", "source", ".", "esac", "}", ")", "exit", "trap", "echo",
    "unset", "wait", "return",
];

/// Finds the effects of a call by its tool, its class and its arguments.
pub(crate) fn effects_of_call(name: &str, class: ToolClass, reading: Option<&CallReading<'_>>) -> Effects {
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit("__").next().unwrap_or(&lower);
    let is = |names: &[&str]| names.contains(&last);
    if is(&TASKS) || reading.is_some_and(|reading| reading.todo.is_some()) {
        return Effects::of(Effect::Tasks);
    }
    if is(&WAITS) {
        return Effects::of(Effect::Wait);
    }
    match class {
        ToolClass::Write => return Effects::of(Effect::Edit),
        ToolClass::Search | ToolClass::Read => return Effects::of(Effect::Look),
        ToolClass::Delimiter => return Effects::of(Effect::Tasks),
        ToolClass::Shell => {
            let line = reading.and_then(CallReading::command_line);
            let effects = line.map(|line| effects_of_line(&line)).unwrap_or_default();
            return if effects == Effects::default() { Effects::of(Effect::Look) } else { effects };
        }
        ToolClass::Other => {}
    }
    let starts = |names: &[&str]| names.iter().any(|word| last.starts_with(word));
    Effects::of(match () {
        () if is(&DELEGATES) => Effect::Delegate,
        () if is(&ASKS) => Effect::Ask,
        () if starts(&LOOKING) => Effect::Look,
        () if starts(&CHANGING) => Effect::Edit,
        () => Effect::Run,
    })
}

/// Finds the effects of a command line.
pub(super) fn effects_of_line(line: &str) -> Effects {
    let mut effects = Effects::default();
    if line.contains("*** Begin Patch") || line.contains("*** Update File") || line.contains("*** Add File") {
        return Effects::of(Effect::Edit);
    }
    for command in shell_commands(line) {
        if let Some(effect) = effect_of(&command) {
            effects.add(effect);
        }
    }
    effects
}

/// Finds the effect of one command; `None` for one that does nothing outside its shell.
fn effect_of(command: &ShellCommand) -> Option<Effect> {
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
    if RUNNERS.contains(&program) || first.contains('/') {
        let installs =
            MANAGERS.contains(&program) && rest.first().is_some_and(|word| INSTALLS.contains(word));
        return Some(match () {
            () if installs => Effect::Mutate,
            () if checks() => Effect::Check,
            () => Effect::Run,
        });
    }
    Some(match () {
        () if MUTATORS.contains(&program) => Effect::Mutate,
        () if LOOKERS.contains(&program) => Effect::Look,
        () if checks() => Effect::Check,
        () => Effect::Run,
    })
}

fn git_effect(rest: &[&str]) -> Effect {
    let mut words = rest.iter().copied();
    let mut command = "";
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            option if option.starts_with('-') => {}
            word => {
                command = word;
                break;
            }
        }
    }
    let rest: alloc::vec::Vec<&str> = words.collect();
    let has = |words: &[&str]| rest.iter().any(|word| words.contains(word));
    match command {
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

fn hub_effect(rest: &[&str]) -> Effect {
    const WRITES: [&str; 7] = ["create", "merge", "edit", "comment", "close", "ready", "review"];
    let (what, how) = (rest.first().copied().unwrap_or_default(), rest.get(1).copied().unwrap_or_default());
    match what {
        "pr" | "release" | "issue" if WRITES.contains(&how) => Effect::Publish,
        "repo" if ["create", "edit", "delete"].contains(&how) => Effect::Mutate,
        "workflow" | "run" if ["run", "rerun"].contains(&how) => Effect::Mutate,
        _ => Effect::Look,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn letters(effects: Effects) -> String {
        let letter = |effect: &Effect| b"EPMDCRLAGWT"[*effect as usize] as char;
        Effect::ALL.iter().filter(|effect| effects.has(**effect)).map(letter).collect()
    }

    /// Checks a line's effects, by their letters: Edit, Publish, Mutate, Delegate, Check, Run, Look, Ask, Git look.
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
        check("frobnicate", ToolClass::Other, "R");
    }
}
