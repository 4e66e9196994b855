/** A `cwl live` process: one line per question, one line per answer. */
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export type Settings = {
  policy?: string;
  budget?: string;
  marks?: string;
  tokenizer?: string;
  options?: Record<string, string>;
};
export type Answer = any;

/** Time limit for an answer; after it the request goes unchanged. */
const LONGEST_WAIT_MS = 5000;
/** Starts in a row without an answer before the client gives up. */
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

  /** Starts the program and sends `hello`. */
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
    // An ending agent does not wait for the program.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr] as any[]) stream.unref?.();
    await this.ask(hello).catch((error) => {
      this.lastWords = error.message;
      throw error;
    });
    this.failures = 0;
  }

  /** Sends a line and returns the answer. Throws the `reason` if the line is refused. */
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
      // After a refusal a ready process can go on. After a timeout it must stop: a late answer would pass for the next one.
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
