"""Which blocks of a request stand in the context that is shown, in order, and why the others do not."""
import difflib
import re

from .blocks import key_of

NOT_LOGGED = "not in the log: "


def joined(sent, shown):
    """Texts that are shown in several blocks, by author, put together again if they were sent as one."""
    texts = {b["text"] for b in sent if b["kind"] == "text"}
    out, at = [], 0
    while at < len(shown):
        first, end = shown[at], at + 1
        if first["kind"] == "text" and first["text"] not in texts:
            text = first["text"]
            for upto in range(at + 1, min(at + 4, len(shown))):
                if shown[upto]["kind"] != "text" or shown[upto]["role"] != first["role"]:
                    break
                text += shown[upto]["text"]
                if text in texts:
                    first, end = dict(first, text=text), upto + 1
                    break
        out.append(first)
        at = end
    return out


def align(sent, shown):
    """The number of equal blocks, and those that were only sent, and those that are only shown, with the number of equal ones before them.

    A block whose text was sent with more blanks at its end counts as equal: some logs trim them.
    """
    texts = {b["text"] for b in sent}
    trimmed = {b["text"].rstrip(): b["text"] for b in sent if b["text"] != b["text"].rstrip()}
    whole = lambda b: dict(b, text=trimmed[b["text"]]) if b["text"] not in texts and b["text"] in trimmed else b
    shown = [whole(b) for b in shown]
    matcher = difflib.SequenceMatcher(None, [key_of(b) for b in sent], [key_of(b) for b in shown], autojunk=False)
    equal, missing, extra = 0, [], []
    for op, a, b, c, d in matcher.get_opcodes():
        if op == "equal":
            equal += b - a
        else:
            missing += [dict(one, place=equal) for one in sent[a:b]]
            extra += [dict(one, place=equal) for one in shown[c:d]]
    return equal, missing, extra


def reasons(missing, extra, is_logged):
    """A reason for each block that is missing or extra: pairs that stand for each other first, then whether the log has it."""
    found, left = [], list(extra)
    for b in missing:
        other, why = counterpart(b, sorted(left, key=lambda one: one["place"] != b["place"]))
        if other is not None:
            left.remove(other)
            why += "" if other["place"] == b["place"] or why == "another place" else ", in another place"
        if not is_logged(b):
            why = NOT_LOGGED + (why or sort_of(b))
        why = why or "not shown: " + sort_of(b)
        found.append((f"{b['role']} {b['kind']}: {why}", b, other))
    found += [(f"{b['role']} {b['kind']}: not sent: {sort_of(b)}", None, b) for b in left]
    return found


def counterpart(b, others):
    same = lambda other: other["kind"] == b["kind"]
    for other in others:
        if key_of(other) == key_of(b):
            return other, "another place"
    for other in others:
        if same(other) and b.get("id") and b.get("id") == other.get("id"):
            return other, difference(b, other)
    for other in others:
        if other["text"] == b["text"]:
            return other, f"shown as {other['role']} {other['kind']}"
    for other in others:
        x, y = inside_tags(b["text"]), inside_tags(other["text"])
        if same(other) and x and y and (x in y or y in x):
            return other, difference(b, other)
    for other in others:
        if same(other) and difflib.SequenceMatcher(None, b["text"][:800], other["text"][:800]).ratio() > 0.7:
            return other, difference(b, other)
    return None, None


def difference(b, other):
    x, y = inside_tags(b["text"]), inside_tags(other["text"])
    if re.sub(r"\s+", "", x) == re.sub(r"\s+", "", y):
        return "blanks differ"
    if y and y in x:
        return "sent with words around it"
    if x and x in y:
        return "shown with more than was sent"
    return "arguments differ" if b["kind"] == "call" else "text differs"


def inside_tags(text):
    """A text without the tags of a reminder and without blanks around it."""
    text = text.strip()
    return text.removeprefix("<system-reminder>").removesuffix("</system-reminder>").strip()


def sort_of(b):
    for name, pattern in (("note of a cut reply", r"response was interrupted"), ("reminder", r"^\s*<system-reminder>"),
                          ("environment", r"<environment_context>|<env>|<session_context>|This is the (?:Gemini|Qwen)"),
                          ("instructions file", r"AGENTS\.md|CLAUDE\.md|GEMINI\.md|QWEN\.md"),
                          ("permissions", r"<permissions instructions>"), ("skills", r"<skills_instructions>|skills are available")):
        if re.search(pattern, b["text"][:4000]):
            return name
    return "text" if b["kind"] == "text" else b["kind"]


def pair(requests, shown):
    """Pairs requests with turns, in order, by what they hold and by the size that is reported; either may stay alone."""
    sent = [{key_of(b) for b in request["blocks"]} for request in requests]
    told = [{key_of(b) for b in turn["blocks"]} for turn in shown]

    def likeness(i, j):
        a, b = sent[i], told[j]
        score = len(a & b) / max(1, len(a | b)) + 0.05 + 0.6 * (a == b)
        total = (requests[i].get("usage") or {}).get("total")
        if total and shown[j]["reported"]:
            score += 1.0 if total == shown[j]["reported"] else -0.2
        return score + (0.2 if requests[i]["kind"] != "fault" else 0)

    n, m = len(sent), len(told)
    like = [[likeness(i, j) for j in range(m)] for i in range(n)]
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + like[i][j])
    pairs, i, j = [], 0, 0
    while i < n:
        if j < m and abs(best[i][j] - best[i + 1][j + 1] - like[i][j]) < 1e-9:
            pairs.append((requests[i], shown[j]))
            i, j = i + 1, j + 1
        elif j < m and abs(best[i][j] - best[i][j + 1]) < 1e-9:
            j += 1
        else:
            pairs.append((requests[i], None))
            i += 1
    return pairs
