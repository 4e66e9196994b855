//! The fitted weights. `make fit` writes this file, from 60 readings of 30 sessions.

use super::weight::Weights;

#[rustfmt::skip]
pub const WEIGHTS: Weights = Weights {
    start: [
        [-8, -31, -31], // always
        [-4, 15, 3], // first_turn
        [-9, 33, 34], // human
        [-3, -11, -12], // human_approves
        [-1, 8, 6], // human_long
        [1, 1, 8], // human_short
        [0, -11, -10], // human_asks
        [0, 1, -11], // human_same_work
        [-4, 3, 4], // human_after_no_call
        [-1, -2, 1], // human_after_work
        [2, 5, 5], // human_mid_run
        [0, 9, 14], // human_then_look
        [0, 0, -9], // human_then_edit
        [0, 4, 10], // human_then_publish
        [-9, -22, -22], // human_no_calls
        [-3, -4, -8], // human_few_turns
        [0, -7, -4], // human_same_files
        [0, -3, -7], // human_new_files
        [0, 10, 0], // human_known_files
        [0, 9, 10], // human_unknown_files
        [0, -34, -27], // human_tweak
        [-1, 2, 4], // harness
        [0, 16, 16], // compacted
        [0, 0, 3], // interrupted
        [35, -37, -41], // no_call
        [-1, 7, 8], // after_no_call
        [3, 5, 12], // words
        [-4, 7, 12], // words_middling
        [11, 11, 10], // words_long
        [8, 5, -1], // words_after_silence
        [1, -4, -3], // words_after_long_silence
        [-5, 5, 11], // only_reasoning
        [0, -2, 10], // says_now
        [-6, 3, 13], // announces
        [4, -10, -7], // says_done
        [0, 7, 5], // done_and_announces
        [4, 0, 12], // counts_step
        [4, -7, -10], // heading
        [4, 4, 8], // learned
        [0, 1, 5], // learned_then_work
        [0, -13, -10], // reasoned_learned
        [-1, 5, 11], // speaks_of_commit
        [-3, -15, -12], // goes_on
        [-1, -7, -12], // waits_in_words
        [-3, 7, -3], // will_write
        [3, 11, -2], // will_look
        [-4, -2, -1], // will_check
        [3, 8, -1], // speaks_of_all
        [-6, -12, -5], // look_after_look
        [-1, -2, -3], // work_after_look
        [0, -5, -4], // publish_after_look
        [0, 14, 16], // check_after_look
        [0, 6, 7], // delegate_after_look
        [-3, 1, -2], // tasks_after_look
        [2, -3, -2], // no_call_after_look
        [1, -12, -13], // look_after_work
        [-1, -6, -9], // work_after_work
        [0, -8, -10], // publish_after_work
        [-1, -8, -6], // check_after_work
        [0, 1, 0], // delegate_after_work
        [-3, 6, 8], // tasks_after_work
        [1, -1, 0], // no_call_after_work
        [-1, -7, -3], // look_after_publish
        [0, -2, -2], // work_after_publish
        [-1, -7, -10], // publish_after_publish
        [2, -3, -1], // tasks_after_publish
        [0, 1, 0], // look_after_check
        [0, 3, 5], // work_after_check
        [0, 7, 9], // publish_after_check
        [-2, -14, -19], // check_after_check
        [-1, -4, 0], // tasks_after_check
        [2, 10, 8], // look_after_delegate
        [0, 19, 29], // work_after_delegate
        [0, -10, -13], // delegate_after_delegate
        [-1, -4, -4], // is_edit
        [-1, -9, -5], // is_publish
        [-1, 2, -7], // is_mutate
        [-1, 2, -1], // is_delegate
        [-3, -12, -14], // is_check
        [-1, -2, 6], // is_run
        [-3, -12, -7], // is_look
        [0, -3, -5], // is_ask
        [-6, 8, 8], // is_tasks
        [-1, -5, -6], // work_after_no_look
        [0, -6, -5], // work_after_one_look
        [0, 2, 6], // work_after_two_looks
        [0, 0, 1], // work_after_some_looks
        [0, 27, 12], // work_after_many_looks
        [0, -8, -11], // edit_of_read
        [0, -10, -15], // edit_again
        [0, -3, -5], // edit_new_file
        [0, -2, -3], // edit_new_folder
        [1, -2, -2], // one_look_after_work
        [0, -13, -11], // two_looks_after_work
        [0, 6, 0], // three_looks_after_work
        [0, -5, 1], // some_looks_after_work
        [0, 2, 0], // many_looks_after_work
        [-1, 0, 8], // three_looking_calls
        [0, 14, 7], // look_after_failure
        [0, 6, -1], // look_at_own
        [0, 1, 6], // look_at_other
        [-3, 0, 3], // fresh_look
        [0, 12, 19], // turn_over
        [-1, -7, -9], // looks_before2
        [-1, 0, -1], // looks_before4
        [-1, 5, 11], // looks_before8
        [-1, -2, 0], // looks_before14
        [-1, -2, -5], // looks_before_more
        [0, 5, 10], // look_drifts
        [0, -1, 8], // look_drifts_with_words
        [0, -1, 0], // look_disjoint
        [1, -2, 5], // look_announced_late
        [0, 5, 7], // edit_elsewhere_with_words
        [-1, -26, -12], // new_unit
        [0, 6, 9], // edit_after_good_check
        [0, -1, -1], // edit_after_bad_check
        [-1, 2, 12], // publish_begins
        [0, 12, 26], // publish_begins_after_edits
        [0, 4, 7], // publish_begins_long
        [0, 16, 24], // publish_begins_single
        [-1, 1, 6], // publish_begins_after_much
        [0, 3, 7], // publish_begins_said
        [-1, -7, -4], // publish_goes_on
        [2, 10, 11], // after_publish
        [0, 19, 24], // tasks_created
        [0, -10, -11], // tasks_created_before
        [0, -5, -4], // tasks_created_on
        [0, 3, 14], // task_started
        [-6, 2, 10], // task_done
        [1, 19, 17], // task_switched
        [1, 12, 11], // task_started_silent
        [3, -6, -7], // task_started_short
        [-2, -3, -1], // task_started_middling
        [-1, 10, 11], // task_started_long
        [-1, -5, -7], // task_new_folder
        [5, 26, 31], // after_task_done
        [-1, 4, 13], // after_task_started
        [-1, -9, -12], // tasks_then_look
        [-1, -9, -13], // tasks_then_work
        [-2, 10, 15], // after_plan
        [-1, 12, 12], // delegate_after_other
        [3, 17, 16], // after_delegate
        [0, -2, -2], // writes_by_subagent
        [4, 1, -2], // asks_first
        [-1, -2, -2], // waiting
        [0, 6, 4], // after_waiting
        [-1, 6, 3], // failed
        [-3, -2, -8], // failed_before
        [-2, 0, 6], // check_begins
        [2, 1, 15], // after_good_check
        [0, 13, 4], // after_bad_check
        [-1, 25, 16], // big_output
        [6, 14, 17], // done_then_announces
        [-2, 12, 1], // new_folders
        [-2, 0, 0], // new_files
        [3, -5, 1], // window_disjoint
        [2, -15, -14], // window_alike
        [0, -7, -5], // words_apart
        [1, -2, 6], // words_little_shared
        [1, 0, -1], // words_shared
        [2, 7, 8], // words_turn
    ],
    turn: [
        [2, 5], // always
        [-9, 11], // is_edit
        [6, 0], // is_publish
        [-2, 5], // is_mutate
        [6, -3], // is_delegate
        [5, 5], // is_check
        [3, 1], // is_run
        [8, 5], // is_look
        [-7, -9], // is_ask
        [4, 1], // is_tasks
        [-10, -11], // is_no_call
        [-9, 11], // has_edit
        [-2, 5], // has_mutate
        [6, -4], // has_delegate
        [7, -3], // has_run
        [13, 1], // has_look
        [10, -5], // has_git_look
        [7, -8], // next_is_look
        [-4, 18], // next_is_work
        [-1, 2], // writes_by_subagent
        [-7, -9], // last_before_human
        [-9, -6], // no_call_last
        [-1, -5], // no_call_middle
        [-12, -16], // no_call_long
        [9, 14], // no_call_short
        [-1, -6], // no_call_after_human
        [1, 1], // run_of_one
        [1, 1], // run_of_two
        [1, 1], // run_of_three
        [6, -4], // run_of_five
        [0, -5], // run_of_many
        [2, 2], // short_run_then_work
        [0, 0], // short_run_then_no_work
        [-3, -6], // long_run_then_work
        [10, -3], // long_run_then_no_work
        [4, -3], // one_call_run
        [1, 1], // two_call_run
        [6, -3], // some_call_run
        [-2, -3], // many_call_run
        [-4, 7], // after_work_run
        [9, -15], // after_publish_run
        [2, -1], // after_check_run
        [-1, 2], // reads_to_edit
        [-8, 9], // only_reads_to_edit
        [7, -2], // edit_next
        [0, -10], // mutate_next
        [1, 0], // reads_own
        [-8, 2], // work_around
        [1, 4], // work_before
        [5, 1], // work_next
        [-6, 8], // looks_before
        [-1, -6], // looks_next
        [-2, 7], // work_in_request
        [5, 7], // work_earlier_in_request
        [3, 4], // work_later_in_request
        [1, -6], // no_calls_in_request
        [2, -1], // tasks_before_look
        [2, 0], // tasks_before_work
        [-5, 8], // tasks_done
        [-6, 0], // tasks_started
        [5, 4], // run_after_work
        [1, 3], // run_then_work
        [-4, 4], // will_write
        [11, -8], // will_look
        [-3, -2], // learned
        [0, 2], // failed
        [0, 4], // waiting
    ],
    after: [
        [0, -7, -7], // behind none
        [-15, -13, -1], // behind expl
        [-14, -19, -19], // behind act
        [-4, 8, -4], // behind the start
    ],
    lengths: [
        [-13, -13, -6, -5, -4, 9, 0, 0, 0, 0], // none
        [-21, -16, -9, 0, -1, 11, 8, 7, -11, 0], // expl
        [-26, -6, 1, 2, -1, 0, -2, -2, 4, -1], // act
    ],
    contents: [
        [14, -13, -15, -2, -13, 0, -3], // none
        [-21, 9, -11, 6, -6, -15, 6], // expl
        [-30, -12, -10, 4, 9, -1, 7], // act
    ],
    edge: [
        -46, // always
        13, // last
        9, // second_last
        24, // no_act_between
        1, // one_act_between
        -16, // many_acts_between
        10, // last_and_no_act_between
        18, // same_request
        16, // no_act_between_in_request
        19, // one_human_between
        0, // names_most
        14, // names_many
        0, // names_some
        0, // names_few
        -13, // names_almost_none
        18, // holds_many
        7, // holds_some
        9, // edits_read
        -2, // edits_only_read
        2, // touches_read
        4, // touches_two_read
        9, // only_publishes
        -16, // edits_nothing
        -2, // long_exploration
        -5, // first_exploration
    ],
};
