//! Delimiter marks in pi's logs: in a call's arguments, and in a result's `details.chunkEvent`.

use std::sync::Arc;

use cwl_engine::{DeclaredKind, DelimiterMark, EpisodeName, MarkField};

use crate::json::{Fields, JsonType, Value, owned};

pub(crate) fn mark_of_arguments(arguments: Value<'_>) -> DelimiterMark {
    mark_of(arguments.get("action"), &Fields::parse(arguments))
}

pub(crate) fn mark_of_event(event: Value<'_>) -> DelimiterMark {
    mark_of(event.get("action"), &Fields::parse(event.get("chunk").unwrap_or_default()))
}

/// Reads a mark from its action and its `fields`, which may have any type; docs/rules.md states under P012
/// what happens to wrong ones.
fn mark_of(action: Option<Value<'_>>, fields: &Fields<'_>) -> DelimiterMark {
    match owned(action).as_deref() {
        Some("start") => start_mark(fields),
        Some("end") => end_mark(fields),
        _ => malformed_mark(MarkField::Action, fields),
    }
}

fn start_mark(fields: &Fields<'_>) -> DelimiterMark {
    // An empty name counts as missing.
    let Some(name) = owned(fields.get("name")).filter(|name| !name.is_empty()) else {
        return malformed_mark(MarkField::Name, fields);
    };
    let Some(kind) = kind_of(fields) else { return malformed_mark(MarkField::Type, fields) };
    let (dependencies, mut odd) = read_dependencies(fields);
    odd.extend(odd_text(fields, "description", MarkField::Description));
    DelimiterMark::Open { name: EpisodeName::new(name), kind, dependencies, odd }
}

fn kind_of(fields: &Fields<'_>) -> Option<DeclaredKind> {
    match owned(fields.get("type")).as_deref() {
        Some("expl") => Some(DeclaredKind::Exploratory),
        Some("act") => Some(DeclaredKind::Action),
        _ => None,
    }
}

/// Reads the usable fields of an invalid mark, because pi-cwl itself accepts it.
fn malformed_mark(field: MarkField, fields: &Fields<'_>) -> DelimiterMark {
    DelimiterMark::Malformed {
        field,
        name: owned(fields.get("name")).map(EpisodeName::new),
        is_act: kind_of(fields) == Some(DeclaredKind::Action),
        dependencies: read_dependencies(fields).0,
    }
}

fn end_mark(fields: &Fields<'_>) -> DelimiterMark {
    let mut odd: Vec<MarkField> = odd_text(fields, "name", MarkField::Name).collect();
    odd.extend(odd_text(fields, "type", MarkField::Type));
    odd.extend(read_dependencies(fields).1);
    odd.extend(odd_text(fields, "description", MarkField::Description));
    DelimiterMark::Close {
        name: owned(fields.get("name")).map(EpisodeName::new),
        description: owned(fields.get("description")).map(Arc::from),
        odd,
    }
}

fn read_dependencies(fields: &Fields<'_>) -> (Option<Vec<EpisodeName>>, Vec<MarkField>) {
    let Some(list) = fields.get("dependencies").filter(|list| !list.is_null()) else {
        return (None, Vec::new());
    };
    if list.kind() != JsonType::List {
        return (None, vec![MarkField::Dependencies]);
    }
    let names: Vec<EpisodeName> =
        list.items().filter_map(|item| owned(Some(item)).map(EpisodeName::new)).collect();
    let is_whole = names.len() == list.items().count();
    (Some(names), if is_whole { Vec::new() } else { vec![MarkField::Dependencies] })
}

fn odd_text(fields: &Fields<'_>, name: &str, field: MarkField) -> impl Iterator<Item = MarkField> + use<> {
    let value = fields.get(name);
    let is_odd = value.is_some_and(|value| !matches!(value.kind(), JsonType::Text | JsonType::Null));
    is_odd.then_some(field).into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::record_of;

    fn show(mark: &DelimiterMark) -> String {
        match mark {
            DelimiterMark::Open { name, kind, dependencies, odd } => {
                let dependencies = dependencies
                    .as_ref()
                    .map(|names| names.iter().map(EpisodeName::as_str).collect::<Vec<_>>().join(","));
                format!("open {name} {kind:?} deps={dependencies:?} odd={odd:?}")
            }
            DelimiterMark::Close { name, description, odd } => {
                format!("close {name:?} {description:?} odd={odd:?}")
            }
            DelimiterMark::Malformed { field, name, is_act, dependencies } => {
                let name = name.as_ref().map_or(String::new(), |name| format!(" name={name}"));
                let act = if *is_act { " act" } else { "" };
                let dependencies = dependencies.as_ref().map_or(String::new(), |names| {
                    let names: Vec<&str> = names.iter().map(EpisodeName::as_str).collect();
                    format!(" deps={}", names.join(","))
                });
                format!("malformed {}{name}{act}{dependencies}", field.key())
            }
        }
    }

    fn check(arguments: &str, expected: &str) {
        assert_eq!(show(&mark_of_arguments(record_of(arguments))), expected, "arguments {arguments}");
    }

    #[test]
    fn arguments() {
        check(r#"{"action":"start","name":"a","type":"expl"}"#, "open a Exploratory deps=None odd=[]");
        check(
            r#"{"action":"start","name":"b","type":"act","dependencies":["a","x"]}"#,
            "open b Action deps=Some(\"a,x\") odd=[]",
        );
        check(
            r#"{"action":"start","name":"b","type":"act","dependencies":[]}"#,
            "open b Action deps=Some(\"\") odd=[]",
        );
        check(r#"{"action":"end"}"#, "close None None odd=[]");
        check(r#"{"action":"end","description":"d","name":"a"}"#, "close Some(\"a\") Some(\"d\") odd=[]");
        check(
            r#"{"type":"expl","name":"n","action":"end","action":"start"}"#,
            "open n Exploratory deps=None odd=[]",
        );
    }

    #[test]
    fn required_fields_void_the_mark() {
        check("{}", "malformed action");
        check("42", "malformed action");
        check(r#"{"action":7}"#, "malformed action");
        check(r#"{"action":"stop"}"#, "malformed action");
        check(r#"{"action":"stop","name":"a"}"#, "malformed action name=a");
        check(r#"{"action":"start","type":"act"}"#, "malformed name act");
        check(r#"{"action":"start","name":null,"type":"act"}"#, "malformed name act");
        check(r#"{"action":"start","name":"","type":"expl"}"#, "malformed name name=");
        check(r#"{"action":"start","name":"a"}"#, "malformed type name=a");
        check(r#"{"action":"start","name":"a","type":["act"]}"#, "malformed type name=a");
        check(
            r#"{"action":"start","name":"a","type":"plan","dependencies":["b"]}"#,
            "malformed type name=a deps=b",
        );
    }

    #[test]
    fn optional_fields_of_a_wrong_type_count_as_absent() {
        let start = |rest: &str| format!(r#"{{"action":"start","name":"a","type":"act",{rest}}}"#);
        check(&start(r#""dependencies":"x""#), "open a Action deps=None odd=[Dependencies]");
        check(&start(r#""dependencies":["x",1]"#), "open a Action deps=Some(\"x\") odd=[Dependencies]");
        check(&start(r#""dependencies":[1]"#), "open a Action deps=Some(\"\") odd=[Dependencies]");
        check(&start(r#""dependencies":{"0":"x"}"#), "open a Action deps=None odd=[Dependencies]");
        check(&start(r#""dependencies":null"#), "open a Action deps=None odd=[]");
        check(&start(r#""description":1"#), "open a Action deps=None odd=[Description]");
        check(
            r#"{"action":"end","description":["d"],"name":3,"type":4,"dependencies":5}"#,
            "close None None odd=[Name, Type, Dependencies, Description]",
        );
        check(r#"{"action":"end","description":null}"#, "close None None odd=[]");
    }

    #[test]
    fn events_of_results() {
        let check = |event: &str, expected: &str| {
            assert_eq!(show(&mark_of_event(record_of(event))), expected, "event {event}");
        };
        check(
            r#"{"action":"start","chunk":{"name":"a","type":"act","dependencies":["x"]}}"#,
            "open a Action deps=Some(\"x\") odd=[]",
        );
        check(
            r#"{"action":"end","chunk":{"name":"a","type":"expl","description":"d"}}"#,
            "close Some(\"a\") Some(\"d\") odd=[]",
        );
        check(r#"{"action":"end"}"#, "close None None odd=[]");
        check(r#"{"action":"start","name":"a","type":"act"}"#, "malformed name");
        check(r#"{"action":"start","chunk":"a"}"#, "malformed name");
        check(r#""start""#, "malformed action");
    }
}
