import { useRef, useState } from 'react'

import { hostErrorOf } from '../../lib/ipc/host'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text/en'
import { Button } from '../shared/Button'
import { Modal } from '../shared/Modal'

/** Asks for a path; the host's own file dialog is one button away. */
export function OpenDialog() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'open')
  const [path, setPath] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const close = () => app.panes.set({ dialog: null })
  const browse = async () => {
    try {
      const picked = await app.host.pickFile()
      if (picked !== null) app.open(picked)
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
        onSubmit={(event) => {
          event.preventDefault()
          if (path.trim() === '') return
          app.open(path.trim())
          setPath('')
        }}
      >
        <label htmlFor="open-path">{text.welcome.pathLabel}</label>
        <input
          ref={field}
          id="open-path"
          className="input mono"
          data-testid="open-path"
          autoComplete="off"
          spellCheck={false}
          placeholder={text.welcome.pathHint}
          value={path}
          onChange={(event) => setPath(event.target.value)}
        />
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
