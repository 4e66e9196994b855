//! Events for the ui: a second copy of what the history says, and a few things that stand nowhere else.

use cwl_engine::{EventBody, UsageReport};

use super::{Codex, Row};
use crate::json::{Kind, Value};
use crate::reader::Batch;

/// Events that Codex keeps in its rollouts, or has kept, beside those that are read.
const QUIET: [&str; 46] = [
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "background_event",
    "collab_agent_interaction_end",
    "collab_agent_spawn_end",
    "collab_close_end",
    "collab_resume_end",
    "collab_waiting_end",
    "context_compacted",
    "deprecation_notice",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "entered_review_mode",
    "error",
    "exec_command_begin",
    "exited_review_mode",
    "guardian_assessment",
    "guardian_warning",
    "hook_completed",
    "hook_started",
    "image_generation_end",
    "item_completed",
    "item_started",
    "mcp_tool_call_begin",
    "model_reroute",
    "model_verification",
    "patch_apply_begin",
    "plan_update",
    "raw_response_item",
    "session_configured",
    "shutdown_complete",
    "stream_error",
    "sub_agent_activity",
    "task_complete",
    "thread_goal_updated",
    "thread_settings_applied",
    "turn_aborted",
    "turn_complete",
    "turn_diff",
    "undo_completed",
    "view_image_tool_call",
    "warning",
    "web_search_begin",
    "web_search_end",
];

impl Codex {
    /// Reads an event for the ui.
    pub(super) fn ui_event(&mut self, row: &Row<'_>, event: Value<'_>, out: &mut Batch) {
        let kind = event.fields(["type"])[0].and_then(Value::text).map(|kind| kind.value).unwrap_or_default();
        match &*kind {
            "user_message" => {
                self.twins.any = true;
                self.twins.early = self.twins.open.take().is_none();
            }
            "token_count" => return self.token_count(row, event, out),
            "thread_rolled_back" => return self.rolled_back(row, event, out),
            "task_started" | "turn_started" => {
                let [window] = event.fields(["model_context_window"]);
                return self.window(row, window, &kind, out);
            }
            "thread_name_updated" => {
                let [name] = event.fields(["thread_name"]);
                let name = row.notes(&mut out.problems).text(name, "thread_name");
                let name = name.filter(|name| !name.is_empty()).map(|name| name.into());
                return out.events.push(row.outside(EventBody::Title(name)));
            }
            "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end" => self.tool_ended(event),
            known if QUIET.contains(&known) => {}
            unknown => {
                let event = row.unknown(format!("event_msg/{unknown}"), &mut out.problems);
                return out.events.push(event);
            }
        }
        out.events.push(row.quiet(kind));
    }

    /// Reads what the requests so far have cost, which some events repeat and some leave out.
    fn token_count(&mut self, row: &Row<'_>, event: Value<'_>, out: &mut Batch) {
        let Some(info) = event.fields(["info"])[0].filter(|info| info.kind() == Kind::Object) else {
            return out.events.push(row.quiet("token_count"));
        };
        let [window] = info.fields(["model_context_window"]);
        let usage = self.replies.count(info, &mut row.notes(&mut out.problems));
        if usage.is_none() {
            return self.window(row, window, "token_count", out);
        }
        let window = self.new_window(row, window, out);
        out.events.push(row.inside(EventBody::Usage(UsageReport { usage, window })));
    }

    /// Reports the size of the model's window where it has changed; else the event is quiet.
    fn window(&mut self, row: &Row<'_>, window: Option<Value<'_>>, kind: &str, out: &mut Batch) {
        let event = match self.new_window(row, window, out) {
            Some(window) => row.inside(EventBody::Usage(UsageReport { usage: None, window: Some(window) })),
            None => row.quiet(kind),
        };
        out.events.push(event);
    }

    fn new_window(&mut self, row: &Row<'_>, window: Option<Value<'_>>, out: &mut Batch) -> Option<u64> {
        let window = row.notes(&mut out.problems).count(window, "model_context_window");
        let window = window.filter(|window| *window > 0 && self.window != Some(*window))?;
        self.window = Some(window);
        Some(window)
    }

    /// Keeps in mind that a call failed: its output may not tell.
    fn tool_ended(&mut self, event: Value<'_>) {
        let [call, code, success, result] = event.fields(["call_id", "exit_code", "success", "result"]);
        let is = |value: Option<Value<'_>>, flag: bool| value.is_some_and(|it| it.kind() == Kind::Bool(flag));
        let refused = result.is_some_and(|result| {
            let [ok, err] = result.fields(["Ok", "Err"]);
            err.is_some()
                || ok.is_some_and(|ok| ok.fields(["isError", "is_error"]).iter().any(|it| is(*it, true)))
        });
        let failed =
            code.and_then(Value::number).is_some_and(|code| code != 0.0) || is(success, false) || refused;
        if failed && let Some(call) = call.and_then(Value::text) {
            self.failures.note(&call.value);
        }
    }
}
