import type { Ref } from 'react'

import type { MissRow } from '../../lib/ipc/generated/MissRow'
import { useApp } from '../../lib/state/app'
import { capital, count, money } from '../../lib/view/format'
import { words } from './words'

interface Props {
  misses: readonly MissRow[]
  nMisses: number
  ref: Ref<HTMLElement>
}

/** The requests that did not read from the prompt cache what they should have read. */
export function MissTable({ misses, nMisses, ref }: Props) {
  const app = useApp()
  if (misses.length === 0) return null
  const { missColumns: columns } = words
  return (
    <section ref={ref} className="overview-misses">
      <table className="compare misses" data-testid="misses">
        <caption>{words.misses}</caption>
        <thead>
          <tr>
            <th scope="col" className="number">
              {columns.turn}
            </th>
            <th scope="col" className="number">
              {columns.tokens}
            </th>
            <th scope="col" className="number">
              {columns.cost}
            </th>
            <th scope="col">{columns.why}</th>
          </tr>
        </thead>
        <tbody>
          {misses.map((miss) => (
            <tr key={miss.turn}>
              <td className="number">
                <button
                  type="button"
                  className="link"
                  onClick={() => app.bench.moveTo({ turn: miss.turn, step: Number.MAX_SAFE_INTEGER })}
                >
                  {count(miss.turn)}
                </button>
              </td>
              <td className="number">{count(miss.tokens)}</td>
              <td className="number">{miss.cost === 0 ? '' : money(miss.cost)}</td>
              <td>{capital(miss.says)}.</td>
            </tr>
          ))}
        </tbody>
      </table>
      {nMisses > misses.length && <p className="muted">{words.moreMisses(count(nMisses - misses.length))}</p>}
    </section>
  )
}
