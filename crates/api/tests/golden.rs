//! The traces of the policy `cwl` must be the golden ones, byte for byte.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cwl_api::dto::{ViewDto, ViewRequest};
use cwl_api::{LogInput, Tools, load_file, trace, write_spaced};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn check(name: &str, budget: &str) {
    let opened =
        load_file(&LogInput::File(folder().join(format!("{name}.jsonl"))), None, &Tools::builtin()).unwrap();
    let view = ViewDto {
        budget: budget.into(),
        tokenizer: "chars4".into(),
        overhead: "0".into(),
        options: BTreeMap::from([("classify_shell".into(), "false".into())]),
        ..ViewDto::default()
    };
    let mut found = Vec::new();
    write_spaced(&trace(&opened, &ViewRequest { session: 0, view }).unwrap(), &mut found).unwrap();
    let expected = std::fs::read(folder().join(format!("{name}.cwl.{budget}.json"))).unwrap();
    if found != expected {
        let at =
            found.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
        let around = |bytes: &[u8]| {
            let from = at.saturating_sub(300).min(bytes.len());
            String::from_utf8_lossy(&bytes[from..(at + 200).min(bytes.len())]).into_owned()
        };
        panic!(
            "{name} at {budget}: differs at byte {at}\nfound    …{}\nexpected …{}",
            around(&found),
            around(&expected)
        );
    }
}

macro_rules! goldens {
    ($($test:ident: $name:literal $budget:literal;)*) => {$(
        #[test]
        fn $test() {
            check($name, $budget);
        }
    )*};
}

goldens! {
    tame_6000: "tame" "6000";
    tame_20000: "tame" "20000";
    tame_60000: "tame" "60000";
    wild_6000: "wild" "6000";
    wild_20000: "wild" "20000";
    wild_60000: "wild" "60000";
    broken_6000: "broken" "6000";
    broken_20000: "broken" "20000";
    broken_60000: "broken" "60000";
}
