import { Bookmark, StickyNote } from 'lucide-react'
import type { ReactNode } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { SESSION, foundNotes, foundViews, keyOf } from '../../lib/view/notes'
import { Button } from '../shared/Button'
import { Keys } from '../shared/Keys'
import { BookmarkRow } from './BookmarkRow'
import { NoteEditor } from './NoteEditor'
import { NoteRow } from './NoteRow'

/** The notes of the session in the order of the log, its bookmarks in the order of their making, and a field that searches both. */
export function NotesList({ onGo }: { onGo: () => void }) {
  const app = useApp()
  const { notes, views, find, failure, editing } = useStore(app.notes.store, (made) => made)
  const noted = foundNotes(notes, find)
  const kept = foundViews(views, find)
  const none = find === '' ? text.notes.none : text.notes.noMatch
  const noneKept = find === '' ? text.notes.noneBookmarks : text.notes.noMatch
  return (
    <>
      {notes.length + views.length > 5 && (
        <input
          className="input"
          type="search"
          data-testid="notes-find"
          aria-label={text.notes.find}
          placeholder={text.notes.find}
          value={find}
          onChange={(event) => app.notes.setFind(event.target.value)}
        />
      )}
      {failure && <p className="text-error">{failure.message}</p>}
      <NotesSection
        title={text.notes.notes}
        n={notes.length}
        action={
          <Button testid="note-session" onClick={() => app.notes.edit(SESSION)}>
            <StickyNote size={13} /> {text.notes.writeOn.session}
          </Button>
        }
      >
        {editing?.key === keyOf(SESSION) && <NoteEditor subject={SESSION} />}
        {noted.length === 0 && !editing && <p className="muted">{none}</p>}
        <ul className="grid gap-2">
          {noted.map((note) => (
            <NoteRow key={note.id} note={note} onGo={onGo} />
          ))}
        </ul>
      </NotesSection>
      <NotesSection
        title={text.notes.bookmarks}
        n={views.length}
        action={
          <Button testid="bookmark" onClick={() => app.bookmark()}>
            <Bookmark size={13} /> {text.notes.bookmark} <Keys name="b" />
          </Button>
        }
      >
        {kept.length === 0 && <p className="muted">{noneKept}</p>}
        <ul className="grid gap-2">
          {kept.map((view) => (
            <BookmarkRow key={view.id} view={view} onGo={onGo} />
          ))}
        </ul>
      </NotesSection>
    </>
  )
}

function NotesSection({
  title,
  n,
  action,
  children,
}: {
  title: string
  n: number
  action: ReactNode
  children: ReactNode
}) {
  return (
    <section className="notes-made grid gap-6">
      <header className="row gap-8">
        <h3>
          {title} {n > 0 && <span className="muted">{n}</span>}
        </h3>
        <span className="grow" />
        {action}
      </header>
      {children}
    </section>
  )
}
