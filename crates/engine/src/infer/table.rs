//! The fitted weights. `make fit` writes this file, from 20 readings of 10 sessions.

use super::weight::Weights;

/// The weights by which sessions are divided, sixteenths; labels are none, an exploration, an act.
#[rustfmt::skip]
pub const WEIGHTS: Weights = Weights {
    start: [
        [-8, -38, -40], // always
        [-3, 10, 4], // first_turn
        [-3, 28, 46], // human
        [-5, -25, -26], // human_approves
        [0, 5, 12], // human_long
        [1, -2, -2], // human_short
        [1, -16, -18], // human_asks
        [0, -4, -7], // human_same_work
        [-3, 6, 8], // human_after_no_call
        [-2, 3, 6], // human_after_work
        [2, 2, 4], // human_mid_run
        [0, 12, 12], // human_then_look
        [0, -3, -2], // human_then_edit
        [0, 4, 7], // human_then_publish
        [-3, -24, -25], // human_no_calls
        [-2, -5, -9], // human_few_turns
        [0, -9, -11], // human_same_files
        [0, -2, -7], // human_new_files
        [0, 0, 4], // human_known_files
        [0, 7, 5], // human_unknown_files
        [0, -39, -32], // human_tweak
        [0, -8, -5], // harness
        [0, 15, 15], // compacted
        [0, 2, 5], // interrupted
        [37, -35, -38], // no_call
        [0, 7, 5], // after_no_call
        [2, -5, 2], // words
        [-2, 6, 4], // words_middling
        [14, 5, 9], // words_long
        [6, 5, 1], // words_after_silence
        [-3, -15, -7], // words_after_long_silence
        [-6, 4, 6], // only_reasoning
        [0, 9, 22], // says_now
        [-6, 12, 24], // announces
        [8, -6, -8], // says_done
        [2, 6, 3], // done_and_announces
        [7, 7, 13], // counts_step
        [-4, 1, 2], // heading
        [6, 4, 5], // learned
        [0, 0, 3], // learned_then_work
        [0, -2, 4], // reasoned_learned
        [-1, -1, 2], // speaks_of_commit
        [-2, -24, -19], // goes_on
        [-1, -18, -16], // waits_in_words
        [-2, 5, 1], // will_write
        [3, 15, 5], // will_look
        [-5, -2, -4], // will_check
        [0, 10, 3], // speaks_of_all
        [-7, -19, -15], // look_after_look
        [-1, 1, -4], // work_after_look
        [0, 2, 4], // publish_after_look
        [0, 0, 2], // check_after_look
        [0, 7, 4], // delegate_after_look
        [-3, 5, 2], // tasks_after_look
        [-2, -1, -1], // no_call_after_look
        [0, -25, -26], // look_after_work
        [0, -6, -9], // work_after_work
        [0, -9, -10], // publish_after_work
        [-1, -9, -9], // check_after_work
        [0, 0, 0], // delegate_after_work
        [-1, 11, 19], // tasks_after_work
        [4, 0, 0], // no_call_after_work
        [-2, 0, 4], // look_after_publish
        [0, -2, -4], // work_after_publish
        [-1, -9, -12], // publish_after_publish
        [3, -6, -9], // tasks_after_publish
        [0, 4, 1], // look_after_check
        [0, -2, -3], // work_after_check
        [0, 3, 4], // publish_after_check
        [-1, -8, -10], // check_after_check
        [-1, -5, 0], // tasks_after_check
        [3, 9, 10], // look_after_delegate
        [0, 22, 34], // work_after_delegate
        [-1, -7, -8], // delegate_after_delegate
        [-1, -9, -13], // is_edit
        [-2, -9, -7], // is_publish
        [0, 2, 1], // is_mutate
        [-2, 8, 1], // is_delegate
        [-3, -16, -17], // is_check
        [-1, -10, -7], // is_run
        [-3, -9, -2], // is_look
        [-1, 3, -3], // is_ask
        [-4, 8, 14], // is_tasks
        [0, -11, -15], // work_after_no_look
        [0, -2, -3], // work_after_one_look
        [0, 4, 9], // work_after_two_looks
        [0, 1, 1], // work_after_some_looks
        [-1, 12, -13], // work_after_many_looks
        [0, -2, -2], // edit_of_read
        [0, -2, -3], // edit_again
        [0, -6, -8], // edit_new_file
        [0, 1, 2], // edit_new_folder
        [0, -4, -14], // one_look_after_work
        [0, -7, -5], // two_looks_after_work
        [0, 3, 5], // three_looks_after_work
        [0, -6, 0], // some_looks_after_work
        [-1, 1, -1], // many_looks_after_work
        [-2, 2, 3], // three_looking_calls
        [0, 10, 3], // look_after_failure
        [0, 4, -2], // look_at_own
        [-1, 0, -1], // look_at_other
        [-7, -1, 22], // fresh_look
        [-1, 9, 14], // turn_over
        [-1, 0, -1], // looks_before2
        [-1, 0, 3], // looks_before4
        [0, 5, 8], // looks_before8
        [-1, -12, -8], // looks_before14
        [-2, -3, -11], // looks_before_more
        [0, 15, 13], // look_drifts
        [0, -12, -3], // look_drifts_with_words
        [-1, 5, 5], // look_disjoint
        [1, -7, -2], // look_announced_late
        [0, 3, 4], // edit_elsewhere_with_words
        [0, -28, -17], // new_unit
        [0, -2, -3], // edit_after_good_check
        [0, 0, 0], // edit_after_bad_check
        [-1, 9, 23], // publish_begins
        [0, 7, 17], // publish_begins_after_edits
        [0, 4, 7], // publish_begins_long
        [-1, 17, 28], // publish_begins_single
        [-1, 9, 24], // publish_begins_after_much
        [0, 4, 8], // publish_begins_said
        [0, -5, -8], // publish_goes_on
        [-2, 10, 9], // after_publish
        [0, 10, 18], // tasks_created
        [0, -15, -16], // tasks_created_before
        [0, -13, -11], // tasks_created_on
        [4, -1, 12], // task_started
        [-5, -8, -3], // task_done
        [5, 17, 13], // task_switched
        [2, 11, 9], // task_started_silent
        [4, -13, -16], // task_started_short
        [-2, 3, 6], // task_started_middling
        [-1, 10, 14], // task_started_long
        [-1, -8, -9], // task_new_folder
        [5, 31, 32], // after_task_done
        [-2, -3, 2], // after_task_started
        [0, -11, -15], // tasks_then_look
        [0, -10, -15], // tasks_then_work
        [0, 9, 13], // after_plan
        [-1, 16, 9], // delegate_after_other
        [3, 18, 21], // after_delegate
        [0, -1, -1], // writes_by_subagent
        [3, 4, -2], // asks_first
        [-2, 1, 4], // waiting
        [0, 13, 11], // after_waiting
        [-1, -4, -10], // failed
        [-1, -3, -10], // failed_before
        [-2, -8, -7], // check_begins
        [6, -1, 7], // after_good_check
        [0, 11, 4], // after_bad_check
        [0, 14, 13], // big_output
        [9, 16, 24], // done_then_announces
        [-2, 17, 11], // new_folders
        [-3, -2, 4], // new_files
        [1, -3, -1], // window_disjoint
        [0, -13, -21], // window_alike
        [0, -4, -2], // words_apart
        [0, -5, 4], // words_little_shared
        [-1, -4, -1], // words_shared
        [-2, -4, -7], // words_turn
    ],
    turn: [
        [0, 1], // always
        [-8, 13], // is_edit
        [9, -5], // is_publish
        [-9, 11], // is_mutate
        [6, 0], // is_delegate
        [1, 7], // is_check
        [5, 0], // is_run
        [11, 2], // is_look
        [-8, -9], // is_ask
        [5, -6], // is_tasks
        [-11, -12], // is_no_call
        [-8, 13], // has_edit
        [-9, 11], // has_mutate
        [12, -10], // has_delegate
        [-2, 6], // has_run
        [16, -3], // has_look
        [15, -10], // has_git_look
        [10, -10], // next_is_look
        [-9, 20], // next_is_work
        [0, 0], // writes_by_subagent
        [-7, -13], // last_before_human
        [-10, -12], // no_call_last
        [-1, 0], // no_call_middle
        [-14, -16], // no_call_long
        [0, 12], // no_call_short
        [-6, -6], // no_call_after_human
        [5, -1], // run_of_one
        [1, 2], // run_of_two
        [0, 2], // run_of_three
        [8, -6], // run_of_five
        [0, -4], // run_of_many
        [5, 0], // short_run_then_work
        [0, 1], // short_run_then_no_work
        [-1, -5], // long_run_then_work
        [9, -3], // long_run_then_no_work
        [3, -2], // one_call_run
        [-1, 4], // two_call_run
        [3, 1], // some_call_run
        [-1, -4], // many_call_run
        [-4, 11], // after_work_run
        [7, -11], // after_publish_run
        [-1, 2], // after_check_run
        [-1, 2], // reads_to_edit
        [-8, 10], // only_reads_to_edit
        [6, -1], // edit_next
        [1, -9], // mutate_next
        [6, -5], // reads_own
        [-6, 2], // work_around
        [1, 8], // work_before
        [-2, 1], // work_next
        [-2, 6], // looks_before
        [1, -4], // looks_next
        [-9, 12], // work_in_request
        [3, 9], // work_earlier_in_request
        [5, 0], // work_later_in_request
        [-6, -6], // no_calls_in_request
        [1, -3], // tasks_before_look
        [0, 1], // tasks_before_work
        [-6, 8], // tasks_done
        [-8, -1], // tasks_started
        [6, 3], // run_after_work
        [8, -4], // run_then_work
        [-5, 2], // will_write
        [14, -8], // will_look
        [-7, -4], // learned
        [2, 0], // failed
        [-9, 16], // waiting
    ],
    after: [
        [0, -6, -10], // behind none
        [-13, -10, -2], // behind expl
        [-17, -18, -24], // behind act
        [-3, 4, -2], // behind the start
    ],
    lengths: [
        [-15, -14, -3, -3, -9, 11, 0, 0, 0, 0], // none
        [-14, -7, -14, -7, -6, 19, 7, 7, -14, 0], // expl
        [-28, -1, 2, -1, 1, -5, -8, -1, 5, -1], // act
    ],
    edge: [
        -38, // always
        18, // last
        5, // second_last
        26, // no_act_between
        -9, // one_act_between
        -12, // many_acts_between
        7, // last_and_no_act_between
        8, // same_request
        19, // no_act_between_in_request
        8, // one_human_between
        3, // names_most
        17, // names_many
        8, // names_some
        1, // names_few
        -9, // names_almost_none
        13, // holds_many
        2, // holds_some
        4, // edits_read
        -5, // edits_only_read
        1, // touches_read
        10, // touches_two_read
        -12, // only_publishes
        -14, // edits_nothing
        5, // long_exploration
        -4, // first_exploration
    ],
};
