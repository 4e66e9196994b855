import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { EffectCheck, promptTokens, type Sizes } from "./effect.ts";
import { applyDecision, decisionPart, decisionsIn, stableForm } from "./list.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const person = (id: string, text: string) => ({
  info: { id, sessionID: "s", role: "user", agent: "build", summary: { diffs: [] } }, parts: [{ id: `${id}.0`, type: "text", text }],
});
const tool = (callID: string) => ({ type: "tool", callID, state: { status: "completed", output: "long", metadata: { diff: "d" } } });
const reply = (id: string, ...calls: string[]) => ({
  info: { id, sessionID: "s", role: "assistant" },
  parts: [{ type: "step-start" }, { type: "text", text: "I look" }, ...calls.map(tool), { type: "step-finish" }],
});
const nothing = { remove: [], change: [], insert: [], join: [] };
const newId = (prefix: string) => `${prefix}_new`;
const shape = (messages: any[]) =>
  messages.map(({ parts }) => parts.filter((part: any) => !part.type.startsWith("step")).map((part: any) => part.callID ?? part.text));

test("a message of the list is told without what changes between requests", () => {
  assert.deepEqual(stableForm(person("m1", "a")).info, { id: "m1", sessionID: "s", role: "user", agent: "build" });
  const summary = { info: { id: "m2", summary: true }, parts: [] };
  assert.deepEqual(stableForm(summary), summary);
  assert.equal(JSON.stringify(stableForm(reply("m3", "c1"))).includes("diff"), false);
});

test("a decision edits what it names and leaves the other messages as they are", () => {
  const list = [person("m1", "a"), reply("m2", "c1", "c2"), reply("m3", "c3"), reply("m4", "c4"), person("m5", "b")];
  const sent = applyDecision(list, {
    ...nothing, remove: [[6, 7]], insert: [{ before: 2, text: "[x] y" }, { before: 10, text: "end" }],
    change: [{ message: 2, remove: [2], replace: {} }, { message: 3, remove: [2], replace: {} }, { message: 5, remove: [], replace: { 2: "[cleared]" } }],
  }, newId);
  assert.deepEqual(shape(sent), [["a"], ["[x] y"], ["I look", "c2"], ["I look", "c3"], ["b"], ["end"]]);
  assert.equal(sent[0], list[0]);
  assert.equal(sent[3].parts[2].state.output, "[cleared]");
  assert.deepEqual([sent[1].info.id, sent[1].info.agent, sent[1].info.role], ["msg_new", "build", "user"]);
  const joined = applyDecision([reply("m1"), reply("m2", "c1")], { ...nothing, join: [2] }, newId);
  assert.deepEqual(shape(joined), [["I look", "I look", "c1"]]);
});

test("an edit that would part a call from its result is refused", () => {
  const list = [person("m1", "a"), reply("m2", "c1")];
  const refused = (edits: object, words: RegExp) => assert.throws(() => applyDecision(list, { ...nothing, ...edits }, newId), words);
  refused({ insert: [{ before: 3, text: "x" }] }, /between a call and its result/);
  refused({ remove: [[3, 3]] }, /without its call/);
  refused({ change: [{ message: 3, remove: [2], replace: {} }] }, /without its call/);
});

test("a decision is kept in a part that is not sent, and read back", () => {
  const list: any[] = [person("m1", "a"), reply("m2", "c1")];
  const record = {
    whole: true, overhead: 7, evicted: [[2, 1], [3, 2]], restored: [], replaced: [{ message: 3, part: 2, text: "[t]" }],
    inserted: [{ before: 2, text: "[x] y" }, { before: null, text: "end" }], removed: [],
  };
  const decision = { turn: 2, verdict: "evict", tokens: { whole: 9, sent: 5, budget: 6 }, record };
  const ready = { policy: "cwl", options: {}, budget: 6, tokenizer: "o200k", marks: "declared" };
  const part = decisionPart(list, list.slice(0, 1), decision, ready, "prt_1");
  assert.deepEqual([part.ignored, part.messageID, part.metadata.after], [true, "m1", "m2"]);
  const { data } = part.metadata;
  assert.deepEqual(data.evicted, [["m2", 1], ["m2/results", 2]]);
  assert.deepEqual(data.inserted, [{ before: "m2", text: "[x] y" }, { before: null, text: "end" }]);
  assert.deepEqual(data.replaced, [{ entry: "m2/results", part: 2, text: "[t]", call: "c1" }]);
  assert.equal(data.digest, sha256(sha256(JSON.stringify(stableForm(list[0])))));
  // OpenCode may add parts behind it, and the log counts all of them.
  const kept = { ...list[0], parts: [...list[0].parts, part, { type: "text", text: "reminder" }] };
  assert.deepEqual(decisionsIn([kept]), [data]);
  assert.deepEqual(shape([stableForm(kept)]), [["a", "reminder"]]);
  const later = decisionPart([kept, list[1]], [], { ...decision, record: { ...record, evicted: [[0, 1]] } }, ready, "prt_2");
  assert.deepEqual(later.metadata.data.evicted, [["m1", 2]]);
});

test("edits without an effect are found by the reported tokens", () => {
  const found = (...requests: Sizes[]) => {
    const check = new EffectCheck();
    return requests.map((request) => check.hasEffect(request));
  };
  const full = { whole: 80_000, sent: 80_000, reported: 104_000 };
  const pass = { whole: 82_000, sent: 60_000 };
  assert.deepEqual(found(full, { ...pass, reported: 78_000 }), [undefined, true]);
  assert.deepEqual(found(full, { ...pass, reported: 106_500 }), [undefined, false]);
  assert.deepEqual(found(full, { ...pass, reported: 0 }, { ...pass, reported: 78_000 }), [undefined, undefined, undefined]);
  assert.deepEqual(found(full, { whole: 81_000, sent: 79_000, reported: 90_000 }), [undefined, undefined]);
  assert.deepEqual(found(full, { whole: 9_000, sent: 9_000, reported: 12_000 }), [undefined, undefined], "a compaction");
  assert.equal(promptTokens({ info: { tokens: { input: 5, output: 9, cache: { read: 70, write: 3 } } } }), 78);
  assert.equal(promptTokens(undefined), 0);
});
