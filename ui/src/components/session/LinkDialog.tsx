import { useRef } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Button } from '../shared/Button'
import { Modal } from '../shared/Modal'

/** Asks whether to open the file that a link names and no list has. The keyboard begins on the button that opens nothing. */
export function LinkDialog() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'link')
  const asked = useStore(app.admission.store, (state) => state.asked)
  const marks = useStore(app.admission.store, (state) => state.marks)
  const leave = useRef<HTMLButtonElement>(null)
  return (
    <Modal
      open={open}
      title={text.link.title}
      closeLabel={text.link.leave}
      onClose={() => app.admission.answer(false)}
      first={leave}
    >
      <div className="open-form stack gap-8" data-testid="link-question">
        <p>{text.link.says}</p>
        <p className="mono path m-10-0-4 break-anywhere" data-testid="link-path">
          {asked}
        </p>
        {marks !== null && (
          <>
            <p>{text.link.marks}</p>
            <p className="mono path m-10-0-4 break-anywhere" data-testid="link-marks">
              {marks}
            </p>
          </>
        )}
        <div className="modal-actions flex gap-8">
          <span className="grow" />
          <Button testid="link-open" onClick={() => app.admission.answer(true)}>
            {text.link.open}
          </Button>
          <Button ref={leave} look="strong" testid="link-leave" onClick={() => app.admission.answer(false)}>
            {text.link.leave}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
