import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'

import type { DivergencePoint } from '../../lib/ipc/generated/DivergencePoint'
import type { SideBySideAnswer } from '../../lib/ipc/generated/SideBySideAnswer'
import type { SideRow } from '../../lib/ipc/generated/SideRow'
import type { SideTurn } from '../../lib/ipc/generated/SideTurn'
import { useApp, type App } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { figureText, figuresShown, moreText, rowsShown } from '../../lib/view/beside'
import { capital, count } from '../../lib/view/format'
import { Button } from '../../components/shared/Button'
import { Check } from '../../components/shared/Check'
import { Empty } from '../../components/shared/Empty'
import { Said } from '../../components/shared/Said'
import './beside.css'

const ROW_PX = 44

/** Another session beside the open one: where they part, the figures of both, and their turns in two columns. */
export function BesidePart() {
  const app = useApp()
  const { other, failure } = useStore(app.beside.store, (state) => state)
  const { answer, failure: refused, busy } = useStore(app.beside.memo.store, (state) => state)
  useEffect(() => app.beside.look(), [app])
  const why = failure ?? refused
  if (why) return <Empty title={`${capital(why.message)}.`}>{why.hint}</Empty>
  if (other === null)
    return (
      <Empty title={text.beside.none}>
        <p>{text.beside.noneHint}</p>
        <Button testid="beside-choose-first" onClick={() => app.compareWithAnother()}>
          {text.beside.choose}
        </Button>
      </Empty>
    )
  if (!answer) return <Empty title={text.beside.waiting(other.title)} />
  return (
    <div className="beside grid grow min-h-0" data-testid="beside" data-busy={busy} data-work={answer.n_work}>
      <Told answer={answer} />
      <Turns answer={answer} />
    </div>
  )
}

/** The bar of the tab, for two sessions. */
export function BesideBar() {
  const app = useApp()
  const { other, onlyDifferent } = useStore(app.beside.store, (state) => state)
  if (other === null) return null
  return (
    <>
      <Check testid="beside-only" checked={onlyDifferent} onChange={(on) => app.beside.setOnlyDifferent(on)}>
        {text.beside.onlyDifferent}
      </Check>
      <Button testid="beside-choose" onClick={() => app.compareWithAnother()}>
        {text.beside.choose}
      </Button>
    </>
  )
}

/** Where the two part, and their figures. */
function Told({ answer }: { answer: SideBySideAnswer }) {
  const { a, b, parting, first_difference: first } = answer
  return (
    <div
      className="beside-told min-h-0 border-r overflow-auto p-8-12"
      tabIndex={0}
      role="region"
      aria-label={text.beside.figures}
    >
      <p className="semibold" data-testid="beside-says">
        {capital(answer.says)}.
      </p>
      {parting ? (
        <Parting title={text.beside.parting} parting={parting} />
      ) : (
        first && <Parting title={text.beside.first} parting={first} />
      )}
      <table className="compare beside-figures" data-testid="beside-figures">
        <thead>
          <tr>
            <th scope="col">{text.beside.figure}</th>
            <th scope="col" title={a.path}>
              A
            </th>
            <th scope="col" title={b.path}>
              B
            </th>
            <th scope="col">{text.beside.more}</th>
          </tr>
        </thead>
        <tbody>
          {figuresShown(answer.figures).map((figure) => (
            <tr key={figure.name} data-figure={figure.name}>
              <th scope="row">{capital(figure.title.trim())}</th>
              <td>{figureText(figure.unit, figure.a, a.price.priced)}</td>
              <td>{figureText(figure.unit, figure.b, b.price.priced)}</td>
              <td className="muted">{moreText(figure)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="basis max-w-96ch muted grid gap-4 text-s p-8-12">
        {text.beside.under(a.policy, count(a.budget), count(b.budget))}
      </p>
    </div>
  )
}

function Parting({ title, parting }: { title: string; parting: DivergencePoint }) {
  return (
    <div
      className="text-s bg-panel border rounded-6 break-anywhere p-6-10 my-6"
      data-testid="beside-parting"
      data-row={parting.row}
    >
      <b>{title}</b>
      <p>
        <b>A</b> <Said text={parting.a} />
      </p>
      <p>
        <b>B</b> <Said text={parting.b} />
      </p>
    </div>
  )
}

/** The turns of both in two columns, of which only those in view exist as elements. */
function Turns({ answer }: { answer: SideBySideAnswer }) {
  'use no memo'
  const app = useApp()
  const onlyDifferent = useStore(app.beside.store, (state) => state.onlyDifferent)
  const rows = useMemo(() => rowsShown(answer.rows, onlyDifferent), [answer, onlyDifferent])
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => rows[at]?.at ?? at,
    overscan: 8,
  })
  const start = answer.parting?.row ?? answer.first_difference?.row ?? null
  const shown = useRef<SideBySideAnswer | null>(null)
  // A new pair of sessions is shown where they part, with the row before it.
  useEffect(() => {
    if (start === null || shown.current === answer) return
    shown.current = answer
    const at = rows.findIndex((row) => row.at >= start)
    if (at > 0) list.scrollToIndex(at - 1, { align: 'start' })
  }, [answer, start, rows, list])
  if (rows.length === 0) return <Empty title={text.beside.noDifference} />
  return (
    <div className="stack min-w-0 min-h-0">
      <div className="beside-head grid border-b">
        <span className="clip p-4-12" title={answer.a.path}>
          <b>A</b> {answer.a.title}
        </span>
        <span className="clip p-4-12" title={answer.b.path}>
          <b>B</b> {answer.b.title}
        </span>
      </div>
      <div
        ref={scroller}
        className="rows scroll relative"
        tabIndex={0}
        role="region"
        aria-label={text.beside.turns}
        data-testid="beside-rows"
        data-rows={rows.length}
      >
        <div className="rows-inner relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map((place) => {
            const one = rows[place.index]
            if (!one) return null
            return (
              <div
                key={place.key}
                ref={list.measureElement}
                data-index={place.index}
                className="rows-place absolute w-full left-0"
                style={{ transform: `translateY(${place.start}px)` }}
              >
                <Row app={app} row={one.row} path={answer.b.path} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function Row({ app, row, path }: { app: App; row: SideRow; path: string }) {
  return (
    <div
      className={`grid border-b-soft beside-row ${row.differs}`}
      data-testid="beside-row"
      data-differs={row.differs}
    >
      <Side turn={row.a} differs={row.differs} onShow={(turn) => app.navigation.showTurnOf(turn, null)} />
      <Side turn={row.b} differs={row.differs} onShow={(turn) => app.navigation.showTurnOf(turn, path)} />
    </div>
  )
}

function Side({
  turn,
  differs,
  onShow,
}: {
  turn: SideTurn | null
  differs: SideRow['differs']
  onShow: (turn: SideTurn) => void
}) {
  if (turn === null)
    return (
      <span className="beside-turn missing muted baseline-row gap-10 bg-none border-0 w-full text-left cursor-default p-4-12 italic">
        {text.beside.noTurn}
      </span>
    )
  return (
    <button
      type="button"
      className="beside-turn hover-panel2 baseline-row gap-10 muted bg-none border-0 w-full text-left cursor-default p-4-12"
      data-testid="beside-turn"
      data-turn={turn.turn}
      title={text.beside.toTurn(count(turn.turn))}
      onClick={() => onShow(turn)}
    >
      <span className="beside-number number muted flex-none text-right">{count(turn.turn)}</span>
      <span className="stack min-w-0 break-anywhere">
        {turn.work.map((unit) => (
          <span
            key={unit.block}
            className={`${unit.shared ? '' : 'semibold text-main'} ${unit.ok ? '' : ''}`}
          >
            <Said text={unit.says} end="" />
          </span>
        ))}
        {differs === 'texts' && <span className="muted">{text.beside.otherTexts}</span>}
      </span>
    </button>
  )
}
