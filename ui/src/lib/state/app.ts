import { createContext, useContext } from 'react'

import type { MarkEdit } from '../ipc/generated/MarkEdit'
import { can, type Ability } from '../ipc/abilities'
import type { SampleSuggestion } from '../ipc/generated/SampleSuggestion'
import type { NoteTarget } from '../ipc/generated/NoteTarget'
import { HostError, hostErrorOf, type Host } from '../ipc/host'
import { PANES, TABS, type Tab } from '../../panes'
import type { Pane } from '../../panes/pane'
import { Admission } from './admission'
import { Announcer } from './announcer'
import { Beside } from './beside'
import { text } from '../text'
import { NOWHERE, formatLink } from '../view/link'
import { nudge } from '../view/budget'
import { count } from '../view/format'
import { watchedChange } from '../view/pins'
import { Clipboard } from './clipboard'
import { Comparison } from './comparison'
import { Corpora } from './corpora'
import { ContextList } from './context'
import { Drops } from './drops'
import { Duel } from './duel'
import { EpisodeDetail } from './detail'
import { DiffList } from './diff'
import { EvictedList } from './evicted'
import { Exporting } from './exporting'
import { Glances } from './glances'
import { Health } from './health'
import { hasRoomForDrawer } from './layout'
import { Marking } from './marking'
import { Navigation } from './navigation'
import { Notes } from './notes'
import { FIRST_PANES, type Panes } from './panes'
import { Places, fragmentWay, withoutSession } from './places'
import { Player } from './player'
import { Presenter } from './presenter'
import { ReaderMarking } from './readerMarking'
import { Reading, readListOf, type ReadList } from './reading'
import { Reacquisitions } from './reacquisitions'
import type { StoryPick } from '../view/stories'
import { SaidOnce } from './said'
import { Recent } from './recent'
import { Search } from './search'
import { Sessions } from './sessions'
import { settings } from './settings'
import { createStore, type Store } from './store'
import { Steering } from './steering'
import { Sweep } from './sweep'
import { SessionVerdict } from './verdict'
import { Texts } from './texts'
import { Tour, type Stop } from './tour'
import { Undo, type Heard } from './undo'
import { Used } from './used'
import { UndeclaredHints } from './undeclared'
import { Workbench } from './workbench'
import { Worth } from './worth'

/** All state of the window. */
export class App {
  readonly host: Host
  readonly bench: Workbench
  readonly context: ContextList
  readonly evicted: EvictedList
  readonly diff: DiffList
  readonly texts: Texts
  readonly reading: Reading
  readonly detail: EpisodeDetail
  readonly undeclared: UndeclaredHints
  readonly reacquisitions: Reacquisitions
  readonly comparison: Comparison
  readonly sweep: Sweep
  readonly verdict: SessionVerdict
  readonly beside: Beside
  readonly sessions: Sessions
  readonly corpora: Corpora
  readonly glances: Glances
  readonly admission: Admission
  readonly search: Search
  readonly recent = new Recent()
  readonly drops = new Drops({
    open: (path) => this.open(path),
    ask: (name) => this.panes.set({ dialog: 'open', dropped: name }),
    oneOf: (n, name) => this.said.say(text.toast.droppedOne(n, name)),
  })
  readonly player: Player
  readonly presenter: Presenter
  readonly duel: Duel
  readonly exporting: Exporting
  readonly places: Places<Tab>
  readonly navigation: Navigation
  readonly said = new SaidOnce()
  readonly clipboard = new Clipboard(this.said)
  readonly tour = new Tour(
    () => this.openSample(),
    (stop) => this.showStop(stop),
  )
  readonly undo = new Undo((heard) => this.sayDone(heard))
  readonly steering: Steering
  readonly notes: Notes
  readonly marking: Marking
  readonly readerMarking: ReaderMarking
  readonly worth: Worth
  readonly health: Health<Tab>
  readonly used = new Used()
  readonly announcer: Announcer
  readonly panes: Store<Panes>
  private readonly states = new Map<Pane, unknown>()

  constructor(host: Host) {
    this.host = host
    this.panes = createStore<Panes>(FIRST_PANES)
    this.bench = new Workbench(host)
    this.context = new ContextList(host, this.bench)
    this.evicted = new EvictedList(host, this.bench)
    this.diff = new DiffList(host, this.bench)
    this.texts = new Texts(host, this.bench)
    this.reading = new Reading(host, this.bench, this.texts, this.said, this.clipboard, () => this.readList())
    this.detail = new EpisodeDetail(host, this.bench)
    for (const pane of Object.values<Pane>(PANES)) this.states.set(pane, pane.makeState?.(host, this.bench))
    this.undeclared = new UndeclaredHints(host, this.bench)
    this.reacquisitions = new Reacquisitions(host, this.bench)
    this.comparison = new Comparison(host, this.bench)
    this.sweep = new Sweep(host, this.bench, this.comparison)
    this.duel = new Duel(host, this.bench)
    this.verdict = new SessionVerdict(host, this.bench, this.comparison, this.duel.store)
    this.beside = new Beside(host, this.bench)
    this.sessions = new Sessions(host)
    this.corpora = new Corpora(host, this.bench, (place) => {
      this.player.pause()
      this.panes.set({ drawer: false })
      void this.places.go(place)
    })
    this.glances = new Glances(host)
    this.admission = new Admission(
      host,
      (on) => this.panes.set({ dialog: on ? 'link' : null }),
      () => this.bench.showStart(),
    )
    this.search = new Search(host, this.bench)
    this.bench.store.subscribe(() => this.noteOpened())
    this.player = new Player(this.bench)
    this.announcer = new Announcer(this.bench)
    this.presenter = new Presenter(host, this.bench)
    // Nothing plays on behind a presentation that was left.
    let wasOn = false
    this.presenter.store.subscribe(() => {
      const { on } = this.presenter.store.get()
      if (wasOn && !on) this.player.pause()
      wasOn = on
    })
    this.exporting = new Exporting(host, this.bench)
    const { exported } = host
    this.places = exported
      ? new Places(this.bench, this.panes, TABS, this.comparison, fragmentWay(exported.path))
      : new Places(this.bench, this.panes, TABS, this.comparison)
    this.navigation = new Navigation(this)
    this.steering = new Steering(host, this.bench, this.undo)
    this.notes = new Notes(host, this.bench, this.undo)
    this.marking = new Marking(host, this.bench, this.undo)
    this.readerMarking = new ReaderMarking(host, this.bench)
    this.worth = new Worth(host, this.bench)
    this.health = new Health(host, this.bench, this.places)
    this.bench.onWatched = (path, before, after) =>
      this.undo.did({
        what: text.notes.watched[watchedChange(before, after)],
        undo: () => this.bench.watchIn(path, before),
        redo: () => this.bench.watchIn(path, after),
      })
    this.bench.onNoTurn = (turn, nTurns) => this.said.say(text.toast.noTurn(count(turn), count(nTurns)))
    this.bench.onNotOpened = (target, failure) => {
      if (failure.code === 'missing') this.recent.forget(target)
      this.panes.set({ dialog: 'open', notOpened: { target, failure } })
    }
    const divide = () => this.bench.setBands(settings.get().bands)
    divide()
    settings.subscribe(divide)
    host.onDrop((drop) => this.drops.hear(drop))
    host.subscribe((push) => {
      this.bench.hear(push)
      this.notes.hear(push)
      this.marking.hear(push)
      this.readerMarking.hear(push)
      this.health.hear(push)
      this.exporting.hear(push)
      if (push.type === 'sessions' || push.type === 'missed') {
        this.sessions.refresh()
        this.search.again()
      }
      if (push.type === 'trouble') this.panes.set({ trouble: push.message })
    })
  }

  async start(): Promise<void> {
    if (this.can('sessions')) this.sessions.refresh()
    if (this.can('store')) void this.health.start()
    // Another program may have written meanwhile.
    window.addEventListener('focus', () => {
      this.notes.refresh()
      this.steering.look()
    })
    this.places.start()
    await this.bench.start((link) => this.places.first(link, (place) => this.admission.of(place)))
    const { phase } = this.bench.bench
    if (phase === 'welcome' && hasRoomForDrawer()) this.panes.set({ drawer: true })
  }

  /** Tells whether the host can do something. The window shows nothing that its host cannot do. */
  can(ability: Ability): boolean {
    return can(this.host, ability)
  }

  /** The next budget up or down: a little more or less than the present one. */
  budgetBeside(direction: 1 | -1): string | null {
    const { replay, view } = this.bench.bench
    // While keys repeat, the budget that was asked for is ahead of the one that was answered.
    const asked = Number(view.budget)
    const tokens = Number.isFinite(asked) ? asked : replay?.budget
    return tokens === undefined ? null : String(nudge(tokens, direction))
  }

  /** The list of blocks that shows. */
  private readList(): ReadList | null {
    if (this.bench.bench.phase !== 'open') return null
    switch (this.panes.get().tab) {
      case 'context':
        return readListOf(this.context.pages, this.context.rows)
      case 'evicted':
        return readListOf(this.evicted.pages, this.evicted.rows)
      case 'diff':
        return this.diff.readList()
      default:
        return null
    }
  }

  /** The state of a pane. */
  stateOf<S>(pane: Pane<S>): S {
    return this.states.get(pane as Pane) as S
  }

  setTab(tab: Tab): void {
    this.panes.set({ tab })
  }

  /** Puts a link to what is shown on the clipboard. */
  copyLink(): void {
    const query = this.places.query()
    const link = this.host.linkTo(this.host.exported ? withoutSession(query) : query)
    void this.clipboard.put(link, () => text.toast.linkCopied)
  }

  /** Shows the drawer and gives its search field the keyboard. */
  searchSessions(): void {
    this.panes.set({ drawer: true, searchAsked: true })
  }

  /** Shows the drawer with what is found in the texts of the open session. */
  searchTexts(query: string): void {
    this.sessions.setFind(query)
    this.search.setScope('session')
    this.search.setQuery(query)
    this.searchSessions()
  }

  /** Shows the list of sessions, of which one is to stand beside the open one. */
  compareWithAnother(): void {
    this.comparison.setPart('sessions')
    this.setTab('compare')
    this.beside.choose(true)
    this.panes.set({ drawer: true, searchAsked: true })
  }

  /** Opens a session of the list; where one is to stand beside the open session, it does. */
  choose(path: string): void {
    if (!this.beside.store.get().choosing) return this.open(path)
    this.panes.set({ drawer: false })
    void this.beside.take(path)
  }

  /** True where something is odd about the selected episode. */
  get hasFindingsHere(): boolean {
    const { selected, session } = this.bench.bench
    return selected !== null && (session?.problems.some(({ episode }) => episode === selected) ?? false)
  }

  /** The story that the keyboard means: of the selected episode, else of the turn that is shown. */
  storyHere(): StoryPick {
    const { selected } = this.bench.bench
    if (selected !== null && this.reacquisitions.byEpisode.has(selected))
      return { by: 'episode', episode: selected }
    return { by: 'turn', turn: this.bench.position().turn }
  }

  /** Makes a change of the marks that was suggested, and says why where that cannot be. */
  async applyMarks(edits: MarkEdit[]): Promise<void> {
    if (await this.marking.edit(edits)) return
    const { failure } = this.marking.store.get()
    if (failure) this.said.say(text.notes.notDone(failure.message))
  }

  /** Starts a note on something, where that is shown. */
  writeNote(subject: NoteTarget): void {
    this.notes.show(subject.on === 'session')
    if (subject.on === 'episode') {
      const idx = this.bench.bench.graph?.episodes.findIndex(({ name }) => name === subject.name) ?? -1
      if (idx >= 0 && idx !== this.bench.bench.selected) this.bench.select(idx)
    }
    this.notes.edit(subject)
  }

  /** Keeps the place that is shown as a bookmark; `now` is another turn tomorrow, so it is kept by its number. */
  bookmark(): void {
    const place = this.places.current()
    const cut = { ...place.cut, turn: place.cut.turn ?? this.bench.position().turn }
    void this.attempt(this.notes.bookmark(formatLink({ ...place, cut })))
  }

  /** Says why something could not be done, if so. */
  async attempt(doing: Promise<void>): Promise<void> {
    try {
      await doing
    } catch (thrown) {
      this.said.say(text.notes.notDone(hostErrorOf(thrown).message))
    }
  }

  /** Says what was done, with a way to take it back. */
  private sayDone({ deed, how }: Heard): void {
    if (how instanceof HostError) return this.said.say(text.notes.notDone(how.message))
    if (how === 'undone')
      return this.said.say(text.notes.undone(deed.what), {
        label: text.notes.redo,
        run: () => void this.undo.redo(),
      })
    this.said.say(deed.what, { label: text.notes.undo, run: () => void this.undo.undo(deed) })
  }

  /** Remembers what was opened, and forgets what is not there any more. */
  private noteOpened(): void {
    const { phase, session, failure, target } = this.bench.bench
    if (phase === 'open' && session) this.recent.note(session.path, session.title)
    if (phase === 'failed' && failure?.code === 'missing' && target !== null) this.recent.forget(target)
  }

  /** Asks for a log: by its path, or where the page opens no path in the dialog of the browser. */
  askForLog(): void {
    if (this.can('paths')) this.panes.set({ dialog: 'open' })
    else void this.attempt(this.chooseLog())
  }

  private async chooseLog(): Promise<void> {
    const chosen = await this.host.pickFile()
    if (chosen !== null) this.open(chosen)
  }

  open(target: string): void {
    this.player.pause()
    this.panes.set({ dialog: null })
    const { session, given, phase } = this.bench.bench
    // A page that opens no path has to be given the log that its address names.
    if (!this.can('paths') && phase !== 'open' && this.places.retry(target)) return
    // The sample's τ is the sample's: it stays no longer than the sample does.
    const leaves = this.sample !== null && session?.path === this.sample.path && given === this.sample.budget
    if (leaves) void this.bench.open(target, undefined, { given: null, view: {}, range: null })
    else void this.bench.open(target)
  }

  /** Brings the part of the window into view that a stop of the tour is about. */
  private showStop(stop: Stop): void {
    this.panes.set({ dialog: null, drawer: false, reading: false })
    if (stop === 'overview' || stop === 'evicted') this.setTab(stop)
    if (stop === 'budget' || stop === 'evicted') this.bench.setWhatIf(true)
  }

  /** The sample, once it was asked for. */
  private sample: SampleSuggestion | null = null

  /** Opens the sample under a τ that it passes several times. */
  async openSample(): Promise<void> {
    this.sample = await this.host.call('sample', {})
    const { path, budget } = this.sample
    await this.places.go({ ...NOWHERE, session: path, view: { ...NOWHERE.view, budget } })
  }
}

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('the window has no state')
  return app
}
