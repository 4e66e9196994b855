//! SWE-agent and mini-SWE-agent: authors of messages, and the requests actually sent.

use cwl_formats::Format;

use crate::show::check_listing as check;

#[test]
fn the_first_observation_is_the_task() {
    check(
        Format::SweAgent,
        r#"{"trajectory":[],"history":[
            {"role":"system","content":"s","message_type":"system_prompt"},
            {"role":"assistant","content":"shown","is_demo":true,"message_type":"demonstration"},
            {"role":"user","content":"task","message_type":"observation"},
            {"role":"assistant","content":"ls","message_type":"action"},
            {"role":"user","content":"README","message_type":"observation"},
            {"role":"user","content":"who am I"}]}"#,
        r#"2 L1/0 <previous System by Harness
           0. text "s" …
           3 L1/1 <previous User by Harness Custom { name: "demonstration" }
           0. text "shown" …
           4 L1/2 <previous User by Human
           0. text "task" …
           5 L1/3 <previous Assistant by Model
           0. text "ls" …
           6 L1/4 <previous User by Tool
           0. text "README" …
           7 L1/5 <previous User by Human
           0. text "who am I" …
           ! L022 line 7 entry L1/5: the log does not tell whether the human or the harness wrote this"#,
    );
}

#[test]
fn what_was_sent_is_the_context() {
    check(
        Format::SweAgent,
        r#"{"trajectory":[{"action":"a","response":"b","query":[{"role":"system","content":"short"}]}],"history":[
            {"role":"system","content":"long"},{"role":"assistant","content":"b"}]}"#,
        r#"2 L1/0 <previous System by Harness
           0. text "long" …
           2 L1/step-0.0 <previous revision Entry("L1/0") by 1
           - System by Harness
           0. text "short" …
           2 L1/1 <previous Assistant by Model
           0. text "b" …"#,
    );
}

#[test]
fn steps_without_a_history() {
    check(
        Format::SweAgent,
        r#"{"trajectory":[{"action":"ls","response":"I look.","observation":"README"}]}"#,
        r#"1 L1/0/response <previous Assistant by Model
           0. text "I look." …
           1 L1/0/observation <previous User by Tool
           0. text "README" …"#,
    );
}

#[test]
fn reasoning_beside_a_reply_is_a_part_of_it() {
    check(
        Format::SweAgent,
        r#"{"trajectory":[],"history":[{"role":"assistant","content":"b","thinking_blocks":[{"type":"thinking","thinking":"t","signature":"s"}]}]}"#,
        r#"1 L1/0/thinking <previous Assistant by Model
           0. reasoning "t" {"type":"thinking","thinking":…,"signature":"s"}
           1 L1/0 <previous Assistant by Model
           0. text "b" …"#,
    );
}

#[test]
fn outputs_of_the_smaller_agent_are_no_human() {
    check(
        Format::MiniSweAgent,
        r#"{"trajectory_format":"mini-swe-agent-1","messages":[
            {"role":"system","content":"s"},
            {"role":"user","content":"task"},
            {"role":"assistant","content":"ls","extra":{"timestamp":1.5,"response":{"model":"m","usage":{"prompt_tokens":10,"completion_tokens":2}}}},
            {"role":"user","content":"<returncode>0</returncode>"},
            {"role":"user","content":"Please answer with one command."},
            {"role":"exit","content":"","extra":{}}]}"#,
        r#"2 L1/0 <previous System by Harness
           0. text "s" …
           3 L1/1 <previous User by Human
           0. text "task" …
           4 L1/2 <previous @1500 Assistant by Model m usage 10/2/0/0
           0. text "ls" …
           5 L1/3 <previous User by Tool
           0. text "<returncode>0</returncode>" …
           6 L1/4 <previous User by Human
           0. text "Please answer with one command." …
           7 L1/5 outside quiet exit
           ! L022 line 6 entry L1/4: the log does not tell whether the human or the harness wrote this"#,
    );
}
