import { useEffect } from 'react'

import type { MatchesAnswer } from '../../lib/ipc/generated/MatchesAnswer'
import { NOTHING, type Find, type FindLook } from '../../lib/state/find'
import { useAnswer } from '../../lib/state/memo'
import type { RowStates } from '../../lib/state/rows'
import { createStore, useStore, type Store } from '../../lib/state/store'
import { stopAt, type Stop } from '../../lib/view/matches'
import { FindBar } from './FindBar'

/** How far below the upper edge a found row begins, pixels. */
const BELOW_PX = 40

/** Returns the match that find stands on, and scrolls the row of a new one into view. */
export function useStop(find: Find, states: RowStates): Stop | null {
  const { found, n, number, wish } = useStore(find.store, (state) => state)
  const stop = n > 0 ? stopAt(found, number) : null
  const row = stop?.row
  useEffect(() => {
    if (wish > 0 && row !== undefined) states.show(row, BELOW_PX)
    // Each wish scrolls once.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wish])
  return stop
}

/** Returns the matches in a block; `null` while nothing is looked for. */
export function useMarks(find: Find | undefined, block: string): MatchesAnswer | null {
  const store: Reads = find?.store ?? NEVER
  const query = useStore(store, (state) => state.wanted.query)
  const round = useStore(store, (state) => state.round)
  // `round` stands for everything that changes the answer.
  const asks = find !== undefined && query !== ''
  const { answer, failure } = useAnswer(asks ? [find, block, round] : null, () => find!.marks(block))
  return failure === null ? answer : null
}

/** Returns a number that grows by one when the match is to be brought into view. */
export const useFindWish = (find: Find | undefined): number =>
  useStore<Reading, number>(find?.store ?? NEVER, (state) => state.wish)

type Reading = Pick<FindLook, 'wanted' | 'round' | 'wish'>
type Reads = Pick<Store<Reading>, 'get' | 'subscribe'>

/** Stands for a list in which nothing is looked for. */
const NEVER = createStore<Reading>({ wanted: NOTHING, round: 0, wish: 0 })

/** The find field of a list. */
export function ListFind({ find, label, testid }: { find: Find; label: string; testid: string }) {
  const { wanted, n, number, searching, failure } = useStore(find.store, (state) => state)
  return (
    <FindBar
      label={label}
      testid={testid}
      wanted={wanted}
      n={n}
      number={number}
      searching={searching}
      problem={failure?.message ?? null}
      hint={failure?.hint ?? null}
      onWanted={(change) => find.set(change)}
      onMove={(by) => find.move(by)}
    />
  )
}
