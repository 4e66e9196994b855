import { useEffect, useRef, useState, type RefObject } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import type { Neighbour, Neighbourhood as Hood } from '../../lib/view/distance'
import { EpisodeCard } from './EpisodeCard'

interface Props {
  idx: number
  hood: Hood
  /** True where there is no room for three columns. */
  isNarrow: boolean
  go: (idx: number, by: keyof Hood) => void
  chosen: RefObject<HTMLElement | null>
}

/** The chosen episode between what it draws on and what draws on it, with the edges. */
export function Neighbourhood({ idx, hood, isNarrow, go, chosen }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const column = (by: keyof Hood) => (
    <Side
      key={by}
      title={text.near[by]}
      none={text.near.none[by]}
      neighbours={hood[by]}
      onSelect={(one) => go(one, by)}
      by={by}
    />
  )
  return (
    <div
      ref={root}
      className={`grid relative gap-8-32 p-8-12 ${isNarrow ? '' : 'h-full near-columns'}`}
      data-testid="neighbourhood"
    >
      {column('sources')}
      <div className="stack justify-center min-w-0 min-h-0">
        <EpisodeCard key={idx} idx={idx} isChosen ref={chosen} />
      </div>
      {column('users')}
      {!isNarrow && <Edges root={root} idx={idx} hood={hood} />}
    </div>
  )
}

/** How many episodes of a side are shown at first. */
const FIRST_SHOWN = 12

interface SideProps {
  title: string
  none: string
  by: keyof Hood
  neighbours: readonly Neighbour[]
  onSelect: (idx: number) => void
}

function Side({ title, none, by, neighbours, onSelect }: SideProps) {
  const [most, setMost] = useState(FIRST_SHOWN)
  const more = neighbours.length - most
  return (
    <section className="stack min-w-0 min-h-0" aria-label={title} data-testid={`near-${by}`}>
      <p className="muted text-s semibold mb-4 flex-none">
        {title} {neighbours.length > 0 && <b>{count(neighbours.length)}</b>}
      </p>
      <div className="scroll near-list stack gap-6 relative">
        {neighbours.length === 0 && <p className="muted">{none}</p>}
        {neighbours.slice(0, most).map(({ idx, isImplicit }) => (
          <EpisodeCard key={idx} idx={idx} isImplicit={isImplicit} onSelect={() => onSelect(idx)} />
        ))}
        {more > 0 && (
          <button type="button" className="link muted" onClick={() => setMost(most + 4 * FIRST_SHOWN)}>
            {text.near.more(count(more))}
          </button>
        )}
      </div>
    </section>
  )
}

/** A line between two cards, in pixels of the picture. */
interface Line {
  key: string
  d: string
  isDashed: boolean
  isImplicit: boolean
}

/** The edges between the cards, dashed where the source has lost something; a card that is scrolled away has none. */
function Edges({ root, idx, hood }: { root: RefObject<HTMLDivElement | null>; idx: number; hood: Hood }) {
  const app = useApp()
  const levels = useStore(app.bench.store, (bench) => bench.levels)
  const [lines, setLines] = useState<Line[]>([])
  useEffect(() => {
    const place = root.current
    if (!place) return
    const look = () => setLines(linesOf(place, idx, levels))
    const watch = new ResizeObserver(look)
    for (const card of place.querySelectorAll('.near-card')) watch.observe(card)
    watch.observe(place)
    place.addEventListener('scroll', look, true)
    look()
    return () => {
      watch.disconnect()
      place.removeEventListener('scroll', look, true)
    }
  }, [root, idx, hood, levels])
  return (
    <svg
      fill="none"
      stroke="var(--edge)"
      className="absolute inset-0 w-full h-full pointer-none"
      aria-hidden="true"
    >
      {lines.map(({ key, d, isDashed, isImplicit }) => (
        <path
          key={key}
          d={d}
          data-testid="near-edge"
          data-dashed={isDashed}
          strokeDasharray={isImplicit ? '1 4' : isDashed ? '5 4' : undefined}
        />
      ))}
    </svg>
  )
}

function linesOf(place: HTMLElement, chosen: number, levels: ArrayLike<number>): Line[] {
  const frame = place.getBoundingClientRect()
  // While a card flies it is elsewhere; its own place is that of the layout.
  const boxOf = (element: HTMLElement) => {
    let [left, top] = [0, 0]
    for (
      let at: HTMLElement | null = element;
      at && at !== place;
      at = at.offsetParent as HTMLElement | null
    ) {
      left += at.offsetLeft - (at === element ? 0 : at.scrollLeft)
      top += at.offsetTop - (at === element ? 0 : at.scrollTop)
    }
    return { left, top, right: left + element.offsetWidth, middle: top + element.offsetHeight / 2 }
  }
  const card = place.querySelector<HTMLElement>('[data-chosen]')
  if (!card || frame.width === 0) return []
  const centre = boxOf(card)
  return [...place.querySelectorAll<HTMLElement>('button.near-card')].flatMap((other) => {
    const idx = Number(other.dataset.flight)
    const box = boxOf(other)
    const list = other.closest<HTMLElement>('.near-list')
    const seen = list && boxOf(list)
    if (!seen || box.middle < seen.top || box.middle > seen.top + list.offsetHeight) return []
    const isSource = box.right <= centre.left
    const [x0, y0, x1, y1] = isSource
      ? [box.right, box.middle, centre.left, centre.middle]
      : [centre.right, centre.middle, box.left, box.middle]
    const middle = (x0 + x1) / 2
    return [
      {
        key: `${other.dataset.flight}`,
        d: `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}m-6 -4l6 4l-6 4`,
        isDashed: (levels[isSource ? idx : chosen] ?? 0) > 0,
        isImplicit: other.dataset.implicit === 'true',
      },
    ]
  })
}
