import type { CompactionReport } from '../../lib/ipc/generated/CompactionReport'
import type { NeededDetails } from '../../lib/ipc/generated/NeededDetails'
import { count, percent } from '../../lib/view/format'
import { words } from './words'

/** The share of the needed details that remain, as text. */
function neededShare({ n_needed, n_remain }: NeededDetails): string {
  if (n_needed === 0) return ''
  return n_remain === null ? words.untold : percent(n_remain, n_needed)
}

/** The harness beside the policies that were asked in its place, at the same turn and for the same size. */
export function InsteadTable({ one }: { one: CompactionReport }) {
  if (one.needed.n_names === 0) return null
  const { insteadColumns } = words
  const { n_kept, n_named } = one.needed
  const harness = {
    policy: words.harness,
    n_kept,
    n_named,
    details: one.details,
    tokens: one.after,
    is_over: false,
  }
  return (
    <table className="compare" data-testid="instead">
      <caption title={words.insteadHint}>{words.instead}</caption>
      <thead>
        <tr>
          <th scope="col">{insteadColumns.policy}</th>
          <th scope="col" className="number" title={insteadColumns.keptHint}>
            {insteadColumns.kept}
          </th>
          <th scope="col" className="number" title={insteadColumns.namedHint}>
            {insteadColumns.named}
          </th>
          <th scope="col" className="number" title={insteadColumns.detailsHint}>
            {insteadColumns.details}
          </th>
          <th scope="col" className="number">
            {insteadColumns.tokens}
          </th>
        </tr>
      </thead>
      <tbody>
        {[harness, ...one.instead].map((answer, at) => (
          <tr key={answer.policy} className={at === 0 ? 'own' : ''} data-policy={answer.policy}>
            <th scope="row">{answer.policy}</th>
            <td className="number">{count(answer.n_kept)}</td>
            <td className="number">{count(answer.n_named)}</td>
            <td className="number">{neededShare(answer.details)}</td>
            <td className="number" title={answer.is_over ? words.overHint : undefined}>
              {answer.is_over && <span className="badge warn ml-8">{words.over}</span>} {count(answer.tokens)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
