import type { ConsumerRow } from '../../lib/ipc/generated/ConsumerRow'
import { useApp } from '../../lib/state/app'
import { count, endOfPath, perMille, short } from '../../lib/view/format'
import { words } from './words'

/** The most characters that are shown of a path: its end tells files apart. */
const PATH_CHARS = 40

interface Props {
  title: string
  about?: string
  consumers: readonly ConsumerRow[]
  testid: string
}

/** The parts of all requests, the largest first, each with a bar of its share. */
export function ConsumerTable({ title, about, consumers, testid }: Props) {
  if (consumers.length === 0) return null
  const { columns } = words
  const most = Math.max(...consumers.map(({ share }) => share), 1)
  return (
    <table className="compare consumers table-fixed" data-testid={testid}>
      <caption title={about}>{title}</caption>
      <thead>
        <tr>
          <th className="w-40%" scope="col">
            {columns.name}
          </th>
          <th scope="col">{columns.share}</th>
          <th scope="col" className="number">
            {columns.sent}
          </th>
          <th scope="col" className="number">
            {columns.tokens}
          </th>
          <th scope="col" className="number">
            {columns.blocks}
          </th>
        </tr>
      </thead>
      <tbody>
        {consumers.map((one) => (
          <tr key={`${one.kind} ${one.name}`} data-kind={one.kind}>
            <th scope="row">
              <ConsumerName one={one} />
            </th>
            <td className="share">
              <span className="share-bar inline-block w-60 h-8 mr-8" aria-hidden="true">
                <span
                  className="display-block h-full bg-band-text"
                  style={{ width: `${(100 * one.share) / most}%` }}
                />
              </span>
              {perMille(one.share)}
            </td>
            <td className="number">{short(one.sent)}</td>
            <td className="number">{count(one.tokens)}</td>
            <td className="number">{one.n_blocks === 0 ? '' : count(one.n_blocks)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ConsumerName({ one }: { one: ConsumerRow }) {
  const app = useApp()
  const { turn, line, block } = one
  const name = words.kinds[one.kind](one.name)
  const shown = one.kind === 'file' ? endOfPath(name, PATH_CHARS) : name
  if (turn === null || line === null || block === null)
    return (
      <span className="clip" title={name}>
        {shown}
      </span>
    )
  return (
    <button
      type="button"
      className="link clip"
      title={`${name}\n${words.largest}`}
      onClick={() => void app.navigation.showPlace({ turn, line, episode: null }, block)}
    >
      {shown}
    </button>
  )
}
