//! The fitted weights. `make fit` writes this file, from 60 readings of 30 sessions.

use super::weight::Weights;

/// The weights by which sessions are divided, sixteenths; labels are none, an exploration, an act.
#[rustfmt::skip]
pub const WEIGHTS: Weights = Weights {
    start: [
        [-10, -36, -35], // always
        [-4, 17, 2], // first_turn
        [-9, 35, 38], // human
        [-2, -15, -23], // human_approves
        [-2, 10, 6], // human_long
        [2, -5, 14], // human_short
        [-1, -12, -5], // human_asks
        [0, -1, -9], // human_same_work
        [-5, 2, 7], // human_after_no_call
        [0, -6, 1], // human_after_work
        [3, 6, 2], // human_mid_run
        [0, 15, 15], // human_then_look
        [0, -9, -11], // human_then_edit
        [0, 7, 14], // human_then_publish
        [-9, -24, -26], // human_no_calls
        [-3, -4, -13], // human_few_turns
        [0, -7, -12], // human_same_files
        [0, -7, -12], // human_new_files
        [0, 10, 4], // human_known_files
        [0, 16, 15], // human_unknown_files
        [0, -41, -37], // human_tweak
        [-2, 4, 8], // harness
        [0, 12, 12], // compacted
        [0, 0, 6], // interrupted
        [39, -42, -49], // no_call
        [-2, 13, 14], // after_no_call
        [3, 6, 17], // words
        [-6, 9, 12], // words_middling
        [12, 13, 9], // words_long
        [9, 5, -2], // words_after_silence
        [5, -5, -3], // words_after_long_silence
        [-9, 5, 11], // only_reasoning
        [0, -4, 9], // says_now
        [-7, 1, 12], // announces
        [6, -10, -8], // says_done
        [0, 12, 7], // done_and_announces
        [3, -2, 14], // counts_step
        [7, -9, -12], // heading
        [4, 2, 9], // learned
        [0, -2, 4], // learned_then_work
        [0, -20, -13], // reasoned_learned
        [-1, 1, 8], // speaks_of_commit
        [-5, -17, -11], // goes_on
        [-1, -9, -14], // waits_in_words
        [-5, 10, -3], // will_write
        [3, 11, -3], // will_look
        [-4, 0, -3], // will_check
        [6, 8, 0], // speaks_of_all
        [-8, -9, -5], // look_after_look
        [-1, 1, -2], // work_after_look
        [0, -5, -1], // publish_after_look
        [0, 17, 21], // check_after_look
        [0, 8, 10], // delegate_after_look
        [-4, 7, -1], // tasks_after_look
        [4, -3, -3], // no_call_after_look
        [1, -14, -13], // look_after_work
        [-1, -9, -8], // work_after_work
        [0, -8, -8], // publish_after_work
        [-1, -8, -5], // check_after_work
        [0, 0, -1], // delegate_after_work
        [-4, 0, 7], // tasks_after_work
        [-1, 0, 0], // no_call_after_work
        [-1, -14, -6], // look_after_publish
        [0, -1, -1], // work_after_publish
        [-1, -11, -19], // publish_after_publish
        [3, -7, -4], // tasks_after_publish
        [0, 2, 0], // look_after_check
        [0, 5, 7], // work_after_check
        [0, 8, 11], // publish_after_check
        [-2, -14, -21], // check_after_check
        [-2, -7, -1], // tasks_after_check
        [4, 11, 7], // look_after_delegate
        [0, 20, 32], // work_after_delegate
        [0, -14, -19], // delegate_after_delegate
        [-1, -3, -3], // is_edit
        [-2, -10, -3], // is_publish
        [-1, -3, -4], // is_mutate
        [-1, 3, -1], // is_delegate
        [-4, -11, -16], // is_check
        [-2, 0, -3], // is_run
        [-3, -14, 0], // is_look
        [0, -4, -10], // is_ask
        [-7, 9, 9], // is_tasks
        [-1, -4, -2], // work_after_no_look
        [0, -4, -5], // work_after_one_look
        [0, 5, 9], // work_after_two_looks
        [0, -2, -2], // work_after_some_looks
        [0, 39, 14], // work_after_many_looks
        [0, -7, -10], // edit_of_read
        [0, -13, -19], // edit_again
        [0, -7, -10], // edit_new_file
        [0, -2, -3], // edit_new_folder
        [0, -2, -5], // one_look_after_work
        [0, -18, -11], // two_looks_after_work
        [0, -2, -2], // three_looks_after_work
        [0, -3, 2], // some_looks_after_work
        [-1, 9, 3], // many_looks_after_work
        [-1, -1, 7], // three_looking_calls
        [0, 20, 12], // look_after_failure
        [0, 9, -3], // look_at_own
        [-1, -6, 2], // look_at_other
        [-4, -1, 11], // fresh_look
        [0, 16, 27], // turn_over
        [-1, -4, -7], // looks_before2
        [-1, -1, 3], // looks_before4
        [-1, 6, 5], // looks_before8
        [-1, -5, -9], // looks_before14
        [-1, 0, 1], // looks_before_more
        [0, 3, 9], // look_drifts
        [0, -4, 6], // look_drifts_with_words
        [0, 4, 9], // look_disjoint
        [2, -1, 4], // look_announced_late
        [0, 6, 9], // edit_elsewhere_with_words
        [-2, -32, -15], // new_unit
        [0, 6, 9], // edit_after_good_check
        [0, -1, -2], // edit_after_bad_check
        [-1, 0, 14], // publish_begins
        [0, 12, 31], // publish_begins_after_edits
        [0, 2, 6], // publish_begins_long
        [-1, 15, 18], // publish_begins_single
        [-1, -4, 2], // publish_begins_after_much
        [0, 2, 6], // publish_begins_said
        [-1, -8, -8], // publish_goes_on
        [3, 14, 18], // after_publish
        [0, 24, 30], // tasks_created
        [0, -12, -14], // tasks_created_before
        [0, -4, -3], // tasks_created_on
        [2, 0, 16], // task_started
        [-9, 2, 15], // task_done
        [3, 18, 15], // task_switched
        [2, 17, 15], // task_started_silent
        [4, -10, -9], // task_started_short
        [-3, -4, -1], // task_started_middling
        [-1, 13, 14], // task_started_long
        [-1, -4, -7], // task_new_folder
        [6, 30, 37], // after_task_done
        [-1, 1, 14], // after_task_started
        [0, -13, -19], // tasks_then_look
        [-1, -11, -16], // tasks_then_work
        [-3, 13, 20], // after_plan
        [-1, 17, 18], // delegate_after_other
        [5, 22, 19], // after_delegate
        [0, -2, -3], // writes_by_subagent
        [5, 1, -5], // asks_first
        [-1, 0, 2], // waiting
        [0, 11, 9], // after_waiting
        [-1, 7, 3], // failed
        [-5, -6, -12], // failed_before
        [-2, 0, 7], // check_begins
        [0, -1, 19], // after_good_check
        [0, 18, 5], // after_bad_check
        [-1, 27, 21], // big_output
        [6, 15, 13], // done_then_announces
        [-2, 16, 0], // new_folders
        [-3, 0, 0], // new_files
        [6, -6, 0], // window_disjoint
        [3, -15, -13], // window_alike
        [-1, -10, -7], // words_apart
        [1, -8, 10], // words_little_shared
        [2, 0, 2], // words_shared
        [4, 7, 8], // words_turn
    ],
    turn: [
        [4, 3], // always
        [-11, 13], // is_edit
        [8, -2], // is_publish
        [-1, 4], // is_mutate
        [4, -1], // is_delegate
        [7, 2], // is_check
        [-4, 11], // is_run
        [10, 3], // is_look
        [-4, -11], // is_ask
        [8, -2], // is_tasks
        [-13, -14], // is_no_call
        [-11, 13], // has_edit
        [-4, 6], // has_mutate
        [5, -2], // has_delegate
        [11, -3], // has_run
        [9, 5], // has_look
        [6, -1], // has_git_look
        [6, -6], // next_is_look
        [-3, 17], // next_is_work
        [-1, 2], // writes_by_subagent
        [-8, -10], // last_before_human
        [-12, -6], // no_call_last
        [-1, -8], // no_call_middle
        [-12, -19], // no_call_long
        [14, 14], // no_call_short
        [0, -6], // no_call_after_human
        [0, 3], // run_of_one
        [4, 0], // run_of_two
        [2, 0], // run_of_three
        [3, -1], // run_of_five
        [-2, 0], // run_of_many
        [0, 5], // short_run_then_work
        [4, -2], // short_run_then_no_work
        [-5, -3], // long_run_then_work
        [8, 2], // long_run_then_no_work
        [9, -8], // one_call_run
        [-1, 3], // two_call_run
        [6, -2], // some_call_run
        [2, -5], // many_call_run
        [-3, 5], // after_work_run
        [4, -12], // after_publish_run
        [1, 0], // after_check_run
        [2, 0], // reads_to_edit
        [-9, 10], // only_reads_to_edit
        [10, -5], // edit_next
        [2, -14], // mutate_next
        [1, 0], // reads_own
        [-3, 0], // work_around
        [0, 5], // work_before
        [2, -1], // work_next
        [-9, 6], // looks_before
        [-2, -2], // looks_next
        [-3, 7], // work_in_request
        [10, 4], // work_earlier_in_request
        [5, 3], // work_later_in_request
        [4, -6], // no_calls_in_request
        [-1, 2], // tasks_before_look
        [3, 1], // tasks_before_work
        [-4, 7], // tasks_done
        [-7, 0], // tasks_started
        [1, 8], // run_after_work
        [1, 5], // run_then_work
        [-8, 3], // will_write
        [11, -6], // will_look
        [-1, -2], // learned
        [2, 0], // failed
        [0, 3], // waiting
    ],
    after: [
        [0, -7, -5], // behind none
        [-21, -14, 1], // behind expl
        [-17, -27, -24], // behind act
        [-4, 10, -5], // behind the start
    ],
    lengths: [
        [-16, -18, -8, -5, -7, 12, 0, 0, 0, 0], // none
        [-24, -17, -11, -1, -2, 10, 10, 8, -11, 0], // expl
        [-27, -7, 1, 3, 0, 1, -1, -1, 1, -2], // act
    ],
    contents: [
        [10, -15, -17, -2, -15, 0, -3], // none
        [-23, 13, -16, 13, -4, -23, 3], // expl
        [-37, -9, -6, 3, 13, -3, 6], // act
    ],
    edge: [
        -46, // always
        13, // last
        9, // second_last
        23, // no_act_between
        1, // one_act_between
        -15, // many_acts_between
        10, // last_and_no_act_between
        18, // same_request
        15, // no_act_between_in_request
        19, // one_human_between
        0, // names_most
        14, // names_many
        0, // names_some
        0, // names_few
        -13, // names_almost_none
        18, // holds_many
        7, // holds_some
        7, // edits_read
        -2, // edits_only_read
        3, // touches_read
        4, // touches_two_read
        2, // only_publishes
        -13, // edits_nothing
        -2, // long_exploration
        -4, // first_exploration
    ],
};
