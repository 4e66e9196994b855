import { Popover } from '@base-ui/react/popover'
import { CircleQuestionMark } from 'lucide-react'
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { missTurns } from '../../lib/view/series'
import { Ball } from '../shared/Ball'

type MarkName = keyof typeof text.legend.marks

interface Mark {
  name: MarkName
  glyph: ReactNode
  n?: number
}

const GLYPHS: Record<MarkName, ReactNode> = {
  inferred: <i className="dotted inline-block h-9 w-14" />,
  stripped: <i className="dash inline-block w-16" />,
  human: <i className="tri inline-block" />,
  pass: <i className="tick bg-error inline-block h-11 w-2" />,
  reacquisition: (
    <svg className="flex-none w-12 h-11" viewBox="0 0 11 11" aria-hidden fill="none" stroke="var(--text)">
      <path strokeWidth="1.4" d="M8 3A3.5 3.5 0 1 1 5 2" />
      <path d="M5 0L8.4 2L5 4Z" fill="var(--text)" stroke="none" />
    </svg>
  ),
  compaction: (
    <svg className="flex-none w-12 h-11 pressed" viewBox="0 0 14 10" aria-hidden>
      <path d="M1 1L6 5L1 9M13 1L8 5L13 9" />
    </svg>
  ),
  clearing: (
    <svg className="flex-none w-12 h-11 pressed" viewBox="0 0 12 10" aria-hidden>
      <path d="M3 1.5H9V8.5H3ZM1 9L11 1" />
    </svg>
  ),
  loss: (
    <svg className="flex-none w-12 h-11 pressed" viewBox="0 0 12 10" aria-hidden>
      <path d="M4.5 1H2V9H4.5M7.5 1H10V9H7.5" />
    </svg>
  ),
  miss: (
    <svg className="flex-none w-12 h-11 pressed" viewBox="0 0 10 10" aria-hidden>
      <path d="M2 2L8 8M8 2L2 8" />
    </svg>
  ),
  recorded: (
    <svg className="flex-none w-12 h-11" viewBox="0 0 10 10" aria-hidden>
      <path d="M5 0L10 5L5 10L0 5Z" fill="var(--text)" />
    </svg>
  ),
}

/** The marks that this session's graph and timeline have: those that always may be there, and those that are. */
function useMarks(): Mark[] {
  const app = useApp()
  const isCompacted = useStore(app.bench.store, (bench) => (bench.history?.compactions.length ?? 0) > 0)
  const isCleared = useStore(app.bench.store, (bench) => (bench.history?.clearings.length ?? 0) > 0)
  const nLosses = useStore(app.bench.store, (bench) => bench.history?.losses.length ?? 0)
  const hasMisses = useStore(app.bench.store, ({ history }) => !!history && missTurns(history).length > 0)
  const hasPasses = useStore(
    app.bench.store,
    (bench) => bench.session?.recorded?.passes.some((pass) => pass.turn !== null) ?? false,
  )
  const nReacquisitions = useStore(app.reacquisitions.store, () => app.reacquisitions.byEpisode.size)
  const isInferred = useStore(
    app.bench.store,
    ({ graph }) => graph?.episodes.some(({ source }) => source === 'inferred') ?? false,
  )
  const names: MarkName[] = ['stripped', 'human', 'pass']
  if (isInferred) names.unshift('inferred')
  if (nReacquisitions > 0) names.push('reacquisition')
  if (isCompacted) names.push('compaction')
  if (isCleared) names.push('clearing')
  if (nLosses > 0) names.push('loss')
  if (hasMisses) names.push('miss')
  if (hasPasses) names.push('recorded')
  return names.map((name) => ({
    name,
    glyph: GLYPHS[name],
    ...(name === 'reacquisition' ? { n: nReacquisitions } : {}),
  }))
}

/** Counts the marks for which the line has no room: those in a row below the first, or all where the line is not shown. */
function useUnseen(line: RefObject<HTMLDivElement | null>, n: number): number {
  const [unseen, setUnseen] = useState(0)
  useLayoutEffect(() => {
    const element = line.current
    if (!element) return
    const look = () => {
      const { bottom, height } = element.getBoundingClientRect()
      const marks = [...element.children]
      setUnseen(
        height === 0 ? n : marks.filter((mark) => mark.getBoundingClientRect().top >= bottom - 1).length,
      )
    }
    const watch = new ResizeObserver(look)
    watch.observe(element)
    look()
    return () => watch.disconnect()
  }, [line, n])
  return unseen
}

/** The marks of graph and timeline: in the line as many as there is room for; all of them, and the levels, behind the button. */
export function Marks({ levels }: { levels: readonly { name: string; level: number; n: number }[] }) {
  const app = useApp()
  const marks = useMarks()
  const line = useRef<HTMLDivElement>(null)
  const nUnseen = useUnseen(line, marks.length)
  return (
    <>
      <div
        ref={line}
        className="legend-marks row min-w-0 flex-wrap overflow-hidden flex-shrinks gap-x-8 h-31"
      >
        {marks.map(({ name, glyph, n }) =>
          name === 'reacquisition' ? (
            <button
              key={name}
              type="button"
              className="link inline-row gap-6"
              title={text.legend.marks[name].about}
              data-testid={`legend-${name}`}
              data-count={n}
              onClick={() => app.setTab('reacquisitions')}
            >
              {glyph} {text.legend.marks[name].word} {n !== undefined && <b>{count(n)}</b>}
            </button>
          ) : (
            <span
              key={name}
              className="inline-row gap-6"
              title={text.legend.marks[name].about}
              data-testid={`legend-${name}`}
              data-count={n}
            >
              {glyph} {text.legend.marks[name].word} {n !== undefined && <b>{count(n)}</b>}
            </span>
          ),
        )}
      </div>
      <Popover.Root>
        <Popover.Trigger
          className="button quiet legend-all flex-none small"
          aria-label={
            nUnseen > 0 ? `${text.legend.more(count(nUnseen))}: ${text.legend.all}` : text.legend.all
          }
          title={text.legend.all}
          data-testid="legend-all"
        >
          <CircleQuestionMark size={14} />
          {nUnseen > 0 && (
            <span className="legend-unseen text-s" data-testid="legend-unseen">
              {text.legend.more(count(nUnseen))}
            </span>
          )}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner className="z-40" sideOffset={6} align="end" collisionPadding={8}>
            <Popover.Popup className="popup source-popup w-340" tabIndex={0} data-testid="legend-popup">
              <Popover.Title className="m-12-0-4 text-s semibold">{text.legend.all}</Popover.Title>
              <dl className="stack gap-8">
                {levels.map(({ name, level, n }) => (
                  <div key={name}>
                    <dt className="row gap-8">
                      <span className="flex justify-center flex-none w-18">
                        <Ball level={level} size={12} />
                      </span>
                      {name} <b>{count(n)}</b>
                    </dt>
                    <dd className="muted ml-24">{text.legend.levelAbout[level]}</dd>
                  </div>
                ))}
                <div>
                  <dt className="row gap-8">
                    <span className="flex justify-center flex-none w-18">
                      <i className="dotted inline-block h-9 w-14" />
                    </span>
                    {text.legend.height.word}
                  </dt>
                  <dd className="muted ml-24">{text.legend.height.about}</dd>
                </div>
                {marks.map(({ name, glyph }) => (
                  <div key={name}>
                    <dt className="row gap-8">
                      <span className="flex justify-center flex-none w-18">{glyph}</span>
                      {text.legend.marks[name].word}
                    </dt>
                    <dd className="muted ml-24">{text.legend.marks[name].about}</dd>
                  </div>
                ))}
              </dl>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </>
  )
}
