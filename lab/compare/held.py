"""What `cwl proxy` made of the requests of a scene under a policy: what came to it, what left, and what the program says of both."""
import json
import os
import tempfile

from .align import align, joined, reasons
from .program import FORMATS, blocks_in, context, policy_blocks

TOKENIZER = ("--tokenizer", "o200k")
MAX_DIFFERENCES = 8


def join_witness(out, records):
    """Gives each record of the model the body as it came to the witness, and the line of the proxy's capture."""
    came, kept = os.path.join(out, "came"), os.path.join(out, "proxied")
    rows = {row["number"]: row for row in lines_of(os.path.join(came, "index.jsonl"))}
    captured = {row["reply_id"]: row for row in lines_of(os.path.join(kept, "captured.jsonl"))}
    for record in records:
        row, line = rows.get(record["number"]), captured.get(record.get("reply_id"), {})
        record["came"] = row and {**row, "path": os.path.join(came, row["number"] + ".json")}
        record["kept"] = {**line, "path": os.path.join(kept, line.get("request_file") or "")}


def lines_of(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def against_proxy(held, log, pairs, is_logged):
    """Compares each body that left with what the policy says of the log at its turn, and with what it says of the body that came."""
    policy, budget = held
    in_force = ("--policy", policy, "--budget", budget, *TOKENIZER, "--set", "keep_last_turn=true")
    found = dict.fromkeys(("requests", "evicting", "passed", "as_sent", "as_policy", "as_body", "as_came", "streamed", "largest", "grown"), 0)
    found.update(by="cwl proxy", policy=policy, budget=tokens(budget), unlogged=[], differences=[], reasons={})
    for request, turn in pairs:
        if request["kind"] == "fault" or turn is None:
            continue
        dialect, came, line = request["dialect"], request["came"], request["kept"]
        left, at_turn = blocks_in(dialect, json.loads(request["body"])), (log, "--turn", str(turn["turn"]))
        body = (came["path"], "--format", FORMATS[dialect])
        whole, sent = size_of(*body), size_of_text(request["body"], FORMATS[dialect])
        # What the body has more than the log, beside the messages, is told as overhead.
        unlogged = whole - size_of(*at_turn, "--overhead", "0")
        for key, of in (("as_policy", (*at_turn, "--overhead", str(max(0, unlogged)))), ("as_body", body)):
            shown = [b for b in policy_blocks(dialect, *of, options=in_force) if b["role"] != "developer" or b["text"] != request["system"]]
            _, missing, extra = align(left, joined(left, shown))
            found[key] += not (missing or extra)
            for why, *_ in reasons(missing, extra, is_logged):
                why = why if key == "as_policy" else f"of the body: {why}"
                found["reasons"][why] = found["reasons"].get(why, 0) + 1
            if (missing or extra) and len(found["differences"]) < MAX_DIFFERENCES:
                found["differences"].append({"n": request["n"], "turn": turn["turn"], "by": key, "missing": brief(missing), "extra": brief(extra)})
        is_as_came = request["digest"] == came["body"]
        found["requests"] += 1
        found["as_came"] += is_as_came
        found["as_sent"] += is_kept(request) and ("evicted" in line) != is_as_came
        found["evicting"] += "evicted" in line
        found["passed"] += "note" in line
        found["streamed"] += request["is_streamed"] and request["written"] == came["answer"]
        found["largest"] = max(found["largest"], sent)
        found["grown"] = max(found["grown"], whole - found["whole"] if "whole" in found else 0)
        found["whole"] = whole
        if unlogged not in found["unlogged"]:
            found["unlogged"].append(unlogged)
    return found


def brief(blocks):
    return [[b["role"], b["kind"], b["text"][:400]] for b in blocks[:4]]


def is_kept(request):
    """Tells whether the proxy's capture has the body of a request, byte for byte."""
    if not request["kept"].get("request_file"):
        return False
    with open(request["kept"]["path"], "rb") as file:
        return file.read() == request["body"].encode()


def size_of(*of):
    return context(*of, "--json", options=("--policy", "none", *TOKENIZER))["total"]


def size_of_text(body, form):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(body)
        file.flush()
        return size_of(file.name, "--format", form)


def tokens(budget):
    return int(float(budget[:-1]) * 1000) if budget.endswith("k") else int(budget)
