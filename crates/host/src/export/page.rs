//! HTML pages with an embedded export.

use std::io::{self, Write};

use cwl_inspect::present::hidden::reveal_hidden;

use crate::{ApiError, ErrorCode};

const PLACE: &str = "<script id=\"export\" type=\"text/plain\">";

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
        let (before, after) = place.map(|at| html.split_at(at)).ok_or_else(|| {
            ApiError::new(ErrorCode::Internal, "the page for exports has no place for one")
                .with_hint("build the page again")
        })?;
        Ok(Self { before, after })
    }

    /// Writes the page with the data of an export, in which no `<` occurs.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_page(self, data: &[u8], out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.before.as_bytes())?;
        out.write_all(data)?;
        out.write_all(self.after.as_bytes())
    }
}

/// Escapes JSON for an HTML element: no `<`, so nothing can end the element or begin a comment.
pub(super) fn embeddable_json(json: &str) -> Vec<u8> {
    // JSON has `<` only inside strings, which allow the escape.
    json.replace('<', "\\u003c").into_bytes()
}

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
}
