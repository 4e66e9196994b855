"""Compares the requests of one scene with what `cwl context` shows at each turn."""
import glob
import json
import os
import re
import subprocess
from collections import Counter

from ..stage import CWL
from .align import align, joined, pair, reasons
from .blocks import apart, blocks_of, messages_of, system_of, tools_of

PROVIDERS = {"anthropic": "anthropic", "responses": "openai", "chat": "openai-chat", "gemini": "gemini"}
MAX_EXAMPLES = 8


def compare(out):
    """One result for the main conversation and one for each subagent's."""
    run = json.load(open(os.path.join(out, "run.json")))
    records = [json.load(open(path)) for path in sorted(glob.glob(os.path.join(out, "bodies", "*.json")))]
    results = []
    for who in ("main", "sub"):
        requests = [one for one in records if one.get("kind") in (("sub",) if who == "sub" else ("main", "fault"))]
        if requests:
            log = run["roles"].get(who) or find_log(run["logs"], who)
            name = {"harness": run["harness"], "version": run["version"], "scene": run["scene"], "who": who}
            results.append({**name, "log": log, **(against(log, requests) if log else {"error": "no log was found"})})
    return results


def is_subagents(path):
    if "subagent" in path or re.search(r"/chats/[0-9a-f-]{36}/", path):
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


def cwl(*arguments):
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("LAB_HOME", "/nonexistent"), "NO_COLOR": "1", "LANG": "C.UTF-8"}
    done = subprocess.run([CWL, *arguments, "--tokenizer", "chars4", "--policy", "none"], env=env, capture_output=True)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def shown_turns(log, dialect, most):
    turns = []
    for number in range(1, most + 1):
        code, text, err = cwl("context", log, "--turn", str(number), "--as", PROVIDERS[dialect])
        if code:
            break
        body = json.loads(text)
        _, text, _ = cwl("context", log, "--turn", str(number), "--json")
        blocks = blocks_of(dialect, messages_of(dialect, body))
        turns.append({"turn": number, "body": body, "blocks": blocks, "reported": json.loads(text).get("reported"), "repairs": err})
    return turns[:-1]  # the last is the request that would come next


def request_blocks(request):
    body, dialect = json.loads(request["body"]), request["dialect"]
    blocks = apart(blocks_of(dialect, messages_of(dialect, body)))
    return [b for b in blocks if b["role"] != "system"] if dialect == "chat" else blocks


def against(log, requests):
    answered = [one for one in requests if one["kind"] != "fault" and not one.get("fault")]
    dialect = next((one["dialect"] for one in answered), requests[0]["dialect"])
    code, text, err = cwl("report", log, "--json")
    if code:
        return {"error": err.strip()[:300], "requests": len(answered)}
    report = json.loads(text)
    _, problems, _ = cwl("report", log, "--problems")
    codes = re.findall(r"\b([A-Z]\d{3})\b", problems)
    unknown = re.findall(r"unknown type `([^`]+)`", problems)
    shown = shown_turns(log, dialect, len(requests) + 12)
    for turn in shown:
        of_chat = dialect == "chat"
        turn["blocks"] = [b for b in apart(turn["blocks"]) if not (of_chat and b["role"] == "system")]
    result = {"requests": 0, "blocks": 0, "equal": 0, "missing": 0, "extra": 0, "without_turn": [], "turns": len(shown),
              "system": Counter(), "tools": Counter(), "usage": Counter(), "reasons": {}, "problems": Counter(codes),
              "unknown": Counter(unknown), "proved": report.get("proved") or (report.get("session") or {}).get("proved")}
    for request, turn in pair(requests, shown, request_blocks):
        if request["kind"] == "fault":
            continue
        result["requests"] += 1
        sent = request_blocks(request)
        result["blocks"] += len(sent)
        if turn is None:
            result["without_turn"].append(request["n"])
            result["missing"] += len(sent)
            continue
        body = json.loads(request["body"])
        result["system"][beside(system_of(dialect, body), system_of(dialect, turn["body"]))] += 1
        ours, theirs = tools_of(dialect, turn["body"]), tools_of(dialect, body)
        result["tools"]["none shown" if theirs and not ours else "equal" if ours == theirs else "differ"] += 1
        total = (request.get("usage") or {}).get("total")
        result["usage"]["equal" if total == turn["reported"] else "not reported" if turn["reported"] is None else "differs"] += 1
        equal, missing, extra = align(sent, joined(sent, turn["blocks"]))
        result["equal"] += equal
        result["missing"] += len(missing)
        result["extra"] += len(extra)
        for why, only_sent, only_shown in reasons(missing, extra):
            entry = result["reasons"].setdefault(why, {"times": 0, "first": request["n"], "examples": []})
            entry["times"] += 1
            example = [one and one["text"][:400] for one in (only_sent, only_shown)]
            if example not in entry["examples"] and len(entry["examples"]) < MAX_EXAMPLES:
                entry["examples"].append(example)
    return result


def beside(sent, shown):
    if not sent:
        return "none sent"
    if not shown:
        return "not shown"
    return "equal" if sent.strip() == shown.strip() else "differs"
