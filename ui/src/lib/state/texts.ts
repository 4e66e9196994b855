import type { BlockAnswer } from '../ipc/generated/BlockAnswer'
import type { Host } from '../ipc/host'
import { onQuestion, type Asking } from './question'

/** How many characters of whole texts stay in memory. */
const MOST_CHARS = 8_000_000

/** Which text is wanted. */
export interface TextPlace {
  session: number
  branch: string | null
  block: string
}

/** Whole texts of blocks, fetched once and forgotten when others were asked for. */
export class Texts {
  private readonly host: Pick<Host, 'call'>
  private readonly held = new Map<string, { answer: Promise<BlockAnswer>; chars: number }>()
  private chars = 0

  constructor(host: Pick<Host, 'call'>, asking: Asking) {
    this.host = host
    let last: string | null = null
    onQuestion(asking, (question) => {
      // A last line that had no end yet may have grown.
      const now = question && `${question.session} ${question.revision}`
      if (now !== last) this.clear()
      last = now
    })
  }

  get(place: TextPlace): Promise<BlockAnswer> {
    const key = JSON.stringify([place.session, place.branch, place.block])
    const known = this.held.get(key)
    if (known) {
      this.held.delete(key)
      this.held.set(key, known)
      return known.answer
    }
    const row = { answer: this.host.call('block', { ...place }), chars: 0 }
    this.held.set(key, row)
    row.answer.then(
      (block) => {
        if (this.held.get(key) !== row) return
        row.chars = block.text.length + block.raw.length
        this.chars += row.chars
        this.makeRoom(key)
      },
      // A text that failed is asked for again.
      () => this.forget(key),
    )
    return row.answer
  }

  /** Forgets everything: the log was written anew, or its last line has grown. */
  clear(): void {
    this.held.clear()
    this.chars = 0
  }

  private makeRoom(newest: string): void {
    for (const key of [...this.held.keys()]) {
      if (this.chars <= MOST_CHARS) return
      if (key !== newest) this.forget(key)
    }
  }

  private forget(key: string): void {
    this.chars -= this.held.get(key)?.chars ?? 0
    this.held.delete(key)
  }
}
