import { Popover } from '@base-ui/react/popover'
import { StickyNote } from 'lucide-react'
import { useRef } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { SESSION } from '../../lib/view/notes'
import { NotesList } from './NotesList'

/** All notes and bookmarks of the session, behind a button. */
export function NotesButton() {
  const app = useApp()
  const popup = useRef<HTMLDivElement>(null)
  const isOpen = useStore(app.notes.store, (made) => made.open)
  const n = useStore(app.notes.store, (made) => made.notes.length + made.views.length)
  const hasSession = useStore(app.bench.store, (bench) => bench.session !== null)
  if (!hasSession) return null
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(open, { reason }) => {
        // Esc in a field closes that first; see there.
        if (!open && app.notes.store.get().editing?.key === SESSION.on) app.notes.close()
        if (open || reason !== 'focus-out') app.notes.show(open)
      }}
    >
      <Popover.Trigger
        className={`button quiet ${n > 0 ? 'text-active' : ''}`}
        aria-label={text.notes.button(n)}
        title={text.notes.button(n)}
        data-testid="notes-button"
        data-n={n}
      >
        <StickyNote size={16} />
        {n > 0 && <span className="tabular text-xs">{n}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="z-40" sideOffset={6} align="end" collisionPadding={8}>
          <Popover.Popup
            ref={popup}
            className="popup w-460"
            data-testid="notes-popup"
            initialFocus={() => popup.current?.querySelector('textarea') ?? true}
          >
            <Popover.Title className="unseen">{text.notes.title}</Popover.Title>
            <NotesList onGo={() => app.notes.show(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
