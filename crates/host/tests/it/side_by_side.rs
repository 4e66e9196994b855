//! A session beside itself, beside copies with one planted change, and beside other sessions.

use std::path::{Path, PathBuf};

use cwl_host::api::{
    CacheRules, RowDifference, SideBySideAnswer, SideBySideRequest, SideTurn, ViewSettings, WorkKindName,
};
use cwl_host::{LogInput, SessionSnapshot, Tools, commands, load_file};

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let folders = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut logs: Vec<PathBuf> = folders(&folder)
        .iter()
        .flat_map(|format| folders(format))
        .flat_map(|case| ["input.jsonl", "input.json"].map(|name| case.join(name)))
        .filter(|log| log.is_file())
        .collect();
    logs.sort();
    assert!(logs.len() > 40, "{} samples", logs.len());
    logs
}

fn load(bytes: &[u8]) -> SessionSnapshot {
    load_file(&LogInput::Bytes(bytes.to_vec()), None, &Tools::builtin_tables()).unwrap()
}

fn compare(a: &SessionSnapshot, b: &SessionSnapshot) -> SideBySideAnswer {
    let view = ViewSettings { tokenizer: "chars4".into(), ..ViewSettings::counted("o200k") };
    let request = SideBySideRequest {
        session: 0,
        view: view.clone(),
        other: 0,
        other_view: view,
        cache: CacheRules::default(),
    };
    commands::side_by_side(a, b, &request).unwrap()
}

#[test]
fn a_session_beside_itself_shows_no_difference() {
    for log in samples() {
        let opened = load(&std::fs::read(&log).unwrap());
        let told = compare(&opened, &opened);
        assert_eq!(told.says, "there is no difference", "{}", log.display());
        assert_eq!((&told.parting, &told.first_difference), (&None, &None), "{}", log.display());
        assert_eq!(told.n_same as usize, told.rows.len(), "{}", log.display());
        for row in &told.rows {
            assert_eq!(row.a, row.b, "{}", log.display());
            assert_eq!(row.differs, RowDifference::Nothing, "{}", log.display());
        }
        for figure in &told.figures {
            assert!(figure.more.is_none_or(|more| more == 0), "{}: {figure:?}", log.display());
            assert_eq!(figure.a, figure.b, "{}", log.display());
        }
    }
}

/// Longer logs are compared with themselves only, since each change needs another full read.
const MOST_BYTES: usize = 300_000;

/// A place in a log that can be replaced by other bytes of the same length.
struct Plant {
    turn: u32,
    kind: WorkKindName,
    from: String,
    to: String,
}

/// Lists words of a turn's work that occur once in the log, each with a replacement.
fn plants(turn: &SideTurn, text: &str) -> Vec<Plant> {
    let plant = |kind: WorkKindName, word: &str| {
        let is_plain = word.len() >= 6
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte));
        let first = text.find(word)?;
        let once = is_plain && text[first + 1..].find(word).is_none();
        let last = word.rfind(|c: char| c.is_ascii_lowercase())?;
        let other = if &word[last..=last] == "q" { "k" } else { "q" };
        let to = format!("{}{other}{}", &word[..last], &word[last + 1..]);
        once.then(|| Plant { turn: turn.turn, kind, from: word.to_owned(), to })
    };
    let of = |unit: &cwl_host::api::WorkUnitRow| {
        unit.what.split_whitespace().filter_map(|word| plant(unit.kind, word)).collect::<Vec<_>>()
    };
    turn.work.iter().flat_map(of).collect()
}

/// One word of the human, of a path or of a command is replaced: the sides diverge in that row and in no
/// other.
#[test]
fn one_planted_change_is_found() {
    let mut n_planted = std::collections::BTreeMap::new();
    for log in samples() {
        let bytes = std::fs::read(&log).unwrap();
        if bytes.len() > MOST_BYTES {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let opened = load(text.as_bytes());
        let own = compare(&opened, &opened);
        let turns = own.rows.iter().filter_map(|row| row.a.as_ref());
        let all: Vec<Plant> = turns.flat_map(|turn| plants(turn, &text)).collect();
        // A few per log, spread over it.
        let step = all.len().div_ceil(3).max(1);
        for plant in all.iter().step_by(step) {
            let copy = load(text.replace(&plant.from, &plant.to).as_bytes());
            let told = compare(&opened, &copy);
            let said = format!("{}: `{}` for `{}`", log.display(), plant.to, plant.from);
            let differing: Vec<_> =
                told.rows.iter().filter(|row| row.differs >= RowDifference::Marks).collect();
            let turn = |side: &Option<SideTurn>| side.as_ref().map(|turn| turn.turn);
            let places: Vec<_> = differing.iter().map(|row| (turn(&row.a), turn(&row.b))).collect();
            assert_eq!(places, [(Some(plant.turn), Some(plant.turn))], "{said}: {}", told.says);
            if plant.kind != WorkKindName::Mark {
                let parting = told.parting.as_ref().unwrap_or_else(|| panic!("{said}: {}", told.says));
                assert_eq!((parting.a_turn, parting.b_turn), (Some(plant.turn), Some(plant.turn)), "{said}");
                assert_ne!(parting.a, parting.b, "{said}");
            }
            *n_planted.entry(plant.kind.name()).or_insert(0u32) += 1;
        }
    }
    for kind in ["human", "look", "check"] {
        assert!(n_planted.get(kind).is_some_and(|n| *n > 3), "{n_planted:?}");
    }
}

/// A replaced text in a result is no different work; the row only says that texts differ.
#[test]
fn other_words_are_no_other_work() {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi/quickstart/input.jsonl");
    let text = std::fs::read_to_string(log).unwrap();
    let opened = load(text.as_bytes());
    let copy = load(text.replace("glance at", "look at").as_bytes());
    assert_ne!(text, text.replace("glance at", "look at"), "the sample has the word");
    let told = compare(&opened, &copy);
    assert_eq!(told.parting, None, "{}", told.says);
    let first = told.first_difference.unwrap();
    assert_eq!(told.rows[first.row as usize].differs, RowDifference::Texts);
    assert_eq!(told.n_work, 0);
}

/// A log without its last records: only these are missing.
#[test]
fn a_shorter_session_lacks_its_last_turns() {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi/quickstart/input.jsonl");
    let text = std::fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let opened = load(text.as_bytes());
    let short = load(lines[..lines.len() / 2].concat().as_bytes());
    let told = compare(&opened, &short);
    let n_both = told.rows.iter().filter(|row| row.b.is_some()).count();
    assert!(told.rows[..n_both - 1].iter().all(|row| row.differs == RowDifference::Nothing), "{}", told.says);
    assert!(told.rows[n_both..].iter().all(|row| row.b.is_none()), "{}", told.says);
    let turns = told.figures.iter().find(|figure| figure.name == "turns").unwrap();
    assert!(turns.more.unwrap() < 0, "{turns:?}");
}
