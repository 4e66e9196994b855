//! The owner asks and steers the sessions behind the proxy on their control sockets.

use std::path::Path;
use std::sync::Arc;

use cwl_host::api::{LiveAnswer, LiveChange, LiveEventKind, LivePreview, LiveProcessRow, LiveQuestion};
use cwl_host::{ask_live, control_socket, list_live, session_of_prompt, set_live};
use cwl_live::SessionLock;
use cwl_proxy::ProxyLimits;
use serde_json::{Value, json};

use crate::capture::CapturingPair;
use crate::common::within;
use crate::evict::{BodyStory, OK, collect_notices, eviction};

fn ask(folder: &Path, session: &str, question: &LiveQuestion) -> Option<LiveAnswer> {
    ask_live(&control_socket(folder, session), question).unwrap()
}

fn status(folder: &Path, session: &str) -> LiveProcessRow {
    match ask(folder, session, &LiveQuestion::Status { events: 100 }) {
        Some(LiveAnswer::Status(process)) => *process,
        other => panic!("{other:?}"),
    }
}

fn preview(folder: &Path, session: &str, change: LiveChange) -> LivePreview {
    match ask(folder, session, &LiveQuestion::Preview(change)) {
        Some(LiveAnswer::Preview(preview)) => preview,
        other => panic!("{other:?}"),
    }
}

fn change(policy: &str, budget: &str) -> LiveChange {
    LiveChange { policy: Some(policy.to_owned()), budget: Some(budget.to_owned()), ..LiveChange::default() }
}

fn body(n_tools: usize) -> Vec<u8> {
    let (text, _) = BodyStory::new("anthropic").tell(200);
    let mut body: Value = serde_json::from_str(&text).unwrap();
    body["metadata"] = json!({"user_id": r#"{"session_id":"s"}"#});
    body["tools"] = json!(vec![json!({"name": "read", "input_schema": {"type": "object"}}); n_tools]);
    serde_json::to_vec(&body).unwrap()
}

#[test]
fn a_session_under_none_is_steered() {
    within(async {
        let dir = tempfile::tempdir().unwrap();
        let (_, notices) = collect_notices();
        let steered = eviction("none", "80k").with_control(dir.path());
        let pair = CapturingPair::start_with(ProxyLimits::USUAL, Some(steered), notices).await;
        assert_eq!(list_live(dir.path(), 0).unwrap(), [], "no session before the first request");

        let body = body(2);
        let sent = pair.exchange_changed("/v1/messages", "", &body, OK).await;
        assert!(sent == body, "under `none` every byte stays");
        let before = status(dir.path(), "s");
        assert_eq!((before.policy.as_str(), before.requests, before.evicting), ("none", 1, 0));
        assert!(before.overhead > 0 && before.client.starts_with("cwl proxy"), "{before:?}");

        let effect = preview(dir.path(), "s", change("cwl", "700"));
        assert!(effect.parts_lost > 0 && effect.sent < effect.sent_in_force, "{effect:?}");
        assert_eq!(status(dir.path(), "s").policy, "none", "a preview changes nothing");
        let refused = preview(dir.path(), "s", change("cwl", "3")).refusal.unwrap();
        let smallest = refused.smallest_budget.unwrap();
        assert_eq!(smallest, before.overhead + 1);
        let inferred = LiveChange { marks: Some("inferred".to_owned()), ..LiveChange::default() };
        assert!(
            set_live(dir.path(), "s", inferred).unwrap_err().to_string().contains("marks that the agent")
        );

        set_live(dir.path(), "s", change("cwl", "700")).unwrap();
        let sent = pair.exchange_changed("/v1/messages", "", &body, OK).await;
        assert!(sent.len() < body.len());
        let after = status(dir.path(), "s");
        let last = after.last.as_ref().unwrap();
        assert_eq!((after.requests, after.evicting, last.kind), (2, 1, LiveEventKind::Evict));
        assert_eq!((last.sent, last.evicted), (effect.sent, effect.parts_lost), "as the preview said");
        assert!(!last.gone.is_empty() && last.turn.is_none());

        drop(pair.end().await);
        assert_eq!(list_live(dir.path(), 0).unwrap(), [], "no socket stays");
    });
}

#[test]
fn a_subagent_is_not_the_session() {
    within(async {
        let dir = tempfile::tempdir().unwrap();
        let (_, notices) = collect_notices();
        let steered = eviction("none", "80k").with_control(dir.path());
        let pair = CapturingPair::start_with(ProxyLimits::USUAL, Some(steered), notices).await;
        pair.exchange_changed("/v1/messages", "", &body(3), OK).await;
        let whole = preview(dir.path(), "s", change("cwl", "700"));
        let side = br#"{"model":"m","metadata":{"user_id":"u_session_s"},"messages":[{"role":"user","content":"a title"}]}"#;
        pair.exchange_changed("/v1/messages", "", side, OK).await;
        assert_eq!(status(dir.path(), "s").requests, 2);
        assert_eq!(preview(dir.path(), "s", change("cwl", "700")), whole);
        drop(pair.end().await);
    });
}

#[test]
fn a_body_without_an_id_goes_by_its_first_prompt() {
    within(async {
        let dir = tempfile::tempdir().unwrap();
        let (_, notices) = collect_notices();
        let steered = eviction("cwl", "700").with_control(dir.path());
        let pair = CapturingPair::start_with(ProxyLimits::USUAL, Some(steered), notices).await;
        let (body, path) = BodyStory::new("gemini").tell(200);
        pair.exchange_changed(path, "", body.as_bytes(), OK).await;
        assert_eq!(status(dir.path(), &session_of_prompt("Find the fault.").unwrap()).evicting, 1);
        drop(pair.end().await);
    });
}

#[test]
fn two_processes_do_not_decide_for_one_session() {
    within(async {
        let dir = tempfile::tempdir().unwrap();
        let lock = SessionLock::take_lock(dir.path(), "s").unwrap();
        let (said, notices) = collect_notices();
        let steered = eviction("cwl", "700").with_control(dir.path());
        let pair = CapturingPair::start_with(ProxyLimits::USUAL, Some(steered), Arc::clone(&notices)).await;
        let body = body(1);
        assert!(pair.exchange_changed("/v1/messages", "", &body, OK).await == body);
        assert!(said.lock().unwrap()[0].contains("another process decides"), "{:?}", said.lock().unwrap());
        drop(lock);
        assert!(pair.exchange_changed("/v1/messages", "", &body, OK).await.len() < body.len());
        drop(pair.end().await);
    });
}
