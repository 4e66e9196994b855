import { useEffect, useState } from 'react'

import type { CapturedBodyAnswer } from '../../lib/ipc/generated/CapturedBodyAnswer'
import type { CapturedText } from '../../lib/ipc/generated/CapturedText'
import type { CapturedRow } from '../../lib/ipc/generated/CapturedRow'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { capital, count } from '../../lib/view/format'
import { BlockText } from '../../components/blocks/BlockText'
import { Check } from '../../components/shared/Check'
import { Empty } from '../../components/shared/Empty'
import { BodyParts } from './BodyParts'
import { words } from './words'
import { pane } from './pane'
import './captured.css'

/** The request of the turn as the harness kept it: system prompt, tools, and each block beside the reconstruction. */
export function CapturedPart() {
  const app = useApp()
  const { answer: whole, failure } = useStore(app.stateOf(pane).captured.whole.store, (state) => state)
  const { answer: body, failure: refused } = useStore(app.stateOf(pane).captured.body.store, (state) => state)
  const [isWhole, setWhole] = useState(false)
  useEffect(() => app.stateOf(pane).captured.look(), [app])
  const why = failure ?? refused
  const turns = [...new Set(whole?.turns.map(({ turn }) => turn))]
  return (
    <div className="pane" data-testid="captured" data-turns={turns.length}>
      <div className="pane-bar">
        <BodyParts />
        <span className="muted clip" data-testid="captured-says">
          {whole && whole.folder !== null && `${capital(whole.says)}.`}
        </span>
        <span className="grow" />
        {body !== null && body.file !== null && (
          <Check checked={isWhole} testid="captured-same" onChange={setWhole}>
            <span>{words.captured.same}</span>
          </Check>
        )}
      </div>
      {why ? (
        <Empty title={`${capital(why.message)}.`}>{why.hint}</Empty>
      ) : whole === null || body === null ? (
        <Empty title={words.captured.waiting} />
      ) : whole.folder === null ? (
        <Empty title={`${capital(whole.says)}.`}>
          <p>{words.captured.how}</p>
          <p className="mono">{words.captured.claude}</p>
          <p className="mono">{words.captured.codex}</p>
        </Empty>
      ) : body.file === null ? (
        <Empty title={`${capital(body.says)}.`}>
          <Turns turns={turns} now={body.turn} />
        </Empty>
      ) : (
        <Body body={body} isWhole={isWhole} />
      )}
    </div>
  )
}

/** The nearest turns with a captured body. */
function Turns({ turns, now }: { turns: readonly number[]; now: number }) {
  const app = useApp()
  const before = turns.findLast((turn) => turn < now)
  const after = turns.find((turn) => turn > now)
  const near = [before, after].filter((turn) => turn !== undefined)
  if (near.length === 0) return null
  return (
    <p>
      {words.captured.others}{' '}
      {near.map((turn) => (
        <button
          key={turn}
          type="button"
          className="badge go-turn flex-none gap-4"
          data-testid="captured-turn"
          onClick={() => app.bench.moveTo({ turn, step: Number.MAX_SAFE_INTEGER })}
        >
          {words.captured.turn(count(turn))}
        </button>
      ))}
    </p>
  )
}

function Body({ body, isWhole }: { body: CapturedBodyAnswer; isWhole: boolean }) {
  const rows = isWhole ? body.rows : body.rows.filter(({ side }) => side !== 'both')
  const sum = (parts: readonly CapturedText[]) => parts.reduce((all, { tokens }) => all + tokens, 0)
  const nDiffering = body.rows.filter(({ side }) => side !== 'both').length
  return (
    <div
      className="captured scroll p-8-12"
      tabIndex={0}
      role="region"
      aria-label={words.captured.parts.captured}
    >
      <p>
        <b>{words.captured.turn(count(body.turn))}</b> <span className="mono muted">{body.file}</span>{' '}
        <span data-testid="captured-turn-says">{capital(body.says)}.</span>
      </p>
      <section
        aria-label={words.captured.system}
        data-testid="captured-system"
        data-tokens={sum(body.system)}
      >
        <h2 className="m-12-0-4">
          {words.captured.system}{' '}
          <span className="muted weight-400">{words.captured.tokens(count(sum(body.system)))}</span>
        </h2>
        {body.system.length === 0 && <p className="muted">{words.captured.noSystem}</p>}
        {body.system.map((part, at) => (
          <Part key={at} part={part} title={words.captured.systemPart(count(at + 1))} open={at === 0} />
        ))}
      </section>
      <section aria-label={words.captured.tools} data-testid="captured-tools" data-tools={body.tools.length}>
        <h2 className="m-12-0-4">
          {words.captured.tools}{' '}
          <span className="muted weight-400">{words.captured.tokens(count(sum(body.tools)))}</span>
        </h2>
        {body.tools.length === 0 && <p className="muted">{words.captured.noTools}</p>}
        {body.tools.map((part, at) => (
          <Part key={at} part={part} title={part.name ?? words.captured.tool(count(at + 1))} isCode />
        ))}
      </section>
      <section aria-label={words.captured.blocks} data-testid="captured-blocks" data-differing={nDiffering}>
        <h2 className="m-12-0-4">
          {words.captured.blocks}{' '}
          <span className="muted weight-400">{words.captured.differing(count(nDiffering))}</span>
        </h2>
        {rows.length === 0 && <p className="text-ok">{words.captured.noDifference}</p>}
        <ol>
          {rows.map((row, at) => (
            <Row key={at} row={row} turn={body.turn} />
          ))}
        </ol>
        {body.n_more > 0 && <p className="muted">{words.captured.more(count(body.n_more))}</p>}
      </section>
    </div>
  )
}

/** A part that is no message, folded to its first line. */
function Part({
  part,
  title,
  open = false,
  isCode = false,
}: {
  part: CapturedText
  title: string
  open?: boolean
  isCode?: boolean
}) {
  const isCut = [...part.text].length < part.n_chars
  return (
    <details className="my-2" open={open}>
      <summary className="cursor-pointer">
        <span className={isCode ? 'mono' : ''}>{title}</span>{' '}
        <span className="muted">{words.captured.tokens(count(part.tokens))}</span>
      </summary>
      <BlockText text={part.text} prose={false} language={isCode ? 'json' : null} />
      {isCut && <p className="left-out">{words.captured.cut(count(part.n_chars))}</p>}
    </details>
  )
}

/** Equal blocks, or a block that only one side has; a block of the log is a way to its place. */
function Row({ row, turn }: { row: CapturedRow; turn: number }) {
  const app = useApp()
  const { side, n, tokens, block, line, role, kind } = row
  const name = side === 'both' ? words.captured.equal(count(n)) : `${role} ${kind}`
  return (
    <li className={`my-4 p-4-0-4-10 captured-row ${side}`} data-testid="captured-row" data-side={side}>
      <div className="baseline-row flex-wrap gap-8">
        <span className={`badge ${side === 'both' ? 'ok' : 'warn'}`}>{words.captured.sides[side]}</span>
        <b>{name}</b>
        <span className="muted">{words.captured.tokens(count(tokens))}</span>
        {block !== null && line !== null && (
          <button
            type="button"
            className="link"
            data-testid="captured-place"
            onClick={() => void app.navigation.showPlace({ turn, line, episode: null }, block)}
          >
            {words.captured.toPlace(count(line))}
          </button>
        )}
      </div>
      {row.text !== '' && <BlockText text={row.text} prose={false} />}
    </li>
  )
}
