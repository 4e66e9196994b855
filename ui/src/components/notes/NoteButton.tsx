import { StickyNote } from 'lucide-react'

import type { NoteTarget } from '../../lib/ipc/generated/NoteTarget'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { keyOf } from '../../lib/view/notes'
import { Button } from '../shared/Button'

/** Starts a note on something, or opens the one that is there. */
export function NoteButton({ subject }: { subject: NoteTarget }) {
  const app = useApp()
  const key = keyOf(subject)
  const n = useStore(app.notes.store, (made) => made.bySubject.get(key)?.length ?? 0)
  return (
    <Button
      look="quiet"
      className={n > 0 ? 'text-active' : ''}
      label={n > 0 ? text.notes.edit : text.notes.writeOn[subject.on]}
      testid="note-write"
      onClick={() => app.notes.edit(subject)}
    >
      <StickyNote size={13} />
    </Button>
  )
}

/** Counts the notes on an episode and its blocks; shows nothing where there are none. */
export function NoteCount({ episode }: { episode: number }) {
  const app = useApp()
  const n = useStore(app.notes.store, (made) => made.perEpisode.get(episode) ?? 0)
  if (n === 0) return null
  return (
    <span className="inline-row gap-4 text-active" data-testid="note-count" title={text.notes.count(n)}>
      <StickyNote size={12} aria-label={text.notes.count(n)} />
      {n > 1 && n}
    </span>
  )
}
