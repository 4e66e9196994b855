import type { LiveChange } from '../ipc/generated/LiveChange'
import type { LiveProcessRow } from '../ipc/generated/LiveProcessRow'
import type { ViewSettings } from '../ipc/generated/ViewSettings'

/** Options of the inspection: a running agent's history is as it is. */
const OF_THE_LOG = ['ignore_compaction', 'ignore_eviction']

/** Options as both sides spell them: live use keeps the last turn unless it is told otherwise. */
function liveOptions(options: ViewSettings['options']): [string, string][] {
  const known = Object.entries(options).filter(
    (option): option is [string, string] => option[1] !== undefined && !OF_THE_LOG.includes(option[0]),
  )
  return known
    .filter(([key, value]) => key !== 'keep_last_turn' || value !== 'true')
    .sort(([one], [other]) => one.localeCompare(other))
}

/** The change that brings a view into force; τ is in tokens. */
export const changeTo = (view: Pick<ViewSettings, 'policy' | 'options'>, budget: number): LiveChange => ({
  policy: view.policy,
  budget: String(budget),
  options: Object.fromEntries(liveOptions(view.options)),
})

/** The change that brings back what is in force now. */
export const changeBack = ({ policy, options, budget }: LiveProcessRow): LiveChange =>
  changeTo({ policy, options }, budget)

/** True where a view is what is in force. `none` has no τ. */
export function isInForce(process: LiveProcessRow, change: LiveChange): boolean {
  const now = changeBack(process)
  const isSame = (key: 'policy' | 'budget' | 'options') =>
    JSON.stringify(now[key]) === JSON.stringify(change[key])
  return isSame('policy') && isSame('options') && (change.policy === 'none' || isSame('budget'))
}

/** τ that a running agent goes by, tokens; `null` without an agent or under `none`. */
export const tauInForce = (process: LiveProcessRow | null): number | null =>
  process === null || process.policy === 'none' ? null : process.budget
