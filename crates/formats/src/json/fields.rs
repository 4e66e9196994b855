use std::borrow::Cow;

use super::value::Value;

/// An object's members by name, found in one pass for readers asking for many.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    pub(crate) value: Value<'a>,
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

impl<'a> Fields<'a> {
    pub(crate) fn parse(value: Value<'a>) -> Self {
        let members = value.members().filter_map(|(key, member)| Some((key.string()?, member))).collect();
        Self { value, members }
    }

    /// Takes a repeated key's last value, as JavaScript does.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, member)| *member)
    }

    pub(crate) fn first_of(&self, names: &[&str]) -> Option<Value<'a>> {
        names.iter().find_map(|name| self.get(name))
    }

    pub(crate) fn text_of(&self, name: &str) -> Cow<'a, str> {
        self.get(name).and_then(Value::string).unwrap_or_default()
    }
}
