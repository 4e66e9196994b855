import type { ContextItem } from '../ipc/generated/ContextItem'
import type { ListKind } from '../ipc/generated/ListKind'
import type { PageAnswer } from '../ipc/generated/PageAnswer'
import { HostError, type Host } from '../ipc/host'
import { Pages } from './pages'
import type { Store } from './store'
import type { Question } from './workbench'

/** The bench, of which only the question matters here. */
export interface Asking {
  store: Pick<Store<{ question: Question | null }>, 'get' | 'subscribe'>
}

/** The request for a page of a list of blocks. */
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
 * Makes a list of rows at the cut, page by page. Every new question asks again; one of another session empties the list at
 * once. `ask` answers `null` while the list is not shown; `locate` tells where a row stands now.
 */
export function pagesAt(
  asking: Asking,
  ask: (
    request: PartRequest,
    question: Question,
  ) => Promise<{ n_items: number; items: ContextItem[] } | null> | null,
  locate?: (item: ContextItem, question: Question) => Promise<number | null>,
): Pages<ContextItem> {
  const pages = new Pages<ContextItem>(
    async (offset, limit) => {
      const { question } = asking.store.get()
      if (!question) return null
      const { session, view, cut } = question
      const answer = await ask({ session, view, cut, offset, limit }, question)
      return answer && { n: answer.n_items, items: answer.items }
    },
    locate &&
      (async (item) => {
        const { question } = asking.store.get()
        return question && locate(item, question)
      }),
  )
  onQuestion(asking, (_, other) => pages.reset(other))
  return pages
}

/** Asks for a page of a list. The answer has the figures of that list. */
export async function pageOf<T extends PageAnswer['type']>(
  host: Pick<Host, 'call'>,
  request: PartRequest,
  list: ListKind & { type: T },
): Promise<PageAnswer & { type: T }> {
  const page = await host.call('page', { ...request, list })
  const isOfList = (page: PageAnswer): page is PageAnswer & { type: T } => page.type === list.type
  if (!isOfList(page))
    throw new HostError('internal', `the host answered a page of another list: ${page.type}`)
  return page
}

/** Returns the place of a block, or of its nearest neighbour, in a list at the cut; `null` where there is none. */
export async function placeIn(
  host: Pick<Host, 'call'>,
  { session, view, cut }: Question,
  list: ListKind,
  { block, line }: Pick<ContextItem, 'block' | 'line'>,
): Promise<number | null> {
  const { index } = await host.call('place', { session, view, cut, list, block, line })
  return index
}
