"""Answers in the form of the Anthropic Messages API."""
import base64
import hashlib
import json

from .stream import pieces


class Anthropic:
    """The part of the handler that writes such answers."""

    def wire_anthropic(self, rid, model, items, u, stream, st, rec):
        blocks = []
        for n, (k, v) in enumerate(items):
            if k == "think":
                sig = base64.b64encode(hashlib.sha512(v.encode()).digest() * 3).decode()
                blocks.append({"type": "thinking", "thinking": v, "signature": sig})
            elif k == "text":
                blocks.append({"type": "text", "text": v})
            else:
                blocks.append({"type": "tool_use", "id": f"toolu_lab{rec['n']:04d}{n:02d}", "name": v[0], "input": v[1]})
        stop = "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn"
        create = max(0, u["total"] - u["cached"] - 3)
        usage = {"input_tokens": min(3, u["total"]), "cache_creation_input_tokens": create, "cache_read_input_tokens": u["cached"],
                 "cache_creation": {"ephemeral_5m_input_tokens": create, "ephemeral_1h_input_tokens": 0}, "output_tokens": u["output"], "service_tier": "standard"}
        mid = f"msg_lab{rec['n']:05d}"
        rec["reply_id"] = mid
        if not stream:
            return self.json({"id": mid, "type": "message", "role": "assistant", "model": model, "content": blocks, "stop_reason": stop,
                              "stop_sequence": None, "usage": usage}, headers={"request-id": rid})
        self.sse_open(rid)
        self.sse({"type": "message_start", "message": {"id": mid, "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None,
                                                       "stop_sequence": None, "usage": dict(usage, output_tokens=1)}}, "message_start")
        for n, b in enumerate(blocks):
            empty = {"thinking": {"type": "thinking", "thinking": "", "signature": ""}, "text": {"type": "text", "text": ""}}.get(b["type"], dict(b, input={}))
            self.sse({"type": "content_block_start", "index": n, "content_block": empty}, "content_block_start")
            text, kind, key = {"thinking": (b.get("thinking"), "thinking_delta", "thinking"), "text": (b.get("text"), "text_delta", "text")}.get(
                b["type"], (json.dumps(b.get("input"), ensure_ascii=False), "input_json_delta", "partial_json"))
            for part in pieces(text):
                self.sse({"type": "content_block_delta", "index": n, "delta": {"type": kind, key: part}}, "content_block_delta")
            if st.get("hang") and b["type"] == "text":
                self.server.lab.anthropic_ping = True
                self.hang(st, rec)
            if b["type"] == "thinking":
                self.sse({"type": "content_block_delta", "index": n, "delta": {"type": "signature_delta", "signature": b["signature"]}}, "content_block_delta")
            self.sse({"type": "content_block_stop", "index": n}, "content_block_stop")
        self.sse({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}, "message_delta")
        self.sse({"type": "message_stop"}, "message_stop")
        self.sse_close()

