import { Pencil, StickyNote, Trash2 } from 'lucide-react'

import type { SessionNote } from '../../lib/ipc/generated/SessionNote'
import type { NoteTarget } from '../../lib/ipc/generated/NoteTarget'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { keyOf } from '../../lib/view/notes'
import { Button } from '../shared/Button'
import { NoteEditor } from './NoteEditor'

const NONE: readonly SessionNote[] = []

/** The notes on something, and the editor while one is written. Nothing where there is neither. */
export function NotesOf({ subject }: { subject: NoteTarget }) {
  const app = useApp()
  const key = keyOf(subject)
  const notes = useStore(app.notes.store, (made) => made.bySubject.get(key) ?? NONE)
  const isEditing = useStore(app.notes.store, (made) => made.editing?.key === key)
  const editedId = useStore(app.notes.store, (made) => (made.editing?.key === key ? made.editing.id : null))
  const hasDraft = useStore(app.notes.store, (made) => made.drafts[key] !== undefined)
  const shown = notes.filter(({ id }) => id !== editedId)
  if (shown.length === 0 && !isEditing && !hasDraft) return null
  return (
    <div className="m-4-0-6 grid gap-4">
      {shown.map((note) => (
        <div
          key={note.id}
          className="note flex items-start gap-8 bg-panel2 p-4-10 border-l-active"
          data-testid="note"
          data-note={note.id}
        >
          <StickyNote size={13} className="flex-none text-active mt-4" aria-hidden />
          <p className="grow min-w-0 break-anywhere pre-wrap">{note.body}</p>
          <span className="flex gap-2">
            <Button
              look="quiet"
              label={text.notes.edit}
              testid="note-edit"
              onClick={() => app.notes.edit(subject, note)}
            >
              <Pencil size={12} />
            </Button>
            <Button
              look="quiet"
              label={text.notes.remove}
              testid="note-remove"
              onClick={() => void app.attempt(app.notes.remove(note))}
            >
              <Trash2 size={12} />
            </Button>
          </span>
        </div>
      ))}
      {isEditing && <NoteEditor subject={subject} />}
      {hasDraft && !isEditing && (
        <button
          type="button"
          className="link note-draft inline-row gap-6"
          data-testid="note-draft"
          onClick={() => app.notes.edit(subject)}
        >
          <Pencil size={12} aria-hidden /> {text.notes.draft}
        </button>
      )}
    </div>
  )
}
