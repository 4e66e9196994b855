"""A driver for each harness: how it is told of the scripted model, how a prompt is given, where its logs are."""
import json
import os
import sqlite3
import uuid

from .stage import CWL, PROMPTS, URL, WITNESS, Stage
from .tools import HERE

# Where a harness keeps its sessions, below its home.
LOGS = {"claude": ".claude/projects/**/*.jsonl", "codex": ".codex/**/rollout-*", "pi": ".pi/agent/sessions/**/*.jsonl",
        "opencode": ".local/share/opencode/opencode.db", "gemini": ".gemini/tmp/**/chats/**/*", "copilot": ".copilot/session-state/**/*.jsonl",
        "kimi": ".kimi-code/sessions/**/wire.jsonl", "hermes": ".hermes/state.db", "droid": ".factory/sessions/**/*.jsonl",
        "antigravity": ".gemini/antigravity/brain/*/.system_generated/logs/transcript_full.jsonl"}
MAIN = ["explore", "change", "mark", "agent1", "image", "short"]
DUMMY = "sk-dummy"


# The policies and τ at which `cwl proxy` holds a harness: the first request and some 6,000 tokens. Claude Code's has 20,000, Codex's 10,000, Gemini CLI's
# 12,000. `LARGER`: thousands of tokens by which the first request of a version is larger.
HELD = {"claude": {"live": ("cwl+", "27k"), "live-cwl": ("cwl", "26k"), "live-none": ("none", "26k")},
        "codex": {"live": ("cwl+", "16k"), "live-cwl": ("cwl", "15k"), "live-none": ("none", "15k")},
        "gemini": {"live": ("cwl+", "18k"), "live-cwl": ("cwl", "17k"), "live-none": ("none", "17k"), "live-resumed": ("cwl+", "20k")}}
LARGER = {("claude", "2.1.197"): 6}


def held(harness, version, scene):
    """The policy and τ of a scene, and the address that the harness asks."""
    if scene not in HELD[harness]:
        return None, URL
    policy, budget = HELD[harness][scene]
    return (policy, f"{int(budget.removesuffix('k')) + LARGER.get((harness, version), 0)}k"), WITNESS


def play(stage, prompts, command, timeout=60):
    """Gives the prompts one after the other; a prompt without a name is given as it stands."""
    for number, name in enumerate(prompts):
        stage.run(command(number, PROMPTS.get(name, name)), is_aborted=name == "abort", timeout=timeout)


def claude(version, scene):
    policy, url = held("claude", version, scene)
    env = {"ANTHROPIC_API_KEY": DUMMY, "ANTHROPIC_BASE_URL": url, "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1",
           "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
           "API_TIMEOUT_MS": "60000", "CLAUDE_CODE_MAX_RETRIES": "3"}
    stage = Stage("claude", version, scene, env, held=policy)
    mcp = stage.write("mcp.json", {"mcpServers": {"cwl": {"command": CWL, "args": ["mcp"]}}})
    session = str(uuid.uuid4())
    base = ["claude", "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5-20250929", "--mcp-config", mcp,
            "--strict-mcp-config"]
    prompts = {"main": MAIN, "compact": ["explore", "/compact", "change", "short"],
               "fault": ["explore", "fault429", "fault529", "overflow", "abort", "after"]}.get(scene, LIVE_PROMPTS)
    play(stage, prompts, lambda n, text: base + ["--resume" if n else "--session-id", session, "-p", text])
    stage.end(stage.find(LOGS["claude"]))


CODEX = '''model = "{model}"
model_provider = "lab"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_reasoning_effort = "medium"
{more}
[analytics]
enabled = false
[features]
multi_agent = true
[model_providers.lab]
name = "{provider}"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 3
stream_max_retries = 2
[mcp_servers.cwl]
command = "{cwl}"
args = ["mcp"]
[projects."{project}"]
trust_level = "trusted"
'''


def codex(version, scene):
    policy, url = held("codex", version, scene)
    stage = Stage("codex", version, scene, {"OPENAI_API_KEY": DUMMY, "RUST_LOG": "warn"}, held=policy)
    # A provider that is called OpenAI compacts on its side, and the model is one that Codex knows.
    model, provider = ("gpt-5.4", "OpenAI") if scene == "remote" else ("gpt-5.1-codex", "lab")
    more = "model_auto_compact_token_limit = 14000" if scene in ("compact", "remote") else ""
    stage.write(".codex/config.toml", CODEX.format(model=model, provider=provider, more=more, url=url, cwl=CWL, project=stage.project))
    compacting = ["explore", "change", "after", "short"]
    prompts = {"main": [{"agent1": "agent"}.get(name, name) for name in MAIN], "compact": compacting, "remote": compacting,
               "fault": ["explore", "fault429", "overflow", "abort", "after"]}.get(scene, LIVE_PROMPTS)

    def command(n, text):
        if n == 0:
            return ["codex", "exec", "--json", text]
        thread = next(json.loads(line)["thread_id"] for line in stage.first_output() if "thread.started" in line)
        return ["codex", "exec", "resume", thread, "--json", text]
    play(stage, prompts, command)
    stage.end(stage.find(LOGS["codex"]))


PI = {"main": ("anthropic-messages", URL, "claude-sonnet-4-5"), "responses": ("openai-responses", URL + "/v1", "gpt-5.4"),
      "chat": ("openai-completions", URL + "/v1", "lab-model"), "live-chat": ("openai-completions", URL + "/v1", "lab-model"),
      "gemini": ("google-generative-ai", URL + "/v1beta", "gemini-3-pro-preview")}


LIVE = {"live": ("cwl+", "9k"), "live-chat": ("cwl", "8k"), "live-none": ("none", "8k")}
# OpenCode's system prompt and tools are larger.
LIVE_OPENCODE = {"live": ("cwl+", "15k"), "live-responses": ("cwl", "14k"), "live-none": ("none", "15k")}
LIVE_PROMPTS = [f"live-{n}" for n in range(1, 6)]


def live_settings(policy, budget):
    return {"CWL_BIN": CWL, "CWL_POLICY": policy, "CWL_BUDGET": budget}


def pi(version, scene):
    live = live_settings(*LIVE[scene]) if scene in LIVE else {}
    stage = Stage("pi", version, scene, {"LAB_KEY": DUMMY, "PI_OFFLINE": "1", "PI_TELEMETRY": "0", **live})
    window = 14000 if scene == "compact" else 200000
    api, url, model = PI.get(scene, PI["main"])
    one = {"id": model, "reasoning": True, "contextWindow": window, "maxTokens": 8000}
    if scene == "main":
        one["input"] = ["text", "image"]
    stage.write(".pi/agent/models.json", {"providers": {"lab": {"baseUrl": url, "api": api, "apiKey": "LAB_KEY", "models": [one]}}})
    settings = {"compaction": {"enabled": True, "reserveTokens": 4000, "keepRecentTokens": 2000}} if scene == "compact" else {}
    stage.write(".pi/agent/settings.json", {"quietStartup": True, **settings})
    base = ["pi", "-p", "--mode", "json", "--model", f"lab/{model}", "--thinking", "medium", "--tools",
            "read,bash,edit,write,grep,find,ls,delimiter", "-e", os.path.join(HERE, "../integrations/pi/index.ts" if live else "delimiter.ts")]
    prompts = {"compact": ["explore", "change", "after", "short"], "main": ["explore", "change", "mark", "image", "short"],
               "fault": ["explore", "fault429", "fault529", "overflow", "abort", "after"]}
    prompts.update({name: LIVE_PROMPTS for name in LIVE})
    play(stage, prompts.get(scene, ["explore", "change", "mark", "short"]),
         lambda n, text: base + (["--continue"] if n else []) + [text])
    stage.end(stage.find(LOGS["pi"]))


def opencode(version, scene):
    env = {"ANTHROPIC_API_KEY": DUMMY, "OPENAI_API_KEY": DUMMY, **{"OPENCODE_DISABLE_" + what: "1" for what in (
        "AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")}}
    live = live_settings(*LIVE_OPENCODE[scene]) if scene in LIVE_OPENCODE else {}
    stage = Stage("opencode", version, scene, {**env, **live})
    model = "openai/gpt-5.1-codex" if scene in ("responses", "live-responses") else "anthropic/claude-sonnet-4-5"
    limit = {"context": 24000 if scene == "compact" else 200000, "output": 8000}
    one = {"name": "Lab", "reasoning": True, "tool_call": True, "limit": limit}
    thinking = {"options": {"thinking": {"type": "enabled", "budgetTokens": 4000}}}
    options = {"baseURL": URL + "/v1", "apiKey": DUMMY}
    stage.write(".config/opencode/opencode.json", {
        "$schema": "https://opencode.ai/config.json", "autoupdate": False, "share": "disabled", "model": model,
        "small_model": model, "enabled_providers": ["anthropic", "openai"], "permission": "allow",
        "provider": {"anthropic": {"options": options, "models": {"claude-sonnet-4-5": {**one, **thinking}}},
                     "openai": {"options": options, "models": {"gpt-5.1-codex": one}}},
        **({"plugin": [os.path.join(HERE, "../integrations/opencode/index.ts")]} if live else
           {"mcp": {"cwl": {"type": "local", "command": [CWL, "mcp"], "enabled": True}}})})
    if live:
        # OpenCode waits for the types of its plugins to be installed here, which nothing in this plugin asks for.
        types = {"dependencies": {"@opencode-ai/plugin": version}}
        stage.write(".config/opencode/package.json", types)
        stage.write(".config/opencode/package-lock.json", {"packages": {"": types}})
        os.mkdir(os.path.join(stage.home, ".config/opencode/node_modules"))
    prompts = {"main": MAIN, "responses": ["explore", "change", "short"], "compact": ["explore", "change", "after", "short"],
               "fault": ["explore", "fault429", "overflow", "abort", "after"], **{name: LIVE_PROMPTS for name in LIVE_OPENCODE}}[scene]
    play(stage, prompts, lambda n, text: ["opencode", "run", "--format", "json", "--auto"] + (["--continue"] if n else []) + [text])
    end_with_database(stage, LOGS["opencode"], "select id, parent_id from session order by time_created")


def end_with_database(stage, path, query):
    """Ends a scene whose sessions are in a database; the query gives each with the session that called it."""
    database = os.path.join(stage.home, path)
    rows = []
    if os.path.exists(database):
        connection = sqlite3.connect(database)
        rows = connection.execute(query).fetchall()
        connection.close()
    roles = {"sub" if parent else "main": f"{database}#{session}" for session, parent in rows}
    stage.end([f"{database}#{session}" for session, _ in rows], roles)


def of_google(harness, version, scene, env, folder, extra, command, compacting, *logs, policy=None):
    """Gemini CLI and Qwen Code, which grew from it."""
    stage = Stage(harness, version, scene, env, ["--gemini-ids"] if harness == "gemini" else [], policy)
    kind = "gemini-api-key" if harness == "gemini" else "openai"
    stage.write(folder + "/settings.json", {
        "security": {"auth": {"selectedType": kind}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True}, "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False}, "mcpServers": {"cwl": {"command": CWL, "args": ["mcp"], "trust": True}},
        **(extra if scene == "compact" else {})})
    prompts = {"main": MAIN, "compact": compacting, "fault": ["explore", "fault429", "abort", "after"], "live-resumed": LIVE_PROMPTS}.get(scene, ["live-all"])
    play(stage, prompts, command, timeout=180)
    stage.end([path for pattern in logs for path in stage.find(pattern) if path.endswith((".json", ".jsonl"))])


def gemini(version, scene):
    policy, url = held("gemini", version, scene)
    env = {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true",
           "GEMINI_TELEMETRY_ENABLED": "false"}
    base = ["gemini", "-m", "gemini-2.5-pro", "-y", "--skip-trust", "-o", "stream-json"]
    of_google("gemini", version, scene, env, ".gemini", {"model": {"compressionThreshold": 0.008}},
              lambda n, text: base + (["-r", "latest"] if n else []) + ["-p", text],
              ["explore", "/compress", "change", "after", "short"], LOGS["gemini"], policy=policy)


def qwen(version, scene):
    env = {"OPENAI_API_KEY": DUMMY, "OPENAI_BASE_URL": URL + "/v1", "OPENAI_MODEL": "qwen3-coder-plus"}
    base = ["qwen", "--auth-type", "openai", "-y", "-o", "stream-json"]
    of_google("qwen", version, scene, env, ".qwen", {}, lambda n, text: base + (["--continue"] if n else []) + ["-p", text],
              ["explore", "/compress", "change", "short"], ".qwen/projects/*/chats/**/*", ".qwen/projects/*/subagents/**/*.jsonl")


def copilot(version, scene):
    model, kind = {"chat": ("lab-model", "openai"), "anthropic": ("claude-sonnet-4.5", "anthropic")}.get(scene, ("gpt-5.4", "openai"))
    env = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": URL + ("" if scene == "anthropic" else "/v1"),
           "COPILOT_PROVIDER_TYPE": kind, "COPILOT_PROVIDER_API_KEY": DUMMY, "COPILOT_MODEL": model,
           "COPILOT_PROVIDER_WIRE_API": "completions" if scene == "chat" else "responses", "COPILOT_AUTO_UPDATE": "false"}
    if scene == "compact":
        env["COPILOT_PROVIDER_MAX_PROMPT_TOKENS"] = "24000"
    stage = Stage("copilot", version, scene, env)
    mcp = stage.write("mcp.json", {"mcpServers": {"cwl": {"type": "local", "command": CWL, "args": ["mcp"], "tools": ["*"]}}})
    base = ["copilot", "--allow-all-tools", "--allow-all-paths", "--no-auto-update", "--disable-builtin-mcps",
            "--output-format", "json", "--additional-mcp-config", "@" + mcp]
    prompts = {"main": MAIN, "compact": ["explore", "/compact", "change", "after", "short"],
               "fault": ["explore", "fault429", "overflow", "abort", "after"]}
    play(stage, prompts.get(scene, ["explore", "change", "short"]),
         lambda n, text: base + (["--continue"] if n else []) + ["-p", text])
    stage.end(stage.find(LOGS["copilot"]))


KIMI = '''default_model = "lab"
default_permission_mode = "auto"
telemetry = false
auto_session_title = false
[providers.lab]
type = "{kind}"
base_url = "{url}"
api_key = "{key}"
[models.lab]
provider = "lab"
model = "{model}"
max_context_size = {window}
capabilities = ["thinking", "image_in", "tool_use"]
[loop_control]
max_attempts_per_step = 4
{more}
'''


def kimi(version, scene):
    kind, url, model = {"anthropic": ("anthropic", URL, "claude-sonnet-4-5"),
                        "responses": ("openai_responses", URL + "/v1", "gpt-5.4")}.get(scene, ("kimi", URL + "/v1", "kimi-for-coding"))
    stage = Stage("kimi", version, scene, {"KIMI_DISABLE_TELEMETRY": "1"})
    window, more = (30000, "reserved_context_size = 6000") if scene == "compact" else (200000, "")
    stage.write(".kimi-code/config.toml", KIMI.format(kind=kind, url=url, key=DUMMY, model=model, window=window, more=more))
    stage.write(".kimi-code/mcp.json", {"mcpServers": {"cwl": {"command": CWL, "args": ["mcp"]}}})
    prompts = {"main": MAIN, "compact": ["explore", "change", "after", "short"], "fault": ["explore", "fault429", "overflow", "abort", "after"]}
    play(stage, prompts.get(scene, ["explore", "change", "short"]),
         lambda n, text: ["kimi", "--output-format", "stream-json"] + (["--continue"] if n else []) + ["-p", text], timeout=180)
    stage.end(stage.find(LOGS["kimi"]))


def hermes(version, scene):
    stage = Stage("hermes", version, scene, {"OPENAI_API_KEY": DUMMY})
    settings = {"model": {"default": "lab-model", "provider": "custom", "base_url": URL + "/v1", "api_key": DUMMY, "context_length": 200000},
                "mcp_servers": {"cwl": {"command": CWL, "args": ["mcp"]}}, "approvals": {"mode": "off"},
                "security": {"allow_lazy_installs": False}}
    if scene == "compact":
        # The smallest window that Hermes takes; it compacts at 85 % of what answers leave of it.
        settings["model"].update(context_length=64000, max_tokens=36500)
    stage.write(".hermes/config.yaml", settings)
    prompts = {"main": MAIN, "compact": ["explore", "change", "after", "short"], "fault": ["explore", "fault429", "overflow", "abort", "after"]}
    play(stage, prompts.get(scene, ["explore", "change", "short"]),
         lambda n, text: ["hermes", "chat", "-Q", "--yolo"] + (["--continue"] if n else []) + ["-q", text], timeout=180)
    end_with_database(stage, LOGS["hermes"], "select id, case when source = 'subagent' then parent_session_id end from sessions order by started_at")


def droid(version, scene):
    stage = Stage("droid", version, scene, {"FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"})
    provider, url = {"anthropic": ("anthropic", URL), "responses": ("openai", URL + "/v1")}.get(scene, ("generic-chat-completion-api", URL + "/v1"))
    one = {"model": "lab-model", "displayName": "Lab", "baseUrl": url, "apiKey": DUMMY, "provider": provider, "maxOutputTokens": 8000}
    stage.write(".factory/settings.json", {"customModels": [one], "cloudSessionSync": False})
    stage.write(".factory/mcp.json", {"mcpServers": {"cwl": {"type": "stdio", "command": CWL, "args": ["mcp"]}}})
    base = ["droid", "exec", "--auto", "high", "-m", "custom:lab-model", "-o", "json"]

    # Without an account Droid goes on with a session in a copy of its log alone.
    def command(n, text):
        logs = [path for path in stage.find(LOGS["droid"]) if json.loads(open(path).readline()).get("decompSessionType") is None]
        return base + (["--fork", os.path.basename(logs[-1]).removesuffix(".jsonl")] if n else []) + [text]
    prompts = {"main": MAIN, "fault": ["explore", "fault429", "overflow", "abort", "after"]}
    play(stage, prompts.get(scene, ["explore", "change", "short"]), command, timeout=120)
    stage.end(stage.find(LOGS["droid"]))


def antigravity(version, scene):
    """The agent of Antigravity in Google's Python package, which takes the address of the model; the program itself asks for an account."""
    stage = Stage("antigravity", version, scene, {"GEMINI_API_KEY": "dummy"})
    script = os.path.join(HERE, "antigravity.py")
    prompts = {"main": MAIN, "compact": ["explore", "change", "after", "short"], "fault": ["explore", "fault429", "abort", "after"]}[scene]
    play(stage, prompts, lambda n, text: ["python", "-P", script, URL, CWL, "19000" if scene == "compact" else "0", text], timeout=120)
    logs = stage.find(LOGS["antigravity"])
    stage.end(logs, dict(zip(("main", "sub"), sorted(logs, key=os.path.getsize, reverse=True))))


DRIVERS = {"claude": (claude, ["main", "compact", "fault", *HELD["claude"]]), "codex": (codex, ["main", "compact", "fault", "remote", *HELD["codex"]]),
           "pi": (pi, ["main", "responses", "chat", "gemini", "compact", "fault", "live", "live-chat", "live-none"]),
           "opencode": (opencode, ["main", "responses", "compact", "fault", "live", "live-responses", "live-none"]),
           "gemini": (gemini, ["main", "compact", "fault", *HELD["gemini"]]),
           "copilot": (copilot, ["main", "anthropic", "chat", "compact", "fault"]),
           "qwen": (qwen, ["main", "compact", "fault"]),
           "kimi": (kimi, ["main", "anthropic", "responses", "compact", "fault"]),
           "hermes": (hermes, ["main", "compact", "fault"]),
           "droid": (droid, ["main", "anthropic", "responses", "fault"]),
           "antigravity": (antigravity, ["main", "compact", "fault"])}
