//! Examples and exit codes in the help.

use clap::{Command, CommandFactory, FromArgMatches};

use super::Cli;
use crate::commands::compare;

/// Examples of each command; a test parses each one.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "sessions",
        &[
            "cwl sessions --harness codex --since 7d",
            "cwl sessions --cwd . --sort tokens --limit 5",
            "cwl sessions --json | jq -r '.rows[].name'",
        ],
    ),
    ("graph", &["cwl graph 0a789f64", "cwl graph session.jsonl --dot | dot -Tsvg > graph.svg"]),
    (
        "replay",
        &[
            "cwl replay 0a789f64 --budget 80k",
            "cwl replay session.jsonl --policy mask --set keep=5 --steps",
            "zcat session.jsonl.gz | cwl replay - --json > trace.json",
        ],
    ),
    (
        "context",
        &[
            "cwl context 0a789f64 --turn 40 --step 2",
            "cwl context session.jsonl --as openai > request.json",
            "cwl context 'opencode.db#ses_6b1f0c2d9a' --as list",
        ],
    ),
    (
        "evicted",
        &[
            "cwl evicted 0a789f64 --sort size --limit 20",
            "cwl evicted session.jsonl --grep 'retry.*backoff' --full",
        ],
    ),
    (
        "reacquisitions",
        &["cwl reacquisitions 0a789f64", "cwl reacquisitions session.jsonl --budget 60k --json"],
    ),
    ("compactions", &["cwl compactions 0a789f64", "cwl compactions session.jsonl --recovery 1"]),
    ("captured", &["cwl captured 0a789f64", "cwl captured session.jsonl --bodies FOLDER --turn 3"]),
    ("cost", &["cwl cost 0a789f64", "cwl cost session.jsonl --limit 50"]),
    ("compare", compare::EXAMPLES),
    ("sweep", compare::SWEEP_EXAMPLES),
    (
        "diff",
        &[
            "cwl diff 0a789f64 19cec831",
            "cwl diff with-delimiter.jsonl without.jsonl --budget 60k",
            "cwl diff session.jsonl session.jsonl --other-branch 0c5e --json",
        ],
    ),
    ("report", &["cwl report 0a789f64", "cwl report session.jsonl --problems"]),
    (
        "corpus",
        &[
            "cwl corpus --out tables",
            "cwl corpus logs more/session.jsonl --out tables --runs cwl,mask@40k..160k:40k",
            "cwl corpus logs --out tables --shard 2/8",
            "cwl corpus report tables",
            "cwl corpus unpack train.parquet --out sessions --sample 1000 --model qwen3-coder",
        ],
    ),
    (
        "choose",
        &[
            "cwl choose tables --constraint 'recall>=0.85'",
            "cwl choose tables --constraint 'reacquired<=2000' --constraint 'over<1%' --json",
        ],
    ),
    (
        "trial",
        &[
            "cwl trial logs --out trial --budgets 20k,30k,40k,60k,80k",
            "cwl trial --out trial --runs cwl,cwl+,auto,mask,none@40k..120k:40k --json",
            "cwl trial --fetch-list",
        ],
    ),
    (
        "lint",
        &[
            "cwl lint session.jsonl",
            "cwl lint logs/a.jsonl logs/b.jsonl --deny error,Q003 --github",
            "cwl lint session.jsonl --write-baseline known.json",
            "cwl lint session.jsonl --baseline known.json --deny warning",
            "cwl lint session.jsonl --sarif > session.sarif",
        ],
    ),
    (
        "export",
        &[
            "cwl export 0a789f64 --html page.html",
            "cwl export 0a789f64 --html page.html --policy summary --budget 60k",
        ],
    ),
    (
        "annotate",
        &[
            "cwl annotate 0a789f64 --brief",
            "cwl annotate session.jsonl --brief --page 2",
            "cwl annotate session.jsonl --apply marks.json --name second-look --by Ada",
            "cwl annotate session.jsonl --reader 'claude -p' --dry-run",
            "cwl annotate session.jsonl --list",
        ],
    ),
    ("tail", &["cwl tail", "cwl tail session.jsonl -n 5 --budget 60k", "cwl tail 0a789f64 --json"]),
    ("serve", &["cwl serve", "cwl serve session.jsonl --turn 40 --policy pi-cwl --budget 60k"]),
    (
        "live",
        &[
            "cwl live",
            "cwl live status",
            "cwl live status 0a789f64 --json",
            "cwl live set 0a789f64 --budget 60k",
        ],
    ),
    ("mcp", &["cwl mcp", "cwl mcp --root ~/code/shop --root ~/code/till"]),
    #[cfg(feature = "proxy")]
    (
        "proxy",
        &[
            "cwl proxy --upstream https://api.anthropic.com",
            "cwl proxy --upstream https://api.openai.com --port 4359 --capture",
            "cwl proxy --upstream https://api.anthropic.com --policy cwl+ --budget 80k",
            "cwl proxy --upstream http://127.0.0.1:8080 --port 0 --json",
        ],
    ),
    ("import", &["cwl import session.jsonl 'opencode.db#ses_6b1f0c2d9a'"]),
    ("db", &["cwl db path", "cwl db check", "cwl db restore", "cwl db tables", "cwl db tables prices"]),
    ("policies", &["cwl policies", "cwl policies mask"]),
    ("formats", &["cwl formats"]),
    ("schema", &["cwl schema", "cwl schema graph > graph.schema.json"]),
    ("models", &["cwl models", "cwl models opus"]),
    ("branches", &["cwl branches 0a789f64", "cwl branches session.jsonl --json"]),
    ("completions", &["cwl completions bash > ~/.local/share/bash-completion/completions/cwl"]),
    ("man", &["cwl man > cwl.1", "cwl man --out ~/.local/share/man/man1"]),
];

/// Exit codes, in the help of `cwl` itself.
const EXIT_CODES: &str = "\
Exit codes:
  0  it is done, or the reader of the output has seen enough
  1  `evicted --grep` matched nothing, `db check` found something, or `lint` found what --deny names
  2  the arguments are wrong, or the input cannot be read: one line says why and the way out
  3  the command of `annotate --reader` gave no marks that could be saved

A SESSION is a log, `-` for standard input, a pipe, or what `cwl sessions` shows: the beginning of an id, a number, \
`opencode.db#ses_…`. Colours are for terminals only; NO_COLOR and --color never turn them off.

`cwl COMMAND --help` has examples; `cwl policies`, `cwl formats` and `cwl models` say what can be asked for.";

pub(crate) fn build_command() -> Command {
    let with_examples = |command: Command, (name, lines): &(&'static str, &[&'static str])| {
        let examples = format!("Examples:\n  {}", lines.join("\n  "));
        match command.find_subcommand(name) {
            Some(_) => command.mut_subcommand(*name, |sub| sub.after_help(examples)),
            // This build lacks the command.
            None => command,
        }
    };
    EXAMPLES.iter().fold(Cli::command().after_help(EXIT_CODES), with_examples)
}

/// Parses the process's arguments. Exits on an error or a request for help.
pub(crate) fn parse_args() -> Cli {
    let matches = build_command().get_matches();
    let fitting = compare::check_options(&matches).and_then(|()| Cli::from_arg_matches(&matches));
    fitting.unwrap_or_else(|error| error.exit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_fit_together() {
        build_command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_that_are_understood() {
        let all = build_command();
        let names: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
        let described: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
        for name in &names {
            assert!(described.contains(name), "{name} has no example");
        }
        for (name, lines) in EXAMPLES {
            for line in *lines {
                let call = line.rsplit(" | ").find(|part| part.starts_with("cwl ")).unwrap_or(line);
                let call = call.split(" > ").next().unwrap_or(call);
                let words = shlex::split(call).unwrap_or_default();
                assert_eq!(words.get(1).map(String::as_str), Some(*name), "{line}");
                let read = build_command().try_get_matches_from(&words);
                let read = read.and_then(|matches| compare::check_options(&matches));
                assert!(read.is_ok(), "{line}: {read:?}");
            }
        }
    }
}
