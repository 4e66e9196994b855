import type { SessionListRow } from '../ipc/generated/SessionListRow'

/** How many sessions are shown at the start. */
const NEWEST = 6

/** The newest sessions whose logs are there, subagents apart. The host lists the newest first. */
export const newestRows = (rows: readonly SessionListRow[]): SessionListRow[] =>
  rows.filter((row) => !row.gone && row.name !== '').slice(0, NEWEST)

/** How many sessions each harness has, the one with the most first. */
export function harnessCounts(rows: readonly SessionListRow[]): { harness: string; n: number }[] {
  const counts = new Map<string, number>()
  for (const { harness } of rows) counts.set(harness, (counts.get(harness) ?? 0) + 1)
  return [...counts].map(([harness, n]) => ({ harness, n })).sort((a, b) => b.n - a.n)
}
