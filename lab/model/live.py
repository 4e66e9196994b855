"""Long plans for sessions under a live policy: explorations and acts, marked with the delimiter, whose outputs fill the context."""
import re


def steps(plan):
    """The steps of the plan `live-N`, thirteen requests, or of all five for one prompt, `live-all`; None of another plan."""
    if plan == "live-all":
        return [step for n in range(1, 6) for step in part(n)[:-1]] + part(5)[-1:]
    found = re.fullmatch(r"live-(\d+)", plan)
    return part(int(found[1])) if found else None


def part(n):
    start = lambda name, kind, **more: mark(action="start", name=name, type=kind, **more)
    return [
        {"think": f"Part {n}: first I look at the sources.", "calls": [start(f"look-{n}", "expl")]},
        {"say": "I look at both files.", "calls": [read("alpha.py"), read("beta.py")]},
        {"think": "Where is it used?", "calls": [{"do": "grep", "pattern": "OFFSET"}]},
        {"calls": [shell(f"seq -f 'part {n}: line %03g of the log of the last run' 1 160")]},
        {"calls": [mark(action="end", description=f"OFFSET stands in beta.py:3 and is {6 + n}; the log of run {n} has 160 lines.")]},
        {"calls": [start(f"check-{n}", "expl")]},
        {"think": "And the check itself.", "calls": [shell(f"seq -f 'check {n}.%03g: fine' 1 120"), read("notes.md")]},
        {"calls": [mark(action="end", description=f"All 120 checks of part {n} pass.")]},
        {"calls": [start(f"change-{n}", "act", dependencies=[f"look-{n}", f"check-{n}"])]},
        {"say": "I change OFFSET.", "calls": [{"do": "edit", "path": "beta.py", "old": f"OFFSET = {6 + n}", "new": f"OFFSET = {7 + n}"}]},
        {"calls": [shell(f"seq -f 'after part {n}: test %02g passed' 1 60")]},
        {"calls": [mark(action="end")]},
        {"say": f"Part {n} is done: OFFSET is {7 + n} now."},
    ]


def mark(**arguments):
    return {"do": "delimiter", "args": arguments}


def read(path):
    return {"do": "read", "path": path}


def shell(command):
    return {"do": "shell", "cmd": command, "why": "See its output"}
