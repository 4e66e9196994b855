import type { SweepDto } from '../ipc/generated/SweepDto'
import type { ViewDto } from '../ipc/generated/ViewDto'
import type { Host } from '../ipc/host'
import { budgetsFor, readBudgets, type MetricKey } from '../view/sweep'
import { lastOf } from '../view/series'
import { USUAL_CACHE, type Comparison } from './comparison'
import { Memo, type Answered } from './memo'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** A policy over many budgets. */
export interface Series {
  /** The place of its column, 0 is the main view. */
  column: number
  view: ViewDto
  answer: SweepDto | null
}

/** Every policy over all budgets, as far as it is worked out. */
interface Swept {
  series: Series[]
  /** How many policies are done. */
  nDone: number
}

interface Wanted {
  session: number
  revision: number
  views: ViewDto[]
  budgets: string[]
}

type SweptSoFar = Answered<Wanted, Swept>

/** How many policies are done of how many; `null` while nothing is underway. */
export const progressOf = ({ answer, busy }: SweptSoFar): { done: number; all: number } | null =>
  busy && answer ? { done: answer.nDone, all: answer.series.length } : null

/** True when the user stopped the sweep before all policies were done. */
export const isStopped = ({ answer, busy, failure }: SweptSoFar): boolean =>
  !busy && failure === null && answer !== null && answer.nDone < answer.series.length

/** The policies that stand in the chart and in the tables. */
export const seriesOf = ({ answer }: SweptSoFar): readonly Series[] => answer?.series ?? NO_SERIES

const NO_SERIES: readonly Series[] = []

/** Asks what the policies cost and keep over many budgets, while its part of the Compare tab is shown. */
export class Sweep {
  readonly choice = createStore<{
    x: MetricKey
    y: MetricKey
    /** The budgets as people typed them; empty lets the window choose. */
    typed: string
    /** True also sweeps the policies beside the main one. */
    all: boolean
  }>({ x: 'cost', y: 'hits', typed: '', all: true })
  private readonly bench: Workbench
  private readonly comparison: Comparison
  private readonly memo: Memo<Wanted, Swept>

  constructor(host: Host, bench: Workbench, comparison: Comparison) {
    this.bench = bench
    this.comparison = comparison
    this.memo = new Memo({
      ask: (wanted, tell) => this.sweep(host, wanted, tell),
      // A sweep knows every τ, so the τ of the views is no part of the question.
      key: ({ session, revision, views, budgets }) => [
        session,
        revision,
        JSON.stringify([views.map((view) => ({ ...view, budget: '' })), budgets]),
      ],
      keep: (now, before) => now.session === before.session,
    })
    bench.store.subscribe(() => this.refresh())
    comparison.store.subscribe(() => this.refresh())
  }

  get store() {
    return this.memo.store
  }

  setAxes(axes: { x?: MetricKey; y?: MetricKey }): void {
    this.choice.set(axes)
  }

  setTyped(typed: string): void {
    this.choice.set({ typed })
    this.refresh()
  }

  setAll(all: boolean): void {
    this.choice.set({ all })
    this.refresh()
  }

  /** Stops; the policies that are done stay. */
  stop(): void {
    this.memo.stop()
  }

  /** Starts again after `stop` or a failure. */
  again(): void {
    this.memo.again()
  }

  /** The budgets that are asked for. */
  budgets(): string[] {
    const most = lastOf(this.bench.bench.history?.full)
    return readBudgets(this.choice.get().typed) ?? budgetsFor(most).map(String)
  }

  private refresh(): void {
    const { shown, part } = this.comparison.store.get()
    const { question, replay } = this.bench.bench
    if (!shown || part !== 'sweep' || !question || !replay) return this.memo.want(null)
    const { session, revision } = question
    const views = this.comparison.views().slice(0, this.choice.get().all ? undefined : 1)
    this.memo.want({ session, revision, views, budgets: this.budgets() })
  }

  /** Asks one policy after the other, so that each is on the chart as soon as it is known. */
  private async sweep(
    host: Host,
    { session, views, budgets }: Wanted,
    tell: (soFar: Swept) => boolean,
  ): Promise<Swept> {
    // The series of before stay until the new ones have come, as far as they are of the same policies.
    const before = seriesOf(this.store.get())
    let series: Series[] = views.map((view, column) => ({
      column,
      view,
      answer: before.find((old) => old.view.policy === view.policy)?.answer ?? null,
    }))
    for (const [nDone, view] of views.entries()) {
      if (!tell({ series, nDone })) return { series, nDone }
      const answer = await host.call('sweep', { session, view, budgets, cache: USUAL_CACHE })
      series = series.map((one) => (one.column === nDone ? { ...one, answer } : one))
    }
    return { series, nDone: views.length }
  }
}
