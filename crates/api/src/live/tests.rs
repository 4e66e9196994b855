//! Whatever the follower tells, the store ends up with what the file says.
#![allow(clippy::unwrap_used)]
use super::*;
use crate::dto::ViewRequest;
use crate::{LogInput, load_file, trace};
use proptest::prelude::*;
use std::io::Write;

/// What the follower tells of a piece that was appended.
#[derive(Debug, Clone, Copy)]
enum Told {
    Exactly,
    Twice,
    /// The piece and some of what was told before.
    Overlapping,
    Nothing,
    /// The process ends and another one goes on.
    Restart,
}

fn pieces() -> impl Strategy<Value = Vec<(usize, Told)>> {
    let told = prop_oneof![
        4 => Just(Told::Exactly),
        1 => Just(Told::Twice),
        1 => Just(Told::Overlapping),
        1 => Just(Told::Nothing),
        1 => Just(Told::Restart),
    ];
    proptest::collection::vec((1usize..3000, told), 1..24)
}

fn traced(opened: &Opened) -> crate::dto::TraceDto {
    let view = crate::dto::ViewDto { budget: "500".into(), ..crate::dto::ViewDto::default() };
    trace(opened, &ViewRequest { session: 0, view }).unwrap()
}

fn check(log: &[u8], pieces: &[(usize, Told)]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.jsonl");
    let open = || {
        let library = Arc::new(Library::open(&dir.path().join("data")).unwrap());
        Live::open(library, &path, None, Tools::builtin(), &|_| {}, &|_, _| {}).unwrap()
    };
    let mut end = 200.min(log.len());
    std::fs::write(&path, &log[..end]).unwrap();
    let mut live = open();
    for (length, told) in pieces {
        let from = end;
        end = (end + length).min(log.len());
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&log[from..end]).unwrap();
        let identity = FileIdentity::of(&file.metadata().unwrap());
        let message = |from: usize| TailMessage::Appended {
            path: path.clone(),
            offset: from as u64,
            bytes: log[from..end].to_vec(),
            identity,
            at_end: true,
        };
        match told {
            Told::Exactly => live.message(message(from)).unwrap(),
            Told::Twice => {
                live.message(message(from)).unwrap();
                live.message(message(from)).unwrap();
            }
            Told::Overlapping => live.message(message(from.saturating_sub(777))).unwrap(),
            Told::Nothing => {}
            Told::Restart => live = open(),
        }
    }
    live.reload().unwrap();
    let (opened, _) = live.publish();
    let whole = load_file(&LogInput::File(path.clone()), None, &Tools::builtin()).unwrap();
    assert_eq!(opened.log.events(), whole.log.events());
    assert_eq!(opened.log_problems, whole.log_problems);
    assert_eq!(traced(&opened), traced(&whole));
    live.save_derived().unwrap();
    drop((live, opened));
    assert_eq!(crate::check_store(&dir.path().join("data")).unwrap(), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_told_the_file_decides(pieces in pieces()) {
        check(include_bytes!("../../../../samples/pi/branches/input.jsonl"), &pieces);
    }

    #[test]
    fn logs_that_cannot_be_gone_on_with_are_read_again(pieces in pieces()) {
        check(include_bytes!("../../../../samples/pi/v1/input.jsonl"), &pieces);
    }
}
