//! What the texts of a branch say, for policies and measures that need it.

use cwl_engine::{Material, SUMMARY_TITLE, Slot};

use crate::ApiError;
use crate::opened::Branch;
use crate::texts::Texts;

/// Works out the material of a branch; `count` gives the units of a short text.
pub(crate) fn build(
    _branch: &Branch,
    _texts: &Texts,
    count: &dyn Fn(&str) -> u32,
) -> Result<Material, ApiError> {
    let with_line_end = |line: &str| count(&format!("{line}\n"));
    Ok(Material {
        title_units: with_line_end(SUMMARY_TITLE),
        heading_units: Slot::ALL.map(|slot| with_line_end(slot.heading())),
        ..Material::default()
    })
}
