//! The members of an object that many readers ask for, found in one pass.

use std::borrow::Cow;

use super::value::Value;

/// The members of an object by their names, of whatever type.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    /// The object.
    pub(crate) value: Value<'a>,
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Fields<'a> {
    /// Finds the members; there are none in a value of another type.
    pub(crate) fn parse(value: Value<'a>) -> Self {
        let members = value.members().filter_map(|(key, member)| Some((key.string()?, member))).collect();
        Self { value, members }
    }

    /// Returns a member; of a repeated key the last one, as JavaScript does.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, member)| *member)
    }

    /// Returns the first of several members that is there, in the order of `names`.
    pub(crate) fn first_of(&self, names: &[&str]) -> Option<Value<'a>> {
        names.iter().find_map(|name| self.get(name))
    }

    /// Returns a member's text; empty if the member is missing or no string.
    pub(crate) fn text_of(&self, name: &str) -> Cow<'a, str> {
        self.get(name).and_then(Value::string).unwrap_or_default()
    }
}
