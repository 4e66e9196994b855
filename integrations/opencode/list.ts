/** OpenCode's list of messages: its stable form for `cwl live`, the edits of a decision, and the records in the session. */
import type { Answer } from "../pi/client.ts";
import { decisionRecord, hashOf } from "../pi/list.ts";

/** Type of the records, as in other logs. */
export const DECISION = "cwl.decision";

const isDecision = (part: any) => part.type === "text" && part.ignored === true && part.metadata?.customType === DECISION;

/** A message without decisions, and without members that OpenCode changes between requests or that no request holds. */
export function stableForm(message: any): any {
  const { summary, ...info } = message.info;
  return { info: summary === true ? { ...info, summary } : info, parts: ownParts(message).map(stablePart) };
}

const ownParts = (message: any): any[] => message.parts.filter((part: any) => !isDecision(part));

function stablePart(part: any): any {
  if (part.type !== "tool" || !part.state?.metadata) return part;
  const { interrupted, output } = part.state.metadata;
  return { ...part, state: { ...part.state, metadata: { interrupted, output: interrupted ? output : undefined } } };
}

/** Records of decisions in the session so far, in order. */
export const decisionsIn = (messages: any[]): any[] =>
  messages.flatMap((message) => message.parts.filter(isDecision).map((part: any) => part.metadata.data));

/**
 * Applies a decision to a list. Messages without an edit stay the same objects.
 *
 * Position 2n has the parts of message n, position 2n + 1 the results of its calls; a call goes with its result.
 */
export function applyDecision(messages: any[], decision: Answer, newId: (prefix: string) => string): any[] {
  const gone = new Set<number>();
  for (const [first, last] of decision.remove) for (let at = first; at <= last; at += 1) gone.add(at);
  const changes = new Map<number, any>(decision.change.map((change: any) => [change.message, change]));
  const joined = new Set<number>(decision.join);
  const texts = new Map<number, string[]>();
  for (const { before, text } of decision.insert) {
    if (before % 2) throw new Error("a text would stand between a call and its result");
    texts.set(before / 2, [...(texts.get(before / 2) ?? []), text]);
  }
  const person = messages.findLast((message) => message.info.role === "user");
  const sent: any[] = [];
  for (let at = 0; at <= messages.length; at += 1) {
    for (const text of texts.get(at) ?? []) sent.push(textMessage(person.info, text, newId));
    if (at === messages.length || gone.has(2 * at)) continue;
    const message = changeParts(messages[at], changes.get(2 * at), gone.has(2 * at + 1), changes.get(2 * at + 1));
    const before = sent.at(-1);
    if (joined.has(2 * at) && before?.info.role === message.info.role) {
      const parts = message.parts.filter((part: any) => part.type !== "step-start");
      sent[sent.length - 1] = { ...before, parts: [...before.parts, ...parts] };
    } else sent.push(message);
  }
  return sent;
}

function textMessage(person: any, text: string, newId: (prefix: string) => string): any {
  const id = newId("msg");
  const part = { id: newId("prt"), messageID: id, sessionID: person.sessionID, type: "text", text, synthetic: true };
  return { info: { ...person, id, summary: undefined }, parts: [part] };
}

function changeParts(message: any, change: any, areResultsGone: boolean, results: any): any {
  const own = ownParts(message);
  const calls = new Set(own.flatMap((part, at) => (part.type === "tool" ? [at] : [])));
  const gone = new Set<number>(change?.remove ?? []);
  const alone = areResultsGone ? [...calls] : (results?.remove ?? []);
  if (alone.some((at: number) => !gone.has(at))) throw new Error("a result would go without its call");
  if (!change && !results && own.length === message.parts.length) return message;
  const texts = change?.replace ?? {};
  const outputs = results?.replace ?? {};
  const parts = own.map((part, at) => {
    if (at in outputs) return { ...part, state: withOutput(part.state, outputs[at]) };
    return at in texts ? { ...part, text: texts[at] } : part;
  });
  return { ...message, parts: parts.filter((_, at) => !gone.has(at)) };
}

const withOutput = (state: any, text: string) =>
  state.status === "error" ? { ...state, error: text } : { ...state, output: text, attachments: undefined };

/** The part of the human's last message that keeps a decision, and is not sent. */
export function decisionPart(messages: any[], sent: any[], decision: Answer, ready: Answer, id: string): any {
  const person = messages.findLast((message) => message.info.role === "user");
  const nameOf = (at: number, part: number): [string, number] => {
    const message = messages[Math.floor(at / 2)];
    const own = ownParts(message)[part];
    return [message.info.id + (at % 2 ? "/results" : ""), message.parts.indexOf(own)];
  };
  const callOf = (at: number, part: number) => ownParts(messages[Math.floor(at / 2)])[part].callID;
  const data = decisionRecord(decision, ready, nameOf, callOf, sent.map((message) => hashOf(stableForm(message))));
  return {
    id, messageID: person.info.id, sessionID: person.info.sessionID, type: "text", text: "", synthetic: true, ignored: true,
    metadata: { customType: DECISION, after: messages.at(-1).info.id, data },
  };
}
