import { useMemo, useRef, useState } from 'react'

import type { SessionRowDto } from '../../lib/ipc/generated/SessionRowDto'
import { hostErrorOf } from '../../lib/ipc/host'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { suggest } from '../../lib/view/suggest'
import { Button } from '../shared/Button'
import { Modal } from '../shared/Modal'

/** How many sessions are offered for a typed text. */
const OFFERED = 6

/** Asks for a path or an id; sessions that fit are offered, the host's own file dialog is one button away. */
export function OpenDialog() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'open')
  const dropped = useStore(app.panes, (panes) => panes.dropped)
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const [path, setPath] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const offered = useMemo(
    () => (open ? suggest(rows, path.trim() === '' ? (dropped ?? '') : path, OFFERED) : []),
    [open, rows, path, dropped],
  )
  const close = () => {
    app.panes.set({ dialog: null, dropped: null })
    setPath('')
    setTrouble(null)
  }
  const take = (target: string) => {
    close()
    app.open(target)
  }
  const browse = async () => {
    try {
      const picked = await app.host.pickFile()
      if (picked !== null) take(picked)
    } catch (thrown) {
      setTrouble(hostErrorOf(thrown).message)
    }
  }
  return (
    <Modal
      open={open}
      title={text.welcome.dialogTitle}
      closeLabel={text.welcome.cancel}
      onClose={close}
      first={field}
    >
      <form
        className="open-form"
        onKeyDown={moveByKey}
        onSubmit={(event) => {
          event.preventDefault()
          if (path.trim() !== '') take(path.trim())
        }}
      >
        {dropped !== null && (
          <div className="dropped-note" role="status" data-testid="dropped">
            <p>{text.drop.unknown(dropped)}</p>
            <p className="muted">{text.drop.unknownHint}</p>
            <p className="mono">{text.drop.command}</p>
          </div>
        )}
        <label htmlFor="open-path">{text.welcome.pathLabel}</label>
        <input
          ref={field}
          id="open-path"
          className="input mono"
          data-testid="open-path"
          data-offer=""
          autoComplete="off"
          spellCheck={false}
          placeholder={text.welcome.pathHint}
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
        {offered.length > 0 && <Offered rows={offered} onTake={take} />}
        <p className="muted">{text.welcome.dialogNote}</p>
        {trouble && <p className="error-text">{trouble}</p>}
        <div className="modal-actions">
          {app.host.picksFiles && <Button onClick={() => void browse()}>{text.welcome.browse}</Button>}
          <span className="grow" />
          <Button look="quiet" onClick={close}>
            {text.welcome.cancel}
          </Button>
          <Button look="strong" type="submit" disabled={path.trim() === ''} testid="open-submit">
            {text.welcome.pathOpen}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/** Sessions that may be meant. */
function Offered({ rows, onTake }: { rows: readonly SessionRowDto[]; onTake: (path: string) => void }) {
  return (
    <ul className="offered" aria-label={text.welcome.offered} data-testid="offered">
      {rows.map(({ path, title, id }) => (
        <li key={path}>
          <button
            type="button"
            className="offer"
            data-offer=""
            data-path={path}
            title={path}
            onClick={() => onTake(path)}
          >
            <span className="clip">{title}</span>
            <span className="clip muted mono">{id ?? path}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Moves the keyboard up and down through the field and the sessions below it. */
function moveByKey(event: React.KeyboardEvent): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (by === 0) return
  const places = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-offer]')]
  const at = places.findIndex((place) => place === document.activeElement)
  if (at < 0) return
  event.preventDefault()
  places[Math.max(0, Math.min(places.length - 1, at + by))]?.focus()
}
