import type { CompareColumn } from '../../lib/ipc/generated/CompareColumn'
import { useApp } from '../../lib/state/app'
import { COMPACTION } from '../../lib/state/presenter'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { costOf, count, perMille } from '../../lib/view/format'

/** The same turn under compaction, in figures: of this turn, and of the whole session. */
export function VersusRow() {
  const app = useApp()
  const { answer, failure } = useStore(app.presenter.figures, (state) => state)
  if (!answer || failure) return <div className="versus table-fixed flex-none w-full" aria-live="polite" />
  const columns: [string, CompareColumn][] = [
    [answer.shown.policy, answer.shown],
    [answer.shown.policy === COMPACTION ? COMPACTION : text.present.compaction, answer.compaction],
  ]
  const isAsked = answer.shown.probes.asked > 0
  return (
    <table className="versus table-fixed flex-none w-full" data-testid="versus" data-turn={answer.turn}>
      <colgroup>
        <col className="w-30%" />
        <col span={isAsked ? 5 : 4} />
      </colgroup>
      <thead>
        <tr>
          <td />
          <th scope="colgroup" colSpan={2}>
            {text.present.thisTurn(count(answer.turn))}
          </th>
          <th scope="colgroup" colSpan={isAsked ? 3 : 2}>
            {text.present.wholeSession(count(answer.nRequests))}
          </th>
        </tr>
        <tr>
          <td />
          <th scope="col">{text.present.sentNow}</th>
          <th scope="col">{text.present.gone}</th>
          <th scope="col">{text.present.found}</th>
          {isAsked && <th scope="col">{text.present.answered}</th>}
          <th scope="col">{text.present.cost}</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(([name, column], at) => (
          <tr key={at} data-policy={column.policy}>
            <th scope="row">
              {name}
              {column.cost.summary_calls > 0 && (
                <small className="muted display-block text-xs weight-400"> {text.present.standIn}</small>
              )}
            </th>
            <td data-figure="total">{count(column.total)}</td>
            <td data-figure="gone">{count(column.gone_tokens)}</td>
            <td data-figure="hits">
              {column.recall.uses === 0 ? text.present.noFound : perMille(column.recall.hit_per_mille)}
            </td>
            {isAsked && (
              <td data-figure="probes">
                {column.probes.answered_per_mille === null ? '' : perMille(column.probes.answered_per_mille)}
              </td>
            )}
            <td data-figure="cost">{costOf(column.cost, column.cost.total_cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
