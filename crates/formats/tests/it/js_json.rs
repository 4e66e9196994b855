//! Arguments in the form of `JSON.stringify(JSON.parse(x))`.

use cwl_formats::js_json;
use proptest::prelude::*;

fn check(raw: &str, expected: &str) {
    assert_eq!(js_json(raw), expected, "of {raw}");
}

#[test]
fn it_is_compact() {
    check(" { \"a\" : [ 1 , { } , [ ] ] , \"b\" : null } ", r#"{"a":[1,{},[]],"b":null}"#);
    check("\t\"x y\"\n", r#""x y""#);
    check("[ true,\r\nfalse ]", "[true,false]");
}

#[test]
fn numbers_are_javascripts() {
    for (raw, expected) in [
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e3", "1000"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("1E+2", "100"),
        ("0.000001", "0.000001"),
        ("1e-7", "1e-7"),
        ("0.1", "0.1"),
        ("4.35", "4.35"),
        ("5e-324", "5e-324"),
        ("1e-400", "0"),
        ("-1e400", "null"),
        ("1e400", "null"),
        ("123456789012345", "123456789012345"),
        ("9007199254740993", "9007199254740992"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
        ("-12", "-12"),
    ] {
        check(raw, expected);
    }
}

#[test]
fn keys_keep_their_order_but_for_array_indices() {
    check(r#"{"b":1,"a":2}"#, r#"{"b":1,"a":2}"#);
    check(r#"{"b":1,"10":2,"2":3,"a":4,"0":5}"#, r#"{"0":5,"2":3,"10":2,"b":1,"a":4}"#);
    check(r#"{"01":1,"1.0":2,"-1":3,"1e1":4,"1":5}"#, r#"{"1":5,"01":1,"1.0":2,"-1":3,"1e1":4}"#);
    check(
        r#"{"4294967295":1,"4294967294":2,"4294967296":3}"#,
        r#"{"4294967294":2,"4294967295":1,"4294967296":3}"#,
    );
    check(
        r#"[{"x":{"b":[{"1":1,"0":{"9":9,"8":8}}],"5":5}}]"#,
        r#"[{"x":{"5":5,"b":[{"0":{"8":8,"9":9},"1":1}]}}]"#,
    );
    check(r#"{"\u0031":1,"\u0030":0}"#, r#"{"0":0,"1":1}"#);
    check(r#"{"length":1,"__proto__":{"0":1},"":2}"#, r#"{"length":1,"__proto__":{"0":1},"":2}"#);
}

#[test]
fn a_repeated_key_has_its_last_value_at_its_first_place() {
    check(r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#);
    check(r#"{"a":1,"\u0061":{"z":1,"z":2}}"#, r#"{"a":{"z":2}}"#);
    check(r#"{"1":1,"0":0,"1":2}"#, r#"{"0":0,"1":2}"#);
    check(r#"{"\ud83d":1,"\uD83D":2,"\ufffd":3}"#, "{\"\\ud83d\":2,\"\u{fffd}\":3}");
}

#[test]
fn strings_have_javascripts_escapes() {
    for (raw, expected) in [
        (r#""\/\"\\\b\f\n\r\t""#, r#""/\"\\\b\f\n\r\t""#),
        (r#""\u0041\u00e9\u20ac""#, "\"Aé€\""),
        (r#""\u0000\u001F\u007f\u0008\u0022""#, "\"\\u0000\\u001f\u{7f}\\b\\\"\""),
        (r#""\ud83d\ude00\uD83D\uDE00""#, "\"😀😀\""),
        (r#""\ud83d""#, r#""\ud83d""#),
        (r#""\uDE00\uD83Dx\ud83d\n""#, r#""\ude00\ud83dx\ud83d\n""#),
        (r#""\ud83d\ud83d\ude00""#, "\"\\ud83d😀\""),
        ("\"\u{2028}\u{7f}ü\"", "\"\u{2028}\u{7f}ü\""),
    ] {
        check(raw, expected);
    }
}

#[test]
fn what_is_no_json_comes_back_trimmed() {
    for raw in ["", "{", "{'a':1}", "[1,]", "01", "NaN", "\"a\u{1}b\"", "1 2", "\u{feff}1"] {
        check(&format!("  {raw}\n"), raw);
    }
}

#[test]
fn depth_and_width_cost_no_stack_and_no_square() {
    let n = 200_000;
    let list = "[".repeat(n) + &"]".repeat(n);
    check(&list, &list);
    let object = "{\"1\":1,\"0\":".repeat(n) + "0" + &"}".repeat(n);
    let expected = "{\"0\":".repeat(n) + "0" + &",\"1\":1}".repeat(n);
    check(&object, &expected);
    let wide: Vec<String> = (0..n).rev().map(|key| format!("\"{key}\":0")).collect();
    let sorted: Vec<String> = (0..n).map(|key| format!("\"{key}\":0")).collect();
    check(&format!("{{{}}}", wide.join(",")), &format!("{{{}}}", sorted.join(",")));
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop_oneof!["[0-9]{1,3}", "[a-c]", ".{0,3}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            proptest::collection::vec((key, inner), 0..5)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_says_the_same_and_saying_it_again_changes_nothing(value in any_json()) {
        let once = js_json(&serde_json::to_string_pretty(&value).unwrap());
        prop_assert_eq!(&js_json(&once), &once);
        let back: serde_json::Value = serde_json::from_str(&once).unwrap();
        prop_assert!(same(&back, &value), "{} is not {}", once, value);
    }

    #[test]
    fn any_text_is_taken(text in ".*") {
        js_json(&text);
    }
}

/// Compares like JavaScript: numbers by value, members in any order.
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => a.as_f64() == b.as_f64(),
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}
