import { Check, ChevronRight, Copy, Pin, PinOff } from 'lucide-react'
import { memo, useState } from 'react'

import type { BlockDto } from '../../lib/ipc/generated/BlockDto'
import type { EpisodeDto } from '../../lib/ipc/generated/EpisodeDto'
import type { ItemDto } from '../../lib/ipc/generated/ItemDto'
import { hostErrorOf } from '../../lib/ipc/host'
import { useApp } from '../../lib/state/app'
import { text } from '../../lib/text/en'
import { count } from '../../lib/view/format'
import { blockName, isFolded, isLogged, isProse, snippet, speaker } from '../../lib/view/rows'
import { levelName } from '../../lib/view/levels'
import { canPin, pinOf, toggledText } from '../../lib/view/pins'
import { Ball } from '../shared/Ball'
import { Button } from '../shared/Button'
import { BlockText, CallText } from './BlockText'

interface Props {
  item: ItemDto
  episode: EpisodeDto | undefined
  level: number
  find: string
  selected: boolean
  touched: boolean
  /** True when no policy may take it. */
  pinned: boolean
  /** True for the match that find stands on. */
  current?: boolean
}

/** One block of the context, or the ghost of one: a single line that opens to the original. */
export const BlockRow = memo(function BlockRow({
  item,
  episode,
  level,
  find,
  selected,
  touched,
  pinned,
  current = false,
}: Props) {
  const app = useApp()
  const [open, setOpen] = useState(false)
  const [whole, setWhole] = useState<BlockDto | null>(null)
  const [raw, setRaw] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [copied, setCopied] = useState(false)
  const folded = isFolded(item)
  const fetchable = isLogged(item)

  const load = async (): Promise<BlockDto | null> => {
    if (whole) return whole
    const { session, view } = app.bench.bench
    if (!session || !fetchable) return null
    try {
      const answer = await app.host.call('block', {
        session: session.session,
        branch: view.branch,
        block: item.block,
      })
      setWhole(answer)
      return answer
    } catch (thrown) {
      setFailure(hostErrorOf(thrown).message)
      return null
    }
  }
  const toggle = () => {
    if (!open) void load()
    setOpen(!open)
  }
  const copy = async () => {
    const answer = await load()
    await navigator.clipboard.writeText(raw ? (answer?.raw ?? '') : (answer?.text ?? item.text))
    setCopied(true)
    setTimeout(() => setCopied(false), 1200)
  }
  const shown = raw ? (whole?.raw ?? '') : (open && whole?.text) || item.text
  const classes = [
    'block',
    episode?.kind ?? (item.author === 'human' ? 'human' : 'outside'),
    item.kept ? 'kept' : 'ghost',
    item.placeholder === null ? '' : 'masked',
    fetchable ? '' : 'made',
    selected ? 'selected' : '',
    touched ? 'touched' : '',
    current ? 'current' : '',
    open ? 'open' : '',
  ].join(' ')
  const found = item.kept || open ? null : snippet(item.text, find)
  const prose = isProse(item)

  return (
    <article
      className={classes}
      data-testid="context-item"
      data-block={item.block}
      data-kept={item.kept}
      data-kind={item.kind}
      data-level={item.level ?? ''}
      data-tokens={item.tokens}
    >
      <header className="block-head">
        {item.kept ? (
          <span className={`who ${speaker(item)}`}>{speaker(item)}</span>
        ) : (
          <button
            type="button"
            className="ghost-toggle"
            aria-expanded={open}
            onClick={toggle}
            title={text.context.open}
          >
            <ChevronRight size={13} className={open ? 'turned' : ''} />
            <span className="who">{speaker(item)}</span>
          </button>
        )}
        <span className="block-kind">{blockName(item)}</span>
        {item.failed && <span className="badge warn">{text.context.failed}</span>}
        {item.n_images > 0 && <span className="badge">{text.context.images(item.n_images)}</span>}
        {episode && (
          <button
            type="button"
            className={`chip ${episode.kind}`}
            onClick={() => app.bench.select(item.episode, item.block)}
          >
            <Ball level={level} size={10} label={levelName(level)} /> {episode.name}
          </button>
        )}
        <span className={item.kept && fetchable ? 'ghost-why quietly' : 'ghost-why'} title={item.reason}>
          {item.reason}
        </span>
        <span className="grow" />
        <span className="block-tools">
          {canPin(item) && (
            <Button
              look="quiet"
              label={pinned ? text.pins.unpin : text.pins.pin}
              testid="pin"
              aria-pressed={pinned}
              onClick={() =>
                app.bench.watch({ pins: toggledText(app.bench.bench.view.pins ?? [], pinOf(item.block)) })
              }
            >
              {pinned ? <PinOff size={13} /> : <Pin size={13} />}
            </Button>
          )}
          {fetchable && (item.kept || open) && (
            <button
              type="button"
              className="link"
              aria-pressed={raw}
              onClick={() => {
                void load()
                setRaw(!raw)
              }}
            >
              {raw ? text.context.text : text.context.raw}
            </button>
          )}
          <Button look="quiet" label={text.context.copy} onClick={() => void copy()}>
            {copied ? <Check size={13} /> : <Copy size={13} />}
          </Button>
          <span className="muted line-number">{text.context.line(count(item.line))}</span>
        </span>
        {pinned && <Pin size={13} className="pin-mark" aria-label={text.pins.pinned} />}
        <span className="block-tokens">{count(item.tokens)}</span>
      </header>
      {item.placeholder !== null && (
        <p className="stand-in">
          <span className="muted">{text.context.instead}</span> <code>{item.placeholder}</code>
        </p>
      )}
      {found !== null && (
        <div className="block-body">
          <BlockText text={found} find={find} prose={false} />
        </div>
      )}
      {(item.kept || open) && (
        <div className={open || raw ? 'block-body whole' : 'block-body'}>
          {item.kind === 'call' && !raw ? (
            <CallText text={shown} tool={item.tool} find={find} />
          ) : (
            <BlockText text={shown} find={find} prose={prose && !raw} />
          )}
          {failure && <p className="error-text">{failure}</p>}
        </div>
      )}
      {item.kept && (folded || open) && (
        <button type="button" className="more" onClick={toggle} aria-expanded={open}>
          {open
            ? text.context.less
            : item.n_lines > 1
              ? text.context.more(count(item.n_lines))
              : text.context.moreChars(count(item.n_chars))}
        </button>
      )}
    </article>
  )
})
