// An agent that writes: rows of a pi log, each going on from the one before.

import { appendFile, readFile } from 'node:fs/promises'

/** Writes to the end of a log of pi. */
export class Writer {
  #file
  #last
  #n = 0

  constructor(file, last) {
    this.#file = file
    this.#last = last
  }

  /** Goes on where a log ends. */
  static async at(file) {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    return new Writer(file, JSON.parse(lines.at(-1)).id)
  }

  /** The next rows: a reply that calls a tool and what the tool answers, in turn. */
  rows(n) {
    return Array.from({ length: n }, () => this.#row())
  }

  async append(n) {
    await appendFile(this.#file, this.rows(n).join(''))
  }

  #row() {
    const at = this.#n
    const id = `live${at}`
    const call = `call${at - (at % 2)}`
    const message =
      at % 2 === 0
        ? {
            role: 'assistant',
            content: [
              { type: 'text', text: `Step ${at}: looking further into what the feeds answered.` },
              { type: 'toolCall', id: call, name: 'bash', arguments: { command: `grep -n retry src/${at}.rs` } },
            ],
            stopReason: 'toolUse',
            provider: 'p',
            model: 'm',
          }
        : {
            role: 'toolResult',
            toolCallId: call,
            toolName: 'bash',
            isError: false,
            content: [{ type: 'text', text: `src/${at}.rs:${at}: fn retry() {}\n`.repeat(6) }],
          }
    const record = { type: 'message', id, parentId: this.#last, timestamp: '2026-01-02T03:04:05.000Z', message }
    this.#last = id
    this.#n += 1
    return `${JSON.stringify(record)}\n`
  }
}
