import type { BandsBy } from '../ipc/generated/BandsBy'
import type { GraphAnswer } from '../ipc/generated/GraphAnswer'
import type { ViewCut } from '../ipc/generated/ViewCut'
import type { HeldFrameParts } from '../ipc/generated/HeldFrameParts'
import type { HistoryAnswer } from '../ipc/generated/HistoryAnswer'
import type { Push } from '../ipc/generated/Push'
import type { ReplayAnswer } from '../ipc/generated/ReplayAnswer'
import type { SessionAnswer } from '../ipc/generated/SessionAnswer'
import type { StepRow } from '../ipc/generated/StepRow'
import type { StepsAnswer } from '../ipc/generated/StepsAnswer'
import type { ViewSettings } from '../ipc/generated/ViewSettings'
import { hostErrorOf, type Host, type HostError } from '../ipc/host'
import { isKept } from '../view/annotation'
import { passFrom, positionAt, stepBack, stepForward, type Position } from '../view/position'
import { budgetOf } from '../view/budget'
import { AS_IT_HAPPENED, isAsItHappened, type Simulated } from '../view/happened'
import { SimulationChoice } from './simulation'
import type { TurnRange } from '../view/link'
import { USUAL_VIEW } from '../view/usual'
import { optionsFor, type Options } from '../view/options'
import { Frames, askFrame } from './frames'
import { Memo } from './memo'
import { Pace } from './pace'
import { isTexts, recall, remember, usualStorage } from './remembered'
import { calmed, createStore, type Store } from './store'

/** The question of the panes below. A new object each time that they must ask again. */
export interface Question {
  session: number
  revision: number
  view: ViewSettings
  cut: ViewCut
}

/** The cut, view and selection that every pane shares, with the host's answers about them. */
export interface Bench {
  phase: 'start' | 'welcome' | 'opening' | 'open' | 'corpus' | 'failed'
  /** The log that is being opened, or could not be; the folder of the corpus that is shown. */
  target: string | null
  failure: HostError | null
  session: SessionAnswer | null
  view: ViewSettings
  /** The budget that the user set; it stays from log to log. */
  given: string | null
  /** The budget where the user set none and no trace tells the harness's own. */
  usual: string
  cut: ViewCut
  /** The selected episode, by its place in the graph. */
  selected: number | null
  /** The block that the selection came from, if any. */
  block: string | null
  /** The turns that were brushed. */
  range: TurnRange | null
  graph: GraphAnswer | null
  /** All series that do not depend on the budget. */
  history: HistoryAnswer | null
  replay: ReplayAnswer | null
  /** How the requests of the replay are divided into bands. */
  bands: BandsBy
  /** The level of each episode at the cut. */
  levels: ArrayLike<number>
  /** How much is left of each episode at the cut, tokens. */
  left: ArrayLike<number>
  steps: StepsAnswer | null
  question: Question | null
  /** Why the chosen view has no answer, e.g. a budget that needs a window. */
  viewFailure: HostError | null
  /** Turns that came while the cut stood elsewhere. */
  unseen: number
  /** Bytes read of a big log, while it is first read. */
  progress: { session: number; done: number; total: number } | null
}

/** The part of a place that is about the session, besides the selection. */
export interface Whereabouts extends Pick<Bench, 'given' | 'cut' | 'range'> {
  view: Partial<ViewSettings>
}

/** While a drag goes on, the panes below wait this long, milliseconds. */
const REST_MS = 80
/** How often words and figures change during a drag, milliseconds. */
const CALM_MS = 100

/** While lines come all the time, they are asked for no more often than this, milliseconds. */
const RELOAD_MS = 80
/** A page that loses many frames shows them at least this often. */
const SLOWEST_RELOAD_MS = 2000

/** The blocks and texts that must survive, and the facts that must be answerable. */
export interface Watching {
  pins: string[]
  probes: string[]
}

/** Where pins and probes are remembered. */
const WATCHED = 'cwl-inspector.watched'

export const START: Bench = {
  phase: 'start',
  target: null,
  failure: null,
  session: null,
  view: USUAL_VIEW,
  given: null,
  bands: 'episode',
  usual: USUAL_VIEW.budget,
  cut: { turn: null, step: null },
  selected: null,
  block: null,
  range: null,
  graph: null,
  history: null,
  replay: null,
  levels: [],
  left: [],
  steps: null,
  question: null,
  viewFailure: null,
  unseen: 0,
  progress: null,
}

export class Workbench {
  readonly store: Store<Bench> = createStore<Bench>(START)
  /** The bench for words and figures, which need not follow each frame of a drag. */
  readonly calm = calmed(this.store, () => this.isMoving, CALM_MS)
  private readonly host: Host
  private readonly storage: Storage | null
  /** True while the pins and probes are those that the host was started with. */
  private watchGiven = false
  /** True while the annotation is the one that the host was started with. */
  private annotationGiven = false
  private readonly simulated = new SimulationChoice(START.view)
  private readonly optionsOf = new Map<string, Options>()
  private rest: ReturnType<typeof setTimeout> | undefined
  private opening = 0

  constructor(host: Host, storage: Storage | null = usualStorage()) {
    this.host = host
    this.storage = storage
  }

  get bench(): Bench {
    return this.store.get()
  }

  /** Asks what the host was started with and opens it, or the place that `elsewhere` finds for it. */
  async start(elsewhere: (link: string | null) => Promise<void> | null = () => null): Promise<void> {
    try {
      const defaults = await this.host.call('defaults', {})
      const { budget } = defaults.view
      const set = defaults.budget_given ? { given: budget } : { given: null, usual: budget }
      this.store.set({ view: defaults.view, cut: defaults.cut, ...set })
      this.simulated.startWith(defaults)
      this.annotationGiven = true
      this.watchGiven = [defaults.view.pins, defaults.view.probes].some((texts) => (texts ?? []).length > 0)
      const gone = elsewhere(defaults.link)
      if (gone) await gone
      else if (defaults.target !== null) await this.open(defaults.target, defaults.cut)
      else this.store.set({ phase: 'welcome' })
    } catch (thrown) {
      this.store.set({ phase: 'failed', failure: hostErrorOf(thrown) })
    }
  }

  /** Hears that a session was opened at a turn that it does not have, and how many it has, `now` among them. */
  onNoTurn: ((turn: number, nTurns: number) => void) | null = null

  /** Hears that a session could not be opened, and why, while another one is open. That one is shown again. */
  onNotOpened: ((target: string, failure: HostError) => void) | null = null

  /** The open session, as it was before another one began to be opened. */
  private before: Bench | null = null

  /**
   * Opens a log, or a session of the store, by its path, number or id; where it has no such turn, at its last one. Where
   * it cannot be opened, the session that was open is shown as it was.
   */
  async open(
    target: string,
    cut: ViewCut = { turn: null, step: null },
    there?: Omit<Whereabouts, 'cut'>,
  ): Promise<void> {
    const opening = ++this.opening
    this.forget()
    if (this.bench.phase === 'open') this.before = this.bench
    this.store.set({ phase: 'opening', target, failure: null, progress: null })
    try {
      const session = await this.host.call('open', { target, format: null })
      if (opening !== this.opening) return
      if (there) this.store.set({ given: there.given })
      const watched = this.watchedIn(session)
      const annotation = this.annotationIn()
      const found = { ...this.viewOf(session), branch: null, annotation, ...watched, ...there?.view }
      const simulated = this.simulated.policyFor(session, found.annotation, this.bench.view)
      const view = { ...found, ...simulated, ...there?.view }
      this.simulated.note(view)
      const { bands } = this.bench
      const frame = await askFrame(this.host, session.session, { view, cut, bands }, 'nothing')
      if (opening !== this.opening) return
      const nTurns = frame.graph?.n_turns ?? 1
      const isThere = cut.turn === null || cut.turn <= nTurns
      this.before = null
      this.store.set({
        ...frame,
        phase: 'open',
        session,
        view,
        cut: isThere ? cut : { turn: null, step: null },
        selected: null,
        block: null,
        range: there?.range ?? null,
        unseen: 0,
        viewFailure: null,
        progress: null,
      })
      this.settle(0)
      if (cut.turn !== null && !isThere) this.onNoTurn?.(cut.turn, nTurns)
    } catch (thrown) {
      if (opening !== this.opening) return
      const failure = hostErrorOf(thrown)
      if (failure.code === 'corpus') return this.showCorpus(failure.path ?? target)
      if (this.before) return this.stay(this.before, target, failure)
      this.store.set({
        phase: 'failed',
        failure,
        session: null,
        graph: null,
        history: null,
        replay: null,
      })
    }
  }

  /** Shows the session again that was open before another one could not be opened. */
  private stay(before: Bench, target: string, failure: HostError): void {
    this.before = null
    this.store.set({ ...before, progress: null })
    // Its log may have grown meanwhile.
    if (before.session) this.reload.want(before.session.session)
    // The user who stopped the reading knows.
    if (failure.code !== 'cancelled') this.onNotOpened?.(target, failure)
  }

  /** Shows the table of a corpus in the place of a session. */
  private showCorpus(folder: string): void {
    this.before = null
    this.store.set({
      phase: 'corpus',
      target: folder,
      session: null,
      graph: null,
      history: null,
      replay: null,
      selected: null,
      block: null,
      range: null,
      question: null,
      viewFailure: null,
      progress: null,
    })
  }

  /** Shows the start, as where the person did not want what a link names. */
  showStart(): void {
    if (this.bench.phase === 'start') this.store.set({ phase: 'welcome' })
  }

  /** Leaves the screen that says why nothing could be opened. */
  leaveFailure(): void {
    if (this.bench.phase === 'failed') this.store.set({ phase: 'welcome', failure: null, target: null })
  }

  /** Stops the reading of the log that is being opened. What was read is kept, and opening it again goes on. */
  async stopOpening(): Promise<void> {
    const { progress } = this.bench
    if (progress) await this.host.call('cancel', { session: progress.session })
  }

  /** Goes to another place in the session that is open. */
  goTo({ given, view, cut, range }: Whereabouts): void {
    this.store.set({ given, cut, range, unseen: cut.turn === null ? 0 : this.bench.unseen })
    const { session, view: shown } = this.bench
    const { budget } = this.viewOf(session)
    const simulated = session && this.simulated.policyFor(session, view.annotation ?? shown.annotation, shown)
    this.changeView({ budget, ...simulated, ...view })
  }

  /** Brushes turns, or none. */
  brush(range: TurnRange | null): void {
    this.store.set({ range })
  }

  /** Changes what people choose. `dragging` lets the panes below wait until it rests. */
  setView(change: Partial<ViewSettings>, dragging = false): void {
    // A user who sets τ alone asks what a policy would do under it.
    const asksWhatIf = change.budget !== undefined && change.policy === undefined && !this.isWhatIf
    this.changeView(asksWhatIf ? { ...this.simulation, ...change } : change, dragging, change.budget)
  }

  /** True while a policy is simulated. */
  get isWhatIf(): boolean {
    return !isAsItHappened(this.bench.view)
  }

  /** The policy that is simulated, or as it happened the one that was last. */
  get simulation(): Simulated {
    return this.simulated.last
  }

  /** Shows a simulation, under the policy that was chosen last, or what happened. */
  setWhatIf(on: boolean): void {
    if (on !== this.isWhatIf) this.setView(on ? this.simulation : AS_IT_HAPPENED)
  }

  /** Asks for everything once more: the marks behind the name of the annotation have changed. */
  again(): void {
    this.refresh('nothing')
    this.settle(0)
  }

  /** Chooses another policy. What was set for it before is set again. */
  setPolicy(name: string): void {
    const { view, session } = this.bench
    const policy = session?.choices.policies.find((known) => known.name === name)
    if (!policy || name === view.policy) return
    this.optionsOf.set(view.policy, view.options as Options)
    const options = optionsFor(policy, view.options as Options, this.optionsOf.get(name))
    this.setView({ policy: name, options })
  }

  /** Gives up the budget that the user set: back to the harness's own, where a trace tells it, or the default. */
  resetBudget(): void {
    this.store.set({ given: null })
    this.changeView({ budget: this.viewOf(this.bench.session).budget })
  }

  /** Hears what was watched before each change of it, so that it can be taken back. */
  onWatched: ((path: string, before: Watching, after: Watching) => void) | null = null

  /** Changes what must survive and what must be answerable. */
  watch(change: Partial<Watching>): void {
    const { session, view } = this.bench
    if (!session) return
    const before = { pins: view.pins ?? [], probes: view.probes ?? [] }
    const after = { ...before, ...change }
    this.watchIn(session.path, after)
    this.onWatched?.(session.path, before, after)
  }

  /** Sets what is watched in a session, whether it is open or not. It is remembered with the session. */
  watchIn(path: string, { pins, probes }: Watching): void {
    remember(this.storage, `${WATCHED}.pins`, path, pins)
    remember(this.storage, `${WATCHED}.probes`, path, probes)
    if (this.bench.session?.path === path) this.setView({ pins, probes })
  }

  /** Returns the pins and probes of a session that is being opened: those that the host was started with, or those of before. */
  private watchedIn(session: SessionAnswer): Pick<ViewSettings, 'pins' | 'probes'> {
    const { pins = [], probes = [] } = this.bench.view
    if (this.watchGiven) {
      this.watchGiven = false
      return { pins, probes }
    }
    const held = (what: string) => recall(this.storage, `${WATCHED}.${what}`, session.path, isTexts) ?? []
    return { pins: held('pins'), probes: held('probes') }
  }

  /**
   * Returns the annotation of a session that is being opened: marks that were written of another one are none of its own,
   * apart from those that the host was started with.
   */
  private annotationIn(): string {
    const { annotation } = this.bench.view
    const given = this.annotationGiven
    this.annotationGiven = false
    return given || !isKept(annotation) ? annotation : 'auto'
  }

  /** The view of a session: its budget is the user's, the harness's or the default. */
  private viewOf(session: SessionAnswer | null): ViewSettings {
    const { view, given, usual } = this.bench
    const { budget } = budgetOf(given, session, usual)
    return budget === view.budget ? view : { ...view, budget }
  }

  private changeView(change: Partial<ViewSettings>, dragging = false, given = this.bench.given): void {
    const view = { ...this.bench.view, ...change }
    this.store.set({ view, given })
    this.simulated.note(view)
    const onlyBudget = Object.keys(change).every((key) => key === 'budget')
    this.refresh(onlyBudget ? 'graph' : 'nothing')
    this.settle(dragging ? REST_MS : 0)
  }

  /** The cut as a concrete place. */
  position({ cut, graph, replay }: Bench = this.bench): Position {
    return positionAt(cut, graph?.n_turns ?? 1, replay?.n_steps ?? [])
  }

  /** Moves the cut. The last turn is `now`, the last step of a turn is all of them: both stay so when more come. */
  moveTo(at: Position, dragging = false): void {
    const { graph, replay, cut } = this.bench
    if (!graph) return
    const turn = Math.max(1, Math.min(at.turn, graph.n_turns))
    const most = replay?.n_steps[turn - 1] ?? 0
    const next: ViewCut = {
      turn: turn === graph.n_turns ? null : turn,
      step: at.step >= most ? null : Math.max(0, at.step),
    }
    if (next.turn === cut.turn && next.step === cut.step) return
    this.store.set({ cut: next, unseen: next.turn === null ? 0 : this.bench.unseen })
    this.refresh('replay')
    this.settle(dragging ? REST_MS : 0)
  }

  /** The step at the cut. */
  step(): StepRow | null {
    const { steps } = this.bench
    const { turn, step } = this.position()
    return steps?.turn === turn && step > 0 ? (steps.steps[step - 1] ?? null) : null
  }

  /** The episode that the step at the cut took something from. */
  touched(): number | null {
    return this.step()?.episode ?? null
  }

  toNow(): void {
    this.moveTo({ turn: this.bench.graph?.n_turns ?? 1, step: Number.MAX_SAFE_INTEGER })
  }

  turnBy(n: number): void {
    this.moveTo({ turn: this.position().turn + n, step: Number.MAX_SAFE_INTEGER })
  }

  /** One step on or back; false at the end of the way. */
  stepBy(direction: 1 | -1): boolean {
    const { graph, replay } = this.bench
    if (!graph || !replay) return false
    const at = this.position()
    const next = direction > 0 ? stepForward(at, graph.n_turns, replay.n_steps) : stepBack(at, replay.n_steps)
    if (next) this.moveTo(next)
    return next !== null
  }

  /** To the end of the nearest pass before or after. */
  passBy(direction: 1 | -1): void {
    const { graph, replay } = this.bench
    if (!graph || !replay) return
    const next = passFrom(this.position(), direction, graph.n_turns, replay.n_steps)
    if (next) this.moveTo(next)
  }

  select(selected: number | null, block: string | null = null): void {
    const known = this.bench.graph?.episodes.length ?? 0
    if (selected !== null && (selected < 0 || selected >= known)) return
    this.store.set({ selected, block })
  }

  /** The cut follows while it is on `now`; to stop, it is pinned to the turn that is the last one now. */
  setFollow(follow: boolean): void {
    const { graph, cut } = this.bench
    if (follow) this.toNow()
    else if (graph) this.store.set({ cut: { turn: graph.n_turns, step: cut.step } })
  }

  /** Takes what the host says without being asked. */
  hear(push: Push): void {
    const { session, phase } = this.bench
    if (push.type === 'progress' && phase === 'opening') {
      this.store.set({ progress: { session: push.session, done: push.done, total: push.total } })
    }
    if (push.type === 'missed' && session) this.reload.want(session.session)
    if (push.type !== 'session' || !session || push.session !== session.session) return
    // A push carries no content, so a gap in revisions needs no care of its own: every newer one asks again.
    if (push.revision <= session.revision && !push.gone) return
    if (push.restarted)
      this.store.set({ selected: null, block: null, range: null, cut: { turn: null, step: null } })
    this.reload.want(session.session)
  }

  private readonly frames = new Frames(
    // Not at hand before the constructor is done, and not asked before.
    { call: (name, request) => this.host.call(name, request) },
    () => this.bench,
    (frame) => {
      this.store.set({ ...frame, viewFailure: null })
      // A slow host is no reason to take a drag for over.
      if (this.rest !== undefined) this.settle(REST_MS)
    },
    (failure) => this.store.set({ viewFailure: failure }),
  )

  private readonly pace = new Pace(RELOAD_MS, SLOWEST_RELOAD_MS)

  private readonly reload = new Memo({
    ask: async (number: number) => {
      await this.pace.turn()
      const session = await this.host.call('session', { session: number })
      const { view: asked, cut, bands } = this.bench
      // The harness may use another budget by now.
      const view = this.viewOf(session)
      const frame = await askFrame(this.host, number, { view, cut, bands }, 'nothing')
      return { session, asked, cut, view, bands, frame }
    },
    took: ({ session, asked, cut, view, bands, frame }, number) => {
      const before = this.bench
      if (before.session?.session !== number) return
      const more = Math.max(0, (frame.graph?.n_turns ?? 0) - (before.graph?.n_turns ?? 0))
      const now = before.view === asked ? view : before.view
      this.rested()
      // In one change, so that all of it is drawn once.
      this.pace.take(() =>
        this.store.set({
          ...frame,
          session,
          view: now,
          viewFailure: null,
          unseen: before.cut.turn === null ? 0 : before.unseen + more,
          question: { session: number, revision: session.revision, view: now, cut: before.cut },
        }),
      )
      // A view that was chosen meanwhile was answered before, or will be.
      if (before.view !== asked) this.refresh('nothing')
      else if (before.bands !== bands) this.refresh('graph')
      else if (before.cut !== cut) this.refresh('replay')
    },
    failed: (failure) => this.store.set({ viewFailure: failure }),
  })

  /** True while τ or the cut is dragged: pictures follow at once and have no motion of their own. */
  get isMoving(): boolean {
    return this.rest !== undefined
  }

  /** Divides requests into bands by another question. */
  setBands(bands: BandsBy): void {
    if (bands === this.bench.bands) return
    this.store.set({ bands })
    this.refresh('graph')
  }

  private refresh(held: HeldFrameParts): void {
    if (this.bench.session) this.frames.refresh(held)
  }

  private forget(): void {
    this.frames.forget()
    this.reload.forget()
    this.rested()
  }

  /** Tells the panes below to ask again: now, or when nothing moved for `delay` milliseconds. */
  private settle(delay: number): void {
    this.rested()
    const publish = () => {
      this.rested()
      const { session, view, cut } = this.bench
      if (session)
        this.store.set({ question: { session: session.session, revision: session.revision, view, cut } })
    }
    if (delay === 0) publish()
    else this.rest = setTimeout(publish, delay)
  }

  private rested(): void {
    clearTimeout(this.rest)
    this.rest = undefined
  }
}
