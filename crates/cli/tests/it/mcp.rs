//! `cwl mcp` as a process, driven by a client of the official Rust SDK and by hand.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion, ReadResourceRequestParams};
use rmcp::service::RunningService;
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};

use crate::common::Cwl;

/// Folder that the samples were recorded in.
const ROOT: &str = "/home/dev/tidewater";
/// Sessions of two samples, and one recorded elsewhere.
const COMPACTED: &str = "7ff19f61-ecb1-4db1-a001-2b67bc69826c";
const CALLING: &str = "0a789f64-8ecc-4a6f-a5c7-821d6c5fe4e0";
const ELSEWHERE: &str = "5b0e4c1a-6f1d-4b57-9d8e-3a4c5e6f7a8b";

/// A home in which Claude Code was used in two projects.
fn home() -> Cwl {
    let cwl = Cwl::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/claude-code");
    let put = |session: &str, text: &str| {
        let folder = cwl.dir.path().join("claude/projects/p");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{session}.jsonl")), text).unwrap();
    };
    let sample = |name: &str| std::fs::read_to_string(samples.join(name).join("input.jsonl")).unwrap();
    put(COMPACTED, &sample("compaction"));
    // A secret in a shown text, which must be redacted.
    put(
        CALLING,
        &sample("subagents").replacen(
            "Is every setting",
            "The password=Tr0ub4dor&3xyz9. Is every setting",
            1,
        ),
    );
    put(ELSEWHERE, &sample("compaction").replace(COMPACTED, ELSEWHERE).replace(ROOT, "/home/dev/bank"));
    cwl
}

fn command(cwl: &Cwl, args: &[&str]) -> std::process::Command {
    let mut command = cwl.command(&["mcp", "--root", ROOT]);
    command.args(args).env("CLAUDE_CONFIG_DIR", cwl.dir.path().join("claude")).stdin(Stdio::piped());
    command
}

struct Client(RunningService<RoleClient, ()>);

impl Client {
    async fn start(cwl: &Cwl, mode: ClientLifecycleMode) -> Self {
        Self::start_with(cwl, mode, &[]).await
    }

    async fn start_with(cwl: &Cwl, mode: ClientLifecycleMode, args: &[&str]) -> Self {
        let child = TokioChildProcess::new(tokio::process::Command::from(command(cwl, args))).unwrap();
        Self(().serve_with_lifecycle(child, mode).await.unwrap())
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        self.0.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
    }

    async fn ok(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone()).await;
        let text = text_of(&result);
        assert_ne!(result.is_error, Some(true), "{tool} {arguments}: {text}");
        text
    }

    async fn refused(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone()).await;
        let text = text_of(&result);
        assert_eq!(result.is_error, Some(true), "{tool} {arguments}: {text}");
        text
    }
}

fn text_of(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|content| Some(content.as_text()?.text.clone())).collect()
}

fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

fn on_runtime<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let within = async { tokio::time::timeout(std::time::Duration::from_secs(300), work).await };
    runtime.block_on(within).expect("the server answers")
}

#[test]
fn a_client_of_either_era_marks_finds_and_recalls() {
    on_runtime(async {
        for mode in [ClientLifecycleMode::Initialize, modern()] {
            let cwl = home();
            let client = Client::start(&cwl, mode).await;
            let tools = client.0.list_all_tools().await.unwrap();
            let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
            let expected =
                ["delimiter", "cwl_sessions", "cwl_transcript", "cwl_status", "cwl_evicted", "cwl_recall"];
            assert_eq!(names, expected);

            let start = json!({ "action": "start", "name": "find-it", "type": "expl" });
            assert!(client.ok("delimiter", start).await.starts_with("started exploration find-it"));
            let refused = client.refused("delimiter", json!({ "action": "end", "type": "expl" })).await;
            assert!(refused.contains("description"), "{refused}");

            let sessions = client.ok("cwl_sessions", json!({})).await;
            assert!(sessions.contains("7ff19f61") && sessions.contains("0a789f64"), "{sessions}");
            assert!(!sessions.contains("5b0e4c1a"), "a session of another project is not told: {sessions}");
            let candidates = client.ok("cwl_status", json!({})).await;
            assert!(candidates.contains("7ff19f61"), "{candidates}");

            let status = client.ok("cwl_status", json!({ "session": "0a789f64", "budget": 1000 })).await;
            assert!(status.contains("τ 1,000 tokens"), "{status}");
            let gone = client.ok("cwl_evicted", json!({ "session": COMPACTED, "query": "pool_idle" })).await;
            assert!(gone.contains("line 17"), "{gone}");
            let line = gone.lines().find(|line| line.contains("line 17")).unwrap();
            let block = line.split(' ').next().unwrap();
            let text = client.ok("cwl_recall", json!({ "session": COMPACTED, "block": block })).await;
            assert!(text.contains("    ") && text.contains("pool_idle_timeout(None)"), "{text}");
            let none = client.ok("cwl_evicted", json!({ "session": COMPACTED, "query": "zebra" })).await;
            assert!(none.contains("nothing that is gone holds `zebra`"), "{none}");
            let page = client.ok("cwl_transcript", json!({ "session": "7ff19f61", "page": "1" })).await;
            assert!(page.contains("turn 2, lines 4 to 5\n  3 human: The nightly poll"), "{page}");
            client.0.cancel().await.unwrap();
        }
    });
}

#[test]
fn nothing_outside_the_roots_is_told_and_secrets_are_redacted() {
    on_runtime(async {
        let cwl = home();
        let client = Client::start(&cwl, modern()).await;
        let log = cwl.dir.path().join(format!("claude/projects/p/{ELSEWHERE}.jsonl")).display().to_string();
        let refused = [ELSEWHERE, "5b0e4c1a", log.as_str(), "/etc/passwd", "../../etc/passwd", "nothing"];
        for session in refused {
            for tool in ["cwl_transcript", "cwl_status", "cwl_evicted", "cwl_recall"] {
                let said = client.refused(tool, json!({ "session": session, "query": "poll" })).await;
                assert!(said.starts_with("no session of that name is within reach"), "{session}: {said}");
            }
        }
        for (tool, arguments) in [
            ("cwl_sessions", json!({})),
            ("cwl_transcript", json!({ "session": CALLING })),
            ("cwl_evicted", json!({ "session": CALLING, "budget": "10" })),
        ] {
            let text = client.ok(tool, arguments).await;
            assert!(!text.contains("Tr0ub4dor") && !text.contains("/home/dev"), "{tool}: {text}");
        }
        for (arguments, expected) in [
            (json!({ "session": COMPACTED, "budget": "lots" }), "`lots` is no token budget"),
            (json!({ "session": [1] }), "`session` is a text"),
        ] {
            let said = client.refused("cwl_status", arguments).await;
            assert!(said.contains(expected), "{said}");
        }
        let said = client.refused("cwl_recall", json!({ "session": COMPACTED, "block": "nope:0" })).await;
        assert!(said.contains("cwl_evicted lists the blocks"), "{said}");
        let said = client.refused("cwl_transcript", json!({ "session": COMPACTED, "page": 99 })).await;
        assert!(said.contains("no page 99"), "{said}");
        client.0.cancel().await.unwrap();
    });
}

#[test]
fn calls_of_two_subagents_may_come_in_any_order_and_two_servers_share_a_store() {
    on_runtime(async {
        let cwl = home();
        let (one, other) =
            tokio::join!(Client::start(&cwl, modern()), Client::start(&cwl, ClientLifecycleMode::Initialize));
        let mark = |client, name: &'static str| async move {
            let client: &Client = client;
            let act = json!({ "action": "start", "name": name, "type": "act", "dependencies": [] });
            let started = client.ok("delimiter", act).await;
            assert_eq!(started, format!("started act {name}"), "each call has its own answer");
            let page = client.ok("cwl_transcript", json!({ "session": COMPACTED })).await;
            assert_eq!(client.ok("delimiter", json!({ "action": "end", "type": "act" })).await, "ended");
            page
        };
        let (a, b, c, d) =
            tokio::join!(mark(&one, "a"), mark(&one, "b"), mark(&other, "c"), mark(&other, "d"));
        assert!(a == b && b == c && c == d, "all read the same session");
        one.0.cancel().await.unwrap();
        other.0.cancel().await.unwrap();
    });
}

#[test]
fn nothing_but_the_protocol_is_on_standard_output() {
    let cwl = home();
    let mut child = command(&cwl, &[]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |id: u32, method: &str, mut params: Value| -> Value {
        params["_meta"] = meta.clone();
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(stdin, "{request}").unwrap();
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    };
    let about = ask(1, "server/discover", json!({}));
    assert!(
        about["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{about}"
    );
    assert!(about.to_string().contains("\"name\":\"cwl\""), "the server has its own name: {about}");
    let list = ask(2, "tools/list", json!({}));
    assert_eq!(
        (&list["result"]["cacheScope"], &list["result"]["resultType"]),
        (&json!("private"), &json!("complete"))
    );
    let first = &list["result"]["tools"][0];
    assert_eq!(
        (&first["name"], &first["_meta"]["anthropic/alwaysLoad"]),
        (&json!("delimiter"), &json!(true)),
        "Claude Code describes it without a search: {first}"
    );
    let odd = ask(3, "tools/call", json!({ "name": "no_such_tool", "arguments": {} }));
    assert_eq!(odd["error"]["code"], -32602, "{odd}");
    let read = ask(4, "tools/call", json!({ "name": "cwl_sessions", "arguments": { "query": "nightly" } }));
    assert_eq!(read["result"]["isError"], false, "{read}");
    drop(stdin);
    assert_eq!(lines.count(), 0);
    assert!(child.wait().unwrap().success(), "the end of the input is the end of the server");
}

#[test]
fn marks_made_over_mcp_are_the_declared_episodes_of_the_log() {
    let cwl = home();
    let log = cwl.dir.path().join(format!("claude/projects/p/{CALLING}.jsonl")).display().to_string();
    let graph: Value = serde_json::from_str(&cwl.ok(&["graph", &log, "--json"])).unwrap();
    let episodes = graph["episodes"].as_array().unwrap();
    assert!(episodes.iter().any(|one| one["name"] == "compare-with-docs"), "{episodes:?}");
}

#[test]
fn marks_of_a_reader_are_saved_only_where_that_is_allowed() {
    on_runtime(async {
        let cwl = home();
        let episodes = json!([
            { "name": "read-log", "type": "expl", "first": 4, "last": 12, "description": "30 s each." },
            { "name": "fix-pool", "type": "act", "first": 21, "last": 28, "dependencies": ["read-log"] },
            { "name": "beyond", "type": "act", "first": 900, "last": 901 },
        ]);
        let arguments =
            json!({ "session": COMPACTED, "episodes": episodes, "name": "model", "by": "a model" });
        let client = Client::start(&cwl, modern()).await;
        let Value::Object(fields) = arguments.clone() else { panic!("{arguments}") };
        let call = CallToolRequestParams::new("cwl_annotate").with_arguments(fields);
        assert!(client.0.call_tool(call).await.is_err(), "there is no such tool");
        client.0.cancel().await.unwrap();

        let client = Client::start_with(&cwl, modern(), &["--allow-annotate"]).await;
        let with = |more: &[&str]| {
            let mut arguments = arguments.clone();
            more.iter().for_each(|flag| arguments[*flag] = true.into());
            arguments
        };
        let odd = "line 900: mark 3 (beyond): ";
        let checked = client.ok("cwl_annotate", with(&["check"])).await;
        assert!(checked.contains("nothing was saved") && checked.contains(odd), "{checked}");
        let refused = client.refused("cwl_annotate", arguments.clone()).await;
        assert!(refused.starts_with("nothing was saved, because") && refused.contains(odd), "{refused}");
        let none = client.ok("cwl_marks", json!({ "session": COMPACTED })).await;
        assert!(none.contains("no marks are saved"), "{none}");
        let saved = client.ok("cwl_annotate", with(&["partial"])).await;
        assert!(saved.contains("saved: 2 episodes as model, with 4 of 6 calls"), "{saved}");
        let taken = client.refused("cwl_annotate", with(&["partial"])).await;
        assert!(taken.starts_with("marks are stored as `model` already"), "{taken}");
        assert!(taken.ends_with("write over them with `replace`"), "{taken}");
        let over = client.ok("cwl_annotate", with(&["partial", "replace"])).await;
        assert!(over.contains("written over: 2 episodes as model"), "{over}");
        let listed = client.ok("cwl_marks", json!({ "session": COMPACTED })).await;
        assert!(listed.contains("\n    model: 3 marks, by a model\n"), "{listed}");
        let outside = json!({ "session": ELSEWHERE, "episodes": [], "name": "x", "by": "y" });
        assert!(client.refused("cwl_annotate", outside).await.contains("within reach"));
        let nameless = json!({ "session": COMPACTED, "episodes": [], "by": "y" });
        let missing = "`name` is missing: a short name to save them under";
        assert_eq!(client.refused("cwl_annotate", nameless).await, missing);
        let bare = client.refused("cwl_annotate", json!({ "session": COMPACTED })).await;
        for part in ["`episodes` is missing: ", missing, "`by` is missing: who made them"] {
            assert!(bare.contains(part), "{part}: {bare}");
        }
        let log = cwl.dir.path().join(format!("claude/projects/p/{COMPACTED}.jsonl")).display().to_string();
        assert_eq!(cwl.ok(&["annotate", &log, "--list"]), "model  3 marks, by a model\n");
        let named = |name: &str| json!({ "session": COMPACTED, "name": name });
        assert!(client.ok("cwl_delete_marks", named("model")).await.contains("removed model"));
        let none = client.refused("cwl_delete_marks", named("model")).await;
        assert_eq!(none, "no marks are stored as `model`; cwl_marks lists what is saved");
        assert_eq!(cwl.ok(&["annotate", &log, "--list"]), "");
        client.0.cancel().await.unwrap();
    });
}

#[test]
fn the_guide_is_a_resource_and_stands_before_the_first_page() {
    on_runtime(async {
        let cwl = home();
        for mode in [ClientLifecycleMode::Initialize, modern()] {
            let client = Client::start(&cwl, mode).await;
            let resources = client.0.list_all_resources().await.unwrap();
            assert_eq!(resources.iter().map(|one| one.uri.as_str()).collect::<Vec<_>>(), ["cwl://guide"]);
            let read = |uri: &str| client.0.read_resource(ReadResourceRequestParams::new(uri));
            let guide = serde_json::to_value(read("cwl://guide").await.unwrap()).unwrap();
            assert_eq!(guide["contents"][0]["mimeType"].as_str(), resources[0].mime_type.as_deref());
            let guide = guide["contents"][0]["text"].as_str().unwrap().to_owned();
            assert!(guide.starts_with("How to mark the episodes of this session\n"), "{guide}");
            assert!(read("file:///etc/passwd").await.is_err(), "there is nothing else");
            let page = client.ok("cwl_transcript", json!({ "session": COMPACTED })).await;
            assert!(page.contains(&guide) && page.contains("\nturn 2, "), "{page}");
            client.0.cancel().await.unwrap();
        }
    });
}

/// A log that no harness keeps, below a root, on a store that knows nothing yet.
#[cfg(unix)]
#[test]
fn a_path_below_a_root_is_found_on_a_fresh_store() {
    on_runtime(async {
        let cwl = home();
        let folder = cwl.dir.path().join("kept");
        std::fs::create_dir_all(&folder).unwrap();
        let root = folder.display().to_string();
        let known = cwl.dir.path().join(format!("claude/projects/p/{COMPACTED}.jsonl"));
        let text = std::fs::read_to_string(known).unwrap();
        // Recorded below the root, below another root, and elsewhere.
        let places = [root.as_str(), ROOT, "/home/dev/bank"];
        for (at, place) in places.into_iter().enumerate() {
            std::fs::write(folder.join(format!("{at}.jsonl")), text.replace(ROOT, place)).unwrap();
        }
        let outside = cwl.dir.path().join("outside.jsonl");
        std::fs::write(&outside, text.replace(ROOT, "/home/dev/bank")).unwrap();
        std::os::unix::fs::symlink(&outside, folder.join("link.jsonl")).unwrap();
        let client = Client::start_with(&cwl, modern(), &["--root", &root]).await;
        for at in 0..places.len() {
            for name in [format!("{root}/{at}.jsonl"), format!("{at}.jsonl")] {
                let page = client.ok("cwl_transcript", json!({ "session": name })).await;
                assert!(page.contains("turn 2, lines 4 to 5\n  3 human: The nightly poll"), "{name}: {page}");
            }
        }
        for name in ["../outside.jsonl", "link.jsonl", &outside.display().to_string(), "3.jsonl"] {
            let said = client.refused("cwl_transcript", json!({ "session": name })).await;
            assert!(said.starts_with("no session of that name is within reach"), "{name}: {said}");
        }
        client.0.cancel().await.unwrap();
    });
}

/// A session with a token in an evicted result, and a password that is also in its title.
fn home_with_secrets(token: &str, password: &str) -> Cwl {
    let cwl = Cwl::new();
    let mut rows = Vec::new();
    let mut row = |kind: &str, message: Value| {
        let n = rows.len();
        let parent = n.checked_sub(1).map(|before| format!("u{before}"));
        let row = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": ROOT, "type": kind,
            "sessionId": "aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa", "version": "2.1.38", "uuid": format!("u{n}"),
            "timestamp": format!("2026-02-27T13:00:{:02}.000Z", n % 60), "message": message,
        });
        rows.push(row.to_string());
    };
    row("user", json!({ "role": "user", "content": format!("Why is {password} rejected for bob?") }));
    for n in 0..30 {
        if n == 15 {
            row("user", json!({ "role": "user", "content": "now do something else" }));
        }
        let input = json!({ "command": if n < 12 { format!("cat f{n}") } else { format!("make test{n}") } });
        let call = json!({ "type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": input });
        row(
            "assistant",
            json!({ "id": format!("m{n}"), "role": "assistant", "model": "x", "content": [call] }),
        );
        let text = match n {
            0 => format!("remote: using {token} and DB_PASSWORD={password}{}", " pad".repeat(300)),
            _ => "filler ".repeat(400),
        };
        let result = json!({ "type": "tool_result", "tool_use_id": format!("t{n}"), "content": text });
        row("user", json!({ "role": "user", "content": [result] }));
    }
    let folder = cwl.dir.path().join("claude/projects/p");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa.jsonl"), rows.join("\n") + "\n")
        .unwrap();
    cwl
}

#[test]
fn what_is_redacted_is_not_found_by_looking_for_it() {
    on_runtime(async {
        let (token, password) = ("ghp_Zq3nV8xW1tR6yB4mK9pL2sD7fG5hJ0cAeUiX", "Falcon~696lantern");
        let cwl = home_with_secrets(token, password);
        let client = Client::start(&cwl, modern()).await;
        let sessions = client.ok("cwl_sessions", json!({})).await;
        assert!(sessions.contains("rejected for bob") && !sessions.contains(password), "{sessions}");
        let found = client.ok("cwl_sessions", json!({ "query": "rejected" })).await;
        assert!(found.contains("aaaaaaaa"), "{found}");
        let gone = |query: &str| json!({ "session": "aaaaaaaa", "budget": "500", "query": query });
        let shown = client.ok("cwl_evicted", gone("remote: using")).await;
        assert!(shown.contains("remote: using [redacted:") && !shown.contains(&token[..8]), "{shown}");
        for length in 5..token.len() {
            let answer = client.ok("cwl_evicted", gone(&token[..length])).await;
            assert!(answer.contains("nothing that is gone holds"), "{length}: {answer}");
        }
        let recalled = client.ok("cwl_recall", gone(&token[..8])).await;
        assert!(recalled.contains("nothing that is gone holds"), "{recalled}");
        // A query is echoed as typed, whether or not it is part of the secret.
        for part in [&token[4..14], &token[4..], &token.to_uppercase()[4..20]] {
            let answer = client.ok("cwl_evicted", gone(part)).await;
            assert!(answer.contains(&format!("nothing that is gone holds `{part}`;")), "{answer}");
        }
        for query in [&password[..8], password, "696"] {
            let answer = client.ok("cwl_sessions", json!({ "query": query })).await;
            assert!(answer.contains("no session is within reach"), "{query}: {answer}");
        }
    });
}
