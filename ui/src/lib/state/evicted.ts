import type { EvictedDto } from '../ipc/generated/EvictedDto'
import type { ItemDto } from '../ipc/generated/ItemDto'
import type { Host } from '../ipc/host'
import type { Pages } from './pages'
import { pagesAt, type PartRequest } from './question'
import { createStore } from './store'
import type { Workbench } from './workbench'

const TYPING_MS = 160

/** What the model would not receive, searchable. Asks only while its tab is shown. */
export class EvictedList {
  readonly store = createStore({ grep: '', sort: 'size', tokens: 0, shown: false })
  readonly pages: Pages<ItemDto>
  private readonly host: Host
  private typing: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host, bench: Workbench) {
    this.host = host
    this.pages = pagesAt(bench, (request) => (this.store.get().shown ? this.ask(request) : null))
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

  private async ask(request: PartRequest): Promise<EvictedDto> {
    const { grep, sort } = this.store.get()
    const answer = await this.host.call('evicted', { ...request, grep: grep === '' ? null : grep, sort })
    this.store.set({ tokens: answer.tokens })
    return answer
  }
}
