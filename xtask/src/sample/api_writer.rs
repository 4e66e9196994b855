//! Writes a story as request and response bodies of the providers' APIs.
//!
//! A story of normal length is one request (the last one, which carries everything) and its answer; the
//! short one is every request and every answer in turn.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::api_history::{Entry, Exchange, exchanges};
use super::{SampleFile, api_anthropic, api_chat, api_gemini, api_quirks, api_responses, teller};

/// A provider's form of one exchange.
pub(crate) trait Wire {
    /// The name of the format.
    fn name(&self) -> &'static str;
    /// Writes the request.
    fn request(&mut self, exchange: &Exchange) -> Value;
    /// Writes the answer.
    fn response(&mut self, exchange: &Exchange) -> Value;
}

/// Makes the samples of all four APIs.
pub(crate) fn samples() -> Result<Vec<SampleFile>> {
    let wires: [fn() -> Box<dyn Wire>; 4] = [
        || Box::new(api_anthropic::Anthropic::new(11)),
        || Box::new(api_chat::Chat::new(12)),
        || Box::new(api_responses::Responses::new(13)),
        || Box::new(api_gemini::Gemini::new(14)),
    ];
    let long = story(include_str!("texts/scripts/quickstart.txt"))?;
    let short = story(include_str!("texts/scripts/exchange.txt"))?;
    let mut files = Vec::new();
    for wire in wires {
        let last = long.last().context("a story has a reply")?;
        let mut writer = wire();
        let pair = [writer.request(last), writer.response(last)];
        files.extend(sample(writer.name(), "quickstart", "jsonl", lines(&pair), QUICKSTART));
        let mut writer = wire();
        let mut rows = Vec::new();
        for exchange in &short {
            rows.push(writer.request(exchange));
            rows.push(writer.response(exchange));
        }
        api_quirks::shorten(writer.name(), &mut rows);
        files.extend(sample(writer.name(), "requests", "jsonl", lines(&rows), REQUESTS));
    }
    files.extend(api_quirks::samples(&short)?);
    Ok(files)
}

fn story(script: &str) -> Result<Vec<Exchange>> {
    exchanges(&teller::tell(script, 1)?, 1)
}

/// Makes a sample's two files.
pub(crate) fn sample(
    format: &str,
    case: &str,
    extension: &str,
    text: String,
    readme: &str,
) -> [SampleFile; 2] {
    let readme = format!("# {case}\n\n{readme}\nThe session is invented.\n");
    [
        SampleFile { path: format!("{format}/{case}/README.md"), text: readme },
        SampleFile { path: format!("{format}/{case}/input.{extension}"), text },
    ]
}

/// Writes one row per line.
pub(crate) fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The tools of the invented client: name, description, and the JSON schema of the arguments.
pub(crate) fn tools() -> [(&'static str, &'static str, Value); 6] {
    let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required });
    let text = || json!({ "type": "string" });
    [
        (
            "read",
            "Reads a file, or a stretch of its lines.",
            object(
                json!({ "path": text(), "offset": { "type": "integer" }, "limit": { "type": "integer" } }),
                json!(["path"]),
            ),
        ),
        (
            "grep",
            "Searches files for a regular expression.",
            object(json!({ "pattern": text(), "path": text() }), json!(["pattern"])),
        ),
        (
            "edit",
            "Replaces a text that occurs once.",
            object(
                json!({ "path": text(), "oldText": text(), "newText": text() }),
                json!(["path", "oldText", "newText"]),
            ),
        ),
        (
            "write",
            "Writes a file.",
            object(json!({ "path": text(), "content": text() }), json!(["path", "content"])),
        ),
        ("bash", "Runs a command in the shell.", object(json!({ "command": text() }), json!(["command"]))),
        (
            "delimiter",
            "Marks the start and the end of a unit of work.",
            object(
                json!({
                    "action": { "type": "string", "enum": ["start", "end"] },
                    "name": text(),
                    "type": { "type": "string", "enum": ["expl", "act"] },
                    "dependencies": { "type": "array", "items": text() },
                    "description": text(),
                }),
                json!(["action"]),
            ),
        ),
    ]
}

/// Splits a history where the speaker changes: what stands between two replies is one turn of the user.
pub(crate) fn turns(history: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    history.chunk_by(|a, b| !matches!(a, Entry::Reply(_)) && !matches!(b, Entry::Reply(_)))
}

const QUICKSTART: &str = "\
The same story as `pi/quickstart`, as a proxy would have caught its last exchange: one
request, which carries the whole history with the system prompt and the tools, and its
answer with the usage.
";

const REQUESTS: &str = "\
A short task, every request and every answer in turn. Each request repeats the history,
so that most of the file is known already when it is read. Towards the end the client
shortens what it sends: an old search result is cleared and old reasoning is left out.
";
