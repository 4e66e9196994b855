import type { EvictedOrder } from '../ipc/generated/EvictedOrder'
import type { EvictedAnswer } from '../ipc/generated/EvictedAnswer'
import type { ContextItem } from '../ipc/generated/ContextItem'
import type { ListKind } from '../ipc/generated/ListKind'
import type { TextPattern } from '../ipc/generated/TextPattern'
import type { Host } from '../ipc/host'
import { Find } from './find'
import type { Pages } from './pages'
import { onQuestion, pageOf, pagesAt, placeIn, type PartRequest } from './question'
import { RowStates } from './rows'
import { createStore } from './store'
import type { Workbench } from './workbench'

/** The list waits this long for the next key, milliseconds. */
const TYPING_MS = 160

/** The blocks that the model would not receive at the cut. The search text also filters the list. */
export class EvictedList {
  readonly store = createStore<{ sort: EvictedOrder; tokens: number; shown: boolean }>({
    sort: 'size',
    tokens: 0,
    shown: false,
  })
  readonly pages: Pages<ContextItem>
  readonly rows = new RowStates()
  readonly find: Find
  private readonly host: Host
  private typing: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host, bench: Workbench) {
    this.host = host
    this.pages = pagesAt(
      bench,
      (request) => (this.store.get().shown ? this.ask(request) : null),
      (item, question) => placeIn(host, question, this.list(), item),
    )
    this.find = new Find(
      host,
      bench,
      () => (this.store.get().shown ? this.list() : null),
      () => this.pages.seen ?? 0,
    )
    let wanted: TextPattern = this.find.store.get().wanted
    this.find.store.subscribe(() => {
      const now = this.find.store.get().wanted
      if (now === wanted) return
      wanted = now
      clearTimeout(this.typing)
      this.typing = setTimeout(() => {
        // Another filter is another list.
        this.pages.top = null
        this.pages.reset()
      }, TYPING_MS)
    })
    onQuestion(bench, (_, other) => other && this.rows.clear())
  }

  /** The list, as the host is asked about it. */
  list(): ListKind & { type: 'evicted' } {
    return { type: 'evicted', only: this.only(), sort: this.store.get().sort }
  }

  setShown(shown: boolean): void {
    this.store.set({ shown })
    if (!shown) return
    this.pages.reset()
    this.find.again()
  }

  setSort(sort: EvictedOrder): void {
    this.store.set({ sort })
    this.pages.reset()
    this.find.again()
  }

  private only(): TextPattern | null {
    const { wanted } = this.find.store.get()
    return wanted.query === '' ? null : wanted
  }

  private async ask(request: PartRequest): Promise<EvictedAnswer> {
    const { wanted } = this.find.store.get()
    const answer = await pageOf(this.host, request, this.list())
    if (wanted === this.find.store.get().wanted) this.store.set({ tokens: answer.tokens })
    return answer
  }
}
