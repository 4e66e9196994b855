import { StickyNote, Trash2 } from 'lucide-react'

import type { SessionNote } from '../../lib/ipc/generated/SessionNote'
import { useApp } from '../../lib/state/app'
import { text } from '../../lib/text'
import { ago, count } from '../../lib/view/format'
import { Button } from '../shared/Button'

/** A note in the list of all: shows what it is on, or lets it be changed where that is the whole session. */
export function NoteRow({ note, onGo }: { note: SessionNote; onGo: () => void }) {
  const app = useApp()
  const on = subjectName(note)
  const isSession = note.subject.on === 'session'
  return (
    <li
      className="made-row list-row flex items-start gap-2 rounded-6"
      data-testid="note-row"
      data-note={note.id}
    >
      <button
        type="button"
        className="made-go flex items-start grow gap-8 min-w-0 rounded-6 cursor-pointer p-4-6"
        title={isSession ? text.notes.edit : text.notes.go(on)}
        disabled={!isSession && !note.place}
        onClick={() => {
          if (isSession) return app.writeNote(note.subject)
          onGo()
          void app.navigation.showNote(note)
        }}
      >
        <StickyNote size={13} className="mt-4 text-active" aria-hidden />
        <span className="grid min-w-0">
          <span className="made-body lines lines-3 overflow-hidden break-anywhere">{note.body}</span>
          <span className="muted">
            {on}
            {note.place && ` · ${text.notes.turn(count(note.place.turn))}`}
            {!isSession && !note.place && ` · ${text.notes.elsewhere}`}
            {` · ${ago(note.written_ms, Date.now())}`}
          </span>
        </span>
      </button>
      <Button
        look="quiet"
        label={text.notes.remove}
        testid="note-row-remove"
        onClick={() => void app.attempt(app.notes.remove(note))}
      >
        <Trash2 size={12} />
      </Button>
    </li>
  )
}

function subjectName({ subject, place }: SessionNote): string {
  switch (subject.on) {
    case 'session':
      return text.notes.onSession
    case 'episode':
      return text.notes.onEpisode(subject.name)
    case 'block':
      return place ? text.notes.onBlock(count(place.line)) : text.notes.onBlockElsewhere(subject.block)
  }
}
