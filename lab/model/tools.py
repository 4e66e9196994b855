"""A scene's step ("read this file") as a call of one of the tools that the request offers, by the tool's own schema."""
import json
import os
import re


NAMES = {
    "shell": ["bash", "exec_command", "shell_command", "shell", "run_shell_command", "local_shell", "execute", "run_in_terminal", "terminal", "run_command"],
    "read": ["read", "read_file", "view", "view_file"],
    "picture": ["readmediafile"],
    "edit": ["edit", "replace", "apply_patch", "str_replace", "str_replace_editor", "patch", "replace_file_content", "edit_file"],
    "write": ["write", "write_file", "create"],
    "grep": ["grep", "grep_search", "search_file_content", "rg", "search_files", "search_directory"],
    "list": ["ls", "list_directory", "list", "glob", "list_dir"],
    "todo": ["todowrite", "todo_write", "update_plan", "write_todos", "update_todo", "taskcreate", "todolist", "todo"],
    "agent": ["task", "agent", "spawn_agent", "invoke_agent", "generalist", "codebase_investigator", "delegate_task", "invoke_subagent", "start_subagent"],
    "wait": ["wait_agent", "wait", "read_agent"],
}


def find_tool(kind, tools):
    low = {n.lower(): n for n in tools if n}
    for want in NAMES.get(kind, [kind]):
        if want in low:
            return low[want]
    if kind == "delimiter":
        for n in tools:
            if n and n.lower().endswith("delimiter"):
                return n
        return low.get("call_mcp_tool")
    return None


def typ(s):
    t = s.get("type")
    if isinstance(t, list):
        t = next((x for x in t if x != "null"), None)
    return (t or ("object" if "properties" in s else "string")).lower()


def fill(schema, hints, name=""):
    """A value of a schema; hints give values by property name, else the least that it allows."""
    if name in hints:
        v = hints[name]
        return v(schema) if callable(v) else v
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return fill(schema[key][0], hints, name)
    if schema.get("enum"):
        for pick in hints.get("_enum", []):
            if pick in schema["enum"]:
                return pick
        return schema["enum"][0]
    t = typ(schema)
    if t == "object":
        props = schema.get("properties") or {}
        req = schema.get("required") or []
        out = {}
        for k, s in props.items():
            if k in hints or k in req:
                out[k] = fill(s, hints, k)
        return out
    if t == "array":
        return [fill(schema.get("items") or {}, hints)] if schema.get("minItems") or hints.get("_one") else []
    if t in ("number", "integer"):
        return 1
    if t == "boolean":
        return False
    return hints.get("_text", "text")


def call(action, tools, root):
    """(tool name, arguments or text, custom?, namespace) for an abstract action; falls back to the shell."""
    kind = action["do"]
    is_picture = kind == "read" and action["path"].endswith(".png")
    name = is_picture and find_tool("picture", tools) or find_tool(kind, tools)
    path = os.path.join(root, action["path"]) if action.get("path") else root
    if name is None:
        sub = {"read": f"cat {action.get('path', '')}", "list": "ls -la", "grep": f"grep -rn {action.get('pattern', '')} .",
               "edit": f"sed -i 's/{action.get('old', '')}/{action.get('new', '')}/' {action.get('path', '')}"}.get(kind)
        if sub is None:
            return None
        return call({"do": "shell", "cmd": sub, "why": action.get("why")}, tools, root)
    schema, custom, ns = tools[name]
    props = schema.get("properties") or {} if isinstance(schema, dict) else {}
    why = action.get("why") or f"Lab step: {kind}"
    h = {"_text": why, "description": why}
    if custom == "local_shell":
        return name, ["bash", "-lc", action["cmd"]], custom, ns
    if kind == "shell":
        h.update({"Cwd": root, "WaitMsBeforeAsync": 20000})
        for k in ("command", "cmd", "CommandLine"):
            if k in props:
                h[k] = ["bash", "-lc", action["cmd"]] if typ(props[k]) == "array" else action["cmd"]
        for k in ("is_background", "run_in_background"):
            if k in props and k in (schema.get("required") or []):
                h[k] = False
    elif kind in ("read", "list", "edit", "grep", "write"):
        for k in ("file_path", "filePath", "absolute_path", "path", "dir_path", "filepath", "file", "AbsolutePath", "TargetFile"):
            if k in props:
                h[k] = path
        h["pattern"] = action.get("pattern", "*")
        if name.lower() == "glob":
            h["pattern"] = "**/*.py"
        h["instruction"] = why
        if kind == "edit":
            old, new = action["old"], action["new"]
            if custom or name == "apply_patch":
                rel = action["path"]
                text = f"*** Begin Patch\n*** Update File: {rel}\n@@\n-{old}\n+{new}\n*** End Patch\n"
                if custom:
                    return name, text, True, ns
                h["input"] = h["patchText"] = h["patch"] = text
            for k in ("old_string", "oldString", "old_str", "oldText", "TargetContent"):
                h[k] = old
            for k in ("new_string", "newString", "new_str", "newText", "ReplacementContent"):
                h[k] = new
            h["EndLine"] = 7
            if name == "str_replace_editor":
                h["command"] = "str_replace"
            if "edits" in props:
                h["edits"] = [{"oldText": old, "newText": new}]
        if kind == "write":
            h["content"] = h["file_text"] = action.get("text", "")
    elif kind == "todo":
        items = action["items"]
        def todos(s):
            it = s.get("items") or {}
            states = ((it.get("properties") or {}).get("status") or {}).get("enum") or []
            out = []
            for n, (label, state) in enumerate(items):
                state = "done" if state == "completed" and "done" in states else state
                one = fill(it, {"_text": label, "content": label, "description": label, "step": label, "title": label, "activeForm": label,
                                "id": str(n + 1), "status": state, "priority": "medium"})
                out.append(one)
            return out
        h["todos"] = h["plan"] = todos
        if "todos" in props and typ(props["todos"]) == "string":
            h["todos"] = "\n".join(("- [x] " if s == "completed" else "- [ ] ") + t for t, s in items)
        h["subject"] = items[0][0]
        h["activeForm"] = items[0][0]
    elif kind == "agent":
        p = action["prompt"]
        h.update({"prompt": p, "message": p, "objective": p, "query": p, "request": p, "task": p, "goal": p, "description": "Look at beta", "name": "lab-sub",
                  "task_name": "lab_sub", "subagent_type": action.get("type", "general-purpose"), "agent_type": action.get("type", "default"),
                  "agent_name": "generalist", "_enum": ["general-purpose", "general", "explore", "default", "generalist"]})
        for k in ("subagent_type", "agent_type", "agent_name"):
            if k in props and props[k].get("enum"):
                h.pop(k)
            elif k in props and k not in (schema.get("required") or []):
                h.pop(k, None)
        listed = re.findall(r"^- \**`?([\w-]+)`?\**:", schema.get("_desc", ""), re.M)
        pick = next((x for x in ("general-purpose", "general") if x in listed), None)  # other bullets are no types
        if pick and not action.get("type"):
            h["subagent_type"] = h["agent_type"] = pick
        if "run_in_background" in props:
            h["run_in_background"] = False
        h["Subagents"] = [{"TypeName": "self", "Role": "Reader", "Prompt": p}]
        if "mode" in props and "sync" in json.dumps(props["mode"]):
            h["mode"] = "sync"
        if "items" in props:
            h.pop("items", None)
    elif kind == "wait":
        h["timeout_ms"] = 20000
        for k in ("ids", "targets", "agent_ids"):
            if k in props:
                h[k] = action.get("_ids", [])
        if "agent_id" in props:
            h["agent_id"] = (action.get("_ids") or ["?"])[0]
    elif kind == "delimiter":
        h.update(action["args"])
    else:
        h.update(action.get("args") or {})
    if kind == "delimiter" and name == "call_mcp_tool":
        h.update({"ServerName": "cwl", "ToolName": "delimiter", "Arguments": action["args"]})
    elif kind == "delimiter":
        return name, dict(action["args"]), False, ns
    return name, fill(schema, h), False, ns
