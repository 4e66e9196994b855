//! The agent's task list, followed through its calls.

use std::collections::BTreeMap;

use serde_json::Value;

const LISTS: [&str; 3] = ["todos", "plan", "tasks"];
const TEXTS: [&str; 4] = ["content", "step", "subject", "description"];
const MOST: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Tasks {
    states: BTreeMap<String, String>,
    /// Items added one by one; the first is number 1.
    added: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct TaskChange {
    pub(super) item: String,
    /// New state: `added`, `in_progress`, `completed`, `removed`, ….
    pub(super) state: String,
}

impl Tasks {
    /// Applies a call that edits the list; `arguments` is the call's JSON.
    pub(super) fn apply_call(&mut self, arguments: &str) -> Vec<TaskChange> {
        let Ok(Value::Object(call)) = serde_json::from_str(arguments.trim()) else { return Vec::new() };
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let state_of = |item: &serde_json::Map<String, Value>| text(item.get("status"));
        let changes = if let Some(list) = LISTS.iter().find_map(|list| call.get(*list)?.as_array()) {
            let items = list.iter().filter_map(|item| {
                let item = item.as_object()?;
                let name = TEXTS.iter().find_map(|member| text(item.get(*member)))?;
                Some((name, state_of(item).unwrap_or_default()))
            });
            self.replace_list(items.collect())
        } else if let Some(number) = call.get("taskId") {
            let number = number.as_str().map_or_else(|| number.to_string(), str::to_owned);
            let added = number.parse().ok().and_then(|number: usize| self.added.get(number.checked_sub(1)?));
            let item = added.map_or_else(|| format!("#{number}"), Clone::clone);
            state_of(&call).into_iter().map(|state| TaskChange { item: item.clone(), state }).collect()
        } else {
            let added = text(call.get("subject"));
            self.added.extend(added.clone());
            added.into_iter().map(|item| TaskChange { item, state: "added".to_owned() }).collect()
        };
        changes.into_iter().take(MOST).collect()
    }

    fn replace_list(&mut self, items: BTreeMap<String, String>) -> Vec<TaskChange> {
        let is_change = |(item, state): &(&String, &String)| self.states.get(*item) != Some(*state);
        let mut changes: Vec<TaskChange> = items
            .iter()
            .filter(is_change)
            .map(|(item, state)| TaskChange {
                item: item.clone(),
                state: if state == "pending" || state.is_empty() { "added".into() } else { state.clone() },
            })
            .collect();
        let removed = self.states.keys().filter(|item| !items.contains_key(*item));
        changes.extend(removed.map(|item| TaskChange { item: item.clone(), state: "removed".into() }));
        self.states = items;
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_list_are_told() {
        let mut tasks = Tasks::default();
        let mut check = |call: &str, expected: &[(&str, &str)]| {
            let changes = tasks.apply_call(call);
            let told: Vec<(&str, &str)> =
                changes.iter().map(|change| (&*change.item, &*change.state)).collect();
            assert_eq!(told, expected, "{call}");
        };
        check(
            r#"{"todos":[{"content":"a","status":"in_progress"},{"content":"b","status":"pending"}]}"#,
            &[("a", "in_progress"), ("b", "added")],
        );
        check(
            r#"{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}"#,
            &[("a", "completed")],
        );
        check(r#"{"plan":[{"step":"b","status":"pending"}]}"#, &[("a", "removed")]);
        check(r#"{"taskId":"3","status":"completed"}"#, &[("#3", "completed")]);
        check(r#"{"taskId":4}"#, &[]);
        check(r#"{"subject":"c"}"#, &[("c", "added")]);
        check(r#"{"taskId":1,"status":"in_progress"}"#, &[("c", "in_progress")]);
        check("{\"todos\":[{\"cont", &[]);
        check("[]", &[]);
    }
}
