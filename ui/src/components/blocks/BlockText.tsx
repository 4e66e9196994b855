import { Fragment, useEffect, useMemo, useRef } from 'react'

import { text as words } from '../../lib/text'
import { matchesIn, plainOf } from '../../lib/view/ansi'
import { count } from '../../lib/view/format'
import { fencesOf } from '../../lib/view/language'
import { paint, shownPart, spansIn, type Match } from '../../lib/view/paint'
import { callArguments, matchesInCall, toolOf, type PartMatches } from '../../lib/view/rows'
import { useHighlight } from './useHighlight'

export interface BlockTextProps {
  text: string
  prose: boolean
  /** The matches of the find field. */
  matches?: readonly Match[]
  /** The number of the match that find stands on; each new `wish` scrolls it into view. */
  current?: number | null
  wish?: number
  /** Brings the match into view. */
  onMark?: (mark: HTMLElement) => void
  /** The language that it is coloured as; sentences are coloured where they quote code. */
  language?: string | null
}

const NONE: readonly Match[] = []

/** The text of a block, never anything but text; terminal colours, code and matches are marked. */
export function BlockText({
  text,
  prose,
  matches = NONE,
  current = null,
  wish = 0,
  onMark,
  language = null,
}: BlockTextProps) {
  const plain = useMemo(() => plainOf(text), [text])
  const found = useMemo(() => matchesIn(plain, matches), [plain, matches])
  const wanted = useMemo(
    () =>
      prose ? fencesOf(plain.text) : language === null ? [] : [{ from: 0, to: plain.text.length, language }],
    [plain, prose, language],
  )
  const coloured = useHighlight(plain.text, wanted)
  const place = current === null ? null : (found[current]?.[0] ?? null)
  const pieces = useMemo(() => {
    const { from, to } = shownPart(plain.text, place)
    const spans = plain.spans.length > 0 ? plain.spans : coloured
    const inPart = found.map(([a, b], number) => ({ a, b, number })).filter(({ a, b }) => b > from && a < to)
    const first = inPart[0]?.number ?? 0
    const moved = inPart.map(({ a, b }) => [Math.max(a, from) - from, Math.min(b, to) - from] as const)
    return {
      before: from,
      after: plain.text.length - to,
      first,
      shown: paint(plain.text.slice(from, to), spansIn(spans, from, to), moved),
    }
  }, [plain, coloured, found, place])

  const mark = useRef<HTMLElement>(null)
  // A match in text that is not fetched yet has no mark.
  const known = place !== null && place < plain.text.length
  useEffect(() => {
    if (known && mark.current) onMark?.(mark.current)
    // Another match, another place of it or another wish; colours come late and make other elements.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [known, place, current, wish, coloured])

  let marked = false
  return (
    <div
      className={
        prose
          ? 'block-text prose break-anywhere pre-wrap isolate'
          : 'block-text mono break-anywhere pre-wrap isolate'
      }
      dir="auto"
    >
      {pieces.before > 0 && <p className="left-out">{words.context.before(count(pieces.before))}</p>}
      {pieces.shown.map(({ from, text: part, classes, match }) => {
        // While letters are typed, matches cut the text otherwise; elements that were made anew would lose how far it is scrolled.
        const key = pieces.before + from
        if (match === null) {
          return classes === '' ? (
            <Fragment key={key}>{part}</Fragment>
          ) : (
            <span key={key} className={classes}>
              {part}
            </span>
          )
        }
        const here = match + pieces.first === current
        const first = here && !marked
        marked ||= here
        return (
          <mark key={key} ref={first ? mark : undefined} className={`${here ? 'current ' : ''}${classes}`}>
            {part}
          </mark>
        )
      })}
      {pieces.after > 0 && <p className="left-out">{words.context.after(count(pieces.after))}</p>}
    </div>
  )
}

interface CallProps extends Omit<BlockTextProps, 'prose' | 'language'> {
  tool: string | null
  path: string | null
}

/**
 * The arguments of a call as names and texts, with the matches in them. A call that cannot be read, or has a match elsewhere, is
 * shown as it is.
 */
export function CallText({ text, tool, path, matches = NONE, current = null, ...mark }: CallProps) {
  const parts = useMemo(() => callArguments(text, tool, path), [text, tool, path])
  const found = useMemo(
    () => (parts === null ? null : matchesInCall(text, parts, matches)),
    [text, parts, matches],
  )
  if (!parts || parts.length === 0 || !found)
    return <BlockText text={text} prose={false} matches={matches} current={current} {...mark} />
  const part = (value: string, within: PartMatches | undefined, language: string | null = null) => {
    const { ranges, first } = within ?? { ranges: NONE, first: 0 }
    const isHere = current !== null && current >= first && current < first + ranges.length
    const here = isHere ? current - first : null
    return <BlockText text={value} prose={false} {...{ language, matches: ranges, ...mark }} current={here} />
  }
  return (
    <dl className="call mono block-text break-anywhere pre-wrap isolate">
      {/* The head of the row says the tool already: it is said again for its matches. */}
      {found.tool.ranges.length > 0 && (
        <div className="grid gap-12">
          <dt className="muted min-w-56">{words.context.tool}</dt>
          <dd>{part(toolOf(text), found.tool)}</dd>
        </div>
      )}
      {parts.map(({ name, value, language }, at) => (
        <div className="grid gap-12" key={name}>
          <dt className="muted min-w-56">
            {found.names[at]?.ranges.length ? part(name, found.names[at]) : name}
          </dt>
          <dd>{part(value, found.values[at], language)}</dd>
        </div>
      ))}
    </dl>
  )
}
