#!/usr/bin/env python3
"""A scripted model on loopback, which keeps the body of every request byte for byte.

It speaks, with streaming, Anthropic Messages, OpenAI Responses, OpenAI chat completions and Gemini; scenes.json says
what it answers. Each request is kept in OUT/bodies/NNN.json beside the figures of its answer.

    python3 -m lab.model.server --port 8123 --out FOLDER --root PROJECT
"""
import argparse
import base64
import gzip
import json
import os
import re
import threading
import time
import traceback
import zlib
from http.server import ThreadingHTTPServer

from .anthropic import Anthropic
from .gemini import Gemini
from .openai import OpenAi
from .request import dialect_of, tools_of
from .script import Script, expand, sample
from .stream import Stream
from .usage import Cache, segments
from .witness import NUMBER, Witness, digest_of

SECRET = re.compile(r"key|auth|token|cookie|secret", re.I)


class Handler(Anthropic, OpenAi, Gemini, Stream):
    """Reads requests, has the script choose an answer, and writes it in the request's dialect."""

    def do_HEAD(self):
        self.send_response(200); self.send_header("content-length", "0"); self.end_headers()

    def do_GET(self):
        self.take(b"")

    def do_POST(self):
        self.take(self.read_body())

    def take(self, raw):
        lab = self.server.lab
        path = self.path.split("?")[0]
        enc = (self.headers.get("content-encoding") or "").lower()
        plain = raw
        if enc == "gzip":
            plain = gzip.decompress(raw)
        elif enc == "deflate":
            plain = zlib.decompress(raw)
        with lab.lock:
            lab.n += 1
            n = lab.n
        rec = {"n": n, "time": time.time(), "method": self.command, "path": self.path,
               "headers": {k: v for k, v in self.headers.items() if not SECRET.search(k)}}
        self.begin_answer(lab.witness, self.headers.get(NUMBER))
        if lab.witness:
            rec["number"], rec["digest"] = self.number, digest_of(raw)
        try:
            rec["body"] = plain.decode("utf-8")
        except UnicodeDecodeError:
            rec["body_b64"] = base64.b64encode(raw).decode()
        d = dialect_of(path)
        try:
            body = json.loads(plain) if plain else None
        except ValueError:
            body = None
        rec["dialect"] = d
        try:
            if self.command != "POST" or d is None or body is None:
                rec["kind"] = "other"
                self.other(path, body)
            elif path.endswith("/responses/compact"):
                rec["kind"] = "summary"
                keep = [i for i in body.get("input", []) if i.get("role") == "user"]
                self.json({"id": f"resp_lab{rec['n']:05d}", "object": "response.compaction", "created_at": int(time.time()), "output": keep + [
                    {"type": "compaction", "id": f"cmp_lab{rec['n']:04d}", "encrypted_content": base64.b64encode(b"lab summary " * 20).decode()}],
                    "usage": {"input_tokens": 9000, "output_tokens": 80, "total_tokens": 9080}})
            elif path.endswith("/count_tokens") or "countTokens" in path:
                rec["kind"] = "count"
                total = sum(s[2] for s in segments(d, body if "generateContentRequest" not in body else body["generateContentRequest"])) // 4
                rec["usage"] = {"total": total}
                self.json({"input_tokens": total} if d == "anthropic" else {"totalTokens": total})
            else:
                self.model(d, path, body, rec, lab)
        except (BrokenPipeError, ConnectionResetError):
            rec["cut"] = True
        except Exception as e:  # kept with the request, so that a run tells of it
            rec["error"] = repr(e)
            import traceback; traceback.print_exc()
            try:
                self.json({"error": {"message": repr(e)}}, 500)
            except Exception:
                pass
        rec["done"] = time.time()
        if lab.witness:
            rec["written"], rec["is_streamed"] = self.digest.hexdigest(), self.is_streamed
        with open(os.path.join(lab.out, "bodies", f"{n:03d}.json"), "w") as f:
            json.dump(rec, f, ensure_ascii=True, indent=1)

    def other(self, path, body):
        if path.endswith("/models"):
            return self.json({"object": "list", "data": [{"id": m, "object": "model", "owned_by": "lab"} for m in
                              ("gpt-5.1-codex", "gpt-5.4", "claude-sonnet-4-5", "lab-model")]})
        self.json({})

    def model(self, d, path, body, rec, lab):
        model = body.get("model") or (re.search(r"/models/([^:/]+)", path) or [None, "?"])[1]
        stream = body.get("stream", False) if d != "gemini" else "stream" in path
        kind, plan, step, st = lab.script.answer(d, body)
        tools = tools_of(d, body)
        total, cached = lab.cache.count(model, segments(d, body)) if kind != "fault" else (0, 0)
        rec.update(kind=kind, plan=plan, step=step, model=model, stream=bool(stream))
        rid = f"req_lab{rec['n']:05d}"
        if "fault" in st:
            f = st["fault"]
            rec["fault"] = f
            return self.fault(d, f, model)
        schema = None
        if d == "anthropic":
            fmt = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
            schema = fmt.get("schema")
        elif d == "responses":
            schema = ((body.get("text") or {}).get("format") or {}).get("schema")
        elif d == "chat":
            schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
        else:
            g = body.get("generationConfig") or {}
            schema = g.get("responseJsonSchema") or g.get("responseSchema")
        if schema and kind == "side":
            st = {"say": sample(schema), "side": True}
        items = expand(st, d, tools, lab.root, body)
        thinks = {"anthropic": (body.get("thinking") or {}).get("type") in ("enabled", "adaptive"),
                  "responses": True, "chat": lab.chat_reasoning, "gemini": True}[d]
        if not thinks:
            items = [i for i in items if i[0] != "think"]
        out = 0
        for k, v in items:
            out += len(v) // 4 if k != "call" else len(v[0]) // 4 + len(json.dumps(v[1])) // 4
        think_tokens = sum(len(v) // 4 for k, v in items if k == "think")
        rec["answer"] = [[k, (v if k != "call" else {"name": v[0], "args": v[1]})] for k, v in items]
        u = {"total": total, "cached": cached, "output": out + 8, "thinking": think_tokens}
        rec["usage"] = u
        if lab.delay:
            time.sleep(lab.delay)
        getattr(self, "wire_" + d)(rid, model, items, u, stream, st, rec)

    def fault(self, d, f, model):
        status, kind = f.get("status", 429), f.get("kind")
        msg = {"overflow": "prompt is too long: 212345 tokens > 200000 maximum"}.get(kind, f.get("message", "Rate limited by the lab"))
        hdr = {"retry-after": "1"} if status in (429, 529, 503) else {}
        if d == "anthropic":
            t = {429: "rate_limit_error", 529: "overloaded_error", 400: "invalid_request_error"}.get(status, "api_error")
            return self.json({"type": "error", "error": {"type": t, "message": msg}, "request_id": "req_fault"}, status, hdr)
        if d == "gemini":
            return self.json({"error": {"code": status, "message": msg, "status": {429: "RESOURCE_EXHAUSTED", 400: "INVALID_ARGUMENT"}.get(status, "UNAVAILABLE")}}, status, hdr)
        if kind == "overflow":
            return self.json({"error": {"message": "Your input exceeds the context window of this model. Please adjust your input and try again.",
                                        "type": "invalid_request_error", "code": "context_length_exceeded"}}, 400)
        return self.json({"error": {"message": msg, "type": "rate_limit_error" if status == 429 else "server_error", "code": None}}, status, hdr)


class Lab:
    pass


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--port", type=int, default=8123)
    a.add_argument("--out", required=True)
    a.add_argument("--root", required=True, help="the project's folder, for the paths of calls")
    a.add_argument("--scenes", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes.json"))
    a.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    a.add_argument("--no-chat-reasoning", action="store_true")
    a.add_argument("--gemini-ids", action="store_true")
    a.add_argument("--witness", type=int, nargs=2, metavar=("PORT", "PROXY"), help="the ports of a witness and of the proxy behind it")
    o = a.parse_args()
    os.makedirs(os.path.join(o.out, "bodies"), exist_ok=True)
    srv = ThreadingHTTPServer(("127.0.0.1", o.port), Handler)
    srv.daemon_threads = True
    lab = Lab()
    lab.out, lab.root, lab.delay, lab.n, lab.lock = o.out, o.root, o.delay, 0, threading.Lock()
    lab.script, lab.cache = Script(o.scenes, o.root), Cache()
    lab.chat_reasoning, lab.gemini_ids, lab.anthropic_ping = not o.no_chat_reasoning, o.gemini_ids, False
    lab.witness = Witness(*o.witness, o.out) if o.witness else None
    srv.lab = lab
    print(f"lab on http://127.0.0.1:{o.port}", flush=True)
    srv.serve_forever()


if __name__ == "__main__":
    main()
