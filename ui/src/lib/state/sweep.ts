import type { SweepDto } from '../ipc/generated/SweepDto'
import type { ViewDto } from '../ipc/generated/ViewDto'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { budgetsFor, readBudgets, type MetricKey } from '../view/sweep'
import { USUAL_CACHE, type Comparison } from './comparison'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** A policy over many budgets. */
export interface Series {
  /** The place of its column, 0 is the main view. */
  column: number
  view: ViewDto
  answer: SweepDto | null
}

interface Look {
  x: MetricKey
  y: MetricKey
  /** The budgets as people typed them; empty lets the window choose. */
  typed: string
  /** True also sweeps the policies beside the main one. */
  all: boolean
  /** Of which session the series are. */
  session: number | null
  series: Series[]
  /** How many policies are done of how many; `null` while nothing is under way. */
  progress: { done: number; all: number } | null
  failure: HostError | null
  /** True when somebody stopped it before it was through. */
  stopped: boolean
}

/** What the policies cost and keep over many budgets. Asks only while its part of the Compare tab is shown. */
export class Sweep {
  readonly store = createStore<Look>({
    x: 'cost',
    y: 'hits',
    typed: '',
    all: true,
    session: null,
    series: [],
    progress: null,
    failure: null,
    stopped: false,
  })
  private readonly host: Host
  private readonly bench: Workbench
  private readonly comparison: Comparison
  private run = 0
  private asked = ''

  constructor(host: Host, bench: Workbench, comparison: Comparison) {
    this.host = host
    this.bench = bench
    this.comparison = comparison
    bench.store.subscribe(() => this.refresh())
    comparison.store.subscribe(() => this.refresh())
  }

  setAxes(axes: { x?: MetricKey; y?: MetricKey }): void {
    this.store.set(axes)
  }

  setTyped(typed: string): void {
    this.store.set({ typed })
    this.refresh()
  }

  setAll(all: boolean): void {
    this.store.set({ all })
    this.refresh()
  }

  /** Stops; what is done stays. */
  stop(): void {
    this.run += 1
    this.store.set({ progress: null, stopped: true })
  }

  /** Starts again what was stopped, or has failed. */
  again(): void {
    this.asked = ''
    this.refresh()
  }

  /** The budgets that are asked for. */
  budgets(): string[] {
    const most = this.bench.bench.replay?.full.at(-1) ?? 0
    return readBudgets(this.store.get().typed) ?? budgetsFor(most).map(String)
  }

  /** Asks again when anything but τ and the cursor is different: a sweep knows every τ. */
  private refresh(): void {
    const { shown, part } = this.comparison.store.get()
    const { question, replay } = this.bench.bench
    if (!shown || part !== 'sweep' || !question || !replay) return
    const views = this.comparison.views().slice(0, this.store.get().all ? undefined : 1)
    const budgets = this.budgets()
    const series = views.map((view, column) => ({ column, view, answer: null }))
    const asked = JSON.stringify([
      question.session,
      question.revision,
      views.map((view) => ({ ...view, budget: '' })),
      budgets,
    ])
    if (asked === this.asked) return
    this.asked = asked
    void this.sweep(question.session, series, budgets)
  }

  /** One policy after the other, so that each is on the chart as soon as it is known, and all can be stopped. */
  private async sweep(session: number, wanted: Series[], budgets: string[]): Promise<void> {
    const run = ++this.run
    // What stands there stays until the new one has come, as far as it is of the same policy.
    const held = this.store.get()
    const before = held.session === session ? held.series : []
    let series = wanted.map((one) => ({
      ...one,
      answer: before.find((old) => old.view.policy === one.view.policy)?.answer ?? null,
    }))
    this.store.set({
      session,
      series,
      failure: null,
      stopped: false,
      progress: { done: 0, all: wanted.length },
    })
    for (const [at, { view }] of wanted.entries()) {
      try {
        const answer = await this.host.call('sweep', { session, view, budgets, cache: USUAL_CACHE })
        if (run !== this.run) return
        series = series.map((one, place) => (place === at ? { ...one, answer } : one))
        const done = at + 1
        this.store.set({ series, progress: done < wanted.length ? { done, all: wanted.length } : null })
      } catch (thrown) {
        if (run !== this.run) return
        this.store.set({ failure: hostErrorOf(thrown), progress: null })
        return
      }
    }
  }
}
