//! Files dragged over the window: only the toolkit knows their paths.

use serde::Serialize;
use tauri::DragDropEvent;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum DropPush {
    Over,
    Left,
    Dropped { paths: Vec<String> },
}

impl DropPush {
    /// Converts a toolkit event. `None` for moves on the way.
    pub(crate) fn from_event(event: &DragDropEvent) -> Option<Self> {
        match event {
            // Text dragged within the page has no paths.
            DragDropEvent::Enter { paths, .. } => (!paths.is_empty()).then_some(Self::Over),
            DragDropEvent::Leave => Some(Self::Left),
            DragDropEvent::Drop { paths, .. } => Some(Self::Dropped {
                paths: paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::PathBuf;

    use tauri::PhysicalPosition;

    use super::*;

    #[test]
    fn the_page_is_told_where_files_are() {
        let position = PhysicalPosition::new(1.0, 2.0);
        let check = |event: DragDropEvent, expected: &str| {
            assert_eq!(serde_json::to_string(&DropPush::from_event(&event)).unwrap(), expected);
        };
        let paths = || vec![PathBuf::from("/a/b c.jsonl"), PathBuf::from("/d")];
        check(DragDropEvent::Enter { paths: paths(), position }, r#"{"type":"over"}"#);
        check(DragDropEvent::Enter { paths: Vec::new(), position }, "null");
        check(DragDropEvent::Over { position }, "null");
        check(DragDropEvent::Leave, r#"{"type":"left"}"#);
        check(
            DragDropEvent::Drop { paths: paths(), position },
            r#"{"type":"dropped","paths":["/a/b c.jsonl","/d"]}"#,
        );
    }
}
