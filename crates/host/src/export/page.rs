//! HTML pages with an embedded export.

use std::io::{self, Write};

use cwl_inspect::present::hidden::reveal_hidden;

use super::session::{PackedData, SessionExport};
use crate::{ApiError, ErrorCode};

/// The template's element for the export.
const PLACE: &str = "<script id=\"export\" type=\"application/json\">";

/// Ends the element before, and begins one of data for the page.
const DATA: [&str; 2] = [
    "</script><script id=\"session\" type=\"text/plain\">",
    "</script><script id=\"engine\" type=\"text/plain\">",
];

/// The parts of the page's policy without an engine, and with one, which allows a worker that is made of the page's script, and WebAssembly.
const POLICY: [(&str, &str); 2] = [
    ("default-src 'none'; ", "default-src 'none'; worker-src blob:; "),
    ("; script-src ", "; script-src 'wasm-unsafe-eval' "),
];

#[derive(Debug, Clone, Copy)]
pub struct PageTemplate<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> PageTemplate<'a> {
    /// Finds the place for an export in `html`.
    ///
    /// # Errors
    /// If there is no such place.
    pub fn parse_template(html: &'a str) -> Result<Self, ApiError> {
        let place = html.find(PLACE).map(|at| at + PLACE.len());
        let (before, after) = place
            .map(|at| html.split_at(at))
            .ok_or_else(|| unfit("the page for exports has no place for one"))?;
        Ok(Self { before, after })
    }

    /// Writes the page with an export by the command `export`.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_page(self, export: &[u8], out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.before.as_bytes())?;
        out.write_all(export)?;
        out.write_all(self.after.as_bytes())
    }

    /// Writes the page with a session and the engine. The template is one of [`allow_engine`].
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_session(
        self,
        export: &SessionExport,
        engine: &PackedData,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let [session_begins, engine_begins] = DATA;
        let parts = [
            self.before.as_bytes(),
            &export.json,
            session_begins.as_bytes(),
            export.session.as_str().as_bytes(),
            engine_begins.as_bytes(),
            engine.as_str().as_bytes(),
            self.after.as_bytes(),
        ];
        parts.into_iter().try_for_each(|part| out.write_all(part))
    }
}

/// Changes the policy of a template so that an engine may run in it.
///
/// # Errors
/// If it has another policy than the page for exports.
pub fn allow_engine(html: &str) -> Result<String, ApiError> {
    POLICY.iter().try_fold(html.to_owned(), |html, (without, with)| {
        let is_there = html.contains(without);
        is_there
            .then(|| html.replacen(without, with, 1))
            .ok_or_else(|| unfit("the page for exports has no policy that an engine fits into"))
    })
}

fn unfit(message: &str) -> ApiError {
    ApiError::new(ErrorCode::Internal, message).with_hint("build the page again")
}

/// Escapes JSON for an HTML element: no `<`, so nothing can end the element or begin a comment.
pub(super) fn embeddable_json(json: &str) -> Vec<u8> {
    // JSON has `<` only inside strings, which allow the escape.
    json.replace('<', "\\u003c").into_bytes()
}

/// Escapes a text for HTML, with visible codes for invisible characters.
pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in reveal_hidden(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(character),
        }
    }
    out
}

/// Last component of `path`, with `/` or `\` as separator.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nothing_in_an_export_ends_its_element() {
        let hostile = "</script><script>alert(1)</script><!-- <SCRIPT";
        let json = serde_json::to_string(&[hostile]).unwrap();
        let json = String::from_utf8(embeddable_json(&json)).unwrap();
        assert!(!json.contains('<'));
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [hostile]);
    }

    #[test]
    fn a_text_does_nothing_in_a_page() {
        assert_eq!(escape_html("<b a='x' c=\"y\">&"), "&lt;b a=&#39;x&#39; c=&quot;y&quot;&gt;&amp;");
        assert_eq!(escape_html("a\u{202e}b"), "a[U+202E]b");
    }

    #[test]
    fn an_export_goes_into_its_place() {
        let html = format!("<p>{PLACE}</script>");
        let mut page = Vec::new();
        PageTemplate::parse_template(&html).unwrap().write_page(b"{}", &mut page).unwrap();
        assert_eq!(String::from_utf8(page).unwrap(), format!("<p>{PLACE}{{}}</script>"));
        assert!(PageTemplate::parse_template("<p>").is_err());
        assert_eq!([file_name("/a/b.jsonl"), file_name(r"C:\a\b"), file_name("x")], ["b.jsonl", "b", "x"]);
    }

    #[test]
    fn a_session_goes_beside_the_export_under_a_policy_that_lets_its_engine_run() {
        let html = format!(
            "<meta content=\"default-src 'none'; script-src 'sha256-x'; img-src data:\">{PLACE}</script>"
        );
        let engine = PackedData::from_engine(b"\0asm").unwrap();
        let export = SessionExport {
            json: b"{}".to_vec(),
            session: PackedData::from_engine(&[0x1f, 0x8b]).unwrap(),
            redacted: None,
            left_out: Vec::new(),
        };
        let allowed = allow_engine(&html).unwrap();
        let mut page = Vec::new();
        PageTemplate::parse_template(&allowed).unwrap().write_session(&export, &engine, &mut page).unwrap();
        assert_eq!(
            String::from_utf8(page).unwrap(),
            format!(
                "<meta content=\"default-src 'none'; worker-src blob:; script-src 'wasm-unsafe-eval' 'sha256-x'; img-src data:\">\
                 {PLACE}{{}}</script><script id=\"session\" type=\"text/plain\">H4s=</script>\
                 <script id=\"engine\" type=\"text/plain\">{}</script>",
                engine.as_str()
            )
        );
        assert!(engine.as_str().starts_with("H4sI"), "gzip in base64");
        assert!(allow_engine("<p>").is_err());
        assert!(PackedData::from_engine(b"<html>").is_err());
    }
}
