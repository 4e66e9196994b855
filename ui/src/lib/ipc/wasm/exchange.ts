/** The functions of the engine (`crates/page/src/exports.rs`): each takes the input, and tells what the answer is. */
export interface EngineExports {
  readonly memory: { readonly buffer: ArrayBufferLike }
  reserve_input(length: number): number
  answer_place(): number
  answer_length(): number
  begin_log(): number
  feed_log(): number
  finish_log(): number
  open_session(): number
  call_command(nameLength: number): number
}

/** A refusal of the engine: an error of the host, as JSON. */
export class Refusal extends Error {}

const [JSON_TEXT, ERROR] = [0, 2]

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Hands bytes to the engine and takes its answers. */
export class Exchange {
  private readonly engine: EngineExports

  constructor(engine: EngineExports) {
    this.engine = engine
  }

  begin(name: string): void {
    this.give(bytesOf(name))
    this.take(this.engine.begin_log())
  }

  feed(bytes: Uint8Array): void {
    this.give(bytes)
    this.take(this.engine.feed_log())
  }

  /** Ends the log; answers its session. */
  finish(): string | Uint8Array {
    return this.take(this.engine.finish_log())
  }

  /** Opens the session of an exported page; answers it. */
  openSession(data: Uint8Array): string | Uint8Array {
    this.give(data)
    return this.take(this.engine.open_session())
  }

  /** Answers a command; its arguments are JSON. */
  call(name: string, args: string): string | Uint8Array {
    const [first, second] = [bytesOf(name), bytesOf(args)]
    this.give(first, second)
    return this.take(this.engine.call_command(first.length))
  }

  private give(...parts: Uint8Array[]): void {
    let place = this.engine.reserve_input(parts.reduce((sum, part) => sum + part.length, 0))
    for (const part of parts) {
      // Reserving may have moved the memory, so it is looked at only now.
      new Uint8Array(this.engine.memory.buffer, place, part.length).set(part)
      place += part.length
    }
  }

  /** Copies the answer, which stays only until the next call. */
  private take(form: number): string | Uint8Array {
    const bytes = new Uint8Array(
      this.engine.memory.buffer,
      this.engine.answer_place(),
      this.engine.answer_length(),
    ).slice()
    if (form === ERROR) throw new Refusal(new TextDecoder().decode(bytes))
    return form === JSON_TEXT ? new TextDecoder().decode(bytes) : bytes
  }
}
