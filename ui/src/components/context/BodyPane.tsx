import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { jsonTokens } from '../../lib/view/json'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'
import { Empty } from '../shared/Empty'

/** Lines longer than this are cut on screen; copying gives all of it. */
const MOST_CHARS = 2000

/** The request body at the cursor, with what had to be repaired. */
export function BodyPane() {
  'use no memo'
  const app = useApp()
  const { provider, body, lines, failure } = useStore(app.body.store, (state) => state)
  const providers = useStore(app.bench.store, (bench) => bench.session?.choices.providers)
  const [copied, setCopied] = useState(false)
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => {
    app.body.setShown(true)
    return () => app.body.setShown(false)
  }, [app])
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 18,
    overscan: 20,
  })
  const copy = async () => {
    await navigator.clipboard.writeText(body?.json ?? '')
    setCopied(true)
    setTimeout(() => setCopied(false), 1200)
  }
  return (
    <div className="pane">
      <div className="pane-bar">
        <Choice
          label={text.body.provider}
          testid="provider"
          value={provider}
          options={(providers ?? [provider]).map((name) => ({ value: name, label: name }))}
          onChange={(name) => app.body.setProvider(name)}
        />
        <span className="muted">{text.body.note}</span>
        <span className="grow" />
        <Button onClick={() => void copy()} disabled={!body}>
          {copied ? <Check size={13} /> : <Copy size={13} />} {copied ? text.context.copied : text.body.copy}
        </Button>
      </div>
      {failure && <Empty title={failure.message}>{failure.hint}</Empty>}
      {body && (
        <div
          className="findings"
          data-testid="findings"
          data-repairs={body.repairs.length}
          data-violations={body.violations.length}
        >
          {body.repairs.length === 0 && body.violations.length === 0 && (
            <span className="ok-text">{text.body.fine}</span>
          )}
          <Findings title={text.body.violations} items={body.violations} />
          <Findings title={text.body.repairs} items={body.repairs} />
        </div>
      )}
      {body && (
        <div
          ref={scroller}
          className="rows json"
          tabIndex={0}
          aria-label={text.tabs.body}
          role="region"
          data-testid="body-json"
        >
          <div className="rows-inner" style={{ height: list.getTotalSize() }}>
            {list.getVirtualItems().map((place) => (
              <div
                key={place.key}
                className="json-line"
                style={{ transform: `translateY(${place.start}px)` }}
              >
                <span className="json-number">{place.index + 1}</span>
                <JsonLine line={lines[place.index] ?? ''} />
              </div>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

function JsonLine({ line }: { line: string }) {
  const cut = line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line
  return (
    <code>
      {jsonTokens(cut).map((token, at) => (
        <span key={at} className={`json-${token.kind}`}>
          {token.text}
        </span>
      ))}
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
      <ul>
        {items.map((item, at) => (
          <li key={at}>{item}</li>
        ))}
      </ul>
    </details>
  )
}
