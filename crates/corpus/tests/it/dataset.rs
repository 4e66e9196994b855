//! A data set becomes logs, and a trial of them has both outcomes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cwl_corpus::{DatasetSample, UnpackAsked, UnpackCounts, UnpackError, run_trial, unpack_dataset};
use cwl_host::api::ViewRequest;
use cwl_host::api::ViewSettings;
use cwl_host::commands::RunsAsked;
use cwl_host::{SessionPlace, commands, places_of_sessions};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::common::{corpus_of, make, open};

/// Columns as Hugging Face writes a list of messages: an optional list of optional groups.
const SCHEMA: &str = "message schema {
  optional binary instance_id (STRING);
  optional group trajectory (LIST) { repeated group list { optional group element {
    optional binary role (STRING);
    optional binary content (STRING);
    optional binary tool_call_id (STRING);
    optional group tool_calls (LIST) { repeated group list { optional group element {
      optional binary id (STRING);
      optional group function { optional binary name (STRING); optional binary arguments (STRING); }
    } } }
  } } }
  optional int64 resolved;
}";

/// One message of a row: role, content, id of the answered call, and a call's id and arguments.
#[derive(Clone, Default)]
struct DatasetMessage {
    role: &'static str,
    content: String,
    answers: Option<String>,
    call: Option<(String, String)>,
}

struct DatasetRow {
    id: &'static str,
    messages: Vec<DatasetMessage>,
    resolved: i64,
}

/// A session of `n_reads` reads, which searches at the end for a name that only the first file has.
fn session(id: &'static str, n_reads: usize, resolved: i64) -> DatasetRow {
    let text = |role, content: &str| DatasetMessage { role, content: content.into(), ..Default::default() };
    let mut messages = vec![text("system", "You repair programs."), text("user", "Repair the parser.")];
    for nth in 0..n_reads {
        let command = match nth + 1 == n_reads {
            true => "grep -rn name_0_77 src".to_owned(),
            false => format!("cat src/part{nth}.py"),
        };
        let call = Some((format!("c{nth}"), format!("{{\"command\":\"{command}\"}}")));
        messages.push(DatasetMessage { call, ..text("assistant", "I look.") });
        let body: String = (0..120).map(|line| format!("def name_{nth}_{line}(): return {line}\n")).collect();
        messages.push(DatasetMessage { answers: Some(format!("c{nth}")), ..text("tool", &body) });
    }
    messages.push(text("assistant", "Done."));
    DatasetRow { id, messages, resolved }
}

/// Values of a column with their definition and repetition levels.
#[derive(Default)]
struct ColumnLevels {
    values: Vec<ByteArray>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl ColumnLevels {
    fn push(&mut self, value: Option<&str>, depth: i16, missing: i16, repetition: i16) {
        self.values.extend(value.map(|value| ByteArray::from(value.as_bytes().to_vec())));
        self.definition.push(if value.is_some() { depth } else { missing });
        self.repetition.push(repetition);
    }
}

fn write_rows(path: &Path, rows: &[DatasetRow]) {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY);
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build())).unwrap();
    let mut columns: [ColumnLevels; 7] = Default::default();
    for row in rows {
        columns[0].push(Some(row.id), 1, 0, 0);
        for (at, message) in row.messages.iter().enumerate() {
            let repetition = i16::from(at > 0);
            columns[1].push(Some(message.role), 4, 3, repetition);
            columns[2].push(Some(&message.content), 4, 3, repetition);
            columns[3].push(message.answers.as_deref(), 4, 3, repetition);
            let (id, arguments) = message.call.clone().unzip();
            columns[4].push(id.as_deref(), 7, 3, repetition);
            columns[5].push(id.as_deref().map(|_| "execute_bash"), 8, 3, repetition);
            columns[6].push(arguments.as_deref(), 8, 3, repetition);
        }
    }
    let mut group = writer.next_row_group().unwrap();
    for levels in &columns {
        let mut column = group.next_column().unwrap().unwrap();
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&levels.values, Some(&levels.definition), Some(&levels.repetition)).unwrap();
        column.close().unwrap();
    }
    let mut column = group.next_column().unwrap().unwrap();
    let resolved: Vec<i64> = rows.iter().map(|row| row.resolved).collect();
    column.typed::<Int64Type>().write_batch(&resolved, Some(&vec![1; rows.len()]), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

fn unpack(files: &[PathBuf], folder: &Path, sample: DatasetSample) -> Result<UnpackCounts, UnpackError> {
    let asked = UnpackAsked {
        files: files.to_vec(),
        folder: folder.to_owned(),
        sample,
        model: Some("claude-sonnet-4-5".into()),
        outcome: None,
    };
    unpack_dataset(&asked, &|_, _| {})
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_row_opens_as_a_session_with_its_outcome() {
    let dir = tempfile::tempdir().unwrap();
    let (file, folder) = (dir.path().join("train-0.parquet"), dir.path().join("logs"));
    write_rows(&file, &[session("a-1", 3, 1), session("b-2", 2, 0)]);
    let counts = unpack(std::slice::from_ref(&file), &folder, DatasetSample::All).unwrap();
    assert_eq!(counts, UnpackCounts { n_written: 2, n_rows: 2, ..UnpackCounts::default() });
    assert_eq!(names(&folder), ["train-0-1.json.gz", "train-0-2.json.gz"]);
    let places = places_of_sessions(std::slice::from_ref(&folder)).unwrap();
    assert_eq!(places.iter().map(SessionPlace::outcome).collect::<Vec<_>>(), [Some(true), Some(false)]);
    let opened = open(&places[0].name).unwrap();
    let session = commands::session(&opened).unwrap();
    assert_eq!(session.format, "openai-chat");
    assert_eq!(session.model.as_deref(), Some("claude-sonnet-4-5"));
    assert!(session.problems.iter().all(|problem| problem.code != "L002"), "{:?}", session.problems);
    let request = ViewRequest { view: ViewSettings::counted("o200k") };
    let made = commands::requests_made(&opened, &request).unwrap().requests;
    assert_eq!(made.iter().map(|request| request.n_calls).collect::<Vec<_>>(), [1, 1, 1, 0]);
    // A second run leaves the logs as they are.
    let again = unpack(&[file], &folder, DatasetSample::All).unwrap();
    assert_eq!((again.n_written, again.n_kept), (0, 2));
}

#[test]
fn a_sample_is_the_same_every_time_and_of_all_files() {
    let dir = tempfile::tempdir().unwrap();
    let files = ["x.parquet", "y.parquet"].map(|name| dir.path().join(name));
    let rows: Vec<DatasetRow> = (0..30).map(|_| session("a", 1, 1)).collect();
    files.iter().for_each(|file| write_rows(file, &rows));
    let sample = |name: &str, n: u64| {
        let folder = dir.path().join(name);
        unpack(&files, &folder, DatasetSample::Rows(n)).unwrap();
        names(&folder)
    };
    let (first, second) = (sample("first", 12), sample("second", 12));
    assert_eq!((first.len(), &first), (12, &second));
    assert!(["x-", "y-"].iter().all(|file| first.iter().any(|name| name.starts_with(file))), "{first:?}");
    assert!(sample("more", 20).iter().filter(|name| first.contains(name)).count() == 12);
    assert_eq!((sample("none", 0).len(), sample("all", 99).len()), (0, 60));
}

#[test]
fn what_is_no_data_set_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("logs");
    let check = |bytes: &[u8], expected: &str| {
        let file = dir.path().join("odd.parquet");
        std::fs::write(&file, bytes).unwrap();
        let error = unpack(&[file], &folder, DatasetSample::All).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(b"no parquet at all", "cannot read this file as Parquet");
    check(b"", "cannot read this file as Parquet");
    let file = dir.path().join("whole.parquet");
    write_rows(&file, &[session("a", 2, 1)]);
    let whole = std::fs::read(&file).unwrap();
    check(&whole[..whole.len() - 9], "cannot read this file as Parquet");
    let twice = unpack(&[file.clone(), dir.path().join("b/whole.parquet")], &folder, DatasetSample::All);
    assert!(twice.unwrap_err().to_string().contains("two files are called `whole`"));
    let error = places_of_sessions(&[file]).unwrap_err();
    assert!(error.hint.unwrap_or_default().contains("cwl corpus unpack"));
}

#[test]
fn a_trial_says_what_is_lacking_in_failed_and_in_solved_sessions() {
    let dir = tempfile::tempdir().unwrap();
    let (file, logs) = (dir.path().join("train.parquet"), dir.path().join("logs"));
    let rows: Vec<DatasetRow> = (0..8).map(|nth| session("a", 14 + nth, i64::from(nth % 2 == 0))).collect();
    write_rows(&file, &rows);
    unpack(&[file], &logs, DatasetSample::All).unwrap();
    let tables = dir.path().join("tables");
    let runs = vec![RunsAsked::parse_runs("cwl,window,none@4k,8k,16k,24k").unwrap()];
    make(&cwl_corpus::CorpusAsked { runs, ..corpus_of(&logs, &tables) });
    let trial = run_trial(&tables).unwrap();
    let groups: Vec<(&str, u32)> =
        trial.groups.iter().map(|group| (group.name.as_str(), group.n_sessions)).collect();
    assert!(groups.contains(&("solved", 4)) && groups.contains(&("failed", 4)), "{groups:?}");
    let window = trial.outcomes.iter().find(|row| row.policy == "window" && row.n_solved == 4).unwrap();
    assert_eq!(window.n_failed, 4);
    let difference = window.lacking_failed.value.unwrap() - window.lacking_solved.value.unwrap();
    assert!((window.difference.value.unwrap() - difference).abs() < 1e-9);
    assert!(window.lacking_failed.value.unwrap() > 0.0, "the window loses the first file");
}
