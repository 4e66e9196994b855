import { createContext, useContext } from 'react'

import type { Host } from '../ipc/host'
import { ContextList } from './context'
import { EpisodeDetail, RequestBody } from './detail'
import { EvictedList } from './evicted'
import { Player } from './player'
import { Sessions } from './sessions'
import { createStore } from './store'
import { Workbench } from './workbench'

export const TABS = ['context', 'evicted', 'body', 'episodes', 'problems'] as const
export type Tab = (typeof TABS)[number]

/** What is open in the window, apart from the session itself. */
export interface Panes {
  tab: Tab
  drawer: boolean
  dialog: 'open' | 'help' | null
  /** Grows by one when the find field of the tab wants the keyboard. */
  findAsked: number
  /** Brings an episode into view in the Context tab; grows by one per wish. */
  showInContext: { episode: number; wish: number } | null
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
  readonly sessions: Sessions
  readonly player: Player
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
    this.sessions = new Sessions(host)
    this.player = new Player(this.bench)
    host.subscribe((push) => {
      this.bench.hear(push)
      if (push.type === 'sessions') this.sessions.refresh()
      if (push.type === 'trouble') this.panes.set({ trouble: push.message })
    })
  }

  async start(): Promise<void> {
    this.sessions.refresh()
    await this.bench.start()
    if (this.bench.bench.phase === 'welcome') this.panes.set({ drawer: true })
  }

  setTab(tab: Tab): void {
    this.panes.set({ tab })
  }

  showInContext(episode: number): void {
    const wish = (this.panes.get().showInContext?.wish ?? 0) + 1
    this.panes.set({ tab: 'context', showInContext: { episode, wish } })
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
