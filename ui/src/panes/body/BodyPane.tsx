import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, Copy } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { NOTHING } from '../../lib/state/find'
import { jsonSpans } from '../../lib/view/json'
import { count } from '../../lib/view/format'
import { countOf, findInLines, numberBeside, stopAt } from '../../lib/view/matches'
import { paint, type Match } from '../../lib/view/paint'
import { FindBar } from '../../components/blocks/FindBar'
import { Button } from '../../components/shared/Button'
import { Choice } from '../../components/shared/Choice'
import { Empty } from '../../components/shared/Empty'
import { BodyParts } from './BodyParts'
import { CapturedPart } from './CapturedPart'
import { words } from './words'
import { pane } from './pane'

/** How many characters of a line are shown; copying gives all of it. */
const MOST_CHARS = 2000
/** How many characters are shown before the match that find stands on. */
const LED_CHARS = 40

/** The Request tab: the request body, as it is put together from the log or as the harness kept it. */
export function BodyPane() {
  const app = useApp()
  const part = useStore(app.stateOf(pane).captured.choice, (choice) => choice.part)
  const isCaptured = app.can('captured') && part === 'captured'
  return isCaptured ? <CapturedPart /> : <RebuiltPart />
}

/** The request body at the cut, and the repairs that it needed. */
function RebuiltPart() {
  'use no memo'
  const app = useApp()
  const provider = useStore(app.stateOf(pane).rebuilt.choice, (choice) => choice.provider)
  const { answer: asked, failure } = useStore(app.stateOf(pane).rebuilt.store, (state) => state)
  const { body, lines } = failure === null && asked !== null ? asked : NO_BODY
  const providers = useStore(app.bench.store, (bench) => bench.session?.choices.providers)
  const [copied, setCopied] = useState(false)
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    app.stateOf(pane).rebuilt.setShown(true)
    return () => app.stateOf(pane).rebuilt.setShown(false)
  }, [app])
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 20,
  })
  const [wanted, setWanted] = useState(NOTHING)
  const [number, setNumber] = useState(0)
  // The page has the whole text, so it searches here.
  const answer = useMemo(() => findInLines(lines, wanted), [lines, wanted])
  const found = 'found' in answer ? answer.found : null
  const n = found ? countOf(found) : 0
  const stop = found && n > 0 ? stopAt(found, Math.min(number, n - 1)) : null
  const row = stop?.row
  useEffect(() => {
    if (row !== undefined) list.scrollToIndex(row, { align: 'center' })
    // Another match scrolls, not another render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [row, stop?.nth])
  const copy = async () => {
    const say = (copied: string) => text.context.copiedBlock(count(copied.length))
    if (!(await app.clipboard.put(body?.json ?? '', say))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1200)
  }
  return (
    <div className="pane">
      <div className="pane-bar">
        <BodyParts />
        <Choice
          label={words.body.provider}
          testid="provider"
          value={provider}
          options={(providers ?? [provider]).map((name) => ({ value: name, label: name }))}
          onChange={(name) => app.stateOf(pane).rebuilt.setProvider(name)}
        />
        <span className="muted clip">{words.body.note}</span>
        <span className="grow" />
        <FindBar
          label={words.body.find}
          testid="body-find"
          wanted={wanted}
          n={n}
          number={Math.min(number, Math.max(0, n - 1))}
          searching={false}
          problem={'problem' in answer ? answer.problem : null}
          onWanted={(change) => {
            setWanted({ ...wanted, ...change })
            setNumber(0)
          }}
          onMove={(by) => setNumber(numberBeside(Math.min(number, Math.max(0, n - 1)), by, n))}
        />
        <Button onClick={() => void copy()} disabled={!body}>
          {copied ? <Check size={13} /> : <Copy size={13} />} {copied ? text.context.copied : words.body.copy}
        </Button>
      </div>
      {failure && <Empty title={failure.message}>{failure.hint}</Empty>}
      {body && (
        <div
          className="max-h-40% flex-none text-s border-b overflow-auto p-6-12"
          data-testid="findings"
          data-repairs={body.repairs.length}
          data-violations={body.violations.length}
        >
          {body.repairs.length === 0 && body.violations.length === 0 && (
            <span className="text-ok">{words.body.fine}</span>
          )}
          <Findings title={words.body.violations} items={body.violations} />
          <Findings title={words.body.repairs} items={body.repairs} />
        </div>
      )}
      {body && (
        <div
          ref={scroller}
          className="rows scroll relative json"
          tabIndex={0}
          aria-label={words.tab}
          role="region"
          data-testid="body-json"
        >
          <div className="rows-inner relative" style={{ height: list.getTotalSize() }}>
            {list.getVirtualItems().map((place) => (
              <div
                key={place.key}
                className="json-line absolute top-0 left-0 h-18"
                style={{ transform: `translateY(${place.start}px)` }}
              >
                <span className=" inline-block muted text-right select-none pr-12 w-56">
                  {place.index + 1}
                </span>
                <JsonLine
                  line={lines[place.index] ?? ''}
                  matches={'marks' in answer ? (answer.marks.get(place.index) ?? NONE) : NONE}
                  current={stop?.row === place.index ? stop.nth : null}
                />
              </div>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

const NONE: readonly Match[] = []
const NO_BODY = { body: null, lines: [] as string[] }

/** One coloured line. Of a long line the part around the match is shown. */
function JsonLine({
  line,
  matches,
  current,
}: {
  line: string
  matches: readonly Match[]
  current: number | null
}) {
  const place = current === null ? 0 : (matches[current]?.[0] ?? 0)
  // A line does not wrap, so the shown part begins shortly before the match.
  const from = place < LED_CHARS * 2 ? 0 : place - LED_CHARS
  const cut = line.slice(from, from + MOST_CHARS)
  const spans = jsonSpans(cut)
  const inPart = matches
    .map(([a, b], number) => ({ a: a - from, b: b - from, number }))
    .filter(({ a, b }) => b > 0 && a < cut.length)
  const pieces = paint(
    cut,
    spans,
    inPart.map(({ a, b }) => [Math.max(0, a), Math.min(b, cut.length)] as const),
  )
  return (
    <code>
      {from > 0 && '…'}
      {pieces.map(({ from: key, text: part, classes, match }) =>
        match === null ? (
          <span key={key} className={classes}>
            {part}
          </span>
        ) : (
          <mark key={key} className={inPart[match]?.number === current ? 'current' : ''}>
            {part}
          </mark>
        ),
      )}
      {from + MOST_CHARS < line.length && '…'}
    </code>
  )
}

function Findings({ title, items }: { title: string; items: string[] }) {
  if (items.length === 0) return null
  return (
    <details open={items.length <= 3}>
      <summary>
        {title} <b>{items.length}</b>
      </summary>
      <ul className="bullets">
        {items.map((item, at) => (
          <li key={at}>{item}</li>
        ))}
      </ul>
    </details>
  )
}
