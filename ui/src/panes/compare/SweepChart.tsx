import { useId, useMemo, useRef, useState } from 'react'

import { drawnPoint, rem } from '../../lib/canvas/drawn'
import { useApp } from '../../lib/state/app'
import { isPriced, type Series } from '../../lib/state/sweep'
import { useStore } from '../../lib/state/store'
import {
  MARGIN,
  NO_LINES,
  SIDES,
  alongLine,
  boxOf,
  chartOf,
  nearest,
  placed,
  type ChartPoint,
  type OnLine,
} from '../../lib/view/chart'
import { count, short } from '../../lib/view/format'
import { axesOf, figuresOf, pointText, type Metric, type Side } from '../../lib/view/sweep'
import { useDrawnSize } from '../../components/shared/useDrawnSize'
import { shapeOfSide } from './SideMark'
import { words } from './words'
import './sweep.css'

interface Props {
  series: readonly Series[]
  /** The letters are drawn so many times larger, for a room. */
  larger?: number
  onTake: (column: number, budget: number) => void
}

/** The point under the pointer: its series, and its place in it. */
interface Pointed {
  series: number
  at: number
}

/** Every τ of every policy as a point: one figure across, another up, the lines of both sides, and where the view stands now. */
export function SweepChart({ series, onTake, larger = 1 }: Props) {
  const app = useApp()
  const choice = useStore(app.sweep.choice, (state) => state)
  const answer = useStore(app.comparison.figures, (state) => state.answer)
  const box = useRef<HTMLDivElement>(null)
  const size = useDrawnSize(box)
  const { width, height } = { width: size.width / larger, height: size.height / larger }
  const [across, up] = axesOf(choice.x, choice.y, isPriced(series))
  const [x, y] = [across.key, up.key]
  const id = useId()
  const [hovered, setHovered] = useState<Pointed | null>(null)
  const [active, setActive] = useState<Pointed | null>(null)

  const now = useMemo(
    () =>
      series.map(({ column, view }) => {
        const found = answer?.columns[column]
        if (!found || found.policy !== view.policy) return null
        const { budget, cost, recall, probes, found: counts, n_steps, over_budget } = found
        return {
          budget,
          cost,
          recall,
          probes,
          found: counts,
          n_steps,
          over_budget_turns: over_budget.length,
        }
      }),
    [series, answer],
  )
  const uncapped = series[0]?.answer?.uncapped ?? null
  const frontier = useStore(app.sweep.frontier, (state) => state.answer)
  const lines = useMemo(() => {
    if (!frontier) return NO_LINES
    const lineOf = (side: Side) =>
      frontier.lines[side].flatMap(({ series: of, at }): OnLine[] => {
        const figures = at === null ? undefined : series[of]?.answer?.points[at]
        return figures && at !== null ? [{ series: of, at, figures }] : []
      })
    return { cwl: lineOf('cwl'), others: lineOf('others') }
  }, [frontier, series])
  const chart = useMemo(
    () =>
      chartOf(
        series.map((one) => one.answer?.points ?? []),
        [...(now[0] ? [now[0]] : []), ...(uncapped && x !== 'budget' && y !== 'budget' ? [uncapped] : [])],
        across,
        up,
        width,
        height,
        lines,
      ),
    [series, now, uncapped, x, y, across, up, width, height, lines],
  )
  const pointOf = (pointed: Pointed | null) =>
    pointed ? (chart.series[pointed.series]?.[pointed.at] ?? null) : null
  const shown = pointOf(hovered) ?? pointOf(active)
  const optionId = (point: Pointed) => `${id}-${point.series}-${point.at}`
  const take = (point: ChartPoint | null) => {
    const column = point && series[point.series]?.column
    if (point && point.budget !== null && column !== null && column !== undefined)
      onTake(column, point.budget)
  }
  const move = (event: React.KeyboardEvent) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key]
    if (event.key === 'Enter' || event.key === ' ') take(pointOf(active))
    else if (step) setActive(moved(chart.series, active, step[0] ?? 0, step[1] ?? 0))
    else return
    event.preventDefault()
  }
  const uncappedAt = useMemo(
    () => (uncapped && x !== 'budget' && y !== 'budget' ? chart.place(uncapped) : null),
    [uncapped, x, y, chart],
  )
  // The settings on the lines are drawn over the others.
  const inDrawnOrder = useMemo(
    () => chart.series.flat().sort((a, b) => Number(a.side !== null) - Number(b.side !== null)),
    [chart],
  )
  const nowAt = useMemo(() => (now[0] ? chart.place(now[0]) : null), [now, chart])
  const names = useMemo(() => {
    const all = chart.series.flat()
    const isDecided = all.some((point) => point.side !== null)
    const dots = all.map(({ px, py, side }) => ({ px, py, r: side === null ? 3 : 6 }))
    const keepClear = [...dots, ...SIDES.flatMap((side) => alongLine(chart.lines[side]))]
    const current = now[0]
    const labels = [
      ...(current
        ? [
            {
              ...chart.place(current),
              words: words.current(short(current.budget ?? 0)),
              kind: 'current',
            },
          ]
        : []),
      ...(uncappedAt ? [{ ...uncappedAt, words: words.uncapped, kind: '' }] : []),
      // The settings on the lines are named; without lines the points of the main policy are.
      ...all
        .filter((point) => (isDecided ? point.side !== null : point.series === 0))
        .map((point) => ({
          px: point.px,
          py: point.py,
          words: isDecided
            ? `${series[point.series]?.view.policy ?? ''} ${short(point.budget ?? 0)}`
            : short(point.budget ?? 0),
          kind: point.side ?? '',
        })),
    ]
    const title = boxOf({ x: 6, y: MARGIN.top - 4, words: words.metrics[y] })
    return placed(labels, keepClear, [title], width, height).map((one) => ({
      ...one,
      kind: labels.find(({ words }) => words === one.words)?.kind ?? '',
    }))
  }, [chart, now, uncappedAt, series, y, width, height])

  return (
    <div
      ref={box}
      className="chart relative overflow-hidden"
      role="listbox"
      tabIndex={0}
      aria-label={words.chart(words.metrics[y], words.metrics[x])}
      aria-activedescendant={active && pointOf(active) ? optionId(active) : undefined}
      title={shown ? undefined : words.chartHint}
      data-testid="sweep-chart"
      onKeyDown={move}
      onFocus={() => active === null && setActive(firstOf(chart.series))}
      onBlur={() => setActive(null)}
      onPointerMove={(event) => {
        const { x, y } = drawnPoint(event.currentTarget, event)
        setHovered(nearest(chart, x / larger, y / larger))
      }}
      onPointerLeave={() => setHovered(null)}
      onClick={() => take(pointOf(hovered))}
    >
      <svg
        className="display-block w-full h-full"
        viewBox={`0 0 ${width} ${height}`}
        fontSize={11}
        role="none"
      >
        <Axes chart={chart} x={across} y={up} width={width} height={height} />
        <clipPath id={`${id}-plot`}>
          <rect
            x={MARGIN.left}
            y={MARGIN.top}
            width={Math.max(0, width - MARGIN.left - MARGIN.right)}
            height={Math.max(0, height - MARGIN.top - MARGIN.bottom)}
          />
        </clipPath>
        {SIDES.map((side) => (
          <polyline
            key={side}
            className={`chart-line side-${side}`}
            clipPath={`url(#${id}-plot)`}
            data-testid={`sweep-line-${side}`}
            points={chart.lines[side].map(({ px, py }) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ')}
          />
        ))}
        {uncappedAt && (
          <g role="none" className="uncapped">
            <path d={`M${uncappedAt.px - 4} ${uncappedAt.py - 4}l8 8m0-8l-8 8`} />
          </g>
        )}
        {inDrawnOrder.map((point) => {
          const one = series[point.series]
          if (!one) return null
          const lit = shown?.series === point.series && shown.at === point.at
          return (
            <path
              key={optionId(point)}
              id={optionId(point)}
              role="option"
              aria-selected={now[point.series]?.budget === point.budget}
              aria-label={`${words.point(one.view.policy, count(point.budget ?? 0))}, ${spoken(one, point.at)}`}
              className={`chart-point side-${point.side ?? 'rest'} ${lit ? 'lit' : ''}`}
              d={shapeOfSide(point.side)}
              transform={`translate(${point.px - 6} ${point.py - 6})`}
              data-budget={point.budget}
              data-policy={one.view.policy}
              data-side={point.side ?? ''}
            />
          )
        })}
        {nowAt && (
          <g role="none" className="chart-now">
            <circle
              cx={nowAt.px}
              cy={nowAt.py}
              r="9.5"
              data-testid="sweep-now"
              data-budget={now[0]?.budget}
            />
          </g>
        )}
        {names.map(({ x: left, y: line, words: name, kind }, at) => (
          <text key={at} className={`chart-name side-${kind} ${kind}`} fontSize={10.5} x={left} y={line}>
            {name}
          </text>
        ))}
      </svg>
      {shown && larger === 1 && <Tip series={series[shown.series]} point={shown} width={width} />}
    </div>
  )
}

function Axes(props: {
  chart: ReturnType<typeof chartOf>
  x: Metric
  y: Metric
  width: number
  height: number
}) {
  const { chart, x, y, width, height } = props
  const floor = height - MARGIN.bottom
  return (
    <g className="chart-axes" aria-hidden="true">
      {chart.yTicks.map(({ at, label }) => (
        <g key={at}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} y1={at} y2={at} />
          <text x={MARGIN.left - 7} y={at + 4} textAnchor="end">
            {label}
          </text>
        </g>
      ))}
      {chart.xTicks.map(({ at, label }) => (
        <g key={at}>
          <line x1={at} x2={at} y1={floor} y2={floor + 4} />
          <text x={at} y={floor + 16} textAnchor="middle">
            {label}
          </text>
        </g>
      ))}
      <line x1={MARGIN.left} x2={width - MARGIN.right} y1={floor} y2={floor} />
      <text className="semibold" x={width - MARGIN.right} y={height - 6} textAnchor="end">
        {words.metrics[x.key]} →
      </text>
      <text className="semibold" x={6} y={MARGIN.top - 4}>
        ↑ {words.metrics[y.key]}
      </text>
    </g>
  )
}

/** All figures of a point in one line. */
function spoken(series: Series, at: number): string {
  const point = series.answer?.points[at]
  if (!point) return ''
  return figuresOf(point)
    .map((metric) => `${words.metrics[metric.key]} ${pointText(metric, point)}`)
    .join(', ')
}

const TIP_PX = 230

function Tip({ series, point, width }: { series: Series | undefined; point: ChartPoint; width: number }) {
  const figures = series?.answer?.points[point.at]
  if (!series || !figures) return null
  const left = point.px + 16 + TIP_PX > width ? point.px - 16 - TIP_PX : point.px + 16
  return (
    <div
      className="tip"
      style={{ left: rem(Math.max(0, left)), top: rem(Math.max(4, point.py - 60)), width: rem(TIP_PX) }}
      role="presentation"
    >
      <div className="row gap-8">
        <strong className="break-anywhere">
          {words.point(series.view.policy, count(point.budget ?? 0))}
        </strong>
      </div>
      <dl className="tip-values mt-4">
        {figuresOf(figures).map((metric) => (
          <div key={metric.key}>
            <dt>{words.metrics[metric.key]}</dt>
            <dd>{pointText(metric, figures)}</dd>
          </div>
        ))}
      </dl>
      <p className="tip-text muted">{words.take}</p>
    </div>
  )
}

const firstOf = (series: readonly (readonly ChartPoint[])[]): Pointed | null => {
  const of = series.findIndex((points) => points.length > 0)
  return of < 0 ? null : { series: of, at: 0 }
}

/** One step along τ, or to the same place of another policy. */
function moved(
  series: readonly (readonly ChartPoint[])[],
  from: Pointed | null,
  by: number,
  along: number,
): Pointed | null {
  if (!from) return firstOf(series)
  const filled = series.flatMap((points, of) => (points.length > 0 ? [of] : []))
  const place = filled.indexOf(from.series)
  const of = filled[Math.max(0, Math.min(filled.length - 1, place + by))] ?? from.series
  const most = (series[of]?.length ?? 1) - 1
  return { series: of, at: Math.max(0, Math.min(most, from.at + along)) }
}
