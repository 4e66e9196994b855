"""What a request says, in any of the four dialects: its texts, its system prompt, the tools that it offers."""


def text_of(content):
    """All plain text of a message's content, in any of the four dialects."""
    if isinstance(content, str):
        return content
    out = []
    for p in content or []:
        if isinstance(p, str):
            out.append(p)
        elif isinstance(p, dict):
            if p.get("type") in (None, "text", "input_text", "output_text") and isinstance(p.get("text"), str) and not p.get("thought"):
                out.append(p["text"])
    return "\n".join(out)


def dialect_of(path):
    if "/messages" in path:
        return "anthropic"
    if path.endswith("/responses") or "/responses/" in path:
        return "responses"
    if path.endswith("/chat/completions"):
        return "chat"
    if "enerateContent" in path or "countTokens" in path:
        return "gemini"
    return None


def user_texts(d, body):
    """Texts that a user message carries (no tool results), oldest first."""
    out = []
    if d in ("anthropic", "chat"):
        for m in body.get("messages", []):
            if m.get("role") == "user":
                out.append(text_of(m.get("content")))
    elif d == "responses":
        inp = body.get("input")
        if isinstance(inp, str):
            return [inp]
        for m in inp or []:
            if m.get("type", "message") in ("message", "agent_message") and m.get("role", "user") in ("user",):
                out.append(text_of(m.get("content")))
    elif d == "gemini":
        for m in body.get("contents", []):
            if m.get("role", "user") == "user":
                out.append(text_of(m.get("parts")))
    return out


def system_text(d, body):
    if d == "anthropic":
        return text_of(body.get("system"))
    if d == "responses":
        return body.get("instructions") or ""
    if d == "chat":
        return "\n".join(text_of(m.get("content")) for m in body.get("messages", []) if m.get("role") in ("system", "developer"))
    si = body.get("systemInstruction") or body.get("system_instruction") or {}
    return text_of(si.get("parts") if isinstance(si, dict) else si)


def tools_of(d, body):
    """Every offered tool: name -> (schema, custom?, namespace)."""
    out = {}
    for t in body.get("tools") or []:
        if d == "anthropic":
            if "input_schema" in t:
                out[t["name"]] = (dict(t["input_schema"], _desc=t.get("description", "")), False, None)
        elif d == "responses":
            if t.get("type") == "function":
                out[t["name"]] = (dict(t.get("parameters") or {}, _desc=t.get("description", "")), False, None)
            elif t.get("type") == "custom":
                out[t["name"]] = (t, True, None)
            elif t.get("type") == "namespace":
                for u in t.get("tools", []):
                    out[u["name"]] = (u.get("parameters") or {}, u.get("type") == "custom", t["name"])
            elif t.get("type") == "local_shell":
                out["local_shell"] = ({}, "local_shell", None)
        elif d == "chat":
            f = t.get("function") or {}
            out[f.get("name")] = (dict(f.get("parameters") or {}, _desc=f.get("description", "")), False, None)
        elif d == "gemini":
            for f in t.get("functionDeclarations") or t.get("function_declarations") or []:
                out[f["name"]] = (f.get("parametersJsonSchema") or f.get("parameters") or {}, False, None)
    return out

