import { useMemo } from 'react'

import { ansiRuns } from '../../lib/view/ansi'
import { splitMatches } from '../../lib/view/rows'

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
