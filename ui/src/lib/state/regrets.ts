import type { RegretDto } from '../ipc/generated/RegretDto'
import type { ViewDto } from '../ipc/generated/ViewDto'
import type { Host } from '../ipc/host'
import { newest } from './newest'
import { onQuestion } from './question'
import { createStore } from './store'
import type { Question, Workbench } from './workbench'

/** How long the view rests before it is asked, milliseconds: it takes a look at all texts. */
const REST_MS = 300

/** The episodes of which something was read again after the policy had evicted it, in start order. */
export class Regrets {
  readonly store = createStore<{ byEpisode: ReadonlyMap<number, RegretDto> }>({ byEpisode: new Map() })
  private asked: { session: number; revision: number; view: ViewDto } | null = null
  private rest: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host, bench: Workbench) {
    const ask = newest(
      ({ session, view }: Question) => host.call('regrets', { session, view }),
      ({ regrets }) => this.store.set({ byEpisode: new Map(regrets.map((one) => [one.episode, one])) }),
      // A graph without these marks is still one; what failed is told where the same view is shown.
      () => this.store.set({ byEpisode: new Map() }),
    )
    onQuestion(bench, (question, other) => {
      if (other) this.store.set({ byEpisode: new Map() })
      clearTimeout(this.rest)
      if (!question) return
      const { session, revision, view } = question
      const { asked } = this
      if (asked?.session === session && asked.revision === revision && asked.view === view) return
      this.rest = setTimeout(() => {
        this.asked = { session, revision, view }
        ask(question)
      }, REST_MS)
    })
  }
}
