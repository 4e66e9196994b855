"""docs/wire.md: what a run of the lab found."""

HEAD = """# What the model received

`make lab` runs real harnesses against a scripted model on loopback, keeps the body of each request, and compares it, block by
block and in order, with `cwl context LOG --turn N --policy none`. A block is a part of a message: a text, reasoning, a call, a
result. Blanks at the end of a text that the log trims count as equal. This page is written by that run.

*Missing* blocks were sent and are not shown like that in their place; *extra* ones are shown and were not sent like that. A
block that is shown with another text, or in another place, is one of each. System prompt and definitions of tools stand in
columns of their own: in how many requests they are shown as they were sent, of those that had any.

| harness | version | scene | requests | blocks | equal | missing | extra | system prompt | tools | proved | records not understood |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|
"""

NO_TURN = "the request has no turn: its reply is not in the log (it was cut off, or is a summary)"


def of(counter, *leave_out):
    total = sum(count for key, count in counter.items() if key not in leave_out)
    return f"{counter.get('equal', 0)} of {total}" if total else "–"


def per_cent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def proved_of(result):
    proved = result.get("proved")
    if not proved:
        return "–"
    return f"{proved['requests']} of {proved['of_requests']} requests, {proved['messages']} of {proved['of_messages']} messages"


def row(name, result):
    scene = result["scene"] + (" (subagent)" if result["who"] == "sub" else "")
    if "error" in result:
        return f"| {name} | {result['version_told']} | {scene} | {result.get('requests', '–')} | – | – | – | – | – | – | – | not readable |\n"
    unknown = ", ".join(f"`{record}` {n} ×" for record, n in sorted(result["unknown"].items())) or "0"
    return (f"| {name} | {result['version_told']} | {scene} | {result['requests']} | {result['blocks']} | "
            f"{result['equal']} ({per_cent(result['equal'], result['blocks'])}) | {result['missing']} | {result['extra']} | "
            f"{of(result['system'], 'none sent')} | {of(result['tools'])} | {proved_of(result)} | {unknown} |\n")


def page(names, results):
    text = HEAD + "".join(row(names[one["harness"]], one) for one in results)
    text += "\n## Reasons\n"
    by_version = {}
    for one in results:
        by_version.setdefault((names[one["harness"]], one["version_told"]), []).append(one)
    for (name, version), scenes in by_version.items():
        found = {}
        for one in scenes:
            for why, entry in one.get("reasons", {}).items():
                found[why] = found.get(why, 0) + entry["times"]
            for number in one.get("without_turn", []):
                found[NO_TURN] = found.get(NO_TURN, 0) + 1
        text += f"\n### {name} {version}\n\n"
        text += "".join(f"- {times} × {why}\n" for why, times in sorted(found.items(), key=lambda item: -item[1])) or "Nothing differs.\n"
    return text
