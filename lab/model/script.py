"""The script: which step of which plan answers a request.

The newest `[[plan:NAME]]` in the user's texts of a request names a plan of scenes.json, and each request of that plan
gets its next step. Requests without tools, or that ask for a summary, are answered from the side.
"""
import json
import re
import threading

from . import live
from .request import system_text, tools_of, user_texts
from .tools import call, fill

MARK = re.compile(r"\[\[plan:([a-z0-9_-]+)\]\]")
SUMMARY = re.compile(
    r"detailed summary of (?:the|this|our|RECENT)|Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION|context summarization assistant|"
    r"anchored (?:context )?summar|state_snapshot|structured context checkpoint|summarize (?:the|this|our) conversation|"
    r"summari[sz]e the conversation|provide a detailed (?:prompt|summary)|Create a new anchored summary|"
    r"compact(?:ion|ing) the conversation|Write a continuation summary", re.I)

SIDE = re.compile(r"managed memory extraction subagent")
# Hermes Agent looks back at a session by itself, in requests that no log has.
REVIEW = re.compile(r"Review the conversation above and ")


class Script:
    def __init__(self, path, root):
        self.plans = json.load(open(path))
        self.root, self.step, self.tries, self.now, self.lock = root, {}, {}, None, threading.Lock()
        self.n = 0

    def answer(self, d, body):
        """(kind, plan, step, answer); an answer is think / say / calls / fault / hang."""
        users = user_texts(d, body)
        last = next((t for t in reversed(users) if t.strip()), "")
        tools = tools_of(d, body)
        sys_t = system_text(d, body)
        if d == "responses" and any(i.get("type") == "compaction_trigger" for i in body.get("input", []) if isinstance(i, dict)):
            return "summary", None, None, {"compaction": True}
        with self.lock:
            self.n += 1
            # A request for a summary may stand in one message with an earlier prompt.
            newest = MARK.split(last)[-1]
            if SUMMARY.search(newest) or SUMMARY.search(sys_t[:1500]):
                return "summary", None, None, {"say": self.summary(d, last + sys_t)}
            if not tools or SIDE.search(sys_t[:1500]) or REVIEW.match(last):
                return "side", None, None, {"say": "Lab title", "side": True}
            plan = None
            for t in reversed(users):
                m = MARK.findall(t)
                if m:
                    plan = m[-1]
                    break
            if plan is None:
                plan = self.now or "short"
            if plan != "sub":
                self.now = plan
            steps = live.steps(plan) or self.plans.get(plan) or self.plans["short"]
            k = self.step.get(plan, 0)
            while k < len(steps) - 1 and steps[k].get("calls") and not any(call(a, tools, self.root) for a in steps[k]["calls"]):
                k += 1  # this harness has no such tool
            st = dict(steps[min(k, len(steps) - 1)])
            if k >= len(steps):
                st = {"say": f"Nothing is left of plan {plan} (request {k})."}
            if "fault" in st:
                f = st["fault"]
                t = self.tries.get((plan, k), 0)
                self.tries[(plan, k)] = t + 1
                if t < f.get("times", 1):
                    return "fault", plan, k, {"fault": f}
                st.pop("fault")
            self.step[plan] = k + 1
            return ("sub" if plan.startswith("sub") else "main"), plan, k, st

    def summary(self, d, asked):
        body = ("1. The user asked for a look at alpha.py and beta.py in a small project.\n2. alpha.py has alpha(n), which doubles; "
                "beta.py has beta(n), which calls alpha and adds OFFSET = 7.\n3. Open: nothing. (lab summary é ✓)")
        if "state_snapshot" in asked:
            return f"<state_snapshot>\n<overall_goal>{body}</overall_goal>\n</state_snapshot>"
        if "<analysis>" in asked or "<summary>" in asked:
            return f"<analysis>\nLooking back.\n</analysis>\n\n<summary>\n{body}\n</summary>"
        return body


def expand(st, d, tools, root, body):
    items = []
    if st.get("think"):
        items.append(("think", st["think"] if isinstance(st["think"], str) else long_thought(int(st["think"]))))
    if st.get("say"):
        items.append(("text", st["say"]))
    for a in st.get("calls", []):
        if a["do"] == "wait":
            ids = re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", json.dumps((body.get("input") or body.get("messages") or [])[-1:]))
            a = dict(a, _ids=ids[:1])
        c = call(a, tools, root)
        if c:
            items.append(("call", c))
        else:
            items.append(("text", f"(no tool for {a['do']} here)"))
    return items


def long_thought(n):
    s = "Thinking about OFFSET and whether beta(3) is 13: alpha(3) is 6, and 6 + 7 is 13, so the test is right. "
    return (s * (n // len(s) + 1))[:n]


def sample(schema):
    return json.dumps(fill(schema, {"_enum": ["user"], "title": "Lab title", "next_speaker": "user", "unproductive_state_confidence": 0, "reasoning": "The reply is complete."}))

