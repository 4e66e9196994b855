use std::borrow::Cow;

use super::source::text_or_empty;
use crate::json::{Fields, JsonType, Object, Value};

/// Images may stand this deep in their part.
const MAX_DEPTH: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineImage {
    /// Such as `image/png`, as stated in the log.
    pub media_type: String,
    /// Base64.
    pub data: String,
}

const MAX_SEARCHED: usize = 8;

pub fn inline_images(json: &str) -> Vec<InlineImage> {
    let mut found = Vec::new();
    let mut waiting = vec![(Value::trusted(json, 0), 0)];
    while let Some((value, depth)) = waiting.pop() {
        if value.kind() == JsonType::Object
            && let Some(Image::Data(image)) = Image::parse(value)
        {
            found.push(image);
            continue;
        }
        if depth < MAX_SEARCHED {
            let inner = value.items().chain(value.members().map(|(_, inner)| inner));
            let inner: Vec<_> =
                inner.filter(|it| matches!(it.kind(), JsonType::Object | JsonType::List)).collect();
            waiting.extend(inner.into_iter().rev().map(|inner| (inner, depth + 1)));
        }
    }
    found
}

/// Finds base64 PDFs in any provider's format.
pub fn inline_pdfs(json: &str) -> Vec<String> {
    const PDF: &str = "application/pdf";
    let mut found = Vec::new();
    let mut waiting = vec![(Value::trusted(json, 0), 0)];
    while let Some((value, depth)) = waiting.pop() {
        let stated = ["media_type", "mimeType", "mime_type", "mime"].map(|name| value.text_of(name));
        let data = text_or_empty(value.get("data").filter(|data| data.kind() == JsonType::Text));
        if stated.iter().any(|stated| stated == PDF) && !data.is_empty() {
            found.push(data);
        } else if depth < MAX_SEARCHED {
            let inner = value.items().chain(value.members().map(|(_, inner)| inner));
            let inner: Vec<_> =
                inner.filter(|it| matches!(it.kind(), JsonType::Object | JsonType::List)).collect();
            waiting.extend(inner.into_iter().rev().map(|inner| (inner, depth + 1)));
        }
    }
    found
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Image {
    Data(InlineImage),
    Url(String),
}

impl Image {
    pub(super) fn parse(part: Value<'_>) -> Option<Self> {
        let mut part = part;
        for _ in 0..MAX_DEPTH {
            if let Some(image) = Self::in_object(part) {
                return Some(image);
            }
            // Claude Code stores attached images in a file's content.
            part = part.first_of(["file", "content"]).and_then(Value::object)?;
        }
        None
    }

    fn in_object(part: Value<'_>) -> Option<Self> {
        let fields = Fields::parse(part);
        if let Some(url) = fields.get("image_url") {
            return Self::of_url(&text_or_empty(Some(url.get("url").unwrap_or(url))));
        }
        let holders = ["source", "inlineData", "inline_data", "fileData", "file_data"];
        let mut held = holders.into_iter().filter_map(|name| fields.get(name));
        held.find_map(|holder| Self::of_fields(&Fields::parse(holder))).or_else(|| Self::of_fields(&fields))
    }

    fn of_fields(object: &Fields<'_>) -> Option<Self> {
        let stated = ["mime", "mimeType", "media_type", "mime_type", "type"].map(|name| object.text_of(name));
        let media_type = stated.into_iter().find(|stated| stated.starts_with("image/")).map(Cow::into_owned);
        let data = object.get("data").filter(|data| data.kind() == JsonType::Text);
        let bytes = text_or_empty(data.or(object.get("base64")));
        if let Some(media_type) = media_type.clone().filter(|_| !bytes.is_empty()) {
            return Some(Self::Data(InlineImage { media_type, data: bytes }));
        }
        let is_image = media_type.is_some() || object.text_of("type") == "url";
        Self::of_url(&text_or_empty(object.first_of(&["url", "fileUri", "file_uri"]))).filter(|_| is_image)
    }

    fn of_url(url: &str) -> Option<Self> {
        if let Some(inline) = url.strip_prefix("data:") {
            let (media_type, data) = inline.split_once(";base64,")?;
            let is_image = media_type.starts_with("image/") && !data.is_empty();
            let media_type = media_type.split(';').next().unwrap_or_default().to_owned();
            return is_image.then(|| Self::Data(InlineImage { media_type, data: data.to_owned() }));
        }
        let is_known = ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme));
        is_known.then(|| Self::Url(url.to_owned()))
    }

    pub(super) fn as_address(&self) -> String {
        match self {
            Self::Data(InlineImage { media_type, data }) => format!("data:{media_type};base64,{data}"),
            Self::Url(url) => url.clone(),
        }
    }

    pub(super) fn anthropic_json(&self) -> String {
        let source = match self {
            Self::Data(InlineImage { media_type, data }) => {
                Object::with_type("base64").text("media_type", media_type).text("data", data)
            }
            Self::Url(url) => Object::with_type("url").text("url", url),
        };
        Object::with_type("image").json("source", &source.done()).done()
    }

    pub(super) fn gemini_json(&self) -> String {
        match self {
            Self::Data(InlineImage { media_type, data }) => {
                let inline = Object::new().text("mimeType", media_type).text("data", data).done();
                Object::new().json("inlineData", &inline).done()
            }
            Self::Url(url) => {
                Object::new().json("fileData", &Object::new().text("fileUri", url).done()).done()
            }
        }
    }

    pub(super) fn pi_json(&self) -> Option<String> {
        match self {
            Self::Data(InlineImage { media_type, data }) => {
                Some(Object::with_type("image").text("data", data).text("mimeType", media_type).done())
            }
            Self::Url(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(part: &str, address: Option<&str>) {
        let found = Image::parse(Value::trusted(part, 0)).map(|image| image.as_address());
        assert_eq!(found.as_deref(), address, "{part}");
    }

    #[test]
    fn every_form_is_the_same_image() {
        let png = Some("data:image/png;base64,AAAA");
        check(r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#, png);
        check(r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}"#, png);
        check(r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}"#, png);
        check(r#"{"type":"input_image","image_url":"data:image/png;base64,AAAA"}"#, png);
        check(r#"{"inlineData":{"mimeType":"image/png","data":"AAAA"}}"#, png);
        check(r#"{"inline_data":{"mime_type":"image/png","data":"AAAA"}}"#, png);
        check(r#"{"type":"file","mime":"image/png","url":"data:image/png;base64,AAAA"}"#, png);
        check(
            r#"{"type":"file","content":{"type":"image","file":{"base64":"AAAA","type":"image/png"}}}"#,
            png,
        );
    }

    #[test]
    fn images_are_found_in_what_a_tool_answers() {
        let check = |json: &str, expected: &[&str]| {
            let found: Vec<String> = inline_images(json).into_iter().map(|image| image.data).collect();
            assert_eq!(found, expected, "{json}");
        };
        let (a, b) = (
            r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#,
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"BBBB"}}"#,
        );
        check(a, &["AAAA"]);
        check(
            &format!(r#"{{"role":"tool","content":[{{"type":"text","text":"x"}},{a},{b}]}}"#),
            &["AAAA", "BBBB"],
        );
        check(r#"{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}"#, &[]);
        check(&"[".repeat(100_000), &[]);
        check("", &[]);
    }

    #[test]
    fn addresses_stay_addresses() {
        let url = Some("https://example.org/a.png");
        check(r#"{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}"#, url);
        check(r#"{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}"#, url);
        check(r#"{"fileData":{"mimeType":"image/png","fileUri":"https://example.org/a.png"}}"#, url);
    }

    #[test]
    fn what_cannot_be_sent_is_no_image() {
        for part in [
            r#"{"type":"image"}"#,
            r#"{"type":"image","source":{"media_type":"image/png","path":"images/a.png"}}"#,
            r#"{"type":"input_image","file_id":"file-1"}"#,
            r#"{"type":"image_url","image_url":{"url":"data:image/png,%89PNG"}}"#,
            r#"{"inlineData":{"mimeType":"audio/wav","data":"AAAA"}}"#,
            r#"{"fileData":{"mimeType":"image/png","fileUri":"gs://bucket/a.png"}}"#,
            r#"{"type":"file","mime":"application/pdf","url":"data:application/pdf;base64,AAAA"}"#,
            r#"{"content":{"content":{"content":{"content":{"content":{"data":"A","mime":"image/png"}}}}}}"#,
            "7",
            "",
        ] {
            check(part, None);
        }
    }
}
