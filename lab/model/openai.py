"""Answers in the forms of the OpenAI Responses API and of its chat completions."""
import base64
import hashlib
import json
import time

from .stream import pieces


class OpenAi:
    """The part of the handler that writes such answers."""

    def wire_responses(self, rid, model, items, u, stream, st, rec):
        rs = f"resp_lab{rec['n']:05d}"
        rec["reply_id"] = rs
        outs = []
        if st.get("compaction"):
            outs.append({"type": "compaction", "id": f"cmp_lab{rec['n']:04d}", "encrypted_content": base64.b64encode(b"lab summary " * 20).decode()})
        for n, (k, v) in enumerate(items):
            i = f"{rec['n']:04d}{n:02d}"
            if k == "think":
                enc = base64.b64encode(hashlib.sha512(v.encode()).digest() * (1 + len(v) // 200)).decode()
                outs.append({"type": "reasoning", "id": f"rs_lab{i}", "summary": [{"type": "summary_text", "text": "**Checking** " + v[:120]}], "encrypted_content": enc})
            elif k == "text":
                outs.append({"type": "message", "id": f"msg_lab{i}", "status": "completed", "role": "assistant",
                             "content": [{"type": "output_text", "text": v, "annotations": [], "logprobs": []}]})
            else:
                name, args, custom, ns = v
                if custom == "local_shell":
                    outs.append({"type": "local_shell_call", "id": f"lsh_lab{i}", "call_id": f"call_lab{i}", "status": "completed",
                                 "action": {"type": "exec", "command": args, "env": {}}})
                elif custom:
                    outs.append({"type": "custom_tool_call", "id": f"ctc_lab{i}", "status": "completed", "call_id": f"call_lab{i}", "name": name, "input": args})
                else:
                    o = {"type": "function_call", "id": f"fc_lab{i}", "status": "completed", "call_id": f"call_lab{i}", "name": name, "arguments": json.dumps(args)}
                    if ns:
                        o["namespace"] = ns
                    outs.append(o)
        usage = {"input_tokens": u["total"], "input_tokens_details": {"cached_tokens": u["cached"] // 128 * 128}, "output_tokens": u["output"],
                 "output_tokens_details": {"reasoning_tokens": u["thinking"]}, "total_tokens": u["total"] + u["output"]}
        base = {"id": rs, "object": "response", "created_at": int(time.time()), "status": "in_progress", "model": model, "output": [], "usage": None, "error": None,
                "incomplete_details": None, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
        done = dict(base, status="completed", output=outs, usage=usage)
        if not stream:
            return self.json(done)
        self.sse_open(rid)
        seq = [0]

        def ev(t, **kw):
            self.sse(dict({"type": t, "sequence_number": seq[0]}, **kw), t)
            seq[0] += 1
        ev("response.created", response=base)
        ev("response.in_progress", response=base)
        for n, o in enumerate(outs):
            t = o["type"]
            start = dict(o)
            if t == "message":
                start.update(content=[], status="in_progress")
            elif t == "function_call":
                start.update(arguments="", status="in_progress")
            elif t == "custom_tool_call":
                start.update(input="", status="in_progress")
            elif t == "reasoning":
                start.update(summary=[], encrypted_content="")
            ev("response.output_item.added", output_index=n, item=start)
            if t == "reasoning":
                txt = o["summary"][0]["text"]
                ev("response.reasoning_summary_part.added", item_id=o["id"], output_index=n, summary_index=0, part={"type": "summary_text", "text": ""})
                ev("response.reasoning_summary_text.delta", item_id=o["id"], output_index=n, summary_index=0, delta=txt)
                ev("response.reasoning_summary_text.done", item_id=o["id"], output_index=n, summary_index=0, text=txt)
                ev("response.reasoning_summary_part.done", item_id=o["id"], output_index=n, summary_index=0, part=o["summary"][0])
            elif t == "message":
                txt = o["content"][0]["text"]
                ev("response.content_part.added", item_id=o["id"], output_index=n, content_index=0, part={"type": "output_text", "text": "", "annotations": []})
                for part in pieces(txt):
                    ev("response.output_text.delta", item_id=o["id"], output_index=n, content_index=0, delta=part)
                self.hang(st, rec)
                ev("response.output_text.done", item_id=o["id"], output_index=n, content_index=0, text=txt)
                ev("response.content_part.done", item_id=o["id"], output_index=n, content_index=0, part=o["content"][0])
            elif t == "function_call":
                ev("response.function_call_arguments.delta", item_id=o["id"], output_index=n, delta=o["arguments"])
                ev("response.function_call_arguments.done", item_id=o["id"], output_index=n, arguments=o["arguments"], name=o["name"])
            elif t == "custom_tool_call":
                ev("response.custom_tool_call_input.delta", item_id=o["id"], output_index=n, delta=o["input"])
                ev("response.custom_tool_call_input.done", item_id=o["id"], output_index=n, input=o["input"])
            ev("response.output_item.done", output_index=n, item=o)
        ev("response.completed", response=done)
        self.sse_close()


    def wire_chat(self, rid, model, items, u, stream, st, rec):
        cid = f"chatcmpl-lab{rec['n']:05d}"
        rec["reply_id"] = cid
        text = "".join(v for k, v in items if k == "text")
        think = "".join(v for k, v in items if k == "think")
        calls = [{"id": f"call_lab{rec['n']:04d}{n:02d}", "type": "function", "function": {"name": v[0], "arguments": json.dumps(v[1], ensure_ascii=False)}}
                 for n, (k, v) in enumerate(items) if k == "call"]
        stop = "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": u["total"], "completion_tokens": u["output"], "total_tokens": u["total"] + u["output"],
                 "prompt_tokens_details": {"cached_tokens": u["cached"] // 128 * 128}, "completion_tokens_details": {"reasoning_tokens": u["thinking"]}}
        base = {"id": cid, "created": int(time.time()), "model": model}
        if not stream:
            m = {"role": "assistant", "content": text or None}
            if calls:
                m["tool_calls"] = calls
            if think:
                m["reasoning_content"] = think
            return self.json(dict(base, object="chat.completion", choices=[{"index": 0, "message": m, "finish_reason": stop}], usage=usage))
        self.sse_open(rid)

        def ch(delta, fin=None):
            self.sse(dict(base, object="chat.completion.chunk", choices=[{"index": 0, "delta": delta, "finish_reason": fin}]))
        ch({"role": "assistant", "content": ""})
        for p in pieces(think) if think else []:
            ch({"reasoning_content": p})
        for p in pieces(text) if text else []:
            ch({"content": p})
        if text:
            self.hang(st, rec)
        for n, c in enumerate(calls):
            ch({"tool_calls": [{"index": n, "id": c["id"], "type": "function", "function": {"name": c["function"]["name"], "arguments": ""}}]})
            for p in pieces(c["function"]["arguments"]):
                ch({"tool_calls": [{"index": n, "function": {"arguments": p}}]})
        ch({}, stop)
        self.sse(dict(base, object="chat.completion.chunk", choices=[], usage=usage))
        self.sse("[DONE]")
        self.sse_close()

