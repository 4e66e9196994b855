import { useMemo } from 'react'

import { ansiRuns } from '../../lib/view/ansi'
import { callArguments, splitMatches } from '../../lib/view/rows'

/** The text of a block, never anything but text; terminal colours and matches are marked. */
export function BlockText({ text, find, prose }: { text: string; find: string; prose: boolean }) {
  const runs = useMemo(() => ansiRuns(text), [text])
  return (
    <div className={prose ? 'block-text prose' : 'block-text mono'} dir="auto">
      {runs.map((run, at) => (
        <span key={at} className={run.classes || undefined}>
          {splitMatches(run.text, find).map((part, place) =>
            place % 2 === 1 ? <mark key={place}>{part}</mark> : part,
          )}
        </span>
      ))}
    </div>
  )
}

/** The arguments of a call as names and texts; whatever cannot be read so is shown as it is. */
export function CallText({ text, tool, find }: { text: string; tool: string | null; find: string }) {
  const parts = useMemo(() => callArguments(text, tool), [text, tool])
  if (!parts || parts.length === 0) return <BlockText text={text} find={find} prose={false} />
  return (
    <dl className="call mono block-text">
      {parts.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>
            <BlockText text={value} find={find} prose={false} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
