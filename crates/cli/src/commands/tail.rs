//! `cwl tail`: prints a line per turn while the log is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_api::commands;
use cwl_api::dto::{DocumentDto, EmptyRequest, PushDto, SessionRowDto, TurnDto, ViewDto, ViewRequest};
use cwl_api::{Inspector, Opened, grouped};
use owo_colors::Style;
use tokio::sync::broadcast::error::RecvError;

use super::{host, runtime};
use crate::args::{TailArgs, ViewArgs};
use crate::out::{Failure, Out, clean, one_line, paint, say};

pub(crate) fn run(args: &TailArgs, out: &mut Out) -> Result<(), Failure> {
    let view = args.view.view()?;
    runtime()?.block_on(follow(args, view, out))
}

/// The turns of each session that were printed.
struct Followed<'a> {
    host: Arc<Inspector>,
    args: &'a TailArgs,
    view: ViewDto,
    printed: BTreeMap<u32, u32>,
    /// The name of each session's log when its turns were last printed.
    names: BTreeMap<u32, String>,
    /// True when there may be several sessions, so that lines name theirs.
    several: bool,
}

async fn follow(args: &TailArgs, view: ViewDto, out: &mut Out) -> Result<(), Failure> {
    let path = args.path.clone();
    let one = path.as_ref().filter(|path| !path.is_dir()).cloned();
    let folders = match (&one, path) {
        // A session that is no file is found in the folders of the harnesses.
        (Some(file), _) => file.exists().then(Vec::new),
        (None, Some(folder)) => Some(vec![folder]),
        (None, None) => None,
    };
    let host = host(folders).await?;
    let mut pushes = host.subscribe();
    let several = one.is_none();
    let mut followed = Followed {
        host: Arc::clone(&host),
        args,
        view,
        printed: BTreeMap::new(),
        names: BTreeMap::new(),
        several,
    };
    let mut newest_at = i64::MIN;
    if let Some(file) = one {
        let opened = host.open_target(file.display().to_string(), args.format.clone()).await?;
        followed.print(&opened, out)?;
    } else {
        let sessions = host.sessions(EmptyRequest {})?;
        say(&format!("following {}", sessions.folders.join(", ")));
        newest_at = sessions.rows.iter().filter_map(|row| row.changed_at_ms).max().unwrap_or(i64::MIN);
        if let Some(row) = sessions.rows.iter().find(|row| !row.gone) {
            let opened = host.open_target(row.path.clone(), None).await?;
            followed.print(&opened, out)?;
        }
    }
    loop {
        out.flush()?;
        match pushes.recv().await {
            Ok(PushDto::Session { session, restarted, gone, .. }) => {
                if restarted {
                    followed.printed.remove(&session);
                    say("the log was started again");
                }
                if gone {
                    say("the log is gone; what was read of it is kept");
                }
                followed.print_session(session, out).await?;
            }
            Ok(PushDto::Sessions) if several => {
                let rows = host.sessions(EmptyRequest {})?.rows;
                let changed = |at: Option<i64>| at.is_some_and(|at| at >= newest_at);
                let is_new = |row: &&SessionRowDto| {
                    !row.gone
                        && changed(row.changed_at_ms)
                        && row.session.is_none_or(|session| !followed.printed.contains_key(&session))
                };
                let new: Vec<&SessionRowDto> = rows.iter().filter(is_new).collect();
                for row in new {
                    // A log that cannot be read yet is tried again with its next change.
                    if let Ok(opened) = host.open_target(row.path.clone(), None).await {
                        followed.print(&opened, out)?;
                    }
                }
            }
            Ok(
                PushDto::Sessions
                | PushDto::Progress { .. }
                | PushDto::Notes { .. }
                | PushDto::Marks { .. }
                | PushDto::Store { .. }
                | PushDto::Missed,
            ) => {}
            Ok(PushDto::Trouble { message }) => say(&message),
            // Some pushes were missed: print every session as it is now.
            Err(RecvError::Lagged(_)) => {
                for session in followed.printed.clone().into_keys() {
                    followed.print_session(session, out).await?;
                }
            }
            Err(RecvError::Closed) => return Ok(()),
        }
    }
}

impl Followed<'_> {
    async fn print_session(&mut self, session: u32, out: &mut Out) -> Result<(), Failure> {
        let opened = self.host.open_target(session.to_string(), None).await?;
        self.print(&opened, out)
    }

    /// Prints the turns of a session that were not printed yet. The turn `now` is left out until it has a reply.
    fn print(&mut self, opened: &Opened, out: &mut Out) -> Result<(), Failure> {
        let is_new = !self.printed.contains_key(&opened.session());
        let of_log = if is_new { ViewArgs::said } else { ViewArgs::of };
        let (view, source) = of_log(&self.args.view, self.view.clone(), opened);
        let about = commands::about(opened, &view, source)?;
        let before = self.names.insert(opened.session(), about.log.clone());
        if before.is_some_and(|before| before != about.log) {
            say(&format!("the log has another name now: {}", about.log));
        }
        let request = ViewRequest { session: opened.session(), view };
        let n_replies = commands::n_answered(opened, &request)?;
        let skipped = self.args.lines.map_or(0, |n_lines| n_replies.saturating_sub(n_lines));
        let printed = self.printed.entry(opened.session()).or_insert(skipped);
        for turn in commands::turns(opened, &request, *printed + 1..=n_replies)? {
            if self.args.json {
                out.json(&DocumentDto::new(turn).about(about.clone()))?;
            } else {
                out.line(line(&turn, self.several))?;
            }
        }
        *printed = n_replies.max(*printed);
        Ok(())
    }
}

fn line(turn: &TurnDto, several: bool) -> String {
    let TurnDto { session, turn: number, before, after, steps, .. } = turn;
    let mut line = String::new();
    if several {
        line.push_str(&format!("[{session}] "));
    }
    line.push_str(&format!("turn {number:<5} {:>9}", grouped(*after)));
    if let (Some(kind), Some(name)) = (turn.kind, &turn.episode) {
        line.push_str(&format!("  {kind} {}", one_line(name, 40)));
    }
    if !steps.is_empty() {
        let saved = grouped(before.saturating_sub(*after));
        let what: Vec<String> =
            steps.iter().map(|step| format!("{} {}", clean(&step.name), step.level)).collect();
        line.push_str(&paint(
            format!("  −{saved}: {}", one_line(&what.join(", "), 80)),
            Style::new().yellow(),
        ));
    }
    if turn.over_budget {
        line.push_str(&paint("  over the budget", Style::new().red()));
    }
    line
}
