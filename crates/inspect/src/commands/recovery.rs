//! Recovery: blocks taken by a compaction and needed later, as one text to copy.

use cwl_engine::{BlockIdx, BlockKind, CompactionAudit, TurnIdx};
use cwl_formats::read_call;

use crate::api::{RecoveryAnswer, RecoveryRequest};
use crate::commands::compactions::shorten_shown;
use crate::figures::{saturate_u32, with_commas};
use crate::measure::compactions::Compactions;
use crate::measure::opened::SessionSnapshot;
use crate::{ApiError, ErrorCode};

const TEXT_CHARS: usize = 60_000;
const BLOCK_CHARS: usize = 12_000;
const NAMES_LISTED: usize = 8;
const LEFT_OUT_LISTED: usize = 20;

/// Returns the blocks that a compaction took and later turns needed, most used first, in Markdown.
///
/// # Errors
/// If `request.view` is invalid, there is no such compaction, or the log's texts cannot be read.
pub fn recovery(opened: &SessionSnapshot, request: &RecoveryRequest) -> Result<RecoveryAnswer, ApiError> {
    let all = Compactions::audit(opened, &request.view)?;
    let at = (request.compaction as usize).checked_sub(1);
    let Some(audit) = at.and_then(|at| all.audits.get(at)) else {
        return Err(no_such(request.compaction, all.audits.len()));
    };
    let blocks = audit.taken_blocks();
    let turn = with_commas(audit.turn.number().into());
    let mut text = format!("# Taken by the compaction before turn {turn}, and needed afterwards\n\n");
    if blocks.is_empty() {
        text.push_str("Nothing that the compaction removed was used again.\n");
    } else {
        text.push_str(&format!(
            "Outputs as they stand in the log, the most used first; files may have changed since. At most {} characters \
             of one output and {} of all together.\n",
            with_commas(BLOCK_CHARS as u64),
            with_commas(TEXT_CHARS as u64),
        ));
    }
    let mut n_chars = text.chars().count();
    let mut left_out = Vec::new();
    for (block, n_uses) in &blocks {
        let title = output_title(opened, &all, *block)?;
        // A smaller block may still fit.
        let part = recovery_section(opened, &all, audit, *block, *n_uses, &title)?;
        let n_of_part = part.chars().count();
        if n_chars + n_of_part > TEXT_CHARS {
            left_out.push(title);
            continue;
        }
        text.push_str(&part);
        n_chars += n_of_part;
    }
    if !left_out.is_empty() {
        text.push_str(&format!(
            "\n## Left out\n\n{} more did not fit:\n\n",
            with_commas(left_out.len() as u64)
        ));
        left_out.iter().take(LEFT_OUT_LISTED).for_each(|title| text.push_str(&format!("- {title}\n")));
    }
    Ok(RecoveryAnswer {
        revision: opened.revision(),
        n_blocks: saturate_u32(blocks.len() - left_out.len()),
        n_left_out: saturate_u32(left_out.len()),
        n_chars: text.chars().count() as u64,
        text,
    })
}

fn no_such(number: u32, n_compactions: usize) -> ApiError {
    let hint = match n_compactions {
        0 => "the log records none on this branch".to_owned(),
        n => format!("there are 1 to {n}"),
    };
    ApiError::new(ErrorCode::BadRequest, format!("no compaction {number}")).with_hint(hint)
}

fn output_title(opened: &SessionSnapshot, all: &Compactions, block: BlockIdx) -> Result<String, ApiError> {
    let session = &all.run.branch.session;
    let call = session.blocks[block.at()].pair.unwrap_or(block);
    let BlockKind::Call(tool) = &session.blocks[call.at()].kind else { return Ok("an output".to_owned()) };
    let text = opened.block_content(session, call)?.text;
    let reading = read_call(&tool.name, &text);
    let paths: Vec<&str> = reading.path_arguments().collect();
    let asked = match (reading.command_line(), paths.is_empty()) {
        (Some(line), _) => line.into_owned(),
        (None, false) => paths.join(" "),
        (None, true) => {
            reading.arguments.first().map(|argument| argument.text.to_string()).unwrap_or_default()
        }
    };
    let asked = shorten_shown(&asked).replace('`', "'");
    let asked = asked.trim();
    let name = shorten_shown(&tool.name);
    Ok(if asked.is_empty() { name } else { format!("{name} `{asked}`") })
}

fn recovery_section(
    opened: &SessionSnapshot,
    all: &Compactions,
    audit: &CompactionAudit,
    block: BlockIdx,
    n_uses: u32,
    title: &str,
) -> Result<String, ApiError> {
    let session = &all.run.branch.session;
    let of_block = || audit.needed.iter().chain(&audit.late).filter(|one| one.held == block);
    let first = of_block().map(|one| one.turn).min().map_or(0, TurnIdx::number);
    let mut names: Vec<_> = of_block().filter_map(|one| all.needed_name(one)).collect();
    names.sort_by_key(|name| name.kind);
    let n_more = names.len().saturating_sub(NAMES_LISTED);
    let mut listed: Vec<String> = names
        .iter()
        .take(NAMES_LISTED)
        .map(|name| format!("`{}`", shorten_shown(&name.text).replace('`', "'")))
        .collect();
    if n_more > 0 {
        listed.push(format!("{n_more} more"));
    }
    let came = session.turn_after(session.blocks[block.at()].message).number();
    let line = opened.line_of(session, block);
    let text = opened.block_content(session, block)?.text;
    let (text, n_cut) = cut_text(&text, BLOCK_CHARS);
    let fence = fence_of(text);
    let times = if n_uses == 1 { "once" } else { &format!("{} times", with_commas(n_uses.into())) };
    let mut part = format!(
        "\n## {title}\n\nFrom turn {}, line {} of the log; used {times}, first at turn {}: {}.\n\n{fence}\n{}\n{fence}\n",
        with_commas(came.into()),
        with_commas(line),
        with_commas(first.into()),
        listed.join(", "),
        text.trim_end_matches('\n'),
    );
    if n_cut > 0 {
        part.push_str(&format!("\n… {} more characters\n", with_commas(n_cut as u64)));
    }
    Ok(part)
}

fn cut_text(text: &str, n_chars: usize) -> (&str, usize) {
    match text.char_indices().nth(n_chars) {
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
        None => (text, 0),
    }
}

fn fence_of(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        let check = |text: &str, expected: usize| assert_eq!(fence_of(text).len(), expected, "{text:?}");
        check("", 3);
        check("a `b` c", 3);
        check("```rust\nx\n```", 4);
        check("é`````", 6);
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(cut_text("éàü", 2), ("éà", 1));
        assert_eq!(cut_text("éàü", 3), ("éàü", 0));
        assert_eq!(cut_text("", 3), ("", 0));
    }
}
