//! Whatever happens to a file, the receiver ends up with its bytes.

use std::fs;

use crate::common::Live;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Deed {
    Append(Vec<u8>),
    /// Truncates to this percentage of the length.
    Truncate(u64),
    /// Rewrites the same file in place.
    Rewrite(Vec<u8>),
    /// Renames another file over it.
    Replace(Vec<u8>),
    Delete,
    RenameAway,
    Touch,
    /// Waits until the receiver has everything.
    CatchUp,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let text = || prop::collection::vec(any::<u8>(), 1..700);
    let deed = prop_oneof![
        4 => text().prop_map(Deed::Append),
        1 => (0u64..=100).prop_map(Deed::Truncate),
        1 => text().prop_map(Deed::Rewrite),
        1 => text().prop_map(Deed::Replace),
        1 => Just(Deed::Delete),
        1 => Just(Deed::RenameAway),
        1 => Just(Deed::Touch),
        4 => Just(Deed::CatchUp),
    ];
    prop::collection::vec(deed, 1..20)
}

fn apply(live: &mut Live, deed: &Deed, n: usize) {
    let path = live.at("a.jsonl");
    match deed {
        Deed::Append(text) if path.exists() => live.append("a.jsonl", text),
        Deed::Append(text) | Deed::Rewrite(text) => live.write("a.jsonl", text),
        Deed::Truncate(percent) => {
            if let Ok(file) = fs::File::options().write(true).open(&path) {
                file.set_len(file.metadata().unwrap().len() * percent / 100).unwrap();
            }
        }
        Deed::Replace(text) => {
            live.write("a.jsonl.tmp", text);
            live.rename("a.jsonl.tmp", "a.jsonl");
        }
        Deed::Delete => drop(fs::remove_file(&path)),
        Deed::RenameAway => drop(fs::rename(&path, live.at(&format!("old-{n}")))),
        Deed::Touch => {
            if let Ok(file) = fs::File::options().append(true).open(&path) {
                file.set_modified(std::time::SystemTime::now()).unwrap();
            }
        }
        Deed::CatchUp => catch_up(live),
    }
}

fn catch_up(live: &mut Live) {
    match fs::read(live.at("a.jsonl")) {
        Ok(bytes) => live.until_bytes("a.jsonl", bytes),
        Err(_) => live.until("the file is gone, or never was", |live| {
            live.files.get(&live.at("a.jsonl")).is_none_or(|file| file.gone)
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 5, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_receiver_has_what_the_file_has(deeds in deeds()) {
        let mut live = Live::following("a.jsonl");
        for (n, deed) in deeds.iter().enumerate() {
            apply(&mut live, deed, n);
        }
        catch_up(&mut live);
        live.settle();
        catch_up(&mut live);
        if let Ok(bytes) = fs::read(live.at("a.jsonl")) {
            prop_assert_eq!(live.bytes("a.jsonl"), bytes, "nothing came after the end");
        }
    }
}
