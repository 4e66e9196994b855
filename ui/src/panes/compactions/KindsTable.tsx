import type { CompactionReport } from '../../lib/ipc/generated/CompactionReport'
import type { DetailKind } from '../../lib/ipc/generated/DetailKind'
import { count } from '../../lib/view/format'
import { words } from './words'

/** The kinds that a summary can name without their whole text. */
const HAS_NAMES = new Set<DetailKind>(['file', 'command'])

/** The content of the context before a compaction, by kind, and how much of it remains. */
export function KindsTable({ one }: { one: CompactionReport }) {
  const kinds = one.kinds.filter((kind) => kind.n_all > 0)
  if (kinds.length === 0) return null
  const { kindColumns: columns } = words
  const told = (n: number | null) =>
    n === null ? (
      <td className="muted" title={words.summaryHints[one.summary]}>
        {words.untold}
      </td>
    ) : (
      <td className="number">{count(n)}</td>
    )
  return (
    <table className="compare" data-testid="kinds">
      <caption title={words.kindsHint}>{words.kindsTitle}</caption>
      <thead>
        <tr>
          <th scope="col">{columns.kind}</th>
          {(
            [
              columns.all,
              columns.literal,
              columns.named,
              columns.lost,
              columns.needed,
              columns.neededLost,
            ] as const
          ).map(({ title, hint }) => (
            <th key={title} scope="col" className="number" title={hint}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map((kind) => (
          <tr key={kind.kind} data-kind={kind.kind}>
            <th scope="row" title={words.detailHints[kind.kind]}>
              {words.details[kind.kind]}
            </th>
            <td className="number">{count(kind.n_all)}</td>
            <td className="number">{count(kind.n_literal)}</td>
            <td className="number">{HAS_NAMES.has(kind.kind) ? count(kind.n_named) : ''}</td>
            {told(kind.n_lost)}
            <td className="number">{count(kind.n_needed)}</td>
            {told(kind.n_needed_lost)}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
