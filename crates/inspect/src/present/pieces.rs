//! Lists whose items are computed during serialisation, so a long log's texts are not held twice.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::ApiError;
use crate::api::ContextItem;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::item::{ContextRow, PageExtent, make_items};

const AT_ONCE: usize = 256;

pub type Finish<'a> = &'a dyn Fn(&ContextRow<'_>, &mut ContextItem);

/// A list of blocks: the answer without items, and the items on demand.
///
/// Serialises as the answer with all its items.
pub struct InPieces<'a, T> {
    /// The answer, with an empty `items`.
    pub answer: T,
    opened: &'a SessionSnapshot,
    run: &'a ReplayRun,
    rows: &'a [ContextRow<'a>],
    n_chars: usize,
    met: bool,
    finish: Finish<'a>,
}

impl<'a, T> InPieces<'a, T> {
    pub fn new(
        answer: T,
        (opened, run): (&'a SessionSnapshot, &'a ReplayRun),
        (rows, extent): (&'a [ContextRow<'a>], PageExtent),
        met: bool,
        finish: Finish<'a>,
    ) -> Self {
        Self { answer, opened, run, rows: extent.page(rows), n_chars: extent.n_chars, met, finish }
    }

    /// Returns the requested items in order. An error ends them.
    pub fn make_items(&self) -> impl Iterator<Item = Result<ContextItem, ApiError>> + '_ {
        let mut has_failed = false;
        let pieces = self.rows.chunks(AT_ONCE).map_while(move |rows| {
            if has_failed {
                return None;
            }
            let made = self.make_piece(rows);
            has_failed = made.is_err();
            Some(made)
        });
        pieces.flat_map(|made| match made {
            Ok(items) => items.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    fn make_piece(&self, rows: &[ContextRow<'_>]) -> Result<Vec<ContextItem>, ApiError> {
        let mut made = make_items(self.opened, self.run, rows, self.n_chars, self.met)?;
        rows.iter().zip(&mut made).for_each(|(row, item)| (self.finish)(row, item));
        Ok(made)
    }

    pub(crate) fn make_whole(self, put: impl FnOnce(T, Vec<ContextItem>) -> T) -> Result<T, ApiError> {
        let items = self.make_items().collect::<Result<_, _>>()?;
        Ok(put(self.answer, items))
    }
}

impl<T: Serialize> Serialize for InPieces<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = serde_json::to_value(&self.answer).map_err(S::Error::custom)?;
        let members = answer.as_object().into_iter().flatten();
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in members {
            if name == "items" {
                map.serialize_entry(name, &ItemArray(self))?;
            } else {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

struct ItemArray<'a, T>(&'a InPieces<'a, T>);

impl<T> Serialize for ItemArray<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(None)?;
        for item in self.0.make_items() {
            array.serialize_element(&item.map_err(S::Error::custom)?)?;
        }
        array.end()
    }
}

impl<T: JsonSchema> JsonSchema for InPieces<'_, T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
