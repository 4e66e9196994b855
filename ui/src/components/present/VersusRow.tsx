import type { CompareColumnDto } from '../../lib/ipc/generated/CompareColumnDto'
import { useApp } from '../../lib/state/app'
import { COMPACTION } from '../../lib/state/presenter'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'

/** The same turn under compaction, in figures. */
export function VersusRow() {
  const app = useApp()
  const { answer, failure } = useStore(app.presenter.figures, (state) => state)
  if (!answer || failure) return <div className="versus" aria-live="polite" />
  const columns: [string, CompareColumnDto][] = [
    [answer.shown.policy, answer.shown],
    [answer.shown.policy === COMPACTION ? COMPACTION : text.present.compaction, answer.compaction],
  ]
  return (
    <table className="versus" data-testid="versus">
      <thead>
        <tr>
          <td />
          <th scope="col">{text.present.sentNow}</th>
          <th scope="col">{text.present.gone}</th>
          <th scope="col">{text.present.found}</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(([name, column], at) => (
          <tr key={at} data-policy={column.policy}>
            <th scope="row">{name}</th>
            <td>{count(column.total)}</td>
            <td>{count(column.gone_tokens)}</td>
            <td>
              {column.look_back.uses === 0
                ? text.present.noFound
                : `${(column.look_back.hit_per_mille / 10).toFixed(1)} %`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
