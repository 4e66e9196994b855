//! The traces of the policies `cwl` and `pi-cwl` must be the golden ones, byte for byte.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cwl_api::dto::{ViewDto, ViewRequest};
use cwl_api::{LogInput, Tools, load_file, trace, write_spaced};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn check(policy: &str, name: &str, budget: &str) {
    let opened =
        load_file(&LogInput::File(folder().join(format!("{name}.jsonl"))), None, &Tools::builtin()).unwrap();
    let view = ViewDto {
        policy: policy.into(),
        budget: budget.into(),
        tokenizer: "chars4".into(),
        overhead: "0".into(),
        options: BTreeMap::from([("classify_shell".into(), "false".into())]),
        ..ViewDto::default()
    };
    let mut found = Vec::new();
    write_spaced(&trace(&opened, &ViewRequest { session: 0, view }).unwrap(), &mut found).unwrap();
    let mut expected = std::fs::read(folder().join(format!("{name}.{policy}.{budget}.json"))).unwrap();
    // The program ends its last line; some of the golden files do not.
    if expected.last() != Some(&b'\n') {
        expected.push(b'\n');
    }
    if found != expected {
        let at =
            found.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
        let around = |bytes: &[u8]| {
            let from = at.saturating_sub(300).min(bytes.len());
            String::from_utf8_lossy(&bytes[from..(at + 200).min(bytes.len())]).into_owned()
        };
        panic!(
            "{policy} on {name} at {budget}: differs at byte {at}\nfound    …{}\nexpected …{}",
            around(&found),
            around(&expected)
        );
    }
}

macro_rules! goldens {
    ($($test:ident: $policy:literal $name:literal $budget:literal;)*) => {$(
        #[test]
        fn $test() {
            check($policy, $name, $budget);
        }
    )*};
}

goldens! {
    tame_6000: "cwl" "tame" "6000";
    tame_20000: "cwl" "tame" "20000";
    tame_60000: "cwl" "tame" "60000";
    wild_6000: "cwl" "wild" "6000";
    wild_20000: "cwl" "wild" "20000";
    wild_60000: "cwl" "wild" "60000";
    broken_6000: "cwl" "broken" "6000";
    broken_20000: "cwl" "broken" "20000";
    broken_60000: "cwl" "broken" "60000";
    pi_cwl_tame_6000: "pi-cwl" "tame" "6000";
    pi_cwl_tame_20000: "pi-cwl" "tame" "20000";
    pi_cwl_tame_60000: "pi-cwl" "tame" "60000";
    pi_cwl_wild_6000: "pi-cwl" "wild" "6000";
    pi_cwl_wild_20000: "pi-cwl" "wild" "20000";
    pi_cwl_wild_60000: "pi-cwl" "wild" "60000";
    pi_cwl_broken_6000: "pi-cwl" "broken" "6000";
    pi_cwl_broken_20000: "pi-cwl" "broken" "20000";
    pi_cwl_broken_60000: "pi-cwl" "broken" "60000";
}
