import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { applyDecision, recordOf, SentList } from "./list.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const user = (text: string, timestamp: number) => ({ role: "user", content: [{ type: "text", text }], timestamp });
const reply = (timestamp: number, ...ids: string[]) => ({
  role: "assistant", timestamp, content: [{ type: "text", text: "I look" }, ...ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} }))],
});
const result = (id: string, timestamp: number) => ({ role: "toolResult", toolCallId: id, timestamp, content: [{ type: "text", text: "long" }] });
const nothing = { remove: [], change: [], insert: [], join: [] };

test("a list is sent in pieces, each with the digest of what stands before it", () => {
  const list = new SentList();
  const messages = [user("a", 1), reply(2, "c1"), result("c1", 3)];
  assert.deepEqual(list.request(messages.slice(0, 1)), { type: "decide", from: 0, digest: "", messages: messages.slice(0, 1) });
  list.taken(messages.slice(0, 1));
  const first = sha256(JSON.stringify(messages[0]));
  assert.deepEqual(list.request(messages), { type: "decide", from: 1, digest: first, messages: messages.slice(1) });
  list.taken(messages);
  const changed = [messages[0], user("other", 9)];
  assert.deepEqual(list.request(changed), { type: "decide", from: 1, digest: first, messages: changed.slice(1) });
  list.taken(changed);
  assert.equal(list.hashOf(1), sha256(JSON.stringify(changed[1])));
});

test("a decision edits what it names and leaves the other messages as they are", () => {
  const messages = [user("a", 1), reply(2, "c1", "c2"), result("c1", 3), result("c2", 4), reply(5), user("b", 6)];
  const sent = applyDecision(messages, {
    ...nothing, remove: [[2, 2]], insert: [{ before: 1, text: "[x] y" }, { before: 6, text: "end" }],
    change: [{ message: 1, remove: [1], replace: {} }, { message: 3, remove: [], replace: { 0: "[cleared]" } }],
  });
  assert.equal(sent[0], messages[0]);
  assert.deepEqual(sent[1], { ...user("[x] y", 2) });
  assert.deepEqual(sent[2].content.map((part: any) => part.id ?? part.text), ["I look", "c2"]);
  assert.deepEqual(sent[3].content, [{ type: "text", text: "[cleared]" }]);
  assert.deepEqual(sent.slice(4).map((message) => message.timestamp), [5, 6, 6]);
  const joined = applyDecision([messages[1], messages[4]], { ...nothing, join: [1] });
  assert.deepEqual([joined.length, joined[0].content.length], [1, 4]);
});

test("a record has the log's own ids", async () => {
  const messages = [user("a", 1), reply(2, "c1"), result("c1", 3)];
  const entries = messages.map((message, at) => ({ type: "message", id: `e${at}`, message }));
  const list = new SentList();
  list.request(messages);
  list.taken(messages);
  const record = {
    whole: true, overhead: 7, evicted: [[1, 1], [2, 0]], restored: [], replaced: [{ message: 2, part: 0, text: "[t]" }],
    inserted: [{ before: 1, text: "[x] y" }, { before: null, text: "end" }], removed: [],
  };
  const decision = { turn: 2, verdict: "evict", tokens: { whole: 9, sent: 5, budget: 6 }, record };
  const ready = { policy: "cwl", options: {}, budget: 6, tokenizer: "o200k", marks: "declared" };
  const data = await recordOf(messages, messages.slice(0, 1), decision, ready, { getBranch: () => entries }, list);
  assert.deepEqual(data.evicted, [["e1", 1], ["e2", 0]]);
  assert.deepEqual(data.inserted, [{ before: "e1", text: "[x] y" }, { before: null, text: "end" }]);
  assert.deepEqual(data.replaced, [{ entry: "e2", part: 0, text: "[t]", call: "c1" }]);
  assert.deepEqual([data.n_unplaced, data.digest], [0, sha256(sha256(JSON.stringify(messages[0])))]);
});
