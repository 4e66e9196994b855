import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, RotateCcw } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { linksOf } from '../../lib/view/edges'
import { count, percent } from '../../lib/view/format'
import { stateName } from '../../lib/view/levels'
import { episodeRows, sortRows, type Column, type EpisodeRow } from '../../lib/view/table'
import { NoteCount } from '../../components/notes/NoteButton'
import { Ball } from '../../components/shared/Ball'
import { Empty } from '../../components/shared/Empty'
import { PartChoice } from './PartChoice'
import { words } from './words'

const COLUMNS: Column[] = ['name', 'kind', 'level', 'kept', 'tokens', 'turns', 'links', 'again', 'problems']
const NUMBERS = new Set<Column>(['kept', 'tokens', 'links', 'again', 'problems'])

/** All episodes as a table, for reading and for screen readers. */
export function EpisodeTable() {
  'use no memo'
  const app = useApp()
  const graph = useStore(app.bench.calm, (bench) => bench.graph)
  const levels = useStore(app.bench.calm, (bench) => bench.levels)
  const left = useStore(app.bench.calm, (bench) => bench.left)
  const reacquisitions = useStore(app.reacquisitions.store, () => app.reacquisitions.byEpisode)
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  const [sort, setSort] = useState<{ column: Column; down: boolean }>({ column: 'turns', down: false })
  const [find, setFind] = useState('')
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => {
    if (!graph) return []
    const wanted = find.toLowerCase()
    const all = episodeRows(graph, linksOf(graph), levels, left, reacquisitions).filter((row) =>
      row.name.toLowerCase().includes(wanted),
    )
    return sortRows(all, sort.column, sort.down)
  }, [graph, levels, left, reacquisitions, sort, find])
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 12,
  })
  const move = (event: React.KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const at = rows.findIndex((row) => row.idx === selected)
    const next = Math.max(0, Math.min(rows.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)))
    app.bench.select(rows[next]?.idx ?? null)
    list.scrollToIndex(next)
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="pane">
      <div className="pane-bar flex-wrap">
        <PartChoice />
        <span className="pane-sum clip">
          <b>{count(rows.length)}</b> {words.tab.toLowerCase()}
        </span>
        <span className="grow" />
        <input
          className="input"
          type="search"
          data-find=""
          placeholder={words.find}
          aria-label={words.find}
          value={find}
          onChange={(event) => setFind(event.target.value)}
        />
      </div>
      {rows.length === 0 && <Empty title={words.none} />}
      <div
        ref={scroller}
        className="rows scroll relative table"
        role="table"
        aria-label={words.tab}
        aria-rowcount={rows.length + 1}
        tabIndex={0}
        onKeyDown={move}
      >
        <div
          className="table-row table-head grid gap-12 px-12 h-28 text-s muted bg-page border-b top-0 sticky z-2"
          role="row"
        >
          {COLUMNS.map((column) => (
            <span
              key={column}
              role="columnheader"
              className={NUMBERS.has(column) ? `cell-${column} number` : `cell-${column}`}
              aria-sort={sort.column === column ? (sort.down ? 'descending' : 'ascending') : 'none'}
            >
              <button
                type="button"
                className="link"
                onClick={() => setSort({ column, down: sort.column === column && !sort.down })}
              >
                {words.columns[column]}
                {sort.column === column && (sort.down ? <ArrowDown size={11} /> : <ArrowUp size={11} />)}
              </button>
            </span>
          ))}
        </div>
        <div className="rows-inner relative" role="rowgroup" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((place) => {
            const row = rows[place.index]
            return (
              row && (
                <TableRow
                  key={row.idx}
                  row={row}
                  at={place.index}
                  top={place.start}
                  selected={row.idx === selected}
                  onSelect={() => app.bench.select(row.idx)}
                  onAgain={() => app.navigation.showStory({ by: 'episode', episode: row.idx })}
                />
              )
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  row: EpisodeRow
  at: number
  top: number
  selected: boolean
  onSelect: () => void
  onAgain: () => void
}

function TableRow({ row, at, top, selected, onSelect, onAgain }: RowProps) {
  return (
    <div
      role="row"
      aria-rowindex={at + 2}
      aria-selected={selected}
      className={`grid gap-12 px-12 h-28 absolute top-0 left-0 w-full border-b-soft table-row opens ${selected ? 'selected' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      data-testid="episode-row"
      data-episode={row.name}
      data-level={row.level}
      onClick={onSelect}
    >
      <span role="cell" className="cell-name">
        <i className={`swatch ${row.kind}`} />
        <span className="clip">{row.name}</span>
        <NoteCount episode={row.idx} />
      </span>
      <span role="cell" className="cell-kind muted">
        {text.kind[row.kind]}
      </span>
      <span role="cell" className="cell-level">
        <Ball level={row.level} /> {stateName(row.level, row.kept, row.tokens)}
      </span>
      <span role="cell" className="number">
        <span className="meter flex-none bg-panel2 overflow-hidden rounded-2 w-60 h-6" aria-hidden="true">
          <i
            className={`${row.kind} display-block h-full`}
            style={{ width: percent(row.kept, row.tokens).replace('<', '') }}
          />
        </span>
        {count(row.kept)}
      </span>
      <span role="cell" className="number muted">
        {count(row.tokens)}
      </span>
      <span role="cell" className="cell-turns muted">
        {count(row.first)}–{row.open ? text.transport.now : count(row.last)}
      </span>
      <span role="cell" className="cell-links number muted">
        {row.needs} / {row.feeds}
      </span>
      <span role="cell" className="cell-again number">
        {row.again > 0 && (
          <button
            type="button"
            className="link"
            title={text.reacquisitions.open}
            data-testid="row-again"
            onClick={(event) => {
              event.stopPropagation()
              onAgain()
            }}
          >
            <RotateCcw size={11} /> {count(row.again)}
          </button>
        )}
      </span>
      <span role="cell" className="cell-problems number">
        {row.problems > 0 ? row.problems : ''}
      </span>
    </div>
  )
}
