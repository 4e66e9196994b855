import { useApp } from '../../lib/state/app'
import type { Band } from '../../lib/ipc/generated/Band'
import type { CompareColumn } from '../../lib/ipc/generated/CompareColumn'
import type { CompareAnswer } from '../../lib/ipc/generated/CompareAnswer'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { bandName } from '../../lib/canvas/timeline'
import { MEASURES, bestOf, peaks, valueAmong, type Measure } from '../../lib/view/comparison'
import { count, perMille, short } from '../../lib/view/format'
import { ColumnHead, MainHead } from './ColumnHead'
import { ownColour } from './Mark'
import { VerdictSaid } from './VerdictSaid'

/** The cells of a row: `null` until the column's present policy has its answer. */
type Cells = (CompareColumn | null)[]

/** The policies side by side: at the cut, and over the whole session. */
export function Figures() {
  const app = useApp()
  const columns = useStore(app.comparison.store, (state) => state.columns)
  const { answer, busy } = useStore(app.comparison.figures, (state) => state)
  const main = useStore(app.bench.store, (bench) => bench.view.policy)
  const policies = [main, ...columns.map((column) => column.policy)]
  const cells = policies.map((policy, at) => {
    const cell = answer?.columns[at]
    return cell?.policy === policy ? cell : null
  })
  const of = (group: Measure['group']) => MEASURES.filter((measure) => measure.group === group)
  const [total, ...ofCut] = of('cut')
  return (
    <div
      className="compare-figures scroll"
      tabIndex={0}
      role="region"
      aria-label={text.compare.parts.figures}
    >
      <VerdictSaid />
      <table className="compare" data-testid="compare-table" data-busy={busy} data-turn={answer?.turn ?? ''}>
        <thead>
          <tr>
            <th scope="col" className="compare-corner">
              {text.compare.policy}
              {answer && (
                <small className="display-block leading-17 text-s mt-6 whitespace-normal">
                  {text.compare.over(count(answer.n_requests))}
                </small>
              )}
            </th>
            <th scope="col">
              <MainHead />
            </th>
            {columns.map((column, at) => (
              <th key={at} scope="col">
                <ColumnHead column={column} at={at} />
              </th>
            ))}
          </tr>
        </thead>
        {answer ? (
          <>
            <tbody data-testid="compare-verdict">
              {of('verdict').map((measure) => (
                <Line key={measure.key} measure={measure} cells={cells} />
              ))}
            </tbody>
            <tbody>
              {of('checks').map((measure) => (
                <Line key={measure.key} measure={measure} cells={cells} />
              ))}
            </tbody>
            <tbody>
              <Group title={text.compare.at(count(answer.turn))} n={cells.length} />
              {total && <Line measure={total} cells={cells} />}
              <Bars cells={cells} />
              {ofCut.map((measure) => (
                <Line key={measure.key} measure={measure} cells={cells} />
              ))}
            </tbody>
            <tbody>
              <Group title={text.compare.more} n={cells.length} />
              {of('session').map((measure) => (
                <Line key={measure.key} measure={measure} cells={cells} />
              ))}
              <Sizes cells={cells} turn={answer.turn} />
            </tbody>
            <Bands cells={cells} turn={answer.turn} />
          </>
        ) : (
          <tbody>
            <tr>
              <td colSpan={policies.length + 1} className="muted p-24">
                {text.compare.waiting}
              </td>
            </tr>
          </tbody>
        )}
      </table>
      {answer && <Basis answer={answer} />}
    </div>
  )
}

/** Tells where the figures of money and cache come from: prices, cache rules, and the usage that the log reports. */
export function Basis({ answer }: { answer: Pick<CompareAnswer, 'price' | 'cache' | 'judged'> }) {
  return (
    <div className="basis max-w-96ch muted grid gap-4 text-s p-8-12">
      <p>{answer.price.says}</p>
      <p>{answer.cache.says}</p>
      {answer.judged && <p data-testid="compare-judged">{answer.judged.says}</p>}
      {answer.price.problems.map((problem, at) => (
        <p key={at} className="text-error">
          {problem}
        </p>
      ))}
    </div>
  )
}

function Group({ title, n }: { title: string; n: number }) {
  return (
    <tr className="compare-group">
      <th scope="rowgroup" colSpan={n + 1}>
        {title}
      </th>
    </tr>
  )
}

/** The lines that are amounts of money. */
const MONEY: ReadonlySet<string> = new Set(['cost', 'summaries'])

function Line({ measure, cells }: { measure: Measure; cells: Cells }) {
  const app = useApp()
  const price = useStore(app.comparison.figures, ({ answer }) => answer?.price.says)
  const [label, hint] = text.compare.measures[measure.key] ?? [measure.key, '']
  const counter = cells[0] ? text.tips.replayed(cells[0].counted_by) : undefined
  const known = cells.every((cell) => cell !== null)
  const best = known
    ? bestOf(
        cells.map((cell) => (cell ? valueAmong(measure, cell) : 0)),
        measure.better,
      )
    : new Set<number>()
  return (
    <tr data-measure={measure.key}>
      <th scope="row" title={hint} data-origin={MONEY.has(measure.key) ? price : counter}>
        {label}
      </th>
      {cells.map((cell, at) => (
        <td
          key={at}
          className={best.has(at) ? 'best' : undefined}
          data-value={cell ? measure.value(cell) : ''}
          data-policy={cell?.policy}
        >
          {cell && (
            <>
              {measure.key === 'hits' && <HitMeter cell={cell} />}
              <span>{measure.shown(cell)}</span>
              {measure.key === 'hits' && (
                <span className="muted">
                  {' '}
                  {text.compare.reachable(perMille(cell.recall.bound_per_mille))}
                </span>
              )}
              {measure.group === 'verdict' && <Impossible cell={cell} />}
              {measure.key === 'cost' && cell.frontier && (
                <span className="badge" title={text.compare.onFrontHint}>
                  {text.compare.onFront}
                </span>
              )}
              {best.has(at) && <span className="badge ok">{text.compare.best}</span>}
            </>
          )}
        </td>
      ))}
    </tr>
  )
}

/** Marks figures of requests that the model would refuse. */
function Impossible({ cell }: { cell: CompareColumn }) {
  if (cell.beyond_window === 0) return null
  return (
    <span className="badge" title={text.compare.impossibleHint(count(cell.beyond_window))}>
      {text.compare.impossible}
    </span>
  )
}

/** A bar of the hits, with a mark at the most that could be reached. */
function HitMeter({ cell }: { cell: CompareColumn }) {
  const { hit_per_mille: hit, bound_per_mille: bound } = cell.recall
  return (
    <span
      className="hit-meter inline-block bg-panel2 relative rounded-2 mr-8 w-64 h-7"
      role="img"
      aria-label={text.compare.meterAlt(perMille(hit), perMille(bound))}
    >
      <i className="absolute rounded-2 top-0 bottom-0 left-0 bg-active" style={{ width: `${hit / 10}%` }} />
      <b className="absolute w-2 -top-2 -bottom-2 bg-text" style={{ left: `${bound / 10}%` }} />
    </span>
  )
}

/** The bands of each request as shares. The figure above compares the sizes. */
function Bars({ cells }: { cells: Cells }) {
  return (
    <tr>
      <th scope="row">{text.compare.madeOf}</th>
      {cells.map((cell, at) => (
        <td key={at}>
          {cell && (
            <span className="band-bar flex overflow-hidden rounded-2 gap-1 h-13" aria-hidden="true">
              {cell.bands
                .filter(([, tokens]) => tokens > 0)
                .map(([band, tokens]) => (
                  <i
                    className="min-w-1"
                    key={band}
                    title={`${bandName(band)} ${count(tokens)}`}
                    style={{ flexGrow: tokens, background: `var(--band-${band})` }}
                  />
                ))}
            </span>
          )}
        </td>
      ))}
    </tr>
  )
}

const SPARK = { wide: 150, high: 30 }

/**
 * The size of every request as a small chart, all columns at one scale, with τ and the cut. The scale fits requests that
 * are held near τ: a history without eviction runs out of the picture.
 */
function Sizes({ cells, turn }: { cells: Cells; turn: number }) {
  const most = Math.max(1, ...cells.map((cell) => Math.min(cell?.max_total ?? 0, 1.6 * (cell?.budget ?? 0))))
  const { wide, high } = SPARK
  const y = (tokens: number) => high - 1 - (tokens / most) * (high - 3)
  return (
    <tr className="compare-sizes">
      <th scope="row">{text.compare.sizes}</th>
      {cells.map((cell, at) => {
        if (!cell) return <td key={at} />
        const values = peaks(cell.after, wide)
        const x = (place: number) => (place / Math.max(1, values.length - 1)) * wide
        const line = values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
        const cut = ((turn - 1) / Math.max(1, cell.after.length - 1)) * wide
        return (
          <td key={at}>
            <svg
              className="display-block overflow-hidden w-full sizes h-34"
              style={ownColour(at)}
              viewBox={`0 0 ${wide} ${high}`}
              preserveAspectRatio="none"
              role="img"
              aria-label={text.compare.sizesAlt(cell.policy, short(cell.mean_total), short(cell.max_total))}
            >
              <polygon points={`0,${high} ${line} ${wide},${high}`} />
              <polyline points={line} />
              {cell.budget <= most && (
                <line className="tau-line" x1="0" x2={wide} y1={y(cell.budget)} y2={y(cell.budget)} />
              )}
              <line className="cut-line" x1={cut} x2={cut} y1="0" y2={high} />
            </svg>
          </td>
        )
      })}
    </tr>
  )
}

/** Tokens of each band, the largest share of the picture last, as in the timeline read from the top. */
function Bands({ cells, turn }: { cells: Cells; turn: number }) {
  const names = [...new Set(cells.flatMap((cell) => cell?.bands.map(([band]) => band) ?? []))]
  const of = (cell: CompareColumn | null, name: Band) => cell?.bands.find(([band]) => band === name)?.[1] ?? 0
  const shown = names.filter((name) => cells.some((cell) => of(cell, name) > 0)).reverse()
  return (
    <tbody>
      <Group title={text.compare.byKind(count(turn))} n={cells.length} />
      {shown.map((name) => (
        <tr key={name} data-measure={`band-${name}`}>
          <th scope="row">
            <i className="swatch" style={{ background: `var(--band-${name})` }} /> {bandName(name)}
          </th>
          {cells.map((cell, at) => (
            <td key={at} data-value={cell ? of(cell, name) : ''}>
              {cell && count(of(cell, name))}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  )
}
