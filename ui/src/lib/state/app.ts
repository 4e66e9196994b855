import { createContext, useContext } from 'react'

import type { Host } from '../ipc/host'
import { text } from '../text/en'
import { Comparison } from './comparison'
import { ContextList } from './context'
import { EpisodeDetail, RequestBody } from './detail'
import { EvictedList } from './evicted'
import { Places } from './places'
import { Player } from './player'
import { Presenter } from './presenter'
import { SaidOnce } from './said'
import { Sessions } from './sessions'
import { createStore } from './store'
import { Sweep } from './sweep'
import { Used } from './used'
import { Workbench } from './workbench'

export const TABS = ['context', 'evicted', 'body', 'episodes', 'problems', 'compare'] as const
export type Tab = (typeof TABS)[number]

/** What is open in the window, apart from the session itself. */
export interface Panes {
  tab: Tab
  drawer: boolean
  dialog: 'open' | 'help' | 'palette' | null
  /** Grows by one when the find field of the tab wants the keyboard. */
  findAsked: number
  /** Brings a line of the log into view in the Context tab; grows by one per wish. */
  showInContext: { line: number; wish: number; step: { turn: number; step: number } | null } | null
  /** The last thing that the host complained about. */
  trouble: string | null
}

/** All state of the window. */
export class App {
  readonly host: Host
  readonly bench: Workbench
  readonly context: ContextList
  readonly evicted: EvictedList
  readonly detail: EpisodeDetail
  readonly body: RequestBody
  readonly comparison: Comparison
  readonly sweep: Sweep
  readonly sessions: Sessions
  readonly player: Player
  readonly presenter: Presenter
  readonly places: Places<Tab>
  readonly said = new SaidOnce()
  readonly used = new Used()
  readonly panes = createStore<Panes>({
    tab: 'context',
    drawer: false,
    dialog: null,
    findAsked: 0,
    showInContext: null,
    trouble: null,
  })

  constructor(host: Host) {
    this.host = host
    this.bench = new Workbench(host)
    this.context = new ContextList(host, this.bench)
    this.evicted = new EvictedList(host, this.bench)
    this.detail = new EpisodeDetail(host, this.bench)
    this.body = new RequestBody(host, this.bench)
    this.comparison = new Comparison(host, this.bench)
    this.sweep = new Sweep(host, this.bench, this.comparison)
    this.sessions = new Sessions(host)
    this.player = new Player(this.bench)
    this.presenter = new Presenter(host, this.bench)
    this.places = new Places(this.bench, this.panes, TABS)
    host.subscribe((push) => {
      this.bench.hear(push)
      if (push.type === 'sessions') this.sessions.refresh()
      if (push.type === 'trouble') this.panes.set({ trouble: push.message })
    })
  }

  async start(): Promise<void> {
    this.sessions.refresh()
    this.places.start()
    await this.bench.start((link) => this.places.first(link))
    if (this.bench.bench.phase === 'welcome') this.panes.set({ drawer: true })
  }

  setTab(tab: Tab): void {
    this.panes.set({ tab })
  }

  /** Opens the Context tab at an episode. */
  showInContext(episode: number): void {
    const line = this.bench.bench.graph?.episodes[episode]?.line
    if (line !== undefined) this.showLine(line)
  }

  /** Opens the Context tab at a line of the log. */
  showLine(line: number): void {
    const wish = (this.panes.get().showInContext?.wish ?? 0) + 1
    this.panes.set({ tab: 'context', showInContext: { line, wish, step: null } })
  }

  /** Takes a step, and lets an open Context tab show what it took. */
  step(direction: 1 | -1): void {
    this.player.pause()
    if (!this.bench.stepBy(direction)) return
    this.stepAsked += 1
    this.showStep()
  }

  private stepAsked = 0

  /** Once the answers for the cursor are there: the lists answer to the question, the step says what it took. */
  private showStep(): void {
    const asked = this.stepAsked
    const { question } = this.bench.bench
    const look = () => {
      const line = this.bench.step()?.line ?? null
      const ready =
        this.context.answered === question && this.bench.bench.steps?.turn === this.bench.position().turn
      const over = asked !== this.stepAsked || this.bench.bench.question !== question
      if (!ready && !over) return
      ends.forEach((end) => end())
      if (over || line === null || this.panes.get().tab !== 'context') return
      const wish = (this.panes.get().showInContext?.wish ?? 0) + 1
      this.panes.set({ showInContext: { line, wish, step: this.bench.position() } })
    }
    const ends = [this.bench.store.subscribe(look), this.context.pages.store.subscribe(look)]
  }

  /** Puts a text on the clipboard, and says `said` of it. */
  async copy(copied: string, said: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(copied)
      this.said.say(said)
    } catch (thrown) {
      this.said.say(text.toast.notCopied(String(thrown)))
    }
  }

  /** Puts a link to what is shown on the clipboard. */
  copyLink(): void {
    const link = this.host.linkTo(this.places.query())
    void this.copy(link, text.toast.linkCopied)
  }

  open(target: string): void {
    this.player.pause()
    this.panes.set({ dialog: null })
    void this.bench.open(target)
  }
}

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('the window has no state')
  return app
}
