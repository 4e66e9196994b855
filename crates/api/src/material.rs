//! What the texts of a branch say, for policies and measures that need it.

use cwl_engine::{BlockIdx, Material, NamesBuilder, SUMMARY_TITLE, Session, Slot};
use cwl_store::BlockPlace;

use crate::ApiError;
use crate::opened::Branch;
use crate::texts::Texts;

/// Works out the material of a branch in one pass over its texts; `cwd` is the folder that the session ran in,
/// `count` gives the units of a short text.
pub(crate) fn build(
    branch: &Branch,
    texts: &Texts,
    cwd: Option<&str>,
    count: &dyn Fn(&str) -> u32,
) -> Result<Material, ApiError> {
    let session = &branch.session;
    let mut names = NamesBuilder::new(session, cwd);
    scan(session, texts, |block, text| names.block(block, text))?;
    let (names, uses) = names.finish();
    let with_line_end = |line: &str| count(&format!("{line}\n"));
    Ok(Material {
        title_units: with_line_end(SUMMARY_TITLE),
        heading_units: Slot::ALL.map(|slot| with_line_end(slot.heading())),
        names,
        uses,
        ..Material::default()
    })
}

/// Gives the text of every block of a session that can be in a context to `visit`, in log order.
fn scan(session: &Session, texts: &Texts, mut visit: impl FnMut(BlockIdx, &str)) -> Result<(), ApiError> {
    let seq = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut blocks: Vec<(BlockPlace, BlockIdx)> = (0..session.blocks.len())
        .map(BlockIdx::new)
        .filter(|block| !session.is_excluded(*block))
        .map(|block| {
            let row = &session.blocks[block.at()];
            (BlockPlace { seq: seq(row.event.at()), part: row.part }, block)
        })
        .collect();
    blocks.sort_unstable();
    let mut blocks = blocks.into_iter().peekable();
    texts.scan(|at, text| {
        while blocks.next_if(|(place, _)| *place < at).is_some() {}
        while let Some((_, block)) = blocks.next_if(|(place, _)| *place == at) {
            visit(block, text);
        }
    })
}
