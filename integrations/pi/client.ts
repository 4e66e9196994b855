/** The process of `cwl live`: one line a question, one line an answer. */
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export type Settings = { policy?: string; budget?: string; marks?: string; tokenizer?: string };
export type Answer = any;

/** An answer that takes longer is none: the request goes as it is. */
const LONGEST_WAIT_MS = 5000;
/** After so many starts in a row without an answer the program is left alone. */
const MOST_STARTS = 3;

export class LiveClient {
  ready: Answer | undefined;
  private process: ChildProcess | undefined;
  private waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void }[] = [];
  private lastWords = "";
  private failures = 0;

  isReady(): boolean {
    return this.process !== undefined && this.ready !== undefined;
  }

  /** Starts the program and says hello. */
  async start(hello: object): Promise<void> {
    if (this.failures >= MOST_STARTS) throw new Error(`cwl live has failed ${MOST_STARTS} times (${this.lastWords})`);
    this.stop();
    this.failures += 1;
    const child = spawn(process.env.CWL_BIN || "cwl", ["live"], { stdio: ["pipe", "pipe", "pipe"] });
    this.process = child;
    child.on("error", (error) => this.end(child, `cwl cannot be started (${error.message}); is it on the PATH?`));
    child.on("exit", (code) => this.end(child, `cwl live has ended with code ${code} ${this.lastWords}`.trim()));
    child.stdin!.on("error", () => {});
    child.stderr!.on("data", (bytes) => (this.lastWords = String(bytes).trim().slice(-300)));
    createInterface({ input: child.stdout! }).on("line", (line) => this.waiting.shift()?.resolve(JSON.parse(line)));
    // The agent does not wait for the program when it ends.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr] as any[]) stream.unref?.();
    await this.ask(hello);
    this.failures = 0;
  }

  /** Asks a line; an answer that refuses is an error with its words. */
  async ask(line: object): Promise<Answer> {
    const child = this.process;
    if (!child) throw new Error("cwl live does not run");
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${LONGEST_WAIT_MS / 1000} seconds`)), LONGEST_WAIT_MS);
    });
    const answered = new Promise<Answer>((resolve, reject) => this.waiting.push({ resolve, reject }));
    child.stdin!.write(JSON.stringify(line) + "\n");
    try {
      const answer = await Promise.race([answered, late]);
      if (answer.type === "refused") throw new Error(answer.reason);
      if (answer.type === "ready") this.ready = answer;
      return answer;
    } catch (error) {
      // A refusal leaves the process in order, unless it never was ready; a late answer would be taken for the next one.
      if (!this.ready || (error as Error).message.startsWith("no answer")) this.stop();
      throw error;
    } finally {
      clearTimeout(timer);
      answered.catch(() => {});
    }
  }

  stop(): void {
    const child = this.process;
    if (!child) return;
    this.end(child, "cwl live was stopped");
    child.stdin!.end();
  }

  private end(child: ChildProcess, why: string): void {
    if (this.process !== child) return;
    this.lastWords = why;
    [this.process, this.ready] = [undefined, undefined];
    for (const { reject } of this.waiting.splice(0)) reject(new Error(why));
  }
}
