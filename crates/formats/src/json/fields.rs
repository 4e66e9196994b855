//! The members of a large object that an adapter needs, found in one pass.

use super::value::Value;

/// Some members of an object by their names, of whatever type.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a, const N: usize> {
    names: &'static [&'static str; N],
    values: [Option<Value<'a>>; N],
}

impl<'a, const N: usize> Fields<'a, N> {
    /// Finds the members; of a repeated key the last one counts, as in JavaScript.
    pub(crate) fn of(value: Value<'a>, names: &'static [&'static str; N]) -> Self {
        Self { names, values: value.fields(*names) }
    }

    /// Returns a member, which must be one of the names.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        let at = self.names.iter().position(|known| *known == name);
        debug_assert!(at.is_some(), "`{name}` is not looked for");
        self.values[at?]
    }
}
