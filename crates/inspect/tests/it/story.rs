//! Short stories as pi's list of messages, and decisions about them.

use cwl_engine::{Annotation, EventIdx, Policy, PolicyOptions, Provider, SessionBlock, ToolTable};
use cwl_formats::{Format, default_tools, parse_log};
use cwl_inspect::{
    DecisionSettings, EvictionDecision, MessageEdit, MessagePlaces, PartPlace, SessionHistory, decide,
};
use serde_json::{Value, json};

/// pi's list of messages. One byte is one unit and one token.
#[derive(Clone, Default)]
pub(crate) struct Story(pub(crate) Vec<Value>);

impl Story {
    pub(crate) fn human(&mut self, text: &str) -> &mut Self {
        self.0.push(
            json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": self.0.len()}),
        );
        self
    }

    /// Adds a reply. Each of `parts` is `!reasoning`, `?signed reasoning`, `id tool` or a quoted text.
    pub(crate) fn reply(&mut self, parts: &[&str]) -> &mut Self {
        let part = |part: &&str| match (part.split_at(1), part.split_once(' ')) {
            (("!", text), _) => json!({"type": "thinking", "thinking": text}),
            (("?", text), _) => json!({"type": "thinking", "thinking": text, "thinkingSignature": "c2ln"}),
            (("\"", text), _) => json!({"type": "text", "text": text}),
            (_, Some((id, tool))) => json!({"type": "toolCall", "id": id, "name": tool, "arguments": {}}),
            _ => panic!("{part}"),
        };
        let parts: Vec<Value> = parts.iter().map(part).collect();
        self.push_reply(parts)
    }

    /// Adds a reply, and for each of its calls a result of `n_bytes` bytes.
    pub(crate) fn step(&mut self, parts: &[&str], n_bytes: usize) -> &mut Self {
        self.reply(parts);
        let ids = parts
            .iter()
            .filter_map(|part| Some(part.split_once(' ')?.0))
            .filter(|id| !id.starts_with(['"', '!', '?']));
        ids.for_each(|id| self.result(id, &"x".repeat(n_bytes)));
        self
    }

    /// Adds a delimiter call and its result.
    pub(crate) fn mark(&mut self, arguments: Value) -> &mut Self {
        let id = format!("mark{}", self.0.len());
        let call = json!({"type": "toolCall", "id": id, "name": "delimiter", "arguments": arguments});
        self.push_reply(vec![call]);
        self.result(&id, "ok");
        self
    }

    pub(crate) fn expl(&mut self, name: &str) -> &mut Self {
        self.mark(json!({"action": "start", "name": name, "type": "expl"}))
    }

    pub(crate) fn act(&mut self, name: &str, dependencies: &[&str]) -> &mut Self {
        self.mark(json!({"action": "start", "name": name, "type": "act", "dependencies": dependencies}))
    }

    pub(crate) fn end(&mut self, description: &str) -> &mut Self {
        match description {
            "" => self.mark(json!({"action": "end"})),
            _ => self.mark(json!({"action": "end", "description": description})),
        }
    }

    fn push_reply(&mut self, content: Vec<Value>) -> &mut Self {
        self.0.push(json!({
            "role": "assistant", "content": content, "api": "anthropic-messages", "provider": "lab", "model": "m",
            "stopReason": "toolUse", "timestamp": self.0.len(),
        }));
        self
    }

    pub(crate) fn result(&mut self, id: &str, text: &str) {
        self.0.push(json!({
            "role": "toolResult", "toolCallId": id, "toolName": "t", "content": [{"type": "text", "text": text}],
            "isError": false, "timestamp": self.0.len(),
        }));
    }

    pub(crate) fn log(&self) -> String {
        let mut log = String::from(
            "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00.000Z\"}\n",
        );
        for (at, message) in self.0.iter().enumerate() {
            let parent = at.checked_sub(1).map_or(Value::Null, |before| format!("m{before}").into());
            let row =
                json!({"type": "message", "id": format!("m{at}"), "parentId": parent, "message": message});
            log.push_str(&format!("{row}\n"));
        }
        log
    }

    pub(crate) fn history(&self) -> SessionHistory {
        let (events, problems) = parse_log(Format::Pi, self.log().as_bytes());
        assert_eq!(problems, []);
        let mut history = SessionHistory::new(tools(), 1, n_bytes);
        for event in events {
            history.push_event(event, |_, content| n_bytes(&content.text));
        }
        history
    }

    pub(crate) fn decide(&self, settings: &DecisionSettings) -> EvictionDecision {
        self.decide_with(settings, &|row| Some(place_of(row.event, row)))
    }

    pub(crate) fn decide_with(
        &self,
        settings: &DecisionSettings,
        place_of: &dyn Fn(&SessionBlock) -> Option<PartPlace>,
    ) -> EvictionDecision {
        let places = MessagePlaces { n_messages: self.0.len(), place_of };
        decide(&mut self.history(), settings, |_| Annotation::Declared, &places, n_bytes)
    }

    pub(crate) fn edited(&self, edits: &[MessageEdit]) -> Vec<Value> {
        let mut list = self.0.clone();
        for edit in edits.iter().rev() {
            match edit {
                MessageEdit::Remove { message } => drop(list.remove(*message)),
                MessageEdit::Insert { before, text } => {
                    assert_eq!(before.part, 0, "a message of pi is one of the engine's");
                    list.insert(
                        before.message,
                        json!({"role": "user", "content": [{"type": "text", "text": text}]}),
                    );
                }
                MessageEdit::Change { message, parts } => {
                    for part in parts.iter().rev() {
                        let content = list[*message]["content"].as_array_mut().unwrap();
                        match &part.replaced_by {
                            None => drop(content.remove(part.part as usize)),
                            Some(text) => *content = vec![json!({"type": "text", "text": text})],
                        }
                    }
                }
                MessageEdit::Join { message } => {
                    let joined = list.remove(*message)["content"].as_array().unwrap().clone();
                    list[*message - 1]["content"].as_array_mut().unwrap().extend(joined);
                }
            }
        }
        list
    }
}

/// Event 0 is the header, so message positions are one lower.
pub(crate) fn place_of(event: EventIdx, row: &SessionBlock) -> PartPlace {
    PartPlace { message: event.at() - 1, part: row.id.index }
}

pub(crate) fn tools() -> ToolTable {
    default_tools()
}

pub(crate) fn n_bytes(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap()
}

/// Parses `policy key=value …` into settings for live use.
pub(crate) fn settings(policy: &str, budget: u64, provider: Provider) -> DecisionSettings {
    let (name, set) = policy.split_once(' ').unwrap_or((policy, ""));
    let policy = Policy::find(name).unwrap();
    let mut options = PolicyOptions::defaults(policy).unwrap();
    options.keep_last_turn = true;
    for (key, value) in set.split(' ').filter_map(|one| one.split_once('=')) {
        options.set_from_text(policy, key, value).unwrap();
    }
    DecisionSettings { policy, options, budget, overhead: 0.into(), provider }
}
