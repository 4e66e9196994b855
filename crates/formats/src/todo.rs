//! The agent's task list, followed through the calls that maintain it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{BlockIdx, Todo, TodoChange};

use crate::json::{JsonType, Value, is_json, owned};

const MAX_ITEMS: usize = 500;
/// Per item.
const MAX_CHARS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TodoStyle {
    /// Every call has the whole list: the member with the items, and each item's member with its text.
    Whole(&'static str, &'static str),
    Adds,
    Changes,
}

const TOOLS: [(&str, TodoStyle); 6] = [
    ("todowrite", TodoStyle::Whole("todos", "content")),
    ("updateplan", TodoStyle::Whole("plan", "step")),
    ("writetodos", TodoStyle::Whole("todos", "description")),
    ("managetodolist", TodoStyle::Whole("todoList", "title")),
    ("taskcreate", TodoStyle::Adds),
    ("taskupdate", TodoStyle::Changes),
];

const DONE: [&str; 5] = ["completed", "cancelled", "canceled", "done", "deleted"];

fn todo_style(tool: &str) -> Option<TodoStyle> {
    let last = tool.rsplit("__").next().unwrap_or(tool);
    let plain: String = last.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect();
    TOOLS.iter().find(|(name, _)| *name == plain).map(|(_, keeping)| *keeping)
}

pub fn keeps_todos(tool: &str) -> bool {
    todo_style(tool).is_some()
}

#[derive(Debug, Clone, Copy)]
pub struct TodoCall<'a> {
    pub block: BlockIdx,
    pub tool: &'a str,
    /// The call's counted text: the tool's name and the arguments.
    pub text: &'a str,
    pub answer: &'a str,
}

pub(crate) fn change_of(tool: &str, arguments: &str) -> Option<TodoChange> {
    let keeping = todo_style(tool)?;
    let arguments = is_json(arguments).then(|| Value::trusted(arguments, 0))?;
    match keeping {
        TodoStyle::Whole(items, text) => {
            let [items] = arguments.fields([items]);
            let items = items.filter(|items| items.kind() == JsonType::List)?;
            let unfinished = items.items().take(MAX_ITEMS).filter_map(|item| {
                let [text, status] = item.fields([text, "status"]);
                let is_done = DONE.contains(&&*owned(status).unwrap_or_default());
                Some(shorten_item(&owned(text).unwrap_or_default()))
                    .filter(|text| !text.is_empty() && !is_done)
            });
            Some(TodoChange::Whole(unfinished.collect()))
        }
        TodoStyle::Adds => {
            let subject = arguments.get("subject");
            Some(TodoChange::Add(shorten_item(&owned(subject).unwrap_or_default())))
        }
        TodoStyle::Changes => {
            let [id, status] = arguments.fields(["taskId", "status"]);
            let id = id.filter(|_| DONE.contains(&&*owned(status).unwrap_or_default()))?;
            let is_text = id.kind() == JsonType::Text;
            Some(TodoChange::Close(if is_text {
                owned(Some(id)).unwrap_or_default()
            } else {
                id.raw().to_owned()
            }))
        }
    }
}

/// Follows the list through `calls`, in log order, and returns every item with the calls that opened and
/// closed it.
pub fn follow_todos<'a>(calls: impl IntoIterator<Item = TodoCall<'a>>) -> Vec<Todo> {
    let mut list = List::default();
    for call in calls {
        let arguments = call.text.strip_prefix(call.tool).unwrap_or(call.text);
        match change_of(call.tool, arguments) {
            Some(TodoChange::Whole(items)) => list.replace_items(call.block, items),
            Some(TodoChange::Add(text)) => list.add_item(call, text),
            Some(TodoChange::Close(number)) => list.close_item(call.block, &number),
            None => {}
        }
    }
    list.todos
}

#[derive(Default)]
struct List {
    todos: Vec<Todo>,
    open: BTreeMap<Arc<str>, usize>,
    numbered: BTreeMap<String, Arc<str>>,
    n_added: usize,
}

impl List {
    fn replace_items(&mut self, block: BlockIdx, items: Vec<Arc<str>>) {
        let mut before = std::mem::take(&mut self.open);
        for text in items {
            let known = before.remove(&text);
            let at = known.or_else(|| self.open.get(&text).copied());
            self.name_item(&text, at, block);
        }
        for at in before.into_values() {
            self.todos[at].closed = Some(block);
        }
    }

    fn add_item(&mut self, call: TodoCall<'_>, text: Arc<str>) {
        self.n_added += 1;
        if text.is_empty() || self.numbered.len() >= MAX_ITEMS * 20 {
            return;
        }
        let told = call.answer.split_once('#').map(|(_, rest)| rest);
        let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
        let number = told.map(digits).filter(|digits| !digits.is_empty());
        let at = self.open.get(&*text).copied();
        self.name_item(&text, at, call.block);
        self.numbered.insert(number.unwrap_or_else(|| self.n_added.to_string()), text);
    }

    fn close_item(&mut self, block: BlockIdx, number: &str) {
        let at = self.numbered.get(number).and_then(|text| self.open.remove(text));
        if let Some(at) = at {
            self.todos[at].closed = Some(block);
        }
    }

    fn name_item(&mut self, text: &Arc<str>, at: Option<usize>, block: BlockIdx) {
        let at = at.unwrap_or_else(|| {
            let text = Arc::clone(text);
            self.todos.push(Todo { text, opened: block, closed: None, blocks: Vec::new() });
            self.todos.len() - 1
        });
        if self.todos[at].blocks.last() != Some(&block) {
            self.todos[at].blocks.push(block);
        }
        self.open.insert(Arc::clone(text), at);
    }
}

fn shorten_item(text: &str) -> Arc<str> {
    let text = text.trim();
    let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(end, _)| end);
    Arc::from(&text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows each item: its text, the calls that opened and closed it, and all calls that name it.
    fn check(calls: &[(&str, &str, &str)], expected: &[&str]) {
        let texts: Vec<String> =
            calls.iter().map(|(tool, arguments, _)| format!("{tool}{arguments}")).collect();
        let calls = calls.iter().zip(&texts).enumerate().map(|(at, ((tool, _, answer), text))| TodoCall {
            block: BlockIdx::new(at),
            tool,
            text,
            answer,
        });
        let shown: Vec<String> = follow_todos(calls)
            .iter()
            .map(|todo| {
                let named: Vec<usize> = todo.blocks.iter().map(|block| block.at()).collect();
                format!("{} {}..{:?} {named:?}", todo.text, todo.opened.at(), todo.closed.map(BlockIdx::at))
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn whole_lists_are_followed() {
        let list = |items: &[(&str, &str)], text: &str, key: &str| {
            let items: Vec<String> = items
                .iter()
                .map(|(item, status)| format!(r#"{{"{text}":"{item}","status":"{status}"}}"#))
                .collect();
            format!(r#"{{"{key}":[{}]}}"#, items.join(","))
        };
        for (tool, text, key) in [
            ("TodoWrite", "content", "todos"),
            ("todowrite", "content", "todos"),
            ("update_plan", "step", "plan"),
            ("write_todos", "description", "todos"),
            ("manage_todo_list", "title", "todoList"),
            ("mcp__x__todo_write", "content", "todos"),
        ] {
            let first = list(&[("a", "pending"), ("b", "in_progress")], text, key);
            let second = list(&[("a", "completed"), ("b", "pending"), ("c", "pending")], text, key);
            let third = list(&[("c", "pending")], text, key);
            check(
                &[(tool, &first, ""), (tool, &second, ""), (tool, &third, "")],
                &["a 0..Some(1) [0]", "b 0..Some(2) [0, 1]", "c 1..None [1, 2]"],
            );
        }
    }

    #[test]
    fn lists_that_change_by_items_are_followed() {
        check(
            &[
                ("TaskCreate", r#"{"subject":"a","description":"long"}"#, "Task #7 created: a"),
                ("TaskCreate", r#"{"subject":"b"}"#, "ok"),
                ("TaskUpdate", r#"{"taskId":"7","status":"in_progress"}"#, ""),
                ("TaskUpdate", r#"{"taskId":"7","status":"completed"}"#, ""),
                ("TaskUpdate", r#"{"taskId":2,"status":"deleted"}"#, ""),
                ("TaskUpdate", r#"{"taskId":"9","status":"completed"}"#, ""),
            ],
            &["a 0..Some(3) [0]", "b 1..Some(4) [1]"],
        );
    }

    #[test]
    fn odd_calls_are_passed_over() {
        check(&[("TodoWrite", "", ""), ("TodoWrite", "[1]", ""), ("TodoWrite", r#"{"todos":7}"#, "")], &[]);
        check(&[("TodoWrite", r#"{"todos":[7,null,{"content":9},{"content":" "}]}"#, "")], &[]);
        check(&[("Read", r#"{"todos":[{"content":"a","status":"pending"}]}"#, "")], &[]);
        let twice = r#"{"todos":[{"content":"a","status":"pending"},{"content":"a","status":"pending"}]}"#;
        check(&[("TodoWrite", twice, "")], &["a 0..None [0]"]);
        assert!(keeps_todos("update_plan") && !keeps_todos("read"));
    }
}
