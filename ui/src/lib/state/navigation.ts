import type { FoundSession } from '../ipc/generated/FoundSession'
import type { SearchHit } from '../ipc/generated/SearchHit'
import type { SessionNote } from '../ipc/generated/SessionNote'
import type { SavedViewRow } from '../ipc/generated/SavedViewRow'
import type { SideTurn } from '../ipc/generated/SideTurn'
import { pane as problems } from '../../panes/problems/pane'
import { pane as reacquisitions } from '../../panes/reacquisitions/pane'
import { NOWHERE, parseLink, type LinkedView } from '../view/link'
import type { Options } from '../view/options'
import type { StoryPick } from '../view/stories'
import type { App } from './app'
import { until } from './memo'
import type { Panes } from './panes'

/** A place in the log: its line, the turn that shows it and its episode, if any. */
interface LogPlace {
  turn: number
  line: number
  episode: number | null
}

type Wish = Omit<NonNullable<Panes['showInContext']>, 'wish'>

/** The ways to bring something into view: a line, an episode, a step, a match, a note, a turn of another session. */
export class Navigation {
  private readonly app: Pick<App, 'bench' | 'panes' | 'player' | 'places' | 'context' | 'stateOf'>

  constructor(app: Navigation['app']) {
    this.app = app
  }

  /** Opens the Context tab at an episode. */
  showInContext(episode: number): void {
    const line = this.app.bench.bench.graph?.episodes[episode]?.line
    if (line !== undefined) this.showLine(line)
  }

  /** Opens the Context tab at a line of the log. */
  showLine(line: number): void {
    this.wish({ line, step: null }, 'context')
  }

  /** Asks the Context tab for a line; `tab` is the tab to open. */
  private wish(wish: Wish, tab = this.app.panes.get().tab): void {
    const nth = (this.app.panes.get().showInContext?.wish ?? 0) + 1
    this.app.panes.set({ tab, showInContext: { ...wish, wish: nth } })
  }

  /** Takes a step, and lets an open Context tab show what it took. */
  step(direction: 1 | -1): void {
    this.app.player.pause()
    if (!this.app.bench.stepBy(direction)) return
    this.stepAsked += 1
    void this.showStep()
  }

  private stepAsked = 0

  /** Shows the blocks of the step, once list and steps are answered for the cut. */
  private async showStep(): Promise<void> {
    const asked = this.stepAsked
    const { question } = this.app.bench.bench
    const isOver = () => asked !== this.stepAsked || this.app.bench.bench.question !== question
    await until([this.app.bench.store, this.app.context.pages.store], () => {
      const hasSteps = this.app.bench.bench.steps?.turn === this.app.bench.position().turn
      return isOver() || (this.app.context.answered === question && hasSteps) ? true : undefined
    })
    const line = this.app.bench.step()?.line ?? null
    if (isOver() || line === null || this.app.panes.get().tab !== 'context') return
    this.wish({ line, step: this.app.bench.position() })
  }

  /** The view with which another session is opened: without what is of the open one alone. */
  private viewElsewhere(): LinkedView {
    const { view, given } = this.app.bench.bench
    const { policy, tokenizer, overhead, window, options } = view
    return {
      policy,
      ...(given === null ? {} : { budget: given }),
      tokenizer,
      overhead,
      ...(window === null ? {} : { window }),
      options: options as Options,
      pins: [],
      probes: [],
    }
  }

  /** Opens a session at a text that was found in it. */
  async openHit(found: Pick<FoundSession, 'session' | 'path'>, hit: SearchHit): Promise<void> {
    this.app.player.pause()
    const { view, session } = this.app.bench.bench
    const isHere = session?.session === found.session
    await this.app.places.go({
      ...NOWHERE,
      session: isHere ? session.path : found.path,
      view: {
        ...this.viewElsewhere(),
        ...(hit.branch === null ? {} : { branch: hit.branch }),
        pins: isHere ? (view.pins ?? []) : [],
        probes: isHere ? (view.probes ?? []) : [],
      },
      cut: { turn: hit.turn, step: null },
      block: hit.block,
      tab: 'context',
    })
    await this.listed()
    if (this.app.bench.bench.block !== hit.block) return
    this.wish({ line: hit.line, step: null, block: hit.block, ...soughtIn(hit) })
  }

  /** Shows what a note is on, at the first turn that has it or later. */
  async showNote({ subject, place }: SessionNote): Promise<void> {
    if (!place) return
    await this.showPlace(place, subject.on === 'block' ? subject.block : null)
  }

  /** Shows a line of the log and a block of it in the Context tab, at the first turn that has it or later. */
  showPlace(place: LogPlace, block: string | null): Promise<void> {
    return this.app.places.asOne(() => this.goToPlace(place, block))
  }

  private async goToPlace(place: LogPlace, block: string | null): Promise<void> {
    this.app.player.pause()
    if (this.app.bench.position().turn < place.turn)
      this.app.bench.moveTo({ turn: place.turn, step: Number.MAX_SAFE_INTEGER })
    this.app.bench.select(place.episode, block)
    await this.listed()
    this.wish({ line: place.line, step: null, ...(block === null ? {} : { block }) }, 'context')
  }

  /** Shows the first thing that a turn did; `path` is that of another session. */
  showTurnOf({ turn, work }: SideTurn, path: string | null): void {
    const first = work.find(({ shared }) => !shared) ?? work[0]
    const block = first?.block ?? null
    // The work of a reply is in the context of the next request, what the human said in that of its own.
    const at = first?.kind === 'human' ? turn : turn + 1
    if (path === null || path === this.app.bench.bench.session?.path) {
      void this.app.places.asOne(() => {
        this.app.bench.moveTo({ turn: at, step: Number.MAX_SAFE_INTEGER })
        return this.goToPlace({ turn: at, line: first?.line ?? 1, episode: null }, block)
      })
      return
    }
    this.app.player.pause()
    void this.app.places.go({
      ...NOWHERE,
      session: path,
      view: this.viewElsewhere(),
      cut: { turn: at, step: null },
      block,
      tab: 'context',
    })
  }

  /** The stories of content that was read again, for Read again and the blame board. */
  get stories() {
    return this.app.stateOf(reacquisitions)
  }

  /** Opens the Read again tab at the story that a mark leads to. */
  showStory(pick: StoryPick): void {
    this.app.player.pause()
    this.app.stateOf(reacquisitions).open(pick)
    this.app.panes.set({ tab: 'reacquisitions' })
  }

  /** Opens the Problems tab at what is found about an episode. */
  showFindings(episode: number): void {
    this.app.player.pause()
    void this.app.places.asOne(() => {
      this.app.bench.select(episode)
      this.app.stateOf(problems).show(episode)
      this.app.panes.set({ tab: 'problems' })
    })
  }

  /** Goes back to a bookmark. */
  showBookmark(view: SavedViewRow): void {
    this.app.player.pause()
    const { session } = this.app.bench.bench
    const place = parseLink(view.query)
    // The log may have another name by now.
    void this.app.places.go({ ...place, session: session?.path ?? place.session })
  }

  /** Waits until the list of the Context tab answers to what is asked now, or nothing is asked any more. */
  private async listed(): Promise<void> {
    const { question } = this.app.bench.bench
    await until([this.app.bench.store, this.app.context.pages.store], () => {
      const isOver = this.app.bench.bench.question !== question || this.app.bench.bench.phase !== 'open'
      return isOver || this.app.context.answered === question ? true : undefined
    })
  }
}

/** A match that stands in the text as it is shown: white space in it may be any, and a long one is cut. */
const soughtIn = ({ matched }: SearchHit): { find?: string } =>
  matched === '' || /\s|…$/.test(matched) ? {} : { find: matched }
