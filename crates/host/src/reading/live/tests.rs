//! Whatever the follower reports, the store ends up with the content of the file.
#![allow(clippy::unwrap_used)]
use super::*;
use crate::api::ViewRequest;
use crate::{LogInput, load_file, trace};
use proptest::prelude::*;
use std::io::Write;
use std::sync::atomic::Ordering;

/// A report of the follower about an appended stretch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Told {
    Exactly,
    Twice,
    /// The piece, together with bytes reported before.
    Overlapping,
    Nothing,
    /// The process ends and another one continues.
    Restart,
}

pub(super) fn pieces() -> impl Strategy<Value = Vec<(usize, Told)>> {
    let told = prop_oneof![
        4 => Just(Told::Exactly),
        1 => Just(Told::Twice),
        1 => Just(Told::Overlapping),
        1 => Just(Told::Nothing),
        1 => Just(Told::Restart),
    ];
    proptest::collection::vec((1usize..3000, told), 1..24)
}

fn traced(opened: &SessionSnapshot) -> crate::api::TraceAnswer {
    let view =
        crate::api::ViewSettings { budget: "500".into(), ..crate::api::ViewSettings::counted("o200k") };
    trace(opened, &ViewRequest { view }).unwrap()
}

/// Checks that the followed log equals one read whole and without a store.
fn check_is_whole(live: &mut LogFollower, path: &Path, data_dir: &Path) {
    let (opened, _) = live.publish_revision();
    let whole = load_file(&LogInput::File(path.to_owned()), None, &Tools::builtin_tables()).unwrap();
    assert_eq!(opened.log.events(), whole.log.events());
    assert_eq!(opened.log_problems, whole.log_problems);
    let (branch, fresh) = (opened.current_branch(), whole.current_branch());
    assert_eq!(branch.session, fresh.session);
    assert_eq!(branch.growth, fresh.growth);
    assert_eq!(branch.problems, fresh.problems);
    assert_eq!(traced(&opened), traced(&whole));
    live.save_derived().unwrap();
    assert_eq!(crate::check_store(data_dir).unwrap(), Vec::<String>::new());
}

/// Checks that a revision has the branch of its own records, whatever the follower has read since.
fn check_revision(revision: &SessionSnapshot) {
    let size = revision.current_size();
    let expected = GrowingBranch::build(&revision.log, Tools::builtin_tables().table().clone());
    let branch = revision.current_branch();
    assert_eq!(&*branch.session, expected.session());
    assert_eq!(&branch.growth, expected.timeline());
    assert_eq!(revision.current_size(), size, "the same as before the branch was copied");
}

pub(super) fn check(log: &[u8], pieces: &[(usize, Told)]) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.jsonl");
    let open = || {
        let library = Arc::new(Library::open_folder(&dir.path().join("data")).unwrap());
        LogFollower::open_log(library, &path, Tools::builtin_tables(), &FollowRequest::default()).unwrap()
    };
    let mut end = 2_000.min(log.len());
    std::fs::write(&path, &log[..end]).unwrap();
    let mut live = open();
    let mut revisions = Vec::new();
    for (number, (length, told)) in pieces.iter().enumerate() {
        let from = end;
        end = (end + *length).min(log.len());
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&log[from..end]).unwrap();
        let identity = FileIdentity::from_metadata(&file.metadata().unwrap());
        let message = |from: usize| TailMessage::Appended {
            path: path.clone(),
            offset: from as u64,
            bytes: log[from..end].to_vec(),
            identity,
            at_end: true,
        };
        match told {
            Told::Exactly => live.apply_message(message(from)).unwrap(),
            Told::Twice => {
                live.apply_message(message(from)).unwrap();
                live.apply_message(message(from)).unwrap();
            }
            Told::Overlapping => live.apply_message(message(from.saturating_sub(777))).unwrap(),
            Told::Nothing => {}
            Told::Restart => live = open(),
        }
        let revision = live.publish_revision().0;
        if number % 2 == 0 {
            check_revision(&revision);
        }
        revisions.push(revision);
    }
    // The follower has gone on with the branch that it had lent to these.
    revisions.iter().for_each(|revision| check_revision(revision));
    live.reload_stored().unwrap();
    check_is_whole(&mut live, &path, &dir.path().join("data"));
}

/// A temporary folder with a log and a store.
pub(super) struct Desk {
    dir: tempfile::TempDir,
}

impl Desk {
    pub(super) fn new(log: &[u8]) -> Self {
        let desk = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::write(desk.log(), log).unwrap();
        desk
    }

    pub(super) fn log(&self) -> PathBuf {
        self.dir.path().join("log.jsonl")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub(super) fn open(&self, opening: &FollowRequest<'_>) -> Result<LogFollower, ApiError> {
        let library = Arc::new(Library::open_folder(&self.data()).unwrap());
        LogFollower::open_log(library, &self.log(), Tools::builtin_tables(), opening)
    }

    #[track_caller]
    pub(super) fn check_is_whole(&self, live: &mut LogFollower) {
        check_is_whole(live, &self.log(), &self.data());
    }
}

const QUICKSTART: &[u8] = include_bytes!("../../../../../samples/pi/quickstart/input.jsonl");
const BRANCHES: &[u8] = include_bytes!("../../../../../samples/pi/branches/input.jsonl");

#[test]
fn any_chunk_gives_the_same_store() {
    for chunk in [500, 4_096, 65_536, CHUNK] {
        for log in [QUICKSTART, BRANCHES] {
            let desk = Desk::new(log);
            let n_pieces = std::cell::Cell::new(0);
            let progress = |_, _| n_pieces.set(n_pieces.get() + 1);
            let mut live =
                desk.open(&FollowRequest { chunk, progress: &progress, ..FollowRequest::default() }).unwrap();
            let expected = log.chunks(chunk).filter(|bytes| bytes.contains(&b'\n')).count();
            assert_eq!(n_pieces.get(), expected, "one transaction for each chunk that ends a line");
            desk.check_is_whole(&mut live);
        }
    }
}

#[test]
fn a_log_that_is_replaced_is_read_anew_in_pieces() {
    let desk = Desk::new(QUICKSTART);
    drop(desk.open(&FollowRequest::default()).unwrap());
    std::fs::write(desk.log(), BRANCHES).unwrap();
    let mut live = desk.open(&FollowRequest { chunk: 1_000, ..FollowRequest::default() }).unwrap();
    assert_eq!(live.generation, 1);
    desk.check_is_whole(&mut live);
}

#[test]
fn what_was_read_before_a_stop_is_kept_and_gone_on_with() {
    let desk = Desk::new(QUICKSTART);
    let stopped = AtomicBool::new(false);
    let mut offsets = Vec::new();
    loop {
        stopped.store(false, Ordering::Relaxed);
        let (n_pieces, read_to) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
        let progress = |done, _| {
            read_to.set(done);
            n_pieces.set(n_pieces.get() + 1);
            stopped.store(n_pieces.get() == 2, Ordering::Relaxed);
        };
        let opening = FollowRequest {
            chunk: 20_000,
            progress: &progress,
            stopped: &stopped,
            ..FollowRequest::default()
        };
        match desk.open(&opening) {
            Err(error) => {
                assert_eq!(error.code, ErrorCode::Cancelled);
                let library = Library::open_folder(&desk.data()).unwrap();
                let row = library.run_read(|reader| reader.all_sources()).unwrap().remove(0);
                assert_eq!(row.cursor.offset, read_to.get(), "what was said to be read is stored");
                offsets.push(read_to.get());
            }
            Ok(mut live) => {
                assert!(offsets.len() > 2 && offsets.is_sorted_by(|a, b| a < b), "{offsets:?}");
                desk.check_is_whole(&mut live);
                return;
            }
        }
    }
}

#[test]
fn a_line_of_over_64_mib_is_skipped_with_a_problem() {
    let mut log = QUICKSTART.to_vec();
    let n_long = (64 << 20) + 1;
    let long_at = log.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    log.resize(log.len() + n_long, b'x');
    log.extend_from_slice(b"\n{\"type\":\"label\",\"id\":\"after\",\"targetId\":\"x\",\"label\":\"y\"}\n");
    let desk = Desk::new(&log);
    drop(log);
    let mut live = desk.open(&FollowRequest::default()).unwrap();
    let (opened, _) = live.publish_revision();
    let long = Problem {
        place: cwl_engine::Place::at_line(long_at),
        kind: cwl_engine::ProblemKind::LongLine { n_bytes: n_long as u64 },
    };
    assert!(opened.log_problems.contains(&long), "{:?}", opened.log_problems);
    assert_eq!(opened.log.events().last().unwrap().line, long_at + 1, "reading goes on behind it");
    let n_stored: u64 =
        std::fs::read_dir(desk.data()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(n_stored < 8 << 20, "{n_stored} bytes are stored: nothing of the long line");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_told_the_file_decides(pieces in pieces()) {
        check(BRANCHES, &pieces);
    }

    #[test]
    fn logs_that_cannot_be_gone_on_with_are_read_again(pieces in pieces()) {
        check(include_bytes!("../../../../../samples/pi/v1/input.jsonl"), &pieces);
    }
}
