//! `cwl`, the command line of CWL Inspector: arguments, text, exit codes. `cwl-host` gives every answer.

mod args;
mod commands;
mod out;
mod picture;
mod progress;
#[cfg(feature = "serve")]
mod reader_stop;
mod table;

use std::process::ExitCode;

use args::Command;
#[cfg(feature = "live")]
use args::LiveArgs;
#[cfg(feature = "live")]
use commands::live;
#[cfg(feature = "mcp")]
use commands::mcp;
#[cfg(feature = "proxy")]
use commands::proxy;
#[cfg(feature = "serve")]
use commands::{annotate, corpus, export, serve};
use commands::{
    captured, compactions, compare, context, cost, diff, evicted, first, graph, lint, reacquisitions,
    reference, replay, report, sessions, shell, store, tail,
};
#[cfg(feature = "corpus")]
use commands::{choose, trial};
use out::{Failure, Stdout};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = args::parse_args();
    out::set_up(cli.global.color, cli.global.quiet);
    let filter = tracing_subscriber::EnvFilter::try_from_env("CWL_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(out::warning_writer)
        .with_target(false)
        .with_ansi(is_terminal)
        .init();
    let done = match cli.command {
        // Standard output belongs to the protocol, so no writer of ours holds it.
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(args)) => mcp::run(args).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "live")]
        Some(Command::Live(args)) if args.act.is_none() => {
            live::decide_for_agent(args).map(|()| ExitCode::SUCCESS)
        }
        command => {
            let mut out = Stdout::lock_stdout();
            let done = match command {
                Some(command) => run_command(command, &mut out),
                None => first::run(&mut out).map(|()| ExitCode::SUCCESS),
            };
            done.and_then(|code| out.flush().map(|()| code))
        }
    };
    out::say_more_warnings();
    match done {
        Ok(code) => code,
        // The reader has seen enough: `cwl context … | head`.
        Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Said(message)) => {
            out::report_failure(&message);
            ExitCode::from(2)
        }
    }
}

fn run_command(command: Command, out: &mut Stdout) -> Result<ExitCode, Failure> {
    match command {
        Command::Import(args) => return store::import_logs(&args, out),
        Command::Db(act) => return store::maintain_store(&act, out),
        Command::Evicted(args) => return evicted::run(&args, out),
        Command::Lint(args) => return lint::run(&args, out),
        #[cfg(feature = "serve")]
        Command::Annotate(args) => return annotate::run(&args, out),
        Command::Policies(args) => reference::print_policies(&args, out),
        Command::Formats(args) => reference::print_formats(&args, out),
        Command::Models(args) => reference::print_models(&args, out),
        Command::Branches(args) => reference::print_branches(&args, out),
        Command::Schema(args) => reference::print_schema(&args, out),
        Command::Completions(args) => shell::print_completions(&args, out),
        Command::Man(args) => shell::write_man_pages(&args, out),
        Command::Sessions(args) => sessions::run(&args, out),
        Command::Graph(args) => graph::run(&args, out),
        Command::Replay(args) => replay::run(&args, out),
        Command::Context(args) => context::run(&args, out),
        Command::Captured(args) => captured::run(&args, out),
        Command::Reacquisitions(args) => reacquisitions::run(&args, out),
        Command::Compactions(args) => compactions::run(&args, out),
        Command::Cost(args) => cost::run(&args, out),
        Command::Compare(args) => compare::run(&args, out),
        Command::Sweep(args) => compare::run_sweep(&args, out),
        Command::Diff(args) => diff::run(&args, out),
        #[cfg(feature = "serve")]
        Command::Corpus(args) => corpus::run(&args, out),
        #[cfg(feature = "corpus")]
        Command::Choose(args) => choose::run(&args, out),
        #[cfg(feature = "corpus")]
        Command::Trial(args) => trial::run(&args, out),
        Command::Report(args) => report::run(&args, out),
        #[cfg(feature = "serve")]
        Command::Export(args) => export::run(&args, out),
        Command::Tail(args) => tail::run(&args, out),
        #[cfg(feature = "live")]
        Command::Live(LiveArgs { data_dir, act: Some(act) }) => live::run(data_dir, &act, out),
        #[cfg(feature = "live")]
        Command::Live(args) => live::decide_for_agent(args),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(args),
        #[cfg(feature = "proxy")]
        Command::Proxy(args) => proxy::run(&args, out),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args, out),
    }?;
    Ok(ExitCode::SUCCESS)
}
