import { useEffect, useState } from 'react'

import type { BlockDto } from '../../lib/ipc/generated/BlockDto'
import type { ItemDto } from '../../lib/ipc/generated/ItemDto'
import { hostErrorOf } from '../../lib/ipc/host'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { isLogged } from '../../lib/view/rows'

/** The whole text of a block and its JSON in the log, once they are wanted; what was there stays until others come. */
export function useWhole(item: ItemDto, wanted: boolean): { whole: BlockDto | null; failure: string | null } {
  const app = useApp()
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const revision = useStore(app.bench.store, (bench) => bench.session?.revision)
  const branch = useStore(app.bench.store, (bench) => bench.view.branch)
  const [answer, setAnswer] = useState<{ whole: BlockDto | null; failure: string | null }>(NOTHING)
  const { block } = item
  const asks = wanted && isLogged(item) && session !== undefined
  useEffect(() => {
    if (!asks || session === undefined) return
    let live = true
    app.texts.get({ session, branch, block }).then(
      (whole) => live && setAnswer({ whole, failure: null }),
      (thrown) => live && setAnswer({ whole: null, failure: hostErrorOf(thrown).message }),
    )
    return () => {
      live = false
    }
  }, [app, asks, session, revision, branch, block])
  return answer.whole?.block === block || answer.failure !== null ? answer : NOTHING
}

const NOTHING = { whole: null, failure: null }
