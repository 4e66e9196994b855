"""Compares the requests of one scene with what `cwl context` shows at each turn."""
import glob
import json
import os
import re
import sqlite3
from collections import Counter

from .align import NOT_LOGGED, align, inside_tags, joined, pair, reasons
from .blocks import apart, blocks_of, parts_of, tools_of
from .held import against_proxy, join_witness
from .program import PROVIDERS, cwl, policy_blocks

MAX_EXAMPLES = 8
# Where OpenCode and Hermes Agent have their texts.
TABLES = {"message", "part", "messages", "sessions"}


def compare(out):
    """One result for the main conversation and one for each subagent's."""
    run = json.load(open(os.path.join(out, "run.json")))
    records = [json.load(open(path)) for path in sorted(glob.glob(os.path.join(out, "bodies", "*.json")))]
    if run.get("held"):
        join_witness(out, records)
    results = []
    for who in ("main", "sub"):
        requests = [one for one in records if one.get("kind") in (("sub",) if who == "sub" else ("main", "fault"))]
        if requests:
            log = run["roles"].get(who) or find_log(run["logs"], who)
            branch = [] if log else ["--branch", subagents_branch(find_log(run["logs"], "main"))]
            name = {"harness": run["harness"], "version": run["version"], "scene": run["scene"], "who": who}
            log = log or find_log(run["logs"], "main")
            results.append({**name, "log": log, **against(log, branch, requests, run.get("held"))})
    return results


def subagents_branch(log):
    """The last record of a subagent's conversation that stands in the log of its caller."""
    _, text, _ = cwl("branches", log, "--json", options=())
    return next((one["leaf"] for one in json.loads(text)["branches"] if one["subagent"]), "none")


def is_subagents(path):
    if "subagent" in path or re.search(r"/chats/[0-9a-f-]{36}/|/agents/(?!main/)[^/]+/wire\.jsonl$", path):
        return True
    if "/rollout-" in path:
        meta = json.loads(open(path).readline())["payload"]
        return meta.get("thread_source") == "subagent" or isinstance(meta.get("source"), dict)
    return False


def find_log(logs, who):
    of_subagents = [path for path in logs if is_subagents(path)]
    if who == "sub":
        return of_subagents[-1] if of_subagents else None
    return max(set(logs) - set(of_subagents), key=os.path.getsize, default=None)


def shown_turns(log, branch, dialect, most):
    turns = []
    for number in range(1, most + 1):
        code, text, err = cwl("context", log, *branch, "--turn", str(number), "--as", PROVIDERS[dialect])
        if code:
            break
        body = json.loads(text)
        _, text, _ = cwl("context", log, *branch, "--turn", str(number), "--json")
        system, messages = parts_of(dialect, body)
        turns.append({"turn": number, "system": system, "tools": tools_of(dialect, body), "repairs": err,
                      "blocks": apart(blocks_of(dialect, messages)), "reported": json.loads(text).get("reported")})
    return turns[:-1]  # the last is the request that would come next


def live_decisions(log):
    """The decisions of a live policy that a log of pi or OpenCode holds, by their turns."""
    path, _, session = log.partition("#")
    if session and path.endswith("opencode.db"):
        connection = sqlite3.connect(path)
        found = connection.execute("select data from part where session_id = ? order by id", [session])
        rows = [json.loads(text).get("metadata") or {} for (text,) in found if '"cwl.decision"' in text]
        connection.close()
    elif log.endswith(".jsonl"):
        rows = [json.loads(line) for line in open(log, encoding="utf-8", errors="replace") if '"cwl.decision"' in line]
    else:
        return {}
    return {row["data"]["turn"]: row["data"] for row in rows if row.get("customType") == "cwl.decision"}


def note_live(live, log, turn, decision, request, is_as_sent):
    """Compares a request with what the policy in force says of the log as if nothing had been evicted before."""
    policy = ["--policy", decision["policy"], "--budget", str(decision["budget"]), "--overhead", str(decision["overhead"]),
              "--tokenizer", decision["tokenizer"], "--set", "ignore_eviction=true"]
    policy += [word for key, value in decision["options"].items() for word in ("--set", f"{key}={value}")]
    blocks = policy_blocks(request["dialect"], log, "--turn", str(turn), options=policy)
    _, missing, extra = align(request["blocks"], joined(request["blocks"], blocks))
    tokens, before = decision["tokens"], live.get("whole", 0)
    live["requests"] += 1
    live["as_sent"] += is_as_sent
    live["as_policy"] += not (missing or extra)
    live["evicting"] += decision["verdict"] == "evict"
    live["passed"] += decision["verdict"] == "pass_through"
    live["largest"] = max(live["largest"], tokens["sent"])
    live["grown"] = max(live["grown"], tokens["whole"] - before if before else 0)
    live.update(whole=tokens["whole"], budget=decision["budget"], policy=decision["policy"])


def prepare(request):
    """Reads the body of a request as the harness made it."""
    dialect = request["dialect"]
    if request.get("came"):
        with open(request["came"]["path"], encoding="utf-8") as file:
            body = json.load(file)
    else:
        body = json.loads(request["body"])
    request["system"], messages = parts_of(dialect, body)
    request["blocks"] = apart(blocks_of(dialect, messages))
    request["tools"] = tools_of(dialect, body)


def strings_of(log):
    """All strings of a log, one after the other."""
    path, _, session = log.partition("#")
    if session:
        connection = sqlite3.connect(path)
        held = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        texts = [text for table in sorted(held & TABLES) for row in connection.execute(f"select * from {table}") for text in row]
        connection.close()
    else:
        with open(path, encoding="utf-8", errors="replace") as file:
            texts = list(file)
    return "\n".join(one for text in texts for one in strings_in(text))


def strings_in(value):
    if isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings_in(one)
    elif isinstance(value, str):
        yield value
        if value[:1] in "{[":
            try:
                yield from strings_in(json.loads(value))
            except ValueError:
                pass


def is_in(strings, block):
    """Tells whether a text stands in a log: whether each of its lines does. What has no text counts as if it did."""
    lines = {line.strip() for line in inside_tags(block["text"]).splitlines()}
    return block["kind"] not in ("text", "result", "thinking") or all(line in strings for line in lines)


def without_turn(request):
    """The reason for which the program has no turn for a request: its answer is not in the log."""
    return "its answer was cut off" if request.get("hung") or request.get("cut") else "its answer is not in the log"


def against(log, branch, requests, policy=None):
    """Compares requests with the turns of a log; with a policy and τ at which the proxy held them, also what it let through."""
    answered = [one for one in requests if one["kind"] != "fault" and not one.get("fault")]
    dialect = next((one["dialect"] for one in answered), requests[0]["dialect"])
    code, text, err = cwl("report", log, *branch, "--json")
    if code:
        return {"error": err.strip()[:300], "requests": len(answered)}
    report = json.loads(text)
    _, problems, _ = cwl("report", log, *branch, "--problems")
    codes = re.findall(r"\b([A-Z]\d{3})\b", problems)
    unknown = re.findall(r"unknown type `([^`]+)`", problems)
    strings = strings_of(log)
    shown = shown_turns(log, branch, dialect, len(requests) + 12)
    for request in requests:
        prepare(request)
    result = {"requests": 0, "blocks": 0, "equal": 0, "unlogged": 0, "missing": 0, "extra": 0, "turns": len(shown),
              "without_turn": {}, "without_request": [], "system": Counter(), "tools": Counter(), "usage": Counter(),
              "reasons": {}, "problems": Counter(codes), "unknown": Counter(unknown),
              "proved": report.get("proved") or (report.get("session") or {}).get("proved")}
    decisions = live_decisions(log)
    if decisions:
        result["live"] = {"by": "cwl live", "requests": 0, "evicting": 0, "as_sent": 0, "as_policy": 0, "passed": 0, "largest": 0, "grown": 0}
    pairs = pair(requests, shown)
    known = [turn["turn"] for _, turn in pairs if turn]
    result["without_request"] = [turn["turn"] for turn in shown if turn["turn"] not in known]
    if policy:
        result["live"] = against_proxy(policy, log, pairs, lambda b: is_in(strings, b))
    for request, turn in pairs:
        if request["kind"] == "fault":
            continue
        result["requests"] += 1
        if turn is None:
            result["without_turn"].setdefault(without_turn(request), []).append(request["n"])
            continue
        sent, ours, theirs = request["blocks"], turn["tools"], request["tools"]
        result["blocks"] += len(sent)
        result["system"][beside(request["system"], turn["system"])] += 1
        result["tools"]["none shown" if theirs and not ours else "equal" if ours == theirs else "differ"] += 1
        total = (request.get("usage") or {}).get("total")
        result["usage"]["equal" if total == turn["reported"] else "not reported" if turn["reported"] is None else "differs"] += 1
        equal, missing, extra = align(sent, joined(sent, turn["blocks"]))
        if turn["turn"] in decisions:
            note_live(result["live"], log, turn["turn"], decisions[turn["turn"]], request, not (missing or extra))
        found = reasons(missing, extra, lambda b: is_in(strings, b))
        n_unlogged = sum(NOT_LOGGED in why for why, *_ in found)
        result["equal"] += equal
        result["unlogged"] += n_unlogged
        result["missing"] += len(missing) - n_unlogged
        result["extra"] += len(extra)
        for why, only_sent, only_shown in found:
            entry = result["reasons"].setdefault(why, {"times": 0, "first": request["n"], "examples": []})
            entry["times"] += 1
            example = [one and one["text"][:400] for one in (only_sent, only_shown)]
            if example not in entry["examples"] and len(entry["examples"]) < MAX_EXAMPLES:
                entry["examples"].append(example)
    return result


def beside(sent, shown):
    """Compares two system prompts; blank lines aside, as a prompt may be sent in several parts."""
    if not sent:
        return "none sent"
    if not shown:
        return "not shown"
    lines = lambda text: [line for line in text.splitlines() if line.strip()]
    return "equal" if lines(sent) == lines(shown) else "differs"
