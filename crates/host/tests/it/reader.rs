//! A session marked in the window by the reader that the settings name, with scripts that play it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cwl_host::api::Push;
use cwl_host::{ApiError, ErrorCode, ReaderCommand, ReaderSettings};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::common::{DEADLINE, Host};

/// Clean marks of the sample `claude-code/compaction`.
const GOOD: &str = r#"{"episodes": [
  {"name": "look", "type": "expl", "first": 4, "last": 19, "description": "The pool keeps idle connections."},
  {"name": "fix", "type": "act", "first": 21, "last": 29, "dependencies": ["look"]},
  {"name": "note", "type": "act", "first": 34, "last": 40, "dependencies": []}]}"#;

/// Settings that a test changes.
#[derive(Debug, Default)]
struct TestSettings(Mutex<Option<Vec<String>>>);

impl TestSettings {
    fn name_reader(&self, words: &[&str]) {
        *self.0.lock().unwrap() = Some(words.iter().map(ToString::to_string).collect());
    }
}

impl ReaderSettings for TestSettings {
    fn settings_file(&self) -> Option<PathBuf> {
        Some(PathBuf::from("/settings.toml"))
    }

    fn find_reader(&self) -> Result<Option<ReaderCommand>, ApiError> {
        Ok(self.0.lock().unwrap().clone().and_then(ReaderCommand::from_words))
    }
}

/// A host that may start a reader, with a session to mark.
struct Window {
    host: Host,
    settings: Arc<TestSettings>,
    session: Value,
}

impl Window {
    async fn open() -> Self {
        let host = Host::start().await;
        let settings = Arc::new(TestSettings::default());
        host.inspector.use_reader_settings(Arc::clone(&settings) as Arc<dyn ReaderSettings>);
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/claude-code/compaction");
        let session = host.call("open", json!({ "target": sample.join("input.jsonl") })).await;
        std::fs::write(host.dir.path().join("good.json"), GOOD).unwrap();
        Self { host, settings, session: session["session"].clone() }
    }

    /// Names a shell script as the reader, and agrees to it. The script finds the test's folder in `$0`.
    async fn agree(&self, script: &str) -> Value {
        let folder = self.host.dir.path().display().to_string();
        self.settings.name_reader(&["sh", "-c", script, &folder]);
        let reader = self.host.call("reader", json!({ "session": self.session })).await;
        json!({ "session": self.session, "command": reader["plan"]["command"] })
    }

    async fn mark(&self, script: &str) -> Value {
        let request = self.agree(script).await;
        self.host.call("mark_with_reader", request).await
    }

    async fn overlays(&self) -> Value {
        self.host.call("overlays", json!({ "session": self.session })).await["overlays"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_without_a_reader_say_where_to_name_one() {
    let window = Window::open().await;
    let reader = window.host.call("reader", json!({ "session": window.session })).await;
    assert_eq!(
        reader,
        json!({ "plan": null, "settings": "/settings.toml", "example": "reader = [\"claude\", \"-p\"]" })
    );
    let request = json!({ "session": window.session, "command": "sh" });
    let error = window.host.error("mark_with_reader", request).await;
    assert!(error.message.contains("do not name this reader"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_is_told_before_it_starts_and_its_marks_are_saved() {
    let mut window = Window::open().await;
    let script = "cat > \"$0/prompt\"; cat \"$0/good.json\"";
    let request = window.agree(script).await;
    let plan = window.host.call("reader", json!({ "session": window.session })).await["plan"].clone();
    assert_eq!((&plan["name"], &plan["replaces"]), (&json!("sh"), &json!(false)));
    let says = plan["says"][0].as_str().unwrap();
    assert!(says.starts_with("1 prompt, ") && says.contains("names and paths redacted"), "{says}");
    assert!(says.contains(&format!("`{}`", request["command"].as_str().unwrap())), "{says}");
    assert!(plan["says"][1].as_str().unwrap().contains("be billed for it"), "{plan}");
    let folder = window.host.dir.path().to_owned();
    assert!(!folder.join("prompt").exists(), "nothing was started");

    let outcome = window.host.call("mark_with_reader", request).await;
    let saved = json!({ "type": "saved", "name": "sh", "n_episodes": 3, "n_calls": 6, "n_covered": 6 });
    assert_eq!(outcome, saved);
    let prompt = std::fs::read_to_string(folder.join("prompt")).unwrap();
    assert!(prompt.starts_with("How to mark the episodes") && !prompt.contains("/home/dev"), "{prompt}");
    let overlays = window.overlays().await;
    assert_eq!((&overlays[0]["name"], &overlays[0]["by"]), (&json!("sh"), &json!("sh")));
    let mut tries = Vec::new();
    while let Ok(push) = window.host.pushes.try_recv() {
        if let Push::Reader { part, n_parts, attempt, n_attempts, .. } = push {
            tries.push((part, n_parts, attempt, n_attempts));
        }
    }
    assert_eq!(tries, [(1, 1, 1, 3)]);
    let reader = window.host.call("reader", json!({ "session": window.session })).await;
    assert_eq!(reader["plan"]["replaces"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_answers_leave_problems_and_a_draft() {
    let window = Window::open().await;
    let outcome = window.mark("cat > /dev/null; sed s/description/note/ \"$0/good.json\"").await;
    assert_eq!(outcome["type"], "not_saved");
    assert_eq!(outcome["why"], "3 answers in a row had problems");
    let problems = outcome["problems"].as_array().unwrap();
    assert!(problems[0].as_str().unwrap().starts_with("line 4: mark 1 (look): "), "{problems:?}");
    let draft = std::fs::read_to_string(outcome["draft"].as_str().unwrap()).unwrap();
    assert!(draft.contains("\"look\""), "{draft}");
    assert_eq!(window.overlays().await, json!([]));

    let outcome = window.mark("echo 'no such model' >&2; exit 7").await;
    assert!(outcome["why"].as_str().unwrap().contains("no such model"), "{outcome}");
    assert_eq!(outcome["draft"], Value::Null);
    window.settings.name_reader(&["no-such-reader-at-all"]);
    let request = json!({ "session": window.session, "command": "no-such-reader-at-all" });
    let error = window.host.error("mark_with_reader", request).await;
    assert_eq!(error.code, ErrorCode::Missing, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_command_that_the_user_saw_is_started() {
    let window = Window::open().await;
    let request = window.agree("cat \"$0/good.json\"").await;
    let other = window.host.dir.path().join("other");
    window.settings.name_reader(&["touch", &other.display().to_string()]);
    let error = window.host.error("mark_with_reader", request).await;
    assert!(error.to_string().contains("do not name this reader any more"), "{error}");
    assert!(!other.exists());
    assert_eq!(window.overlays().await, json!([]));
}

/// Waits until a reader was given a prompt.
async fn wait_for_try(window: &mut Window) {
    loop {
        let push = timeout(DEADLINE, window.host.pushes.recv()).await.expect("a push in time").unwrap();
        if matches!(push, Push::Reader { .. }) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_is_cancelled_and_a_second_one_waits() {
    let mut window = Window::open().await;
    let request = window.agree("sleep 600").await;
    let inspector = Arc::clone(&window.host.inspector);
    let marking = tokio::spawn({
        let (inspector, request) = (Arc::clone(&inspector), request.clone());
        async move { inspector.dispatch("mark_with_reader", request).await }
    });
    wait_for_try(&mut window).await;
    assert_eq!(window.host.error("mark_with_reader", request.clone()).await.code, ErrorCode::Busy);
    let stopped = window.host.call("cancel", json!({ "session": window.session })).await;
    assert_eq!(stopped["stopped"], true);
    let outcome = format!("{:?}", timeout(DEADLINE, marking).await.expect("it ends").unwrap().unwrap());
    assert!(outcome.contains("it was stopped"), "{outcome}");

    let marking = tokio::spawn(async move { inspector.dispatch("mark_with_reader", request).await });
    wait_for_try(&mut window).await;
    let inspector = Arc::clone(&window.host.inspector);
    tokio::task::spawn_blocking(move || inspector.stop_readers(DEADLINE)).await.unwrap();
    let outcome = format!("{:?}", timeout(DEADLINE, marking).await.expect("it ends").unwrap().unwrap());
    assert!(outcome.contains("it was stopped"), "the end of the program ends readers: {outcome}");
}
