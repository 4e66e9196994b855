//! The source of episodes, and the reasons for their starts, in words.

use cwl_engine::{AnnotationSource, BlockKind, Evidence};

use crate::ApiError;
use crate::api::AnnotationOrigin;
use crate::asked::view::{MarksKey, ViewSelection};
use crate::figures::with_commas;
use crate::measure::branch::Branch;
use crate::measure::opened::SessionSnapshot;
use crate::present::cues::words_of;

const CUES_NAMED: usize = 3;

pub fn episodes_from(
    opened: &SessionSnapshot,
    chosen: &ViewSelection,
    branch: &Branch,
) -> Result<AnnotationOrigin, ApiError> {
    let written = match &chosen.branch.marks {
        MarksKey::Written(written) => Some(written),
        MarksKey::Declared | MarksKey::Inferred | MarksKey::Filled => None,
    };
    let (name, by) =
        (written.map(|written| written.name.clone()), written.and_then(|written| written.author_name()));
    let says = match (branch.growth.source, branch.has_episodes()) {
        (AnnotationSource::Declared, true) => "marked by the agent".to_owned(),
        (AnnotationSource::Declared, false) => "the agent marked none".to_owned(),
        (AnnotationSource::Inferred, true) => {
            "inferred by this program, not marked by the agent; dependencies in hindsight".to_owned()
        }
        (AnnotationSource::Inferred, false) if !has_calls(branch) => {
            "a conversation without tool calls has nothing to mark".to_owned()
        }
        (AnnotationSource::Inferred, false) => "the agent marked none, and none could be inferred".to_owned(),
        (AnnotationSource::Filled, _) => format!(
            "marked by the agent; {} of {} in the stretches between are inferred by this program",
            with_commas(n_guessed(branch)),
            with_commas(branch.n_marked_episodes() as u64)
        ),
        (AnnotationSource::Written, _) => {
            let by = by.map_or(String::new(), |by| format!(" by {by}"));
            let of = with_commas(branch.n_marked_episodes() as u64);
            let guessed = match n_guessed(branch) {
                0 => String::new(),
                n => format!("; {} of {of} starts are inferred still", with_commas(n)),
            };
            format!("marked afterwards{by} ({}{guessed})", name.as_deref().unwrap_or_default())
        }
    };
    let mut notes = Vec::new();
    if !branch.is_declared() {
        let keeps_own = branch.growth.source == AnnotationSource::Filled;
        if !keeps_own && opened.branch(&chosen.branch.with_declared_marks())?.has_episodes() {
            notes.push("The agent’s own marks are set aside.".to_owned());
        }
        let policy = chosen.policy_row()?;
        if policy.own_marks {
            notes.push(format!(
                "The harness of {} would not do so: it acts on the agent’s own delimiter calls only.",
                policy.name
            ));
        }
    }
    Ok(AnnotationOrigin {
        source: branch.growth.source,
        by: by.map(str::to_owned),
        name,
        says,
        note: (!notes.is_empty()).then(|| notes.join(" ")),
        problems: branch.mark_problems.clone(),
    })
}

fn n_guessed(branch: &Branch) -> u64 {
    branch.growth.graph.episodes().filter(|(_, episode)| episode.evidence.is_some()).count() as u64
}

fn has_calls(branch: &Branch) -> bool {
    branch.session.blocks.iter().any(|block| matches!(block.kind, BlockKind::Call(_)))
}

pub(crate) fn describe_evidence(evidence: &Evidence) -> String {
    let percent = (u32::from(evidence.confidence) + 5) / 10;
    let cues: Vec<String> =
        evidence.cues.iter().filter_map(|cue| words_of(cue)).take(CUES_NAMED).map(str::to_owned).collect();
    match cues.is_empty() {
        true => format!("inferred ({percent} %)"),
        false => format!("inferred ({percent} %): {}", cues.join("; ")),
    }
}
