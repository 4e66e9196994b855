import type { ParetoFrontier } from '../ipc/generated/ParetoFrontier'
import type { FrontierRequest } from '../ipc/generated/FrontierRequest'
import type { FrontierPoint } from '../ipc/generated/FrontierPoint'
import type { SweepAnswer } from '../ipc/generated/SweepAnswer'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import type { Host } from '../ipc/host'
import { keptBy, readBudgets, settingOf, type MetricKey, type Side } from '../view/sweep'
import { USUAL_CACHE, type Comparison } from './comparison'
import { Memo, type Answered } from './memo'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** A policy over many budgets. */
export interface Series {
  /** The place of its column, 0 is the main view. */
  column: number
  view: ViewSettings
  answer: SweepAnswer | null
}

/** A setting that the engine was asked about: a point of a series, or no eviction. */
export interface SettingPlace {
  /** The place of its policy among the series. */
  series: number
  /** Its place among the points of the series; `null` for no eviction. */
  at: number | null
  view: ViewSettings | null
}

/** The settings that no other beats, with where each is; and those that no other of their side beats. */
export interface Front {
  answer: ParetoFrontier
  on: { setting: FrontierPoint; place: SettingPlace }[]
  lines: Record<Side, SettingPlace[]>
}

interface FrontWanted {
  request: FrontierRequest
  places: SettingPlace[]
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
  views: ViewSettings[]
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

/** False if the program has no price for the model of this session. */
export const isPriced = (series: readonly Series[]): boolean =>
  series.every(({ answer }) => answer?.uncapped.cost.unpriced !== true)

const NO_SERIES: readonly Series[] = []

/** The policies of a sweep, from few to many. */
export const SWEPT = ['main', 'columns', 'all'] as const
export type SweptPolicies = (typeof SWEPT)[number]

/** Asks what the policies cost and keep over many budgets, while its part of the Compare tab is shown. */
export class Sweep {
  readonly choice = createStore<{
    x: MetricKey
    y: MetricKey
    /** The budgets as people typed them; empty takes those of the verdict. */
    typed: string
    /** The policies that are swept: the main one, those of the columns too, or all that there are. */
    over: SweptPolicies
  }>({ x: 'cost', y: 'hits', typed: '', over: 'all' })
  private readonly bench: Workbench
  private readonly comparison: Comparison
  private readonly memo: Memo<Wanted, Swept>
  private readonly front: Memo<FrontWanted, Front>
  /** The answers about one session over some budgets, by view: another order of policies asks nothing again. */
  private known: { of: string; answers: Map<string, SweepAnswer> } = { of: '', answers: new Map() }

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
    this.front = new Memo({
      ask: async ({ request, places }) => {
        const answer = await host.call('frontier', request)
        const on = answer.on.flatMap((setting) => {
          const place = places[setting.place]
          return place ? [{ setting, place }] : []
        })
        const placesAt = (settings: readonly number[]) => settings.flatMap((at) => places[at] ?? [])
        return { answer, on, lines: { cwl: placesAt(answer.cwl), others: placesAt(answer.others) } }
      },
      key: (wanted) => [JSON.stringify(wanted)],
      keep: () => false,
    })
    bench.store.subscribe(() => this.refresh())
    comparison.store.subscribe(() => this.refresh())
    for (const store of [this.memo.store, this.choice]) store.subscribe(() => this.askFront())
  }

  /** The settings that no other beats, as the engine tells them. */
  get frontier() {
    return this.front.store
  }

  /** Sweeps for the presentation, whatever tab is shown. */
  setPresented(presented: boolean): void {
    this.comparison.setPresented(presented)
    this.refresh()
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

  setOver(over: SweptPolicies): void {
    this.choice.set({ over })
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

  /** The budgets that are asked for; none for those of the verdict. */
  budgets(): string[] {
    return readBudgets(this.choice.get().typed) ?? []
  }

  private refresh(): void {
    const { shown, presented, part } = this.comparison.store.get()
    const { question, replay } = this.bench.bench
    const isShown = (shown && part === 'sweep') || presented
    if (!isShown || !question || !replay) return this.memo.want(null)
    const { session, revision } = question
    const { over } = this.choice.get()
    const views = this.comparison.views(over === 'all').slice(0, over === 'main' ? 1 : undefined)
    this.memo.want({ session, revision, views, budgets: this.budgets() })
  }

  /** Asks the engine which settings no other beats, once all policies are there. */
  private askFront(): void {
    const { x, y } = this.choice.get()
    const by = keptBy(x, y)
    const { answer, busy } = this.store.get()
    const series = seriesOf(this.store.get())
    const uncapped = series[0]?.answer?.uncapped
    // While policies are still coming the frontier would change under the eye.
    if (by === null || !answer || busy || !uncapped) return this.front.forget()
    const settings: FrontierRequest['settings'] = [settingOf('none', uncapped, by)]
    const places: SettingPlace[] = [{ series: 0, at: null, view: null }]
    series.forEach(({ view, answer: swept }, of) =>
      swept?.points.forEach((point, at) => {
        settings.push(settingOf(view.policy, point, by))
        places.push({ series: of, at, view: { ...view, budget: String(point.budget ?? '') } })
      }),
    )
    this.front.want({ request: { by, settings }, places })
  }

  /** Asks one policy after the other, so that each is on the chart as soon as it is known. */
  private async sweep(
    host: Host,
    { session, revision, views, budgets }: Wanted,
    tell: (soFar: Swept) => boolean,
  ): Promise<Swept> {
    // The series of before stay until the new ones have come, as far as they are of the same policies.
    const before = seriesOf(this.store.get())
    const known = this.knownOf(JSON.stringify([session, revision, budgets]))
    let series: Series[] = views.map((view, column) => ({
      column,
      view,
      answer: before.find((old) => old.view.policy === view.policy)?.answer ?? null,
    }))
    for (const [nDone, view] of views.entries()) {
      if (!tell({ series, nDone })) return { series, nDone }
      const key = JSON.stringify({ ...view, budget: '' })
      const answer =
        known.get(key) ?? (await host.call('sweep', { session, view, budgets, cache: USUAL_CACHE }))
      known.set(key, answer)
      series = series.map((one) => (one.column === nDone ? { ...one, answer } : one))
    }
    return { series, nDone: views.length }
  }

  private knownOf(of: string): Map<string, SweepAnswer> {
    if (this.known.of !== of) this.known = { of, answers: new Map() }
    return this.known.answers
  }
}
