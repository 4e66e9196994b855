import type { SessionListRow } from '../ipc/generated/SessionListRow'

/** The part of a row by which sessions are told apart. */
type Named = Pick<SessionListRow, 'path' | 'title' | 'id' | 'cwd' | 'children'>

const lastOf = (path: string): string => path.split(/[\\/]/).findLast(Boolean) ?? path
/** The beginning of an id, which `cwl` takes as well. */
const shortId = (id: string): string => id.slice(0, 8)

/**
 * Words that tell sessions of one title apart, by path: the folder where each has another one, else the beginning of the
 * id, else the file. A session whose title no other has needs none.
 */
export function toldApart(rows: readonly Named[]): ReadonlyMap<string, string> {
  const byTitle = new Map<string, Named[]>()
  const add = (row: Named) => {
    const same = byTitle.get(row.title)
    if (!same) byTitle.set(row.title, [row])
    else if (same.every(({ path }) => path !== row.path)) same.push(row)
    row.children.forEach(add)
  }
  rows.forEach(add)
  const words = new Map<string, string>()
  for (const twins of byTitle.values()) {
    if (twins.length < 2) continue
    const word = [
      ({ cwd }: Named) => (cwd === null ? null : lastOf(cwd)),
      ({ id }: Named) => (id === null ? null : shortId(id)),
      ({ path }: Named) => lastOf(path),
    ].find((tell) => isEachOther(twins.map(tell)))
    for (const twin of twins) words.set(twin.path, word?.(twin) ?? twin.path)
  }
  return words
}

const isEachOther = (words: readonly (string | null)[]): boolean =>
  words.every((word) => word !== null) && new Set(words).size === words.length
