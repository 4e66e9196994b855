"""One shape for the blocks of a request, whatever API it goes to."""
import json
import re

MESSAGES = {"anthropic": "messages", "chat": "messages", "responses": "input", "gemini": "contents"}
REMINDER = re.compile(r"\n\n(<system-reminder>.*?</system-reminder>(?:\n(?!\n))?)", re.S)


def block(role, kind, text="", name="", **more):
    return {"role": role, "kind": kind, "text": text, "name": name, **more}


def key_of(b):
    """What must be equal for two blocks to be equal; ids, signatures and marks of caches are compared apart."""
    return (b["role"], b["kind"], b["name"] if b["kind"] == "call" else "", b["text"])


def canonical(value):
    """Arguments as JSON with sorted keys; text that is no JSON as it stands."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def result_text(content):
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        for only in ("output", "error"):
            if set(content) == {only}:
                return result_text(content[only])
        if "text" in content:
            return content["text"]
        if content.get("type") in ("image", "input_image", "image_url"):
            return "[image]"
        return json.dumps(content, sort_keys=True, ensure_ascii=False)
    return "\n".join(result_text(part) for part in content)


def own(role, kind, part):
    return block(role, kind or "?", json.dumps(part, sort_keys=True)[:2000])


def of_anthropic(message):
    content, role = message["content"], message["role"]
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        kind = part.get("type")
        if kind == "text":
            yield block(role, "text", part["text"])
        elif kind in ("thinking", "redacted_thinking"):
            yield block(role, "thinking", part.get("thinking", ""), sig=part.get("signature"))
        elif kind == "tool_use":
            yield block(role, "call", canonical(part["input"]), part["name"], id=part["id"])
        elif kind == "tool_result":
            text = result_text(part.get("content"))
            yield block(role, "result", text, id=part["tool_use_id"], err=bool(part.get("is_error")))
        else:
            yield own(role, kind, part)


def of_responses(item):
    kind = item.get("type", "message")
    if kind == "message":
        content = item.get("content")
        for part in [{"text": content}] if isinstance(content, str) else content or []:
            yield block(item["role"], "text" if "text" in part else part.get("type"), part.get("text", ""))
    elif kind == "reasoning":
        text = "\n".join(part.get("text", "") for part in item.get("summary") or [])
        yield block("assistant", "thinking", text, sig=item.get("encrypted_content"))
    elif kind == "function_call":
        yield block("assistant", "call", canonical(item["arguments"]), item["name"], id=item["call_id"], exact=item["arguments"])
    elif kind == "custom_tool_call":
        yield block("assistant", "call", item["input"], item["name"], id=item["call_id"])
    elif kind == "local_shell_call":
        yield block("assistant", "call", canonical(item["action"]), "local_shell", id=item.get("call_id"))
    elif kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
        yield block("tool", "result", result_text(item.get("output")), id=item.get("call_id"))
    else:
        yield own(item.get("role", "?"), kind, item)


def of_chat(message):
    role = "system" if message["role"] == "developer" else message["role"]
    content = message.get("content")
    if role == "tool":
        yield block("tool", "result", result_text(content), id=message.get("tool_call_id"))
        return
    reasoning = message.get("reasoning_content") or message.get("reasoning") or message.get("reasoning_text")
    if reasoning:
        yield block(role, "thinking", reasoning)
    for part in [{"text": content}] if isinstance(content, str) else content or []:
        if part.get("text", "x") != "":
            yield block(role, "text" if "text" in part else part.get("type"), part.get("text", ""))
    for call in message.get("tool_calls") or []:
        yield block(role, "call", canonical(call["function"]["arguments"]), call["function"]["name"], id=call["id"])


def of_gemini(message):
    role = {"model": "assistant"}.get(message.get("role", "user"), message.get("role", "user"))
    for part in message.get("parts") or []:
        if "functionCall" in part:
            call = part["functionCall"]
            yield block(role, "call", canonical(call.get("args") or {}), call["name"], id=call.get("id"))
        elif "functionResponse" in part:
            answer = part["functionResponse"]
            yield block("tool", "result", result_text(answer.get("response")), answer.get("name"), id=answer.get("id"))
        elif part.get("thought"):
            yield block(role, "thinking", part.get("text", ""))
        elif "text" in part:
            yield block(role, "text", part["text"])
        else:
            yield own(role, next(iter(part), "?"), part)


READERS = {"anthropic": of_anthropic, "responses": of_responses, "chat": of_chat, "gemini": of_gemini}


def blocks_of(dialect, messages):
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return [b for message in messages for b in READERS[dialect](message)]


def parts_of(dialect, body):
    """The system prompt of a request and its messages; OpenAI's APIs may have the prompt at the head of the messages."""
    messages = body if isinstance(body, list) else body.get(MESSAGES[dialect]) or []
    system = system_of(dialect, body)
    if dialect not in ("responses", "chat") or system or isinstance(messages, str):
        return system, messages
    most = 1 if dialect == "responses" else len(messages)  # of Responses, more developer messages may follow
    n = next((n for n, one in enumerate(messages[:most]) if one.get("role") not in ("system", "developer")), min(most, len(messages)))
    return "\n".join(b["text"] for b in blocks_of(dialect, messages[:n])), messages[n:]


def apart(blocks):
    """Reminders that stand inside of a result, as blocks of their own: both sides are cut alike."""
    out = []
    for b in blocks:
        if b["kind"] != "result" or "<system-reminder>" not in b["text"]:
            out.append(b)
            continue
        out.append(dict(b, text=REMINDER.sub("", b["text"])))
        out += [block("user", "text", part, inside=True) for part in REMINDER.findall(b["text"])]
    return out


def system_of(dialect, body):
    """The system prompt beside the messages."""
    if isinstance(body, list):
        return ""
    if dialect == "anthropic":
        system = body.get("system") or ""
        parts = [system] if isinstance(system, str) else [part if isinstance(part, str) else part["text"] for part in system]
        # Claude Code puts the number of its version and of the request before the prompt; no log has it.
        return "\n".join(part for part in parts if not part.startswith("x-anthropic-billing-header:"))
    if dialect == "responses":
        return body.get("instructions") or ""
    if dialect == "gemini":
        system = body.get("systemInstruction") or {}
        return "\n".join(part.get("text", "") for part in system.get("parts", [])) if isinstance(system, dict) else str(system)
    return ""


def tools_of(dialect, body):
    """The definitions of the tools, as JSON with sorted keys."""
    tools = [] if isinstance(body, list) else body.get("tools") or []
    if dialect == "gemini":
        tools = [one for tool in tools for one in tool.get("functionDeclarations", [tool])]
    bare = lambda tool: {key: value for key, value in tool.items() if key != "cache_control"}
    return [json.dumps(bare(tool), sort_keys=True, ensure_ascii=False) for tool in tools]
