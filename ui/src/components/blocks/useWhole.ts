import type { BlockAnswer } from '../../lib/ipc/generated/BlockAnswer'
import type { ContextItem } from '../../lib/ipc/generated/ContextItem'
import { useApp } from '../../lib/state/app'
import { useAnswer } from '../../lib/state/memo'
import { useStore } from '../../lib/state/store'
import { isLogged } from '../../lib/view/rows'

/**
 * Fetches the whole text of a block and its JSON in the log, once they are wanted. A new revision of the log leaves them
 * on screen until they are fetched again.
 */
export function useWhole(
  item: ContextItem,
  wanted: boolean,
): { whole: BlockAnswer | null; failure: string | null } {
  const app = useApp()
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const revision = useStore(app.bench.store, (bench) => bench.session?.revision)
  const branch = useStore(app.bench.store, (bench) => bench.view.branch)
  const { block } = item
  const asks = wanted && isLogged(item) && session !== undefined
  const { answer, failure } = useAnswer(asks ? [session, revision, branch, block] : null, () =>
    app.texts.get({ session: session!, branch, block }),
  )
  return { whole: answer?.block === block ? answer : null, failure: failure?.message ?? null }
}
