//! `cwl sessions` on a machine with logs of every harness.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

struct Home {
    dir: tempfile::TempDir,
    n_logs: u64,
}

impl Home {
    /// Copies a sample to a harness's place; each is older than the one before.
    fn add(&mut self, sample: &str, to: &str) -> PathBuf {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        let to = self.dir.path().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(samples.join(sample), &to).unwrap();
        self.n_logs += 1;
        let at = SystemTime::now() - Duration::from_secs(3600 * self.n_logs);
        std::fs::File::options().append(true).open(&to).unwrap().set_modified(at).unwrap();
        to
    }

    fn sessions(&self, args: &[&str]) -> String {
        self.sessions_and_messages(args).0
    }

    /// Returns standard output and standard error.
    fn sessions_and_messages(&self, args: &[&str]) -> (String, String) {
        self.run(&[&["sessions"], args].concat())
    }

    /// Runs a command that must succeed; returns standard output and standard error.
    fn run(&self, args: &[&str]) -> (String, String) {
        let dir = self.dir.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cwl"));
        for name in [
            "PI_CODING_AGENT_DIR",
            "PI_CODING_AGENT_SESSION_DIR",
            "OPENCLAW_STATE_DIR",
            "CLAWDBOT_STATE_DIR",
            "COPILOT_HOME",
            "GEMINI_CLI_HOME",
            "CWL_LOG",
        ] {
            command.env_remove(name);
        }
        let output = command
            .args(args)
            .env("HOME", dir.join("home"))
            .env("CWL_DATA_DIR", dir.join("data"))
            .env("CWL_CONFIG_DIR", dir.join("config"))
            .env("CODEX_HOME", dir.join("codex"))
            .env("CLAUDE_CONFIG_DIR", format!("{},{}", dir.join("one").display(), dir.join("two").display()))
            .env("XDG_CONFIG_HOME", dir.join("xdg"))
            .env("XDG_DATA_HOME", dir.join("share"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{args:?}: {messages}");
        (String::from_utf8(output.stdout).unwrap(), messages)
    }
}

/// Makes a database with a session of OpenCode.
fn add_database(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    rusqlite::Connection::open(path)
        .unwrap()
        .execute_batch(
            r#"CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT,
                 title TEXT, version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER);
               CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
                 time_updated INTEGER, data TEXT);
               CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                 time_updated INTEGER, data TEXT);
               INSERT INTO session VALUES ('ses_6b1f0c2d9a', 'p', NULL, 's', '/never', 'Back off', '1.2.20', NULL, 1, 20);
               INSERT INTO message VALUES ('msg_1', 'ses_6b1f0c2d9a', 1, 1, '{"role":"user","time":{"created":1},
                 "agent":"build","model":{"providerID":"p","modelID":"m"}}');
               INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_6b1f0c2d9a', 1, 1, '{"type":"text","text":"Back off."}');"#,
        )
        .unwrap();
}

/// Adds a session of OpenCode up to 1.1, with a file per message.
fn add_files(storage: &Path) {
    for (name, text) in [
        (
            "session/p/ses_5aaa0c2d9a.json",
            r#"{"id":"ses_5aaa0c2d9a","version":"1.0.7","projectID":"p","directory":"/never","title":"In files",
               "time":{"created":1,"updated":20}}"#,
        ),
        (
            "message/ses_5aaa0c2d9a/msg_9.json",
            r#"{"id":"msg_9","sessionID":"ses_5aaa0c2d9a","role":"user","time":{"created":1},"agent":"build",
               "model":{"providerID":"p","modelID":"m"}}"#,
        ),
        (
            "part/msg_9/prt_9.json",
            r#"{"id":"prt_9","messageID":"msg_9","sessionID":"ses_5aaa0c2d9a","type":"text","text":"Back off."}"#,
        ),
    ] {
        let path = storage.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Runs the commands with the listed name of each row.
fn check_names(home: &Home, rows: &[serde_json::Value]) {
    let text = home.sessions(&[]);
    for row in rows {
        let name = row["name"].as_str().unwrap();
        assert!(text.lines().any(|line| line.starts_with(name)), "{name} is what the list shows: {text}");
        for command in [
            &["report"][..],
            &["graph"],
            &["replay"],
            &["context"],
            &["evicted"],
            &["compactions"],
            &["branches"],
            &["import"],
        ] {
            let (told, _) = home.run(&[command, &[name]].concat());
            assert!(
                !told.is_empty() || command == ["context"] || command == ["evicted"],
                "{command:?} {name}"
            );
        }
    }
}

mod slow {
    use super::*;

    /// Every command takes the names from the list, wherever a session is kept.
    #[test]
    fn the_names_of_the_list_work_in_every_command() {
        let mut home = Home { dir: tempfile::tempdir().unwrap(), n_logs: 0 };
        home.add("pi/quickstart/input.jsonl", "home/.pi/agent/sessions/--home-dev--/2026_1.jsonl");
        let gone = home.add("pi/branches/input.jsonl", "home/.pi/agent/sessions/--home-dev--/2026_2.jsonl");
        home.add("claude-code/quickstart/input.jsonl", "one/projects/-home-dev/1.jsonl");
        home.add(
            "codex/quickstart/input.jsonl",
            "codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-0.jsonl",
        );
        home.add("codex/archived/input.jsonl", "codex/archived_sessions/rollout-2026-01-02T03-04-05-1.jsonl");
        home.add("copilot/quickstart/input.jsonl", "home/.copilot/session-state/5f0c-1/events.jsonl");
        home.add(
            "gemini-cli/document/input.json",
            "home/.gemini/tmp/ab/chats/session-2026-05-12T14-21-aabbccde.json",
        );
        home.add("qwen-code/records/input.jsonl", "home/.qwen/projects/-home-dev/chats/1.jsonl");
        home.add("droid/records/input.jsonl", "home/.factory/sessions/-home-dev/1.jsonl");
        home.add("openclaw/gateway/input.jsonl", "home/.openclaw/agents/main/sessions/0.jsonl");
        add_database(&home.dir.path().join("share/opencode/opencode.db"));
        home.run(&["import", &gone.display().to_string()]);
        std::fs::remove_file(&gone).unwrap();

        let list: serde_json::Value = serde_json::from_str(&home.sessions(&["--json"])).unwrap();
        let rows = list["rows"].as_array().unwrap();
        let harnesses: std::collections::BTreeSet<&str> =
            rows.iter().map(|row| row["harness"].as_str().unwrap()).collect();
        let all = [
            "claude-code",
            "codex",
            "copilot",
            "droid",
            "gemini-cli",
            "openclaw",
            "opencode",
            "pi",
            "qwen-code",
        ];
        assert_eq!(harnesses.into_iter().collect::<Vec<_>>(), all);
        assert_eq!((rows.len(), rows.iter().filter(|row| row["gone"] == true).count()), (11, 1), "{rows:#?}");
        check_names(&home, rows);
        let short = "opencode.db#ses_6b1f0c2d9a";
        assert!(
            home.run(&["context", short]).0.contains("Back off."),
            "a session of a database by its short name"
        );

        // Files of OpenCode up to 1.1 count only without a database.
        std::fs::remove_file(home.dir.path().join("share/opencode/opencode.db")).unwrap();
        add_files(&home.dir.path().join("share/opencode/storage"));
        let list: serde_json::Value = serde_json::from_str(&home.sessions(&["--json"])).unwrap();
        let mut rows = list["rows"].as_array().unwrap().clone();
        rows.retain(|row| row["title"] == "In files");
        assert_eq!(rows.len(), 1, "{list:#}");
        check_names(&home, &rows);
    }
}

#[test]
fn every_harness_is_found_and_subagents_are_indented() {
    let mut home = Home { dir: tempfile::tempdir().unwrap(), n_logs: 0 };
    home.add("pi/quickstart/input.jsonl", "home/.pi/agent/sessions/--home-dev--/2026_1.jsonl");
    home.add(
        "pi/quickstart/input.jsonl",
        "home/.pi/agent/sessions/--home-dev--/2026_1/ab12/run-0/session.jsonl",
    );
    home.add("pi/quickstart/input.jsonl", "home/.claude/agent/sessions/--home-dev--/2026_2.jsonl");
    home.add(
        "openclaw/gateway/input.jsonl",
        "home/.openclaw/agents/main/sessions/0.jsonl.deleted.2026-01-02T03-04-05.000Z",
    );
    let session = "0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0";
    home.add("claude-code/subagents/input.jsonl", &format!("one/projects/-home-dev/{session}.jsonl"));
    for agent in ["agent-a7c41d09e2b35f681", "agent-a90be2245d7c1f3aa"] {
        let sample = format!("claude-code/subagents/input/subagents/{agent}.jsonl");
        home.add(&sample, &format!("one/projects/-home-dev/{session}/subagents/{agent}.jsonl"));
    }
    home.add("claude-code/quickstart/input.jsonl", "two/projects/-home-dev/1.jsonl");
    home.add("claude-code/branches/input.jsonl", "xdg/claude/projects/-home-dev/2.jsonl");
    home.add("claude-code/branches/input.jsonl", "home/.claude/history.jsonl");
    home.add("codex/quickstart/input.jsonl", "codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-0.jsonl");
    home.add("codex/archived/input.jsonl", "codex/archived_sessions/rollout-2026-01-02T03-04-05-1.jsonl");
    home.add("copilot/quickstart/input.jsonl", "home/.copilot/session-state/5f0c-1/events.jsonl");
    home.add("copilot/compacted/input.jsonl", "home/.copilot/session-state/5f0c-1/files/events.jsonl");
    home.add(
        "gemini-cli/quickstart/input.jsonl",
        "home/.gemini/tmp/ab/chats/session-2026-05-12T14-20-aabbccdd.jsonl",
    );
    home.add(
        "gemini-cli/document/input.json",
        "home/.gemini/tmp/ab/chats/session-2026-05-12T14-21-aabbccde.json",
    );
    home.add("gemini-cli/subagent/input.jsonl", "home/.gemini/tmp/ab/chats/aabbccdd-0/x.jsonl");

    let list: serde_json::Value = serde_json::from_str(&home.sessions(&["--json"])).unwrap();
    let line = |row: &serde_json::Value, indent: &str| {
        let path = Path::new(row["path"].as_str().unwrap());
        let state = if row["archived"] == true { "archived" } else { "" };
        format!(
            "{indent}{} {} {state}",
            row["harness"].as_str().unwrap(),
            path.file_name().unwrap().to_string_lossy()
        )
        .trim_end()
        .to_owned()
    };
    let mut lines = Vec::new();
    for row in list["rows"].as_array().unwrap() {
        lines.push(line(row, ""));
        lines.extend(row["children"].as_array().unwrap().iter().map(|child| line(child, "  ")));
    }
    insta::assert_snapshot!(lines.join("\n"));

    let text = home.sessions(&[]);
    let titles: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(titles.len(), lines.len(), "a line for each");
    for (title, line) in titles.iter().zip(&lines) {
        assert_eq!(title.contains('└'), line.starts_with(' '), "{title}: {line}");
    }
}

#[test]
fn pi_is_found_where_its_settings_say_and_what_is_not_read_is_said() {
    let mut home = Home { dir: tempfile::tempdir().unwrap(), n_logs: 0 };
    home.add("pi/quickstart/input.jsonl", "home/my sessions/2026-05-12T14-20-00-000Z_1.jsonl");
    home.add("pi/quickstart/input.jsonl", "home/my sessions/photos/not-pis.jsonl");
    let write = |name: &str, text: &str| {
        let path = home.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("home/.pi/agent/settings.json", r#"{"theme":"dark","sessionDir":"~/my sessions"}"#);
    write("home/.claude/agent/settings.json", "{ not JSON");
    write("home/my sessions/sessions.sqlite", "SQLite format 3");
    let (list, messages) = home.sessions_and_messages(&["--json"]);
    assert_eq!(messages, "", "all of it is in the JSON");
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let rows = list["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["harness"]), (1, &"pi".into()), "{rows:#?}");
    assert!(rows[0]["path"].as_str().unwrap().ends_with("my sessions/2026-05-12T14-20-00-000Z_1.jsonl"));
    let folder = home.dir.path().join("home/my sessions").display().to_string();
    assert!(list["folders"].as_array().unwrap().contains(&folder.into()), "it is said where is looked");
    let notices = list["notices"].as_array().unwrap();
    let told: Vec<(&str, &str)> = notices
        .iter()
        .map(|notice| (notice["harness"].as_str().unwrap(), notice["path"].as_str().unwrap()))
        .map(|(harness, path)| (harness, path.rsplit('/').next().unwrap()))
        .collect();
    assert_eq!(told, [("pi-cwl", "settings.json"), ("pi", "sessions.sqlite")]);
    let (text, messages) = home.sessions_and_messages(&[]);
    assert_eq!(text.lines().count(), 2);
    let lines: Vec<&str> = messages.lines().collect();
    assert!(lines[0].starts_with("cwl: pi-cwl: the settings are no JSON (line 1)"), "{messages}");
    assert!(lines[1].contains("/export") && lines[1].ends_with("my sessions/sessions.sqlite"), "{messages}");
}

/// A list needs no store: problems are reported, and logs are listed.
#[test]
fn without_a_store_sessions_are_listed_all_the_same() {
    let mut home = Home { dir: tempfile::tempdir().unwrap(), n_logs: 0 };
    home.add("pi/quickstart/input.jsonl", "home/.pi/agent/sessions/--home-dev--/2026_1.jsonl");
    std::fs::write(home.dir.path().join("data"), "no folder").unwrap();
    let (text, messages) = home.sessions_and_messages(&[]);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(messages.starts_with("cwl: ") && messages.lines().count() == 1, "{messages}");
    assert_eq!(std::fs::read(home.dir.path().join("data")).unwrap(), b"no folder", "nothing was made there");
}
