import { useMemo, useRef, useState, type MouseEvent } from 'react'

import type { OverviewAnswer } from '../../lib/ipc/generated/OverviewAnswer'
import { useApp } from '../../lib/state/app'
import { count, money, short } from '../../lib/view/format'
import { columnsPath, condense, linePath, requestAt, runningSums } from '../../lib/view/requests'
import { useDrawnSize } from '../../components/shared/useDrawnSize'
import { words } from './words'

/** Heights of the two drawings, pixels. */
const SIZES_HEIGHT = 96
const COST_HEIGHT = 44

/** The size of each request against the model's window, and below it the cost so far. */
export function RequestChart({ overview }: { overview: OverviewAnswer }) {
  const app = useApp()
  const box = useRef<HTMLDivElement>(null)
  const { width } = useDrawnSize(box)
  const [hovered, setHovered] = useState<number | null>(null)
  const isReported = overview.reported.some((tokens) => tokens > 0)
  const sizes = isReported ? overview.reported : overview.counted
  const most = useMemo(() => sizes.reduce((one, other) => Math.max(one, other), 1), [sizes])
  const window = overview.window ?? 0
  // A window that is many times as large would press the columns flat; its line is then left out.
  const hasWindow = window > 0 && window <= 3 * most
  const top = Math.max(most, hasWindow ? window : 0) * 1.05
  const sums = useMemo(() => runningSums(overview.cost), [overview])
  const total = sums.at(-1) ?? 0
  const columns = useMemo(
    () => columnsPath(condense(sizes, width, Math.max), top, width, SIZES_HEIGHT),
    [sizes, top, width],
  )
  const line = useMemo(
    () => linePath(condense(sums, width, Math.max), total, width, COST_HEIGHT),
    [sums, total, width],
  )
  const placeOf = (event: MouseEvent<SVGSVGElement>) => {
    const { left, width: shown } = event.currentTarget.getBoundingClientRect()
    return requestAt(event.clientX - left, shown, sizes.length)
  }
  const pointer = {
    onMouseMove: (event: MouseEvent<SVGSVGElement>) => setHovered(placeOf(event)),
    onMouseLeave: () => setHovered(null),
    onClick: (event: MouseEvent<SVGSVGElement>) =>
      app.bench.moveTo({ turn: placeOf(event) + 1, step: Number.MAX_SAFE_INTEGER }),
  }
  const xOf = (turn: number) => (width * (turn - 1)) / sizes.length
  const said =
    hovered === null
      ? words.atHint
      : words.at(
          count(hovered + 1),
          count(sizes[hovered] ?? 0),
          total > 0 ? money(overview.cost[hovered] ?? 0) : null,
        )
  return (
    <div className="my-12" ref={box}>
      <p className="flex flex-wrap gap-4-10 mt-8">
        <b>{words.sizes}</b>
        <span className="muted">
          {isReported ? words.reported : words.counted}
          {hasWindow && `; ${words.window(short(window))}`}
        </span>
        <span className="grow" />
        <span className="muted" data-testid="overview-at">
          {said}
        </span>
      </p>
      <svg
        className="overview-chart display-block border-b cursor-pointer"
        width={width}
        height={SIZES_HEIGHT}
        role="img"
        aria-label={words.sizesAbout(count(sizes.length), count(most))}
        data-testid="request-sizes"
        {...pointer}
      >
        <path className="columns" d={columns} />
        {overview.replaced_turns.map((turn) => (
          <line key={turn} className="replaced" x1={xOf(turn)} x2={xOf(turn)} y1={0} y2={SIZES_HEIGHT} />
        ))}
        {hasWindow && (
          <line
            className="window"
            x1={0}
            x2={width}
            y1={SIZES_HEIGHT * (1 - window / top)}
            y2={SIZES_HEIGHT * (1 - window / top)}
          />
        )}
      </svg>
      {total > 0 && (
        <>
          <p className="flex flex-wrap gap-4-10 mt-8">
            <b>{words.costs}</b>
            <span className="muted">{money(total)}</span>
          </p>
          <svg
            className="overview-chart display-block border-b cursor-pointer"
            width={width}
            height={COST_HEIGHT}
            role="img"
            aria-label={words.costsAbout(money(total))}
            data-testid="request-costs"
            {...pointer}
          >
            <path className="cost" d={line} />
          </svg>
        </>
      )}
    </div>
  )
}
