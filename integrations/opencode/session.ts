/** A session of OpenCode: its `cwl live` process, what this one knows, and what the user is told. */
import { randomBytes } from "node:crypto";
import { LiveClient, type Answer, type Settings } from "../pi/client.ts";
import { SentList } from "../pi/list.ts";
import { EffectCheck, promptTokens } from "./effect.ts";
import { applyDecision, decisionPart, decisionsIn, stableForm } from "./list.ts";

/** APIs by the package with which OpenCode speaks to a provider. */
const APIS: Record<string, string> = {
  "@ai-sdk/anthropic": "anthropic-messages",
  "@ai-sdk/google-vertex/anthropic": "anthropic-messages",
  "@ai-sdk/amazon-bedrock": "bedrock-converse-stream",
  "@ai-sdk/openai": "openai-responses",
  "@ai-sdk/azure": "azure-openai-responses",
  "@ai-sdk/openai-compatible": "openai-completions",
  "@ai-sdk/google": "google-generative-ai",
  "@ai-sdk/google-vertex": "google-vertex",
};

type Surroundings = { api?: string; window?: number; system?: string; tools?: string; overhead?: number };
/** The last request: the decision, and the last message that it had. */
type LastRequest = { decision: Answer; after: string };

export class HeldSession {
  /** True if the next list is for a summary, which is made of everything. */
  isCompacting = false;
  private process = new LiveClient();
  private list = new SentList();
  private effect = new EffectCheck();
  private told: Surroundings = {};
  private model = { key: "", api: undefined as string | undefined, window: undefined as number | undefined, tools: "[]" };
  private system: string | undefined;
  private overhead: number | undefined;
  private agent: string | undefined;
  /** System prompts of requests whose agent is not known yet. */
  private prompts: string[] = [];
  private last: LastRequest | undefined;
  private said = new Set<string>();
  /** Settings that the window or `cwl live set` changed. */
  private changed: Settings = {};

  constructor(
    private id: string,
    private opencode: any,
  ) {}

  /** Edits a list in place. */
  async edit(messages: any[]): Promise<void> {
    if (this.isCompacting) {
      this.isCompacting = false;
      return;
    }
    try {
      this.checkEffect(messages);
      const decision = await this.decide(messages);
      const isEvicting = decision.verdict === "evict";
      const sent = isEvicting ? applyDecision(messages, decision, newId) : [...messages];
      const part = decisionPart(messages, sent, decision, this.process.ready, newId("prt"));
      this.last = { decision, after: messages.at(-1).info.id };
      if (isEvicting) messages.splice(0, messages.length, ...sent);
      this.tellDecision(decision);
      await this.keepDecision(part);
    } catch (error) {
      this.last = undefined;
      this.tell(`passed through: ${error instanceof Error ? error.message : error}`, "warning");
      await this.keepNextWhole();
    }
  }

  async mark(args: any): Promise<string> {
    if (!this.process.isReady()) return "ok";
    const answer = await this.process.ask({ type: "mark", arguments: args }).catch(() => undefined);
    if (answer?.type === "marked" && !answer.ok) throw new Error(answer.text);
    return answer?.text ?? "ok";
  }

  noteSystem(prompts: string[]): void {
    this.prompts.push(prompts.join("\n"));
  }

  /** Takes the system prompt of a request by its agent. A title is asked for beside the first request, with another prompt. */
  noteAgent(agent: string): void {
    const prompts = this.prompts.splice(0);
    if (prompts.length === 1 && agent === this.agent) this.system = prompts[0];
    if (agent === "compaction") this.isCompacting = false;
  }

  stop(): void {
    this.process.stop();
  }

  private async decide(messages: any[]): Promise<Answer> {
    const person = messages.findLast((message) => message.info.role === "user").info;
    this.agent = person.agent;
    await this.learnModel(person.model);
    if (!this.process.isReady()) await this.connect(messages);
    else if (JSON.stringify(this.surroundings()) !== JSON.stringify(this.told)) {
      await this.process.ask({ type: "set", ...this.surroundings() });
      this.told = this.surroundings();
    }
    const stable = messages.map(stableForm);
    let answer = await this.process.ask(this.list.request(stable));
    if (answer.type === "resend") {
      this.list.forget();
      answer = await this.process.ask(this.list.request(stable));
    }
    if (answer.type !== "decision") throw new Error(`an answer of another kind: ${answer.type}`);
    if (answer.settings) this.takeSettings(answer.settings);
    this.list.taken(stable);
    return answer;
  }

  /** Takes over settings that the window or `cwl live set` changed, also for a process that is started again. */
  private takeSettings(settings: Answer): void {
    this.process.ready = settings;
    const { policy, budget, marks, options } = settings;
    this.changed = { policy, budget: String(budget), marks, options };
  }

  private async connect(messages: any[]): Promise<void> {
    const before = decisionsIn(messages).at(-1);
    this.overhead = before?.overhead;
    const settings: Settings = {
      policy: process.env.CWL_POLICY || before?.policy,
      budget: process.env.CWL_BUDGET || (before && String(before.budget)),
      marks: process.env.CWL_MARKS || undefined,
      tokenizer: process.env.CWL_TOKENIZER || undefined,
      ...this.changed,
    };
    const { data: session } = await this.opencode.session.get({ path: { id: this.id } });
    await this.process.start({
      type: "hello", protocol: 1, client: "@cwl-inspector/opencode 0.1.0", harness: `opencode ${session?.version ?? ""}`.trim(),
      session: this.id, messages: "opencode", parent: session?.parentID, ...settings, ...this.surroundings(),
    });
    this.list.forget();
    this.told = this.surroundings();
  }

  private surroundings(): Surroundings {
    const { api, window, tools } = this.model;
    return { api, window, tools, system: this.system, overhead: this.overhead };
  }

  /** Asks OpenCode for the model's API and window, and for the definitions of its tools. */
  private async learnModel({ providerID, modelID }: { providerID: string; modelID: string }): Promise<void> {
    const key = `${providerID}/${modelID}`;
    if (this.model.key === key) return;
    const [providers, tools] = await Promise.all([
      this.opencode.config.providers(),
      this.opencode.tool.list({ query: { provider: providerID, model: modelID } }),
    ]);
    const provider = providers.data?.providers.find((one: any) => one.id === providerID);
    const model = provider?.models[modelID];
    const definitions = (tools.data ?? []).map(({ id, description, parameters }: any) => ({ name: id, description, parameters }));
    this.model = {
      key, api: APIS[model?.api?.npm], window: model?.limit?.context || undefined, tools: JSON.stringify(definitions),
    };
  }

  private checkEffect(messages: any[]): void {
    const { decision, after } = this.last ?? {};
    const at = messages.findIndex((message) => message.info.id === after);
    if (!decision || at < 0) return;
    const reported = promptTokens(messages[at + 1]);
    if (this.effect.hasEffect({ ...decision.tokens, reported }) === false) {
      const { whole, sent } = decision.tokens;
      this.tell(
        `a request had no fewer tokens than before (${reported} reported), though ${sent} of ${whole} were to be sent: ` +
          "does another plugin edit the messages, or has OpenCode changed?", "warning",
      );
    }
  }

  /** Writes a decision into the session. If that fails, the next one is written whole. */
  private async keepDecision(part: any): Promise<void> {
    const path = { sessionID: part.sessionID, messageID: part.messageID, partID: part.id };
    const url = "/session/{sessionID}/message/{messageID}/part/{partID}";
    // The client of the plugin's version has the request, but no method for parts.
    const headers = { "Content-Type": "application/json" };
    const kept = this.opencode._client.patch({ url, path, body: part, headers });
    const { error } = await kept.catch((error: unknown) => ({ error: String(error) }));
    if (!error) return;
    this.tell(`the decision could not be kept in the session: ${JSON.stringify(error)}`, "warning");
    await this.keepNextWhole();
  }

  /** Settings begin a new record, as after a decision that the session does not have. */
  private async keepNextWhole(): Promise<void> {
    if (this.process.isReady()) await this.process.ask({ type: "set" }).catch(() => undefined);
  }

  private tellDecision({ verdict, reason, tokens, evicted }: Answer): void {
    if (verdict === "pass_through") this.tell(`passed through: ${reason}`, "warning");
    if (verdict !== "evict") return;
    const { policy, budget } = this.process.ready;
    const thousands = (count: number) => (count < 1000 ? `${count}` : `${(count / 1000).toFixed(1)}k`);
    const over = tokens.over_budget ? ", over τ: nothing else may go" : "";
    const sizes = `${thousands(tokens.sent)} of ${thousands(budget)}, ${evicted} parts evicted (${thousands(tokens.whole)} in all)${over}`;
    this.log("info", `${policy} ${sizes}`);
    this.tell(`${policy} evicts from here on, to hold at ${thousands(budget)} tokens`, "info");
  }

  /** Tells the user something, once. */
  private tell(message: string, variant: "info" | "warning"): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.log(variant === "info" ? "info" : "warn", message);
    this.opencode.tui.showToast({ body: { title: "cwl", message, variant } }).catch(() => undefined);
    // Without its screen OpenCode has no place for toasts.
    if (variant === "warning" && process.argv.includes("run")) console.error(`cwl: ${message}`);
  }

  private log(level: "info" | "warn", message: string): void {
    this.opencode.app.log({ body: { service: "cwl", level, message } }).catch(() => undefined);
  }
}

let lastTime = 0;
let count = 0;

/** An id that sorts behind those that OpenCode has given before: milliseconds and a counter in 12 digits, then chance. */
function newId(prefix: string): string {
  const now = Date.now();
  count = now === lastTime ? count + 1 : 1;
  lastTime = now;
  const time = (BigInt(now) * 0x1000n + BigInt(count)) & 0xffffffffffffn;
  return `${prefix}_${time.toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`;
}
