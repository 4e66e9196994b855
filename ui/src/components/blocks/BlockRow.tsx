import { ChevronRight, Pin } from 'lucide-react'
import { memo, useMemo, type ReactNode } from 'react'

import type { EpisodeNode } from '../../lib/ipc/generated/EpisodeNode'
import type { ContextItem } from '../../lib/ipc/generated/ContextItem'
import { useApp } from '../../lib/state/app'
import type { Find } from '../../lib/state/find'
import type { RowStates } from '../../lib/state/rows'
import { settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { indentJson } from '../../lib/view/json'
import { markdownOf } from '../../lib/view/markdown'
import { blockName, colourOf, isFolded, isLogged, isProse, languageOf, speaker } from '../../lib/view/rows'
import { EpisodeChip } from './EpisodeChip'
import { NotesOf } from '../notes/NotesOf'
import { BlockText, CallText, type BlockTextProps } from './BlockText'
import { BlockTools } from './BlockTools'
import { Images } from './Images'
import { Markdown } from './Markdown'
import { useFindWish, useMarks } from './useFind'
import { useWhole } from './useWhole'

interface Props {
  item: ContextItem
  states: RowStates
  episode: EpisodeNode | undefined
  level: number
  selected: boolean
  touched: boolean
  /** True when no policy may take it. */
  pinned: boolean
  find?: Find
  /** The number of the match that find stands on, if it is in this block. */
  stop?: number | null
  /** Further badges, beside the reason. */
  children?: ReactNode
  /** The cells of a table, in place of the label, the badges, the episode and the reason. */
  cells?: ReactNode
}

/** One block of the context, or the ghost of one: a single line that opens to the original. */
export const BlockRow = memo(function BlockRow({
  item,
  states,
  episode,
  level,
  selected,
  touched,
  pinned,
  find,
  stop = null,
  children,
  cells,
}: Props) {
  const app = useApp()
  const { block } = item
  const opened = useStore(states.store, (rows) => rows.open.has(block))
  const raw = useStore(states.store, (rows) => rows.raw.has(block))
  const wish = useFindWish(find)
  const folded = isFolded(item)
  const fetchable = isLogged(item)
  // A block opens for the match that find stands on.
  const open = opened || (stop !== null && (folded || !item.kept))
  const { whole, failure } = useWhole(item, open || raw)
  const marks = useMarks(find, block)
  const ranges = raw ? [] : (marks?.ranges ?? [])
  const shown = raw ? (whole?.raw ?? '') : (open && whole?.text) || item.text
  const toggle = () => states.toggle(block, !open)
  // Why something is there is asked for less often than why it is gone; and a row that tells the turn has said the most.
  // In a diff the reason is what the row is about.
  const isTold = (item.difference?.why_not ?? '') !== ''
  const isQuiet = !isTold && ((item.kept && fetchable) || item.first_turn !== null)
  const classes = [
    'block',
    colourOf(item, episode),
    item.kept ? 'kept' : 'ghost',
    item.placeholder === null ? '' : 'masked',
    fetchable ? '' : 'made',
    selected ? 'selected' : '',
    touched ? 'touched' : '',
    stop === null ? '' : 'current',
    open ? 'open' : '',
  ].join(' ')

  return (
    <div
      className={classes}
      data-testid="context-item"
      data-block={block}
      data-kept={item.kept}
      data-kind={item.kind}
      data-level={item.level ?? ''}
      data-tokens={item.tokens}
    >
      <div
        className={`block-head text-s nowrap top-0 sticky z-1 min-h-22 ${cells ? 'evicted-cells grid gap-x-12' : 'row gap-8'}`}
      >
        {item.kept ? (
          <span className={`semibold who ${speaker(item)}`}>{speaker(item)}</span>
        ) : (
          <button
            type="button"
            className="ghost-toggle -ml-4 inline-row gap-4"
            aria-expanded={open}
            onClick={toggle}
            title={text.context.open}
          >
            <ChevronRight size={13} className={open ? 'turned' : ''} />
            <span className="who semibold">{speaker(item)}</span>
          </button>
        )}
        {cells ?? (
          <>
            <span className="muted">{blockName(item)}</span>
            <BlockLabel item={item} />
            {children}
            {episode && (
              <EpisodeChip
                episode={episode}
                level={level}
                onSelect={() => app.bench.select(item.episode, block)}
              />
            )}
            <span
              className={
                isQuiet
                  ? 'ghost-why quietly min-w-0 muted overflow-hidden ellipsis'
                  : 'ghost-why min-w-0 muted overflow-hidden ellipsis'
              }
              title={item.reason}
            >
              {item.reason}
            </span>
            <span className="grow" />
          </>
        )}
        <BlockTools item={item} states={states} raw={raw} open={open} pinned={pinned} />
        {pinned && !cells && <Pin size={13} className="pin-mark" aria-label={text.pins.pinned} />}
        <span className="block-tokens tabular muted text-right min-w-44">{count(item.tokens)}</span>
      </div>
      {fetchable && <NotesOf subject={{ on: 'block', block }} />}
      {item.placeholder !== null && (
        <p className="stand-in p-1-0-4-24 text-s">
          <span className="muted">{text.context.instead}</span>{' '}
          <code className="text-main rounded-4 p-1-6">{item.placeholder}</code>
        </p>
      )}
      {!item.kept && !open && marks?.snippet && (
        <p className="p-1-0-4-24 mono clip text-s">
          {marks.snippet[0]}
          <mark>{marks.snippet[1]}</mark>
          {marks.snippet[2]}
          {ranges.length > 1 && <span className="muted"> {text.find.more(count(ranges.length - 1))}</span>}
        </p>
      )}
      {(item.kept || open || raw) && (
        <div
          className={
            open || raw
              ? 'block-body whole overflow-hidden max-h-300'
              : 'block-body overflow-hidden max-h-300'
          }
          // A part that scrolls by itself must be reachable by keys.
          {...(open || raw ? { tabIndex: 0, role: 'group', 'aria-label': blockName(item) } : {})}
        >
          {item.kind === 'call' && !raw ? (
            <CallText
              text={shown}
              tool={item.tool}
              path={item.path}
              matches={ranges}
              current={stop}
              wish={wish}
              onMark={(mark) => showMark(mark, states)}
            />
          ) : (
            <ReadableText
              text={shown}
              prose={isProse(item) && !raw}
              matches={ranges}
              current={stop}
              wish={wish}
              onMark={(mark) => showMark(mark, states)}
              language={raw ? 'json' : languageOf(item, shown)}
            />
          )}
          {item.n_images > 0 && <Images block={block} n={item.n_images} />}
          {failure && <p className="text-error">{failure}</p>}
        </div>
      )}
      {item.kept && (folded || open) && (
        <button
          type="button"
          className="text-s muted bg-page border rounded-8 mt-4 p-1-8 hover-text"
          onClick={toggle}
          aria-expanded={open}
        >
          {open
            ? text.context.less
            : item.n_lines > 1
              ? text.context.more(count(item.n_lines))
              : text.context.moreChars(count(item.n_chars))}
        </button>
      )}
    </div>
  )
})

/** The subject of a block, a file or the first line of a call, and what is special about it. */
export function BlockLabel({ item }: { item: ContextItem }) {
  return (
    <>
      {item.about === null && item.path !== null && (
        <span
          className="block-path mono min-w-0 text-s overflow-hidden flex-shrinks ellipsis text-left"
          title={item.path}
        >
          <bdi>{item.path}</bdi>
        </span>
      )}
      {item.about !== null && (
        <span
          className="block-about mono min-w-0 text-s overflow-hidden flex-shrinks ellipsis"
          title={item.about}
        >
          {item.about}
        </span>
      )}
      {item.failed && <span className="badge warn">{text.context.failed}</span>}
      {item.derived && (
        <span className="badge" title={text.context.derivedHint}>
          {text.context.derived}
        </span>
      )}
      {item.n_images > 0 && <span className="badge">{text.context.images(item.n_images)}</span>}
    </>
  )
}

/** A text as people read it: Markdown rendered, JSON of one line indented. With matches in it the text stays as it was written. */
function ReadableText({ text: written, prose, matches, language = null, ...rest }: BlockTextProps) {
  const isRendered = useStore(settings, (set) => set.markdown === 'rendered')
  const isFree = matches === undefined || matches.length === 0
  const parts = useMemo(
    () => (prose && isRendered && isFree ? markdownOf(written) : null),
    [written, prose, isRendered, isFree],
  )
  const readable = useMemo(
    () => (language === 'json' && isRendered && isFree ? indentJson(written) : written),
    [written, language, isRendered, isFree],
  )
  if (parts !== null) return <Markdown parts={parts} />
  return <BlockText text={readable} {...{ prose, matches, language, ...rest }} />
}

/** How far below the upper edge of its block a match is shown, pixels. */
const MARK_PX = 60

/** Brings a match into view: in its block, which may scroll by itself, and with it in the list. */
function showMark(mark: HTMLElement, states: RowStates): void {
  const body = mark.closest<HTMLElement>('.block-body')
  const place = mark.closest<HTMLElement>('.rows-place')
  const list = mark.closest<HTMLElement>('.rows')
  if (!body || !place || !list) return
  body.scrollTop += mark.getBoundingClientRect().top - body.getBoundingClientRect().top - MARK_PX
  const look = () => {
    // Find may stand on the next match by now.
    if (!mark.isConnected || !mark.classList.contains('current')) return
    const edge = list.getBoundingClientRect()
    const at = mark.getBoundingClientRect()
    const over = Math.max(0, at.bottom - edge.bottom + MARK_PX / 2)
    const under = Math.max(0, edge.top - at.top + MARK_PX / 2)
    const top = place.getBoundingClientRect().top - edge.top
    if (over + under > 0) states.show(Number(place.dataset.index), top - over + under)
  }
  // The list brings the row into view first.
  requestAnimationFrame(() => requestAnimationFrame(look))
}
