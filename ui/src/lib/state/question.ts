import type { ItemDto } from '../ipc/generated/ItemDto'
import { Pages } from './pages'
import type { Store } from './store'
import type { Question } from './workbench'

/** Who asks: the bench, of which only the question matters here. */
interface Asking {
  store: Pick<Store<{ question: Question | null }>, 'get' | 'subscribe'>
}

/** What is asked for a part of a list of blocks. */
export type PartRequest = Pick<Question, 'session' | 'view' | 'cut'> & { offset: number; limit: number }

/** Calls `listen` with every new question; `other` says that it is of another session than the one before. */
export function onQuestion(
  { store }: Asking,
  listen: (question: Question | null, other: boolean) => void,
): void {
  let last = store.get().question
  store.subscribe(() => {
    const { question } = store.get()
    if (question === last) return
    const other = question?.session !== last?.session
    last = question
    listen(question, other)
  })
}

/**
 * The blocks at the cursor, page by page: asked for again with every new question, and forgotten at once when that
 * is of another session. `ask` answers `null` while nobody looks.
 */
export function pagesAt(
  asking: Asking,
  ask: (
    request: PartRequest,
    question: Question,
  ) => Promise<{ n_items: number; items: ItemDto[] } | null> | null,
): Pages<ItemDto> {
  const pages = new Pages<ItemDto>(async (offset, limit) => {
    const { question } = asking.store.get()
    if (!question) return null
    const { session, view, cut } = question
    const answer = await ask({ session, view, cut, offset, limit }, question)
    return answer && { n: answer.n_items, items: answer.items }
  })
  onQuestion(asking, (_, other) => pages.reset(other))
  return pages
}
