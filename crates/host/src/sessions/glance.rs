//! One line about a listed session: its most notable figures, by the same measures as its report.
//!
//! Nothing is stored for it. The log is read as by the command line: from the store if that is up to date.

use std::path::Path;

use cwl_discover::look_up_file;
use cwl_inspect::asked::budget::read_budget;
use cwl_inspect::figures::{count_noun, with_commas};
use cwl_inspect::measure::compactions::Compactions;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::recent::lock_unpoisoned;

use crate::api::{
    EmptyRequest, GlanceAnswer, GlanceMark, GlanceRequest, NeededNameFate, SampleSuggestion, ViewSettings,
};
use crate::host::demo;
use crate::host::inspector::{Inspector, LogFileState};
use crate::host::once::{OpenOnce, open_once};
use crate::reading::recorded::budget_of;
use crate::{ApiError, ErrorCode};

/// Larger logs, in bytes, get no line: a line is not worth the wait.
const MOST_BYTES: u64 = 32 << 20;
const PARTS: usize = 3;

impl Inspector {
    /// Says in one line what is notable about a session. The line is kept until the log changes.
    ///
    /// # Errors
    /// If no session has that name, or the log cannot be read.
    pub fn glance(&self, request: GlanceRequest) -> Result<GlanceAnswer, ApiError> {
        let stamp = look_up_file(Path::new(&request.target)).map(|log| log.stamp);
        let seen: LogFileState =
            (request.target.clone(), stamp.as_ref().map(|stamp| (stamp.length, stamp.modified_ms())));
        let line = self.glances.get_or_make(&seen, || match stamp {
            Some(stamp) if stamp.length > MOST_BYTES => Ok(GlanceAnswer {
                says: format!("{} MB, looked through when it is opened", with_commas(stamp.length >> 20)),
                marks: Vec::new(),
            }),
            _ => self.looked_through(&request.target),
        })?;
        Ok(GlanceAnswer::clone(&line))
    }

    /// Writes the sample log beside the store, to be opened like any log.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn sample(&self, _: EmptyRequest) -> Result<SampleSuggestion, ApiError> {
        let path = demo::write_whole(self.stores.store_folder())?;
        Ok(SampleSuggestion { path: path.display().to_string(), budget: demo::BUDGET.to_owned() })
    }

    fn looked_through(&self, target: &str) -> Result<GlanceAnswer, ApiError> {
        let open = lock_unpoisoned(&self.opened).values().find(|opened| opened.about.path == target).cloned();
        if let Some(opened) = open {
            return glance_at(&opened);
        }
        let folders = self.catalogue.watched_folders().into_iter().map(|folder| folder.path).collect();
        let once = OpenOnce {
            format: None,
            tools: &self.tools,
            data_dir: Some(self.stores.store_folder().to_owned()),
            folders: Some(folders),
            progress: &|_, _| {},
        };
        match open_once(Path::new(target), &once) {
            Ok(opened) => glance_at(&opened),
            Err(error) if error.code == ErrorCode::Empty => {
                Ok(GlanceAnswer { says: "nothing is in it yet".to_owned(), marks: Vec::new() })
            }
            Err(error) => Err(error),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct GlanceFigures {
    n_requests: usize,
    budget: u64,
    n_over: usize,
    largest: u64,
    n_compactions: usize,
    /// Names used again after a compaction whose summary does not mention them.
    n_lost: usize,
    n_hidden: usize,
    n_episodes: usize,
}

fn glance_at(opened: &SessionSnapshot) -> Result<GlanceAnswer, ApiError> {
    let (budget, _) = budget_of(opened, None);
    let view = ViewSettings { policy: "none".into(), budget, ..ViewSettings::default() };
    let run = opened.replay_view(&view)?;
    let declared = opened.current_branch();
    let turns = run.branch.session.turns.iter().zip(&run.replay.turns);
    let sizes: Vec<u64> =
        turns.filter(|(turn, _)| turn.message.is_some()).map(|(_, outcome)| outcome.after).collect();
    let budget = read_budget(&view.budget, opened.window_of_shares(&view.budget)?)?;
    let replaced = !run.branch.session.replacements.is_empty();
    let (n_compactions, n_lost) = if replaced { count_lost(opened, &view)? } else { (0, 0) };
    Ok(glance_line(&GlanceFigures {
        n_requests: sizes.len(),
        budget,
        n_over: sizes.iter().filter(|size| **size > budget).count(),
        largest: sizes.iter().copied().max().unwrap_or(0),
        n_compactions,
        n_lost,
        n_hidden: run.sizes.losses.len(),
        n_episodes: declared.n_marked_episodes(),
    }))
}

fn count_lost(opened: &SessionSnapshot, view: &ViewSettings) -> Result<(usize, usize), ApiError> {
    let all = Compactions::audit(opened, view)?;
    let mut n_lost = 0;
    for audit in &all.audits {
        let texts = all.replacement_texts(opened, audit)?;
        n_lost +=
            audit.needed.iter().filter(|one| all.fate_of_name(one, &texts) == NeededNameFate::Lost).count();
    }
    Ok((all.audits.len(), n_lost))
}

fn glance_line(of: &GlanceFigures) -> GlanceAnswer {
    let number = |n: usize| with_commas(n as u64);
    let budget = with_commas(of.budget);
    let mut found: Vec<(GlanceMark, String)> = Vec::new();
    if of.n_lost > 0 {
        let names = count_noun(of.n_lost, "name");
        let were = if of.n_lost == 1 { "was" } else { "were" };
        let compactions = count_noun(of.n_compactions, "compaction");
        found.push((GlanceMark::Lost, format!("{compactions}: {names} that {were} used again went lost")));
    }
    if of.n_compactions > 0 && of.n_lost == 0 {
        found.push((GlanceMark::Compacted, count_noun(of.n_compactions, "compaction")));
    }
    if of.n_hidden > 0 {
        let losses = count_noun(of.n_hidden, "time");
        found.push((GlanceMark::Hidden, format!("{losses} less was sent than the log accounts for")));
    }
    if of.n_over > 0 {
        let requests = count_noun(of.n_requests, "request");
        let largest = with_commas(of.largest);
        found.push((
            GlanceMark::Over,
            format!("{} of {requests} over {budget} tokens, up to {largest}", number(of.n_over)),
        ));
    }
    if of.n_episodes == 0 && of.n_requests > 0 {
        found.push((GlanceMark::Unannotated, "no episodes marked".to_owned()));
    }
    found.truncate(PARTS);
    let (mut marks, mut parts): (Vec<GlanceMark>, Vec<String>) = found.into_iter().unzip();
    if marks.first() == Some(&GlanceMark::Lost) {
        marks.insert(1, GlanceMark::Compacted);
    }
    let calm = of.n_over == 0 && of.n_requests > 0;
    if calm && parts.len() < PARTS {
        parts.push(format!("no request over {budget} tokens"));
    }
    if of.n_episodes > 0 && parts.len() < PARTS {
        parts.push(count_noun(of.n_episodes, "episode"));
    }
    if of.n_requests == 0 {
        parts = vec!["no request to the model yet".to_owned()];
    }
    GlanceAnswer { says: parts.join(" · "), marks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_begins_with_the_most_interesting() {
        use GlanceMark::{Compacted, Hidden, Lost, Over, Unannotated};
        let check = |of: GlanceFigures, expected: &str, marks: &[GlanceMark]| {
            let line = glance_line(&of);
            assert_eq!((line.says.as_str(), line.marks.as_slice()), (expected, marks), "{of:?}");
        };
        let of =
            || GlanceFigures { n_requests: 40, budget: 80_000, n_episodes: 3, ..GlanceFigures::default() };
        let over = || GlanceFigures { n_over: 2, largest: 91_234, ..of() };
        check(of(), "no request over 80,000 tokens · 3 episodes", &[]);
        check(
            GlanceFigures { n_requests: 1, n_episodes: 0, ..of() },
            "no episodes marked · no request over 80,000 tokens",
            &[Unannotated],
        );
        check(over(), "2 of 40 requests over 80,000 tokens, up to 91,234 · 3 episodes", &[Over]);
        check(
            GlanceFigures { n_compactions: 1, n_episodes: 0, ..over() },
            "1 compaction · 2 of 40 requests over 80,000 tokens, up to 91,234 · no episodes marked",
            &[Compacted, Over, Unannotated],
        );
        check(
            GlanceFigures { n_compactions: 2, n_lost: 14, ..of() },
            "2 compactions: 14 names that were used again went lost · no request over 80,000 tokens · 3 episodes",
            &[Lost, Compacted],
        );
        check(
            GlanceFigures { n_compactions: 2, n_lost: 1, n_hidden: 1, n_episodes: 0, ..over() },
            "2 compactions: 1 name that was used again went lost · 1 time less was sent than the log accounts for · \
             2 of 40 requests over 80,000 tokens, up to 91,234",
            &[Lost, Compacted, Hidden, Over],
        );
        check(GlanceFigures::default(), "no request to the model yet", &[]);
    }
}
