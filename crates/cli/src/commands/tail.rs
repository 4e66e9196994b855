//! `cwl tail`: prints a line per turn while the log is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cwl_host::api::{Document, EmptyRequest, Push, SessionListRow, TurnAnswer, ViewRequest, ViewSettings};
use cwl_host::commands;
use cwl_host::{Inspector, SessionSnapshot, with_commas};
use owo_colors::Style;
use tokio::sync::broadcast::error::RecvError;

use super::{build_runtime, start_host};
use crate::args::{TailArgs, ViewArgs};
use crate::out::{Failure, Stdout, clean_text, one_line, paint_text, warn_user};

pub(crate) fn run(args: &TailArgs, out: &mut Stdout) -> Result<(), Failure> {
    let view = args.view.parse_view()?;
    build_runtime()?.block_on(follow_session(args, view, out))
}

struct PrintedTurns<'a> {
    host: Arc<Inspector>,
    args: &'a TailArgs,
    view: ViewSettings,
    /// Printed turns with their sizes; `None` for a skipped turn.
    printed: BTreeMap<u32, Vec<Option<u64>>>,
    /// Sessions with rewritten logs. A document is rewritten at each change, so most turns stay equal.
    rewritten: BTreeSet<u32>,
    /// Each session's log name when its turns were last printed.
    names: BTreeMap<u32, String>,
    /// Set if there may be several sessions, so that lines name them.
    several: bool,
}

async fn follow_session(args: &TailArgs, view: ViewSettings, out: &mut Stdout) -> Result<(), Failure> {
    let path = args.path.clone();
    let one = path.as_ref().filter(|path| !path.is_dir()).cloned();
    let folders = match (&one, path) {
        // A session that is no file is searched in the harnesses' folders.
        (Some(file), _) => file.exists().then(Vec::new),
        (None, Some(folder)) => Some(vec![folder]),
        (None, None) => None,
    };
    let host = start_host(folders).await?;
    let mut pushes = host.subscribe();
    let several = one.is_none();
    let mut followed = PrintedTurns {
        host: Arc::clone(&host),
        args,
        view,
        printed: BTreeMap::new(),
        rewritten: BTreeSet::new(),
        names: BTreeMap::new(),
        several,
    };
    let mut newest_at = i64::MIN;
    if let Some(file) = one {
        let opened = host.open_target(file.display().to_string(), args.format.clone()).await?;
        followed.print_new_turns(&opened, out)?;
    } else {
        let sessions = host.sessions(EmptyRequest {})?;
        warn_user(&format!("following {}", sessions.folders.join(", ")));
        newest_at = sessions.rows.iter().filter_map(|row| row.changed_at_ms).max().unwrap_or(i64::MIN);
        if let Some(row) = sessions.rows.iter().find(|row| !row.gone) {
            let opened = host.open_target(row.path.clone(), None).await?;
            followed.print_new_turns(&opened, out)?;
        }
    }
    loop {
        out.flush()?;
        match pushes.recv().await {
            Ok(Push::Session { session, restarted, gone, .. }) => {
                if restarted {
                    followed.rewritten.insert(session);
                }
                if gone {
                    warn_user("the log is gone; what was read of it is kept");
                }
                followed.print_session(session, out).await?;
            }
            Ok(Push::Sessions) if several => {
                let rows = host.sessions(EmptyRequest {})?.rows;
                let changed = |at: Option<i64>| at.is_some_and(|at| at >= newest_at);
                let is_new = |row: &&SessionListRow| {
                    !row.gone
                        && changed(row.changed_at_ms)
                        && row.session.is_none_or(|session| !followed.printed.contains_key(&session))
                };
                let new: Vec<&SessionListRow> = rows.iter().filter(is_new).collect();
                for row in new {
                    // An unreadable log is tried again at its next change.
                    if let Ok(opened) = host.open_target(row.path.clone(), None).await {
                        followed.print_new_turns(&opened, out)?;
                    }
                }
            }
            Ok(
                Push::Sessions
                | Push::Progress { .. }
                | Push::Notes { .. }
                | Push::Marks { .. }
                | Push::Reader { .. }
                | Push::Store { .. }
                | Push::Missed,
            ) => {}
            Ok(Push::Trouble { message }) => warn_user(&message),
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

impl PrintedTurns<'_> {
    async fn print_session(&mut self, session: u32, out: &mut Stdout) -> Result<(), Failure> {
        match self.host.open_target(session.to_string(), None).await {
            Ok(opened) => self.print_new_turns(&opened, out),
            // An unreadable log is tried again at its next change.
            Err(error) => {
                warn_user(&error.to_string());
                Ok(())
            }
        }
    }

    /// Prints a session's new turns. The turn `now` waits for its reply.
    fn print_new_turns(&mut self, opened: &SessionSnapshot, out: &mut Stdout) -> Result<(), Failure> {
        let is_new = !self.printed.contains_key(&opened.session());
        let of_log = if is_new { ViewArgs::apply_budget_aloud } else { ViewArgs::apply_budget };
        let (view, source) = of_log(&self.args.view, self.view.clone(), opened);
        let about = commands::about(opened, &view, source)?;
        let before = self.names.insert(opened.session(), about.log.clone());
        if before.is_some_and(|before| before != about.log) {
            warn_user(&format!("the log has another name now: {}", about.log));
        }
        let request = ViewRequest { view };
        let n_replies = commands::n_answered(opened, &request)?;
        let skipped = self.args.lines.map_or(0, |n_lines| n_replies.saturating_sub(n_lines));
        let printed = self.printed.entry(opened.session()).or_insert_with(|| vec![None; skipped as usize]);
        if self.rewritten.remove(&opened.session()) {
            let n_old = u32::try_from(printed.len()).unwrap_or(u32::MAX);
            let now = commands::turns(opened, &request, 1..=n_old.min(n_replies))?;
            let n_same = n_unchanged(printed, now.iter().map(|turn| turn.after));
            if n_same < printed.len() {
                warn_user("the log was started again");
                printed.truncate(n_same);
            }
        }
        let n_printed = u32::try_from(printed.len()).unwrap_or(u32::MAX);
        for turn in commands::turns(opened, &request, n_printed.saturating_add(1)..=n_replies)? {
            printed.push(Some(turn.after));
            if self.args.json {
                out.write_json(&Document::new(turn).with_about(about.clone()))?;
            } else {
                out.write_line(turn_line(&turn, self.several))?;
            }
        }
        Ok(())
    }
}

fn n_unchanged(printed: &[Option<u64>], now: impl Iterator<Item = u64>) -> usize {
    printed.iter().zip(now).take_while(|(then, now)| then.is_none_or(|then| then == *now)).count()
}

fn turn_line(turn: &TurnAnswer, several: bool) -> String {
    let TurnAnswer { session, turn: number, before, after, steps, .. } = turn;
    let mut line = String::new();
    if several {
        line.push_str(&format!("[{session}] "));
    }
    line.push_str(&format!("turn {number:<5} {:>9}", with_commas(*after)));
    if let (Some(kind), Some(name)) = (turn.kind, &turn.episode) {
        line.push_str(&format!("  {kind} {}", one_line(name, 40)));
    }
    if !steps.is_empty() {
        let saved = with_commas(before.saturating_sub(*after));
        let what: Vec<String> =
            steps.iter().map(|step| format!("{} {}", clean_text(&step.name), step.level)).collect();
        line.push_str(&paint_text(
            format!("  −{saved}: {}", one_line(&what.join(", "), 80)),
            Style::new().yellow(),
        ));
    }
    if turn.over_budget {
        line.push_str(&paint_text("  over the budget", Style::new().red()));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::n_unchanged;

    #[test]
    fn turns_of_a_document_that_is_written_anew_are_printed_once() {
        let printed = [None, Some(20), Some(30)];
        for (now, n_same) in [
            (vec![10, 20, 30], 3),
            (vec![10, 20, 30, 40], 3),
            // Another log has the path now, or the log became shorter.
            (vec![10, 21, 30], 1),
            (vec![10, 20], 2),
            (vec![], 0),
        ] {
            assert_eq!(n_unchanged(&printed, now.iter().copied()), n_same, "{now:?}");
        }
    }
}
