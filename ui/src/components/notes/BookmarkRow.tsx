import { Bookmark, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'

import type { SavedViewRow } from '../../lib/ipc/generated/SavedViewRow'
import { useApp } from '../../lib/state/app'
import { text } from '../../lib/text'
import { ago } from '../../lib/view/format'
import { Button } from '../shared/Button'

/** A bookmark in the list: it can be opened, renamed and removed. */
export function BookmarkRow({ view, onGo }: { view: SavedViewRow; onGo: () => void }) {
  const app = useApp()
  const [name, setName] = useState<string | null>(null)
  const rename = () => {
    if (name !== null) void app.attempt(app.notes.rename(view, name))
    setName(null)
  }
  return (
    <li
      className="made-row list-row flex items-start gap-2 rounded-6"
      data-testid="bookmark-row"
      data-query={view.query}
    >
      {name === null ? (
        <button
          type="button"
          className="made-go flex items-start grow gap-8 min-w-0 rounded-6 cursor-pointer p-4-6"
          title={text.notes.goBookmark(view.name)}
          onClick={() => {
            onGo()
            app.navigation.showBookmark(view)
          }}
        >
          <Bookmark size={13} className="mt-4 text-active" aria-hidden />
          <span className="clip">{view.name}</span>
          <span className="muted ml-auto flex-none">{ago(view.saved_ms, Date.now())}</span>
        </button>
      ) : (
        <input
          className="input grow"
          data-testid="bookmark-name"
          aria-label={text.notes.renameLabel}
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
          onBlur={rename}
          onKeyDown={(event) => {
            if (event.key === 'Enter') rename()
            else if (event.key === 'Escape') setName(null)
            else return
            event.preventDefault()
            event.stopPropagation()
          }}
        />
      )}
      <Button
        look="quiet"
        label={text.notes.rename}
        testid="bookmark-rename"
        onClick={() => setName(view.name)}
      >
        <Pencil size={12} />
      </Button>
      <Button
        look="quiet"
        label={text.notes.removeBookmark(view.name)}
        testid="bookmark-remove"
        onClick={() => void app.attempt(app.notes.removeView(view))}
      >
        <Trash2 size={12} />
      </Button>
    </li>
  )
}
