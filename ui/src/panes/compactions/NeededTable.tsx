import type { NeededNames } from '../../lib/ipc/generated/NeededNames'
import { useApp } from '../../lib/state/app'
import { count } from '../../lib/view/format'
import { words } from './words'

/** The colour of what became of a name. */
const FATE_TONE = { lost: 'text-error', untold: 'muted', named: 'text-warn-text', kept: 'text-ok' } as const

/** The names that were used again after a compaction, those that were lost first. */
export function NeededTable({ needed }: { needed: NeededNames }) {
  const app = useApp()
  if (needed.names.length === 0) return null
  const { columns, kinds, fates, fateHints } = words
  return (
    <table className="compare table-fixed" data-testid="needed" data-names={needed.n_names}>
      <caption>{words.needed(count(needed.n_names))}</caption>
      <thead>
        <tr>
          <th className="w-45%" scope="col">
            {columns.name}
          </th>
          <th scope="col">{columns.kind}</th>
          <th scope="col">{columns.fate}</th>
          <th scope="col" className="number">
            {columns.turn}
          </th>
          <th scope="col" className="number">
            {columns.uses}
          </th>
          <th scope="col" className="number">
            {columns.again}
          </th>
        </tr>
      </thead>
      <tbody>
        {needed.names.map((name, at) => (
          <tr key={at} data-fate={name.fate}>
            <th scope="row" title={name.name}>
              <code className="clip display-block">{name.name}</code>
            </th>
            <td className="muted">{kinds[name.kind]}</td>
            <td title={fateHints[name.fate]}>
              <span className={FATE_TONE[name.fate]}>{fates[name.fate]}</span>
            </td>
            <td className="number">
              <button
                type="button"
                className="link"
                title={words.usedHint}
                onClick={() => app.bench.moveTo({ turn: name.turn, step: Number.MAX_SAFE_INTEGER })}
              >
                {count(name.turn)}
              </button>
            </td>
            <td className="number">{count(name.n_uses)}</td>
            <td className="number">{name.again_tokens === null ? '' : count(name.again_tokens)}</td>
          </tr>
        ))}
        {needed.n_names > needed.names.length && (
          <tr>
            <td colSpan={6} className="muted">
              {words.more(count(needed.n_names - needed.names.length))}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  )
}
