"""docs/wire.md: what a run of the lab found."""
import re

HEAD = """# What the model received

`make lab` runs real harnesses against a scripted model on loopback, keeps the body of each request, and compares it, block by
block and in order, with `cwl context LOG --turn N --policy none`. A block is a part of a message: a text, reasoning, a call, a
result. Blanks at the end of a text that the log trims count as equal. This page is written by that run.
{versions}

*Missing* blocks were sent and are not shown like that in their place; *extra* ones are shown and were not sent like that. A
block that is shown with another text, or in another place, is one of each. A block is *not in
the log* if a line of it stands in no string of the log; the tags around a reminder do not count. The percentage of equal blocks
leaves these blocks out. *Sent with words around it*: the shown text was sent, between sentences of the harness. Each row has the
reasons of its own, with how many blocks they account for. System prompt and definitions of tools stand in columns of their own:
in how many requests they are shown as they were sent, of those that had any.

A turn is a reply in the log. A request whose reply is in no log (a person cut it off, say) has no turn, so that there is nothing
to compare: such requests stand in a column of their own, and their blocks are in no other. Requests that were refused, and those
for summaries and titles, are not compared. Where `cwl proxy` evicts, these rows have the bodies as they came to it.

| harness | scene | requests | without a turn | blocks | not in the log | equal | missing | extra | system prompt | tools | proved | records not understood | reasons |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|---|
"""


# A run differs from another by a few blocks: harnesses write the time and their own order into requests.
LESS_EQUAL = 1.0


def rows_of(text):
    """The share of equal blocks in per cent and the records not understood, by harness and scene, of a page."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 14 or cells[0] in ("harness", "---"):
            continue
        share = re.search(r"\(([\d.]+) %\)", cells[6])
        found[cells[0], cells[1]] = (float(share[1]) if share else None, cells[12])
    return found


def worse_rows(before, now):
    """Sentences on the rows that are less equal than before, or have records that are not understood."""
    worse = []
    for key, (share, unknown) in now.items():
        name = " ".join(key)
        if key not in before:
            worse.append(f"{name}: not on the page; write it with `make lab`")
        elif before[key][0] is not None and (share is None or share < before[key][0] - LESS_EQUAL):
            worse.append(f"{name}: {share} % equal, {before[key][0]} % before")
        elif unknown != before[key][1]:
            worse.append(f"{name}: records not understood: {unknown}")
    return worse


LIVE_TITLE = "## Under a live policy"
LIVE_HEAD = f"""
{LIVE_TITLE}

Scenes in which [`cwl live`](live.md), asked by an extension, or [`cwl proxy`](proxy.md) takes out of each request what does not fit τ. A column
with *of* counts the requests that the model received block by block, or byte for byte, like that:

- *as kept*: as the log tells what happened (`--policy none`). The proxy writes nothing into a log; the file of its capture has the same bytes.
- *as the policy says*: as the policy in force says of the whole history in the log (`cwl context LOG --turn N` with policy, τ, tokenizer, overhead and
  `keep_last_turn`; where the log tells of evictions, with `ignore_eviction` too).
- *of the body*: as it says of the body that came to the proxy, which a witness between harness and proxy keeps.
- *bytes as they came*: the witness and the model have the same bytes; under `none` these are all, else those without an eviction.
- *answers*: the witness has the bytes that the model wrote, and had each event before the model wrote the next.

Sizes are tokens as `cwl` counts the bodies. No log has all of a request: *not in the log* are the tokens, most of them system prompt and tools, that the comparison
is given as `--overhead`; decisions of `cwl live` in a log have that figure themselves.

A body has the whole history, but does not tell what earlier requests looked like. After a resume Gemini CLI sends each result twice, in its old place: the log
tells from which request on, and the proxy decides as if it had always been so (`live-resumed`). `cwl context` writes the second one of such a pair into no request.

| harness | scene | by | policy | τ | requests | evicting | passed through | as kept | as the policy says | of the body | bytes as they came | answers | not in the log | largest request | largest growth in one turn | whole session | reasons |
|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
"""


def page(names, results, versions):
    text = HEAD.format(versions=versions) + "".join(row(names[one["harness"]], one) for one in results)
    live = "".join(live_row(names[one["harness"]], one) for one in results if one.get("live"))
    return text + (LIVE_HEAD + live if live else "")


def live_row(name, result):
    live = result["live"]
    of_requests = lambda key: f"{live[key]} of {live['requests']}" if key in live else "–"
    figures = [f"{live[key]:,}" for key in ("largest", "grown", "whole")]
    cells = [f"{name} {result['version_told']}", result["scene"], f"`{live['by']}`", f"`{live['policy']}`", f"{live['budget']:,}", live["requests"],
             live["evicting"], live["passed"], *map(of_requests, ("as_sent", "as_policy", "as_body", "as_came", "streamed")),
             span(live.get("unlogged")), *figures, live_reasons(live)]
    return f"| {' | '.join(map(str, cells))} |\n"


def span(numbers):
    return " to ".join(f"{n:,}" for n in sorted({min(numbers), max(numbers)})) if numbers else "–"


def live_reasons(live):
    return "; ".join(f"{times} × {why}" for why, times in sorted(live.get("reasons", {}).items(), key=lambda one: -one[1]))


def live_rows_of(text):
    """The cells of the table of live policies, by harness and scene, each under the name of its column."""
    lines = [line for line in text.partition(LIVE_TITLE)[2].splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {(cells[0], cells[1]): dict(zip(rows[0], cells)) for cells in rows[2:]}


def worse_live_rows(before, now):
    """Sentences on the rows in which fewer requests are as they should be than before, or that are not held at τ.

    For `cwl proxy`, a tenth of the requests may differ from what the policy says of the log: that comparison is given an estimate."""
    worse = []
    for key, cells in now.items():
        name = " ".join(key) + " under a live policy"
        number = lambda column: int(cells[column].replace(",", ""))
        if key not in before:
            worse.append(f"{name}: not on the page; write it with `make lab`")
            continue
        for column in ("as kept", "as the policy says", "of the body", "answers"):
            # The proxy counts the body, the log lacks the prompt. A prompt that is a few tokens longer, as by the name of a folder, lets an
            # eviction begin some requests earlier or later. "of the body" is exact.
            is_estimate = column == "as the policy says" and cells["by"] == "`cwl proxy`"
            slack = int(cells["requests"]) // 10 if is_estimate else 0
            if missed(cells[column]) > missed(before[key].get(column, "–")) + slack:
                worse.append(f"{name}: {column}: {cells[column]}, {before[key].get(column)} before")
        if cells["policy"] == "`none`":
            if number("evicting") or missed(cells["bytes as they came"]):
                worse.append(f"{name}: the bytes that left are not those that came: {cells['bytes as they came']}")
        elif number("largest request") > number("τ") + number("largest growth in one turn"):
            worse.append(f"{name}: a request of {cells['largest request']} tokens")
        elif 2 * number("evicting") < number("requests"):
            worse.append(f"{name}: evicts in {cells['evicting']} of {cells['requests']} requests only")
    return worse


def missed(cell):
    part, _, whole = cell.partition(" of ")
    return int(whole) - int(part) if whole else 0


def row(name, result):
    scene = result["scene"] + (" (subagent)" if result["who"] == "sub" else "")
    cells = [f"{name} {result['version_told']}", scene, result.get("requests", "–")]
    if "error" in result:
        cells += ["–"] * 9 + ["not readable", ""]
    else:
        n_without_turn = sum(len(numbers) for numbers in result["without_turn"].values())
        share = per_cent(result["equal"], result["blocks"] - result["unlogged"])
        cells += [n_without_turn, result["blocks"], result["unlogged"], f"{result['equal']} ({share})", result["missing"],
                  result["extra"], of(result["system"], "none sent"), of(result["tools"]), proved_of(result),
                  ", ".join(f"`{record}` {n} ×" for record, n in sorted(result["unknown"].items())) or "0", reasons_of(result)]
    return f"| {' | '.join(map(str, cells))} |\n"


def reasons_of(result):
    found = [(entry["times"], why) for why, entry in result["reasons"].items()]
    found += [(len(numbers), f"request without a turn: {why}") for why, numbers in result["without_turn"].items()]
    found += [(len(result["without_request"]), "turn that is no request")] if result["without_request"] else []
    return "; ".join(f"{times} × {why}" for times, why in sorted(found, key=lambda one: -one[0]))


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
