import type { Span } from '../view/paint'
import type { Job } from './worker'

/** Longer code stays plain, UTF-16 units. */
export const MOST_CODE = 400_000
/** Without a worker only this much is coloured at once: a few milliseconds. */
const MOST_HERE = 2_500
/** How much coloured code stays in memory, UTF-16 units. */
const MOST_HELD = 4_000_000

/** Answers jobs: a worker, or a stand-in of a test. */
export interface Answering {
  post(job: Job): void
  /** Calls `answer` with every answer, and `fail` once when there will be none any more. */
  listen(answer: (id: number, spans: Span[]) => void, fail: () => void): void
}

/** Colours code beside the page, and remembers what it coloured. */
export class Highlighter {
  private readonly start: () => Answering
  private readonly here: (code: string, language: string) => Promise<Span[]>
  private worker: Answering | null | undefined
  private readonly waiting = new Map<number, { job: Job; done: (spans: Span[]) => void }>()
  private readonly held = new Map<string, { answer: Promise<Span[]>; size: number }>()
  private size = 0
  private n = 0

  /** `start` starts a worker; `here` colours on the page, where there can be none. */
  constructor(start: () => Answering, here: (code: string, language: string) => Promise<Span[]>) {
    this.start = start
    this.here = here
  }

  spans(code: string, language: string): Promise<Span[]> {
    if (code.length === 0 || code.length > MOST_CODE) return Promise.resolve([])
    const key = `${language}\n${code}`
    const known = this.held.get(key)
    if (known) {
      this.held.delete(key)
      this.held.set(key, known)
      return known.answer
    }
    const answer = this.ask(code, language)
    this.held.set(key, { answer, size: code.length })
    this.size += code.length
    for (const [oldest, { size }] of this.held) {
      if (this.size <= MOST_HELD) break
      this.held.delete(oldest)
      this.size -= size
    }
    return answer
  }

  private ask(code: string, language: string): Promise<Span[]> {
    const worker = this.working()
    if (worker === null) return this.without(code, language)
    this.n += 1
    const job = { id: this.n, code, language }
    return new Promise((done) => {
      this.waiting.set(job.id, { job, done })
      worker.post(job)
    })
  }

  private working(): Answering | null {
    if (this.worker !== undefined) return this.worker
    try {
      this.worker = this.start()
      this.worker.listen(
        (id, spans) => {
          this.waiting.get(id)?.done(spans)
          this.waiting.delete(id)
        },
        () => this.giveUp(),
      )
    } catch {
      this.worker = null
    }
    return this.worker
  }

  /** There is no worker (any more): what waits for it is done here, if it is short. */
  private giveUp(): void {
    this.worker = null
    const jobs = [...this.waiting.values()]
    this.waiting.clear()
    for (const { job, done } of jobs) void this.without(job.code, job.language).then(done)
  }

  private async without(code: string, language: string): Promise<Span[]> {
    if (code.length > MOST_HERE) return []
    try {
      return await this.here(code, language)
    } catch {
      return []
    }
  }
}

let one: Highlighter | undefined

/** The highlighter of the page. */
export const highlighter = (): Highlighter =>
  (one ??= new Highlighter(
    () => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
      return {
        post: (job) => worker.postMessage(job),
        listen: (answer, fail) => {
          worker.onmessage = ({ data }: MessageEvent<{ id: number; spans: Span[] }>) =>
            answer(data.id, data.spans)
          worker.onerror = () => {
            worker.terminate()
            fail()
          }
        },
      }
    },
    async (code, language) => (await import('./languages')).spansOf(code, language),
  ))
