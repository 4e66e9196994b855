/**
 * Eviction in pi: before each request, `cwl live` decides which messages and parts are not sent.
 *
 * The extension fails open: without an answer the request goes with all of its messages, and the footer says why.
 */
import { readFileSync } from "node:fs";
import { LiveClient, type Answer, type Settings } from "./client.ts";
import { applyDecision, recordOf, SentList } from "./list.ts";

const DECISION = "cwl.decision";
/** Tool definition, the same as in `cwl mcp`. */
const delimiter = JSON.parse(readFileSync(new URL("./delimiter.json", import.meta.url), "utf8"));
/** First version of pi with the system prompt among the messages, and a separate hook for the whole list. */
const WITH_SYSTEM = [0, 87];

export default async function (pi: any) {
  const version = await piVersion();
  const list = new SentList();
  const client = new LiveClient();
  let chosen: Settings = {};
  let isOff = false;
  let told: { system?: string; tools?: string; api?: string; window?: number } = {};
  let last: Answer | undefined;
  let trouble: string | undefined;

  const settingsOf = (): Settings => ({
    policy: process.env.CWL_POLICY || undefined,
    budget: process.env.CWL_BUDGET || undefined,
    marks: process.env.CWL_MARKS || undefined,
    tokenizer: process.env.CWL_TOKENIZER || undefined,
    ...chosen,
  });

  /** Model settings; also system prompt and tools, if no message holds them. */
  const surroundings = (ctx: any, hasSystem: boolean) => {
    const active = new Set<string>(pi.getActiveTools());
    const tools = pi.getAllTools().filter((tool: any) => active.has(tool.name));
    const definitions = tools.map(({ name, description, parameters }: any) => ({ name, description, parameters }));
    return {
      api: ctx.model?.api,
      window: ctx.model?.contextWindow || undefined,
      system: hasSystem ? "" : ctx.getSystemPrompt(),
      tools: hasSystem ? "" : JSON.stringify(definitions),
    };
  };

  const connect = async (ctx: any, around: typeof told) => {
    const hello = {
      type: "hello", protocol: 1, client: "@cwl-inspector/pi 0.1.0", harness: `pi ${version.join(".")}`,
      session: ctx.sessionManager.getSessionId(), ...settingsOf(), ...around,
    };
    await client.start(hello);
    list.forget();
    told = around;
  };

  /** Takes over settings that the window or `cwl live set` changed, also for a process that is started again. */
  const takeSettings = (settings: Answer) => {
    client.ready = settings;
    const { policy, budget, marks, options } = settings;
    chosen = { ...chosen, policy, budget: String(budget), marks, options };
  };

  const decide = async (messages: any[], ctx: any) => {
    const around = surroundings(ctx, messages[0]?.role === "system");
    if (!client.isReady()) await connect(ctx, around);
    else if (JSON.stringify(around) !== JSON.stringify(told)) {
      await client.ask({ type: "set", ...around });
      told = around;
    }
    let answer = await client.ask(list.request(messages));
    if (answer.type === "resend") {
      list.forget();
      answer = await client.ask(list.request(messages));
    }
    if (answer.type !== "decision") throw new Error(`an answer of another kind: ${answer.type}`);
    if (answer.settings) takeSettings(answer.settings);
    list.taken(messages);
    return answer;
  };

  const onContext = async (event: any, ctx: any) => {
    if (isOff) return undefined;
    try {
      const decision = await decide(event.messages, ctx);
      const sent = decision.verdict === "evict" ? applyDecision(event.messages, decision) : event.messages;
      const data = await recordOf(event.messages, sent, decision, client.ready, ctx.sessionManager, list);
      pi.appendEntry(DECISION, data);
      [last, trouble] = [decision, decision.reason];
      showStatus(ctx);
      return sent === event.messages ? undefined : { messages: sent };
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
      showStatus(ctx);
      return undefined;
    }
  };

  const thousands = (tokens: number) => (tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(1)}k`);

  const status = () => {
    if (isOff) return "cwl: off";
    const { policy, budget } = client.ready ?? {};
    if (!last || !policy) return `cwl: ${trouble ?? "waits for the first request"}`;
    const sent = `${policy} ${thousands(last.tokens.sent)} of ${thousands(budget)}`;
    const gone = last.evicted > 0 ? `, ${last.evicted} parts evicted (${thousands(last.tokens.whole)} in all)` : "";
    const over = last.tokens.over_budget ? ", over τ: nothing else may go" : "";
    return `cwl: ${sent}${gone}${over}${trouble ? ` – passed through: ${trouble}` : ""}`;
  };

  const showStatus = (ctx: any) => ctx.hasUI && ctx.ui.setStatus("cwl", status());

  pi.on(isBefore(version, WITH_SYSTEM) ? "context" : "context_with_system", onContext);

  pi.on("session_start", async (_event: any, ctx: any) => {
    const entries = ctx.sessionManager.getBranch().filter((entry: any) => entry.customType === DECISION);
    const before = entries.at(-1)?.data;
    if (before && !process.env.CWL_POLICY) chosen.policy = before.policy;
    if (before && !process.env.CWL_BUDGET) chosen.budget = String(before.budget);
    showStatus(ctx);
  });

  pi.on("session_shutdown", async () => client.stop());

  pi.registerTool({
    ...delimiter,
    label: "delimiter",
    async execute(_id: string, args: any) {
      let text = "ok";
      if (client.isReady()) {
        const answer = await client.ask({ type: "mark", arguments: args }).catch(() => undefined);
        if (answer?.type === "marked" && !answer.ok) throw new Error(answer.text);
        text = answer?.text ?? text;
      }
      return { content: [{ type: "text", text }], details: {} };
    },
  });

  pi.registerCommand("cwl", {
    description: "CWL: status; budget 60k; policy cwl; marks filled; off; on",
    handler: async (args: string, ctx: any) => {
      const [what = "status", value] = args.trim().split(/\s+/).filter(Boolean);
      let said: string | undefined;
      if (what === "off" || what === "on") isOff = what === "off";
      else if (["budget", "policy", "marks", "tokenizer"].includes(what) && value) {
        try {
          if (client.isReady()) await client.ask({ type: "set", [what]: value });
          // Options belong to their policy.
          if (what === "policy") delete chosen.options;
          chosen = { ...chosen, [what]: value };
          said = `cwl: ${what} is ${value} from the next request on`;
        } catch (error) {
          said = `cwl: ${(error as Error).message}`;
        }
      } else if (what !== "status") said = "cwl: status | budget 60k | policy cwl | marks filled | off | on";
      showStatus(ctx);
      if (ctx.hasUI) ctx.ui.notify(said ?? status(), "info");
    },
  });
}

async function piVersion(): Promise<number[]> {
  try {
    const { VERSION } = (await import("@earendil-works/pi-coding-agent")) as any;
    return String(VERSION).split(".").map((part) => parseInt(part, 10) || 0);
  } catch {
    return [0, 0];
  }
}

function isBefore(version: number[], other: number[]): boolean {
  return version[0] < other[0] || (version[0] === other[0] && version[1] < other[1]);
}
