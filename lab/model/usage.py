"""Sizes of requests, and the prefix cache by which the model reports its usage."""
import hashlib
import json
import threading

from .request import system_text


def canon(x):
    if isinstance(x, dict):
        return {k: canon(v) for k, v in sorted(x.items()) if k != "cache_control"}
    if isinstance(x, list):
        return [canon(v) for v in x]
    return x


def size(x):
    """Characters that count: the leaves of a message without keys, ids and signatures; images are flat."""
    if isinstance(x, str):
        return len(x)
    if isinstance(x, list):
        return sum(size(v) for v in x)
    if isinstance(x, dict):
        if x.get("type") in ("image", "input_image", "image_url") or "inlineData" in x:
            return 4800
        if x.get("type") == "tool_use":
            return len(x.get("name", "")) + len(json.dumps(x.get("input"), separators=(",", ":")))
        if "functionCall" in x:
            return len(x["functionCall"].get("name", "")) + len(json.dumps(x["functionCall"].get("args"), separators=(",", ":")))
        return sum(size(v) for k, v in x.items() if k not in ("type", "role", "id", "call_id", "tool_use_id", "tool_call_id", "signature",
                                                              "thoughtSignature", "encrypted_content", "cache_control", "status"))
    return 1 if x is not None else 0


def segments(d, body):
    segs = []
    for t in body.get("tools") or []:
        segs.append(("tool", json.dumps(canon(t)), len(json.dumps(t, separators=(",", ":")))))
    s = system_text(d, body) if d != "chat" else ""
    if s:
        segs.append(("system", s, len(s)))
    key = {"anthropic": "messages", "chat": "messages", "responses": "input", "gemini": "contents"}[d]
    msgs = body.get(key) or []
    if isinstance(msgs, str):
        msgs = [{"role": "user", "content": msgs}]
    for m in msgs:
        segs.append(("message", json.dumps(canon(m)), size(m)))
    return segs


class Cache:
    def __init__(self):
        self.seen, self.lock = [], threading.Lock()

    def count(self, model, segs):
        with self.lock:
            hashes, h = [], hashlib.sha1(model.encode())
            for _, text, _ in segs:
                h.update(text.encode("utf-8", "surrogatepass"))
                hashes.append(h.hexdigest())
            best = 0
            for old in self.seen:
                n = 0
                for a, b in zip(old, hashes):
                    if a != b:
                        break
                    n += 1
                best = max(best, n)
            self.seen.append(hashes)
            total = sum(s[2] for s in segs) // 4
            cached = sum(s[2] for s in segs[:best]) // 4
            return total, (cached if cached >= 1024 else 0)

