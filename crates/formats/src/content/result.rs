use cwl_engine::{BlockKind, Content, ProblemKind, ToolResult};

use super::part_name;
use crate::blocks::Blocks;
use crate::json::{JsonType, Value, js_json};
use crate::notes::Notes;
use crate::payload::around_text;

/// Reads a result's content and returns its number of images, and its text.
///
/// The content is a text, or a list of texts, images and search hits. An object of another type counts as its
/// JSON, as the provider gets it. `holder` is the JSON that the block keeps if this is more than the content.
pub(crate) fn result_content(
    content: Option<Value<'_>>,
    holder: Option<Value<'_>>,
    field: &str,
    blocks: &mut Blocks<'_, '_>,
) -> (u32, Content) {
    let content = content.filter(|content| !content.is_null());
    let mut read = ResultParts::default();
    match content.map(|content| (content, content.kind())) {
        None => {}
        Some((text, JsonType::Text)) => read.text(Some(text), field, blocks.notes),
        Some((list, JsonType::List)) => {
            for part in list.items() {
                if !read.part(part, blocks) {
                    let part = part_name(part).into();
                    blocks.notes.note_part(blocks.next, ProblemKind::UnknownPart { part });
                }
            }
        }
        Some((object, JsonType::Object)) => {
            let is_known = read.part(object, blocks);
            if !is_known {
                read.add(&js_json(object.raw()));
            }
        }
        Some((_, JsonType::Null | JsonType::Bool(_) | JsonType::Number)) => blocks.notes.odd(field),
    }
    let raw = holder.or(content).map(|holder| around_text(holder, read.only)).unwrap_or_default();
    (read.images, Content { text: read.text, raw })
}

#[derive(Default)]
pub(crate) struct ResultParts<'a> {
    /// The texts, joined as the provider gets them.
    pub(crate) text: String,
    n_texts: u32,
    /// The JSON string that is the whole text; `None` if there are several, or if the text is not a string of
    /// the log.
    pub(crate) only: Option<Value<'a>>,
    pub(crate) images: u32,
    pub(crate) failed: bool,
}

impl<'a> ResultParts<'a> {
    fn part(&mut self, part: Value<'a>, blocks: &mut Blocks<'_, '_>) -> bool {
        let [kind, text] = part.fields(["type", "text"]);
        match kind.and_then(Value::string).as_deref() {
            Some("text" | "input_text" | "output_text") => self.text(text, "text", blocks.notes),
            Some("image" | "input_image" | "image_url" | "computer_screenshot") => {
                self.images = self.images.saturating_add(1);
            }
            // A hit of the provider's search; the page's text is encrypted.
            Some("web_search_result") => {
                self.add(&format!("{}\n{}\n", part.text_of("title"), part.text_of("url")));
            }
            // The provider inserts the definition of the named tool, which the log does not hold.
            Some("tool_reference") => {}
            _ => return false,
        }
        true
    }

    pub(crate) fn text(&mut self, text: Option<Value<'a>>, field: &str, notes: &mut Notes<'_>) {
        self.add(&notes.required_text(text, field));
        self.only = text.filter(|_| self.n_texts == 1);
    }

    /// Adds a text that is not a string of the log.
    pub(crate) fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.n_texts += 1;
        self.only = None;
    }
}

impl Blocks<'_, '_> {
    pub(crate) fn push_result(
        &mut self,
        result: ToolResult,
        part: Value<'_>,
        content: Option<Value<'_>>,
        field: &str,
    ) {
        let holder = self.keeps_parts.then_some(part);
        let (images, Content { text, raw }) = result_content(content, holder, field, self);
        self.push_with_images(BlockKind::Result(result), images, text, raw);
    }
}
