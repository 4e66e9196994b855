import type { ContextAnswer } from '../ipc/generated/ContextAnswer'
import type { ContextItem } from '../ipc/generated/ContextItem'
import type { ListKind } from '../ipc/generated/ListKind'
import type { Host } from '../ipc/host'
import { Find } from './find'
import type { Pages } from './pages'
import { onQuestion, pageOf, pagesAt, placeIn, type PartRequest } from './question'
import { RowStates } from './rows'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

type Summary = Pick<
  ContextAnswer,
  'turn' | 'step' | 'total' | 'overhead' | 'reported' | 'over_budget' | 'findings'
>

/** How far from its first line the blocks of a step are looked for. */
const MOST_LOOKED_AT = 600

/** The figures that the Context tab shows besides its items. */
interface ContextLook {
  asSent: boolean
  summary: Summary | null
}

/** The message list as the model would get it. */
export class ContextList {
  readonly store = createStore<ContextLook>({
    asSent: false,
    summary: null,
  })
  readonly pages: Pages<ContextItem>
  readonly rows = new RowStates()
  readonly find: Find
  private readonly bench: Workbench
  private readonly host: Host
  /** The question whose first answer has come. */
  answered: Question | null = null

  constructor(host: Host, bench: Workbench) {
    this.host = host
    this.bench = bench
    this.pages = pagesAt(
      bench,
      (request, question) => this.ask(request, question),
      (item, question) => placeIn(host, question, this.list(), item),
    )
    this.find = new Find(
      host,
      bench,
      () => this.list(),
      () => this.pages.seen ?? 0,
    )
    onQuestion(bench, (_, other) => other && this.rows.clear())
  }

  /** The list, as the host is asked about it. */
  list(): ListKind & { type: 'context' } {
    return { type: 'context', ghosts: !this.store.get().asSent }
  }

  setAsSent(asSent: boolean): void {
    this.store.set({ asSent })
    this.pages.reset()
    this.find.again()
  }

  private async ask(request: PartRequest, question: Question): Promise<ContextAnswer> {
    const answer = await pageOf(this.host, request, this.list())
    if (question === this.bench.bench.question) {
      const { turn, step, total, overhead, reported, over_budget, findings } = answer
      this.store.set({
        summary: { turn, step, total, overhead, reported, over_budget, findings },
      })
    }
    this.answered = question
    return answer
  }

  /** The place of the first item at or after a line of the log. Items stand in log order, so it is a bisection. */
  async placeOfLine(line: number): Promise<number> {
    let low = 0
    let high = this.pages.store.get().n
    while (low < high) {
      const middle = (low + high) >> 1
      const item = await this.pages.get(middle)
      if (!item) return low
      if (item.line < line) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The place of a block of a line, or of the line when it is not listed. */
  async placeOfBlock(line: number, block: string): Promise<number> {
    const start = await this.placeOfLine(line)
    for (let idx = start; ; idx += 1) {
      const item = await this.pages.get(idx)
      if (item?.block === block) return idx
      if (item?.line !== line) return start
    }
  }

  /** The place of the first block that a step took, from the line of the first one on, or of that line when none is near. */
  async placeOfStep(line: number, turn: number, step: number): Promise<number> {
    const start = await this.placeOfLine(line)
    const end = Math.min(this.pages.store.get().n, start + MOST_LOOKED_AT)
    for (let idx = start; idx < end; idx += 1) {
      const item = await this.pages.get(idx)
      if (item?.evicted_turn === turn && item.evicted_step === step) return idx
    }
    return start
  }
}
