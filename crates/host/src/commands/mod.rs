//! Commands that need the store, files or several sessions; the others are in `cwl_inspect::commands`.

mod annotate;
pub(crate) mod captured;
mod edit_marks;
mod host_forms;
mod marks_effect;
mod notes;
mod open;
mod overlays;
mod reference;
mod saved;
pub(crate) mod search;
mod store;

pub use cwl_inspect::commands::*;

pub use annotate::{
    KeptMarks, MarksAtBudget, SavedMarks, check_marks, compare_marks, kept_marks, marks_of_name,
    remove_marks, save_checked, save_marks,
};
pub use captured::{captured, captured_body};
pub use edit_marks::edit_marks;
pub use marks_effect::marks_effect;
pub use reference::{formats, models, policies};
