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

pub use cwl_inspect::commands::{
    HumanTurn, Passes, PolicyAsked, RunsAsked, TakenOut, about, block, body, branches, check_cut, choices,
    claims, code_of, columns, compactions, compare, compare_blocks, context, context_in_pieces, context_text,
    copy_of, cost, cuts, diff, duel, edits, episode, episodes_from, evicted, evicted_in_pieces, find,
    findings, frame, frontier, graph, history, human_turns, image, is_protocol_code, kept, lint, lint_by,
    lint_with_dependencies, list, matches, n_answered, needs_episodes, overview, page, place,
    reacquisition_stories, reacquisitions, recovery, replay, reported_cost, requests_made, rule_of_harness,
    runs, session, side_by_side, steps, sweep, taken_out, turns, undeclared, unmarked, unread, unread_of,
    verdict, worth, write_body,
};

pub use annotate::{
    KeptMarks, MarksAtBudget, SavedMarks, check_marks, compare_marks, kept_marks, marks_of_name,
    remove_marks, save_checked, save_marks,
};
pub use captured::{captured, captured_body};
pub use edit_marks::edit_marks;
pub use marks_effect::marks_effect;
pub use reference::{formats, models, policies};
