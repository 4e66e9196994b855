//! Events for the ui: most repeat the history; a few facts appear nowhere else.

use cwl_engine::{EventBody, Usage, UsageReport};

use super::{Codex, RolloutLine};
use crate::adapter::Batch;
use crate::json::{JsonType, Value};
use crate::known::is_known;

impl Codex {
    pub(super) fn ui_event(&mut self, row: &RolloutLine<'_>, event: Value<'_>, out: &mut Batch) {
        let kind = event.text_of("type");
        match &*kind {
            "user_message" => {
                self.twins.any = true;
                self.twins.early = self.twins.open.take().is_none();
            }
            "token_count" => return self.token_count(row, event, out),
            "thread_rolled_back" => return self.rolled_back(row, event, out),
            "task_started" | "turn_started" => {
                let window = event.get("model_context_window");
                return self.report_window(row, window, &kind, out);
            }
            "thread_name_updated" => {
                let name = event.get("thread_name");
                let name = row.begin_notes(&mut out.problems).text(name, "thread_name");
                let name = name.filter(|name| !name.is_empty()).map(|name| name.into());
                return out.events.push(row.whole_event(EventBody::Title(name)));
            }
            "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end" => self.tool_ended(event),
            known if is_known("codex.events", known) => {}
            unknown => {
                let record = format!("event_msg/{unknown}");
                return out.events.push(row.unknown_event(record, &mut out.problems));
            }
        }
        out.events.push(row.quiet_event(kind));
    }

    fn token_count(&mut self, row: &RolloutLine<'_>, event: Value<'_>, out: &mut Batch) {
        let Some(info) = event.get("info").and_then(Value::object) else {
            return out.events.push(row.quiet_event("token_count"));
        };
        let window = info.get("model_context_window");
        let usage = self.replies.count_tokens(info, &mut row.begin_notes(&mut out.problems));
        if usage.is_none() {
            return self.report_window(row, window, "token_count", out);
        }
        let usage = usage.map(|usage| Usage { copied: self.copied.is_open(), ..usage });
        let window = self.new_window(row, window, out);
        out.events.push(row.whole_event(EventBody::Usage(UsageReport {
            usage,
            window,
            ..UsageReport::default()
        })));
    }

    /// Quiet unless the window's size has changed.
    fn report_window(
        &mut self,
        row: &RolloutLine<'_>,
        window: Option<Value<'_>>,
        kind: &str,
        out: &mut Batch,
    ) {
        let event = match self.new_window(row, window, out) {
            Some(window) => {
                let report = UsageReport { window: Some(window), ..UsageReport::default() };
                row.whole_event(EventBody::Usage(report))
            }
            None => row.quiet_event(kind),
        };
        out.events.push(event);
    }

    fn new_window(
        &mut self,
        row: &RolloutLine<'_>,
        window: Option<Value<'_>>,
        out: &mut Batch,
    ) -> Option<u64> {
        let window = row.begin_notes(&mut out.problems).tokens(window, "model_context_window");
        let window = window.filter(|window| *window > 0 && self.window != Some(*window))?;
        self.window = Some(window);
        Some(window)
    }

    /// Remembers a failed call, because its output may not show the failure.
    fn tool_ended(&mut self, event: Value<'_>) {
        let [call, code, success, result] = event.fields(["call_id", "exit_code", "success", "result"]);
        let is =
            |value: Option<Value<'_>>, flag: bool| value.is_some_and(|it| it.kind() == JsonType::Bool(flag));
        let refused = result.is_some_and(|result| {
            let [ok, err] = result.fields(["Ok", "Err"]);
            err.is_some()
                || ok.is_some_and(|ok| ok.fields(["isError", "is_error"]).iter().any(|it| is(*it, true)))
        });
        let failed =
            code.and_then(Value::number).is_some_and(|code| code != 0.0) || is(success, false) || refused;
        if failed && let Some(call) = call.and_then(Value::string) {
            self.failures.note_failure(&call);
        }
    }
}
