import { useMemo, useRef, useState } from 'react'

import type { SessionListRow } from '../../lib/ipc/generated/SessionListRow'
import { hostErrorOf } from '../../lib/ipc/host'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { suggest } from '../../lib/view/suggest'
import { Button } from '../shared/Button'
import { Modal } from '../shared/Modal'
import { NotOpened } from './NotOpened'

/** How many sessions are offered for a typed text. */
const OFFERED = 6

/** Asks for a path or an id; sessions that fit are offered, the host's own file dialog is one button away. */
export function OpenDialog() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'open')
  const dropped = useStore(app.panes, (panes) => panes.dropped)
  const notOpened = useStore(app.panes, (panes) => panes.notOpened)
  const rows = useStore(app.sessions.store, (state) => state.rows)
  const [path, setPath] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  // The path that could not be opened stands in the field, to be put right.
  const [shown, setShown] = useState(notOpened)
  if (notOpened !== shown) {
    setShown(notOpened)
    if (notOpened) setPath(notOpened.target)
  }
  const field = useRef<HTMLInputElement>(null)
  const offered = useMemo(
    () => (open ? suggest(rows, path.trim() === '' ? (dropped ?? '') : path, OFFERED) : []),
    [open, rows, path, dropped],
  )
  const close = () => {
    app.panes.set({ dialog: null, dropped: null, notOpened: null })
    setPath('')
    setTrouble(null)
  }
  const take = (target: string) => {
    close()
    app.open(target)
  }
  const browse = async (folder: boolean) => {
    try {
      const picked = await app.host.pickFile(folder)
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
        className="open-form stack gap-8"
        onKeyDown={moveByKey}
        onSubmit={(event) => {
          event.preventDefault()
          if (path.trim() !== '') take(path.trim())
        }}
      >
        {dropped !== null && (
          <div className="bg-panel2 p-8-12 border-l-active" role="status" data-testid="dropped">
            <p>{text.drop.unknown(dropped)}</p>
            <p className="muted">{text.drop.unknownHint}</p>
            <p className="mono">{text.drop.command}</p>
          </div>
        )}
        <label htmlFor="open-path">{text.welcome.pathLabel}</label>
        <input
          ref={field}
          id="open-path"
          className="input mono h-34"
          data-testid="open-path"
          data-offer=""
          autoComplete="off"
          spellCheck={false}
          placeholder={text.welcome.pathHint}
          value={path}
          onChange={(event) => setPath(event.target.value)}
          aria-invalid={notOpened !== null && path === notOpened.target}
          aria-describedby={notOpened === null ? undefined : 'not-opened'}
        />
        {notOpened && <NotOpened failure={notOpened.failure} />}
        {offered.length > 0 && <Offered rows={offered} onTake={take} />}
        <p className="muted">{text.welcome.dialogNote}</p>
        {trouble && <p className="text-error">{trouble}</p>}
        <div className="modal-actions flex gap-8">
          {app.host.picksFiles && <Button onClick={() => void browse(false)}>{text.welcome.browse}</Button>}
          {app.host.picksFiles && app.can('corpus') && (
            <Button onClick={() => void browse(true)}>{text.welcome.browseFolder}</Button>
          )}
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
function Offered({ rows, onTake }: { rows: readonly SessionListRow[]; onTake: (path: string) => void }) {
  return (
    <ul
      className="stack border rounded-6 overflow-auto max-h-260"
      aria-label={text.welcome.offered}
      data-testid="offered"
    >
      {rows.map(({ path, title, id }) => (
        <li key={path}>
          <button
            type="button"
            className="list-row stack w-full p-4-8"
            data-offer=""
            data-path={path}
            title={path}
            onClick={() => onTake(path)}
          >
            <span className="clip">{title}</span>
            <span className="clip muted mono text-xs">{id ?? path}</span>
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
