import type { ItemDto } from '../ipc/generated/ItemDto'
import type { Host } from '../ipc/host'
import { Pages } from './pages'
import { createStore } from './store'
import type { Workbench } from './workbench'

const TYPING_MS = 160

/** What the model would not receive, searchable. Asks only while its tab is shown. */
export class EvictedList {
  readonly store = createStore({ grep: '', sort: 'size', tokens: 0, shown: false })
  readonly pages: Pages<ItemDto>
  private readonly bench: Workbench
  private readonly host: Host
  private typing: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host, bench: Workbench) {
    this.host = host
    this.bench = bench
    this.pages = new Pages((offset, limit) => this.load(offset, limit))
    let question = bench.bench.question
    bench.store.subscribe(() => {
      const next = bench.bench.question
      if (next === question) return
      const other = next?.session !== question?.session
      question = next
      this.pages.reset(other)
    })
  }

  setShown(shown: boolean): void {
    this.store.set({ shown })
    if (shown) this.pages.reset()
  }

  setGrep(grep: string): void {
    this.store.set({ grep })
    clearTimeout(this.typing)
    this.typing = setTimeout(() => this.pages.reset(), TYPING_MS)
  }

  setSort(sort: string): void {
    this.store.set({ sort })
    this.pages.reset()
  }

  private async load(offset: number, limit: number): Promise<{ n: number; items: ItemDto[] } | null> {
    const { question } = this.bench.bench
    const { grep, sort, shown } = this.store.get()
    if (!question || !shown) return null
    const { session, view, cut } = question
    const answer = await this.host.call('evicted', {
      session,
      view,
      cut,
      grep: grep === '' ? null : grep,
      sort,
      offset,
      limit,
    })
    this.store.set({ tokens: answer.tokens })
    return { n: answer.n_items, items: answer.items }
  }
}
