//! `cwl live`: decides for a running agent. Standard output belongs to the protocol.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cwl_host::api::{Document, LiveChange, LiveEvent, LiveEventKind, LiveProcessRow, LiveProcessesAnswer};
use cwl_host::{LogInput, default_data_dir, list_live, load_file, set_live, tools_of_user, with_commas};
use cwl_live::{LiveServer, serve_lines};

use crate::args::{LiveAct, LiveArgs, LiveSetArgs, LiveStatusArgs};
use crate::out::{Failure, Stdout, clean_text, warn_user};

const NO_PROCESS: &str = "no live process runs; an agent starts one through its extension, or at its first request through `cwl proxy --policy`";

pub(crate) fn decide_for_agent(args: LiveArgs) -> Result<(), Failure> {
    let data_dir = args.data_dir.map_or_else(default_data_dir, Ok)?;
    let tools = tools_of_user();
    tools.problems.iter().for_each(|problem| warn_user(problem));
    let mut server = LiveServer::new(data_dir, tools);
    let served = serve_lines(&mut server, &mut std::io::stdin().lock(), &mut std::io::stdout().lock());
    served.map_err(|error| Failure::Said(format!("the client is gone ({error})")))
}

pub(crate) fn run(data_dir: Option<PathBuf>, act: &LiveAct, out: &mut Stdout) -> Result<(), Failure> {
    let data_dir = data_dir.map_or_else(default_data_dir, Ok)?;
    match act {
        LiveAct::Status(args) => show_status(&data_dir, args, out),
        LiveAct::Set(args) => change_settings(&data_dir, args, out),
    }
}

fn show_status(data_dir: &Path, args: &LiveStatusArgs, out: &mut Stdout) -> Result<(), Failure> {
    let mut processes = list_live(data_dir, args.events)?;
    if let Some(session) = &args.session {
        processes = vec![one_of(processes, session)?];
    }
    if args.json {
        return out.write_json(&Document::new(LiveProcessesAnswer { processes }));
    }
    match processes.as_slice() {
        [] => warn_user(NO_PROCESS),
        [one] => print_process(one, out)?,
        several => several.iter().try_for_each(|one| out.write_line(short_line(one)))?,
    }
    Ok(())
}

fn change_settings(data_dir: &Path, args: &LiveSetArgs, out: &mut Stdout) -> Result<(), Failure> {
    let processes = list_live(data_dir, 0)?;
    let process = match (&args.session, processes.len()) {
        (Some(session), _) => one_of(processes, session)?,
        (None, 0 | 1) => processes.into_iter().next().ok_or_else(no_process)?,
        (None, _) => {
            let message = format!("several live processes run; name one of them: {}", listed(&processes));
            return Err(Failure::Said(message));
        }
    };
    let change = LiveChange {
        policy: args.policy.clone(),
        budget: args.budget.clone(),
        options: (!args.set.is_empty()).then(|| read_options(&args.set)).transpose()?,
        marks: args.marks.clone(),
    };
    let process = set_live(data_dir, &process.session, change)?;
    if args.json {
        return out.write_json(&Document::new(LiveProcessesAnswer { processes: vec![process] }));
    }
    out.write_line(format!("{}, from the next request on", short_line(&process)))
}

fn read_options(pairs: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let read = |pair: &String| match pair.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(Failure::Said(format!("`{pair}` is no option; write KEY=VALUE"))),
    };
    pairs.iter().map(read).collect()
}

/// Finds a process by the id of its session, the beginning of one, or its log.
fn one_of(processes: Vec<LiveProcessRow>, session: &str) -> Result<LiveProcessRow, Failure> {
    let path = Path::new(session);
    let of_log = match path.is_file() {
        true => load_file(&LogInput::File(path.to_owned()), None, &tools_of_user())?.session_id(),
        false => None,
    };
    let wanted = of_log.unwrap_or_else(|| session.to_owned());
    let all = listed(&processes);
    let mut found: Vec<LiveProcessRow> =
        processes.into_iter().filter(|process| process.session.starts_with(&wanted)).collect();
    // A whole id is no beginning of another one.
    if let Some(at) = found.iter().position(|process| process.session == wanted) {
        return Ok(found.swap_remove(at));
    }
    match (found.pop(), found.is_empty()) {
        (Some(process), true) => Ok(process),
        (Some(_), false) => {
            Err(Failure::Said(format!("several live sessions begin with `{session}`: {all}")))
        }
        (None, _) if all.is_empty() => Err(no_process()),
        (None, _) => Err(Failure::Said(format!("no live process decides for `{session}`; there are {all}"))),
    }
}

fn no_process() -> Failure {
    Failure::Said(NO_PROCESS.to_owned())
}

fn listed(processes: &[LiveProcessRow]) -> String {
    processes.iter().map(|process| clean_text(&process.session)).collect::<Vec<_>>().join(", ")
}

fn short_line(process: &LiveProcessRow) -> String {
    let LiveProcessRow { session, harness, policy, budget, last, .. } = process;
    let last = last.as_ref().map_or("no request so far".to_owned(), |last| last.says.clone());
    clean_text(&format!("{session} ({harness}): {policy} at {}; {last}", with_commas(*budget)))
}

fn print_process(process: &LiveProcessRow, out: &mut Stdout) -> Result<(), Failure> {
    let LiveProcessRow { session, harness, client, process: pid, policy, budget, options, .. } = process;
    let LiveProcessRow { tokenizer, marks, overhead, requests, evicting, passed_through, refused, .. } =
        process;
    out.write_line(clean_text(&format!("session {session}: {harness}, {client}, process {pid}")))?;
    let options: String = options.iter().map(|(key, value)| format!(", {key}={value}")).collect();
    out.write_line(clean_text(&format!(
        "in force: {policy}, τ {} tokens of {tokenizer}, {} of them system prompt and tools; {marks} marks{options}",
        with_commas(*budget),
        with_commas(*overhead)
    )))?;
    out.write_line(format!(
        "requests: {requests}, {evicting} evicting, {passed_through} with all messages for a reason; {refused} refused questions"
    ))?;
    for event in &process.events {
        print_event(event, out)?;
    }
    Ok(())
}

fn print_event(event: &LiveEvent, out: &mut Stdout) -> Result<(), Failure> {
    let LiveEvent { turn, says, policy, budget, .. } = event;
    let request = turn.map_or("request".to_owned(), |turn| format!("turn {turn}"));
    let what = match event.kind {
        LiveEventKind::Keep | LiveEventKind::Evict => {
            format!("{request}: {says} ({policy} at {})", with_commas(*budget))
        }
        LiveEventKind::PassThrough => format!("{request}: {says}"),
        LiveEventKind::Refused => format!("refused: {says}"),
        LiveEventKind::SetByHarness => format!("set by the harness: {says}"),
        LiveEventKind::SetByOwner => format!("set from outside: {says}"),
    };
    out.write_line(format!("  {}", clean_text(&what)))?;
    for gone in &event.gone {
        let tokens = with_commas(gone.tokens);
        out.write_line(format!("      {} parts, {tokens} tokens: {}", gone.parts, clean_text(&gone.says)))?;
    }
    Ok(())
}
