//! Lenient parsing of a call's arguments: models send numbers as strings, and `null` for omitted values.

use rmcp::model::JsonObject;
use serde_json::Value;

pub(crate) struct ToolArguments<'a>(pub(crate) &'a JsonObject);

impl ToolArguments<'_> {
    /// Returns a string. `None` if it is missing or empty.
    ///
    /// # Errors
    /// If the value has another type.
    pub(crate) fn text_argument(&self, key: &str) -> Result<Option<String>, String> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(_) => Err(format!("`{key}` is a text")),
        }
    }

    pub(crate) fn number_argument(&self, key: &str) -> Result<Option<u32>, String> {
        let wrong = || format!("`{key}` is a whole number from 0");
        let number = match self.0.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(Value::Number(number)) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
            Some(_) => None,
        };
        number.map(Some).ok_or_else(wrong)
    }

    pub(crate) fn flag_argument(&self, key: &str) -> Result<bool, String> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text.trim() == "true" => Ok(true),
            Some(Value::String(text)) if matches!(text.trim(), "false" | "") => Ok(false),
            Some(_) => Err(format!("`{key}` is true or false")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_with_mercy() {
        let object: JsonObject =
            serde_json::from_str(r#"{"a":" x ","b":"","c":null,"d":80000,"e":"7","f":-1,"g":[1],"h":1.5}"#)
                .unwrap();
        let arguments = ToolArguments(&object);
        for (key, expected) in [("a", Some("x")), ("b", None), ("c", None), ("d", Some("80000")), ("z", None)]
        {
            assert_eq!(arguments.text_argument(key).unwrap().as_deref(), expected, "{key}");
        }
        for (key, expected) in [("d", Some(80_000)), ("e", Some(7)), ("c", None), ("z", None)] {
            assert_eq!(arguments.number_argument(key).unwrap(), expected, "{key}");
        }
        let flags: JsonObject =
            serde_json::from_str(r#"{"a":true,"b":"true","c":null,"d":"false","e":1}"#).unwrap();
        let flags = ToolArguments(&flags);
        for (key, expected) in [("a", true), ("b", true), ("c", false), ("d", false), ("z", false)] {
            assert_eq!(flags.flag_argument(key).unwrap(), expected, "{key}");
        }
        assert_eq!(flags.flag_argument("e").unwrap_err(), "`e` is true or false");
        assert_eq!(arguments.text_argument("g").unwrap_err(), "`g` is a text");
        for key in ["a", "b", "f", "g", "h"] {
            assert!(arguments.number_argument(key).is_err(), "{key}");
        }
    }
}
