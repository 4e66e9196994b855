/** pi's list of messages: the part already sent to `cwl live`, the edits of a decision, and its record for the log. */
import { createHash } from "node:crypto";
import type { Answer } from "./client.ts";

const sha256 = (...texts: string[]) => texts.reduce((hash, text) => hash.update(text), createHash("sha256")).digest("hex");

/** SHA-256 of a message as compact JSON. */
export const hashOf = (message: any) => sha256(JSON.stringify(message));

/** Messages already sent to `cwl live`, as JSON, each with the digest of the list up to it. */
export class SentList {
  private lines: string[] = [];
  private digests: string[] = [];
  private hashes: string[] = [];
  private next: string[] = [];

  forget(): void {
    [this.lines, this.digests, this.hashes] = [[], [], []];
  }

  /** Builds a `decide` line with the new messages of a list. */
  request(messages: any[]): object {
    this.next = messages.map((message) => JSON.stringify(message));
    let from = 0;
    while (from < this.lines.length && from < this.next.length && this.lines[from] === this.next[from]) from += 1;
    return { type: "decide", from, digest: this.digests[from - 1] ?? "", messages: messages.slice(from) };
  }

  /** Marks the list as sent, after an answer. */
  taken(messages: any[]): void {
    let from = 0;
    while (from < this.lines.length && this.lines[from] === this.next[from]) from += 1;
    for (const list of [this.lines, this.digests, this.hashes]) list.length = from;
    for (let at = from; at < messages.length; at += 1) {
      this.lines.push(this.next[at]);
      this.digests.push(sha256(this.digests[at - 1] ?? "", this.next[at]));
      this.hashes.push(sha256(this.next[at]));
    }
  }

  /** SHA-256 of one message. */
  hashOf(at: number): string {
    return this.hashes[at];
  }
}

/** Applies a decision to a list. Messages without an edit stay the same objects. */
export function applyDecision(messages: any[], decision: Answer): any[] {
  const gone = new Set<number>();
  for (const [first, last] of decision.remove) for (let at = first; at <= last; at += 1) gone.add(at);
  const changed = new Map<number, any>(decision.change.map((change: any) => [change.message, change]));
  const joined = new Set<number>(decision.join);
  const texts = new Map<number, string[]>();
  for (const { before, text } of decision.insert) texts.set(before, [...(texts.get(before) ?? []), text]);
  const sent: any[] = [];
  for (let at = 0; at <= messages.length; at += 1) {
    const timestamp = (messages[at] ?? messages.at(-1))?.timestamp ?? Date.now();
    for (const text of texts.get(at) ?? []) sent.push({ role: "user", content: [{ type: "text", text }], timestamp });
    if (at === messages.length || gone.has(at)) continue;
    const message = changed.has(at) ? changeParts(messages[at], changed.get(at)) : messages[at];
    const before = sent.at(-1);
    if (joined.has(at) && before?.role === message.role) {
      sent[sent.length - 1] = { ...before, content: [...before.content, ...message.content] };
    } else sent.push(message);
  }
  return sent;
}

function changeParts(message: any, change: any): any {
  const texts = change.replace as Record<string, string>;
  // A tool result counts as one part, whatever its content.
  if (message.role === "toolResult") return { ...message, content: [{ type: "text", text: texts["0"] }] };
  if (typeof message.content === "string") return { ...message, content: texts["0"] ?? "" };
  const gone = new Set<number>(change.remove);
  const parts = message.content.map((part: any, at: number) => (at in texts ? { type: "text", text: texts[at] } : part));
  return { ...message, content: parts.filter((_: any, at: number) => !gone.has(at)) };
}

/** Builds a decision's record for the session's log, with the log's own ids. */
export async function recordOf(messages: any[], sent: any[], decision: Answer, ready: Answer, log: any, list: SentList) {
  const ids = await idsOf(messages, log);
  const known = new Map(messages.map((message, at) => [message, at]));
  const hashes = sent.map((message) => {
    const at = known.get(message);
    return at === undefined ? hashOf(message) : list.hashOf(at);
  });
  const nameOf = (at: number, part: number): [string, number] | undefined => (ids[at] ? [ids[at], part] : undefined);
  return decisionRecord(decision, ready, nameOf, (at) => messages[at].toolCallId, hashes);
}

/** A decision's record. `nameOf` says how the log names a part, `callOf` whose result it is. */
export function decisionRecord(
  decision: Answer,
  ready: Answer,
  nameOf: (message: number, part: number) => [string, number] | undefined,
  callOf: (message: number, part: number) => string,
  hashes: string[],
) {
  const { record } = decision;
  let n_unplaced = 0;
  const parts = (pairs: [number, number][]) =>
    pairs.flatMap(([at, part]) => {
      const name = nameOf(at, part);
      return name ? [name] : (n_unplaced++, []);
    });
  return {
    version: 1,
    turn: decision.turn,
    policy: ready.policy,
    options: ready.options,
    budget: ready.budget,
    overhead: record.overhead,
    tokenizer: ready.tokenizer,
    marks: ready.marks,
    verdict: decision.verdict,
    reason: decision.reason,
    tokens: { whole: decision.tokens.whole, sent: decision.tokens.sent },
    whole: record.whole,
    evicted: parts(record.evicted),
    restored: parts(record.restored),
    replaced: record.replaced.map(({ message, part, text }: any) => {
      const [entry, own] = nameOf(message, part) ?? [undefined, part];
      return { entry, part: own, text, call: callOf(message, part) };
    }),
    inserted: record.inserted.map(({ before, text }: any) => ({ before: before === null ? null : nameOf(before, 0)?.[0], text })),
    removed: record.removed,
    n_unplaced,
    digest: sha256(...hashes),
  };
}

/** Finds each message's id in the session's log, by role and time: a message and its record share both. */
async function idsOf(messages: any[], log: any): Promise<(string | undefined)[]> {
  const reply = messages.findLast((message) => message.role === "assistant");
  let known = keyedIds(log);
  // pi writes records asynchronously; the last reply must be in the log before the decision about the next request.
  for (let tries = 0; reply && !known.has(keyOf(reply)) && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    known = keyedIds(log);
  }
  return messages.map((message) => known.get(keyOf(message))?.shift());
}

function keyedIds(log: any): Map<string, string[]> {
  const known = new Map<string, string[]>();
  for (const entry of log.getBranch()) {
    const key = keyOfEntry(entry);
    // The adapter reads a compaction with a system prompt as two records; the prompt's record has the entry's id.
    const id = entry.type === "compaction" && entry.systemMessage ? `${entry.id}/compaction` : entry.id;
    if (key) known.set(key, [...(known.get(key) ?? []), id]);
  }
  return known;
}

function keyOf(message: any): string {
  if (message.role === "custom") return `custom ${message.customType} ${JSON.stringify(message.content)}`;
  return `${message.role} ${message.timestamp} ${message.toolCallId ?? ""}`;
}

function keyOfEntry(entry: any): string | undefined {
  const at = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message": return keyOf(entry.message);
    case "custom_message": return keyOf({ role: "custom", customType: entry.customType, content: entry.content });
    case "compaction": return `compactionSummary ${at} `;
    case "branch_summary": return `branchSummary ${at} `;
    default: return undefined;
  }
}
