import type { Column } from '../view/comparison'
import { MOST_COLUMNS } from '../view/comparison'

const KEY = 'cwl-inspector.columns'
/** Of so many sessions it is remembered what was compared, the latest ones. */
const MOST_SESSIONS = 60

type Held = [session: string, columns: Column[]][]

/** What is read back may have been written by anything. */
function isColumn(value: unknown): value is Column {
  if (typeof value !== 'object' || value === null) return false
  const { policy, budget, options } = value as Record<string, unknown>
  return (
    typeof policy === 'string' &&
    (budget === null || typeof budget === 'string') &&
    typeof options === 'object' &&
    options !== null &&
    Object.values(options).every((one) => typeof one === 'string')
  )
}

function held(storage: Pick<Storage, 'getItem'>): Held {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    if (!Array.isArray(value)) return []
    return value.filter(
      (entry): entry is Held[number] =>
        Array.isArray(entry) &&
        typeof entry[0] === 'string' &&
        Array.isArray(entry[1]) &&
        entry[1].every(isColumn),
    )
  } catch {
    return []
  }
}

/** What was compared with the main view of a session; `null` when nothing was yet. */
export function recallColumns(storage: Pick<Storage, 'getItem'>, session: string): Column[] | null {
  const found = held(storage).find(([known]) => known === session)?.[1]
  return found?.slice(0, MOST_COLUMNS - 1) ?? null
}

/** Remembers what is compared in a session. */
export function rememberColumns(storage: Storage, session: string, columns: readonly Column[]): void {
  const others = held(storage).filter(([known]) => known !== session)
  const next = [...others, [session, columns]].slice(-MOST_SESSIONS)
  try {
    storage.setItem(KEY, JSON.stringify(next))
  } catch {
    // A window without storage works, it only forgets.
  }
}
