"""Answers in the form of the Gemini API."""
import base64
import hashlib


class Gemini:
    """The part of the handler that writes such answers."""

    def wire_gemini(self, rid, model, items, u, stream, st, rec):
        rec["reply_id"] = rid
        parts = []
        sig = base64.b64encode(hashlib.sha512(rid.encode()).digest()).decode()
        first = True
        for n, (k, v) in enumerate(items):
            if k == "think":
                parts.append({"text": "**Checking**\n\n" + v, "thought": True})
            elif k == "text":
                parts.append({"text": v})
            else:
                p = {"functionCall": {"name": v[0], "args": v[1]}}
                if self.server.lab.gemini_ids:
                    p["functionCall"]["id"] = f"fc_lab{rec['n']:04d}{n:02d}"
                if first:
                    p["thoughtSignature"] = sig
                first = False
                parts.append(p)
        usage = {"promptTokenCount": u["total"], "cachedContentTokenCount": u["cached"], "candidatesTokenCount": u["output"] - u["thinking"],
                 "thoughtsTokenCount": u["thinking"], "totalTokenCount": u["total"] + u["output"]}

        def resp(ps, fin):
            c = {"content": {"role": "model", "parts": ps}, "index": 0}
            if fin:
                c["finishReason"] = "STOP"
            return {"candidates": [c], "usageMetadata": usage, "modelVersion": model, "responseId": rid}
        if not stream:
            return self.json(resp(parts, True))
        self.sse_open(rid)
        for n, p in enumerate(parts):
            if "text" in p and not p.get("thought") and len(p["text"]) > 60:
                half = len(p["text"]) // 2
                self.sse(resp([{"text": p["text"][:half]}], False))
                self.hang(st, rec)
                self.sse(resp([{"text": p["text"][half:]}], n == len(parts) - 1))
            else:
                self.sse(resp([p], n == len(parts) - 1))
        self.sse_close()

