import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, type CSSProperties } from 'react'

import { failureTitle } from '../../lib/error/table'
import type { CorpusColumnRow } from '../../lib/ipc/generated/CorpusColumnRow'
import type { CorpusRow } from '../../lib/ipc/generated/CorpusRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { NAME_WIDTH, cellText, isFigure, nameOf, widthOf } from '../../lib/view/corpus'

const ROW_PX = 28
/** The column that sorts by the names. */
const NAME = 'title'

/** The rows of a corpus. Only those in view are fetched and drawn. */
export function CorpusTable() {
  'use no memo'
  const app = useApp()
  const { corpora } = app
  const state = useStore(corpora.store, (value) => value)
  const { n } = useStore(corpora.pages.store, (pages) => pages)
  const scroller = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(corpora.at)
  const columns = corpora.columns(state)
  const widths = [NAME_WIDTH, ...columns.map(widthOf)]
  const list = useVirtualizer({
    count: n,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    scrollPaddingStart: ROW_PX,
    overscan: 12,
  })
  const places = list.getVirtualItems()
  const [first, last] = [places[0]?.index ?? 0, places.at(-1)?.index ?? 0]
  useEffect(() => corpora.pages.ensure(first, last), [corpora, first, last, state])
  // The table stands where it stood before a session of it was opened.
  const isPlaced = useRef(false)
  useLayoutEffect(() => {
    if (isPlaced.current || n === 0 || !scroller.current) return
    isPlaced.current = true
    scroller.current.scrollTop = corpora.scrolled.top
    scroller.current.scrollLeft = corpora.scrolled.left
  }, [corpora, n])
  const wish = [state.find, state.harness, state.format, state.model, state.sort, state.down].join('\n')
  const wished = useRef(wish)
  useLayoutEffect(() => {
    if (wished.current === wish) return
    wished.current = wish
    if (scroller.current) scroller.current.scrollTop = 0
    setAt(null)
  }, [wish])
  const choose = (next: number) => {
    corpora.at = next
    setAt(next)
  }
  const open = (row: CorpusRow, place: number) => {
    choose(place)
    corpora.open(row)
  }
  const move = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const row = at === null ? undefined : corpora.pages.at(at)
    if (event.key === 'Enter' && row && at !== null && event.target === event.currentTarget) open(row, at)
    else {
      const to = placeOf(event.key, at, n)
      if (to === null) return
      choose(to)
      list.scrollToIndex(to)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const style = {
    '--cols': widths.map((width) => `${width}px`).join(' '),
    '--wide': `${widths.reduce((sum, width) => sum + width, 0)}px`,
  } as CSSProperties
  return (
    <div
      ref={scroller}
      className="rows scroll relative corpus-table"
      role="table"
      aria-label={text.corpus.table}
      aria-rowcount={n + 1}
      aria-colcount={columns.length + 1}
      tabIndex={0}
      style={style}
      onKeyDown={move}
      onScroll={({ currentTarget: { scrollTop: top, scrollLeft: left } }) =>
        (corpora.scrolled = { top, left })
      }
    >
      <div
        className="table-row corpus-row table-head grid h-28 text-s muted bg-page border-b top-0 sticky z-2"
        role="row"
        aria-rowindex={1}
      >
        <Head name={NAME} label={text.corpus.session} />
        {columns.map((column) => (
          <Head key={column.name} name={column.name} label={nameOf(column)} column={column} />
        ))}
      </div>
      <div className="rows-inner relative" role="rowgroup" style={{ height: list.getTotalSize() }}>
        {places.map(({ index, start }) => {
          const row = corpora.pages.at(index)
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={index === at}
              className={`grid h-28 bg-page absolute top-0 left-0 border-b-soft table-row corpus-row ${index === at ? 'selected' : ''} ${row?.target ? 'opens' : ''}`}
              style={{ transform: `translateY(${start}px)` }}
              data-testid="corpus-row"
              data-log={row?.log}
              data-target={row?.target}
              onClick={() => row && (row.target === null ? choose(index) : open(row, index))}
            >
              {row && <Cells row={row} columns={columns} onOpen={() => open(row, index)} />}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** The place that a key leads to; `null` for other keys. */
function placeOf(key: string, at: number | null, n: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(n - 1, (at ?? -1) + 1)
    case 'ArrowUp':
      return Math.max(0, (at ?? 1) - 1)
    case 'Home':
      return 0
    case 'End':
      return n - 1
    default:
      return null
  }
}

interface HeadProps {
  name: string
  label: string
  column?: CorpusColumnRow
}

/** The head of a column, by which the rows are sorted. */
function Head({ name, label, column }: HeadProps) {
  const app = useApp()
  const sort = useStore(app.corpora.store, (state) => state.sort)
  const down = useStore(app.corpora.store, (state) => state.down)
  const isSorted = sort === name
  const right = column !== undefined && isFigure(column)
  const unit = column?.unit === '' || column === undefined ? '' : ` (${column.unit})`
  return (
    <span
      role="columnheader"
      className={right ? 'number' : column ? '' : 'corpus-name'}
      aria-sort={isSorted ? (down ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        className="link"
        title={column && `${column.name}${unit}: ${column.about}`}
        data-testid={`sort-${name}`}
        onClick={() => app.corpora.sortBy(name, right)}
      >
        {label}
        {isSorted && (down ? <ArrowDown size={11} aria-hidden /> : <ArrowUp size={11} aria-hidden />)}
      </button>
    </span>
  )
}

interface CellsProps {
  row: CorpusRow
  columns: readonly CorpusColumnRow[]
  onOpen: () => void
}

function Cells({ row, columns, onOpen }: CellsProps) {
  const { name, target, problem, is_hashed } = row
  const look = is_hashed ? 'clip mono muted' : 'clip'
  return (
    <>
      <span role="cell" className="corpus-name" title={target ?? text.corpus.noPlace}>
        {target === null ? (
          <span className={look}>{name}</span>
        ) : (
          <button
            type="button"
            className={`text-main corpus-open ${look}`}
            aria-label={text.corpus.open(name)}
            tabIndex={-1}
            onClick={(event) => {
              event.stopPropagation()
              onOpen()
            }}
          >
            {name}
          </button>
        )}
        {problem !== null && <span className="badge warn">{failureTitle(problem)}</span>}
      </span>
      {columns.map((column, at) => {
        const shown = cellText(column.kind, row.cells[at])
        return (
          <span
            key={column.name}
            role="cell"
            className={isFigure(column) ? 'number' : ''}
            title={column.kind === 'text' && shown !== '' ? shown : undefined}
          >
            <span className="clip">{shown}</span>
          </span>
        )
      })}
    </>
  )
}
