import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Button } from '../shared/Button'
import { Modal } from '../shared/Modal'
import { NotOpened } from './NotOpened'

/** Says why a dropped log could not be opened while another one is open; another log is one button away. */
export function ChooseDialog() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'open')
  const notOpened = useStore(app.panes, (panes) => panes.notOpened)
  const close = () => app.panes.set({ dialog: null, notOpened: null })
  return (
    <Modal open={open} title={text.welcome.dialogTitle} closeLabel={text.welcome.cancel} onClose={close}>
      <div className="stack gap-8">
        {notOpened && (
          <>
            <p className="mono break-anywhere">{notOpened.target}</p>
            <NotOpened failure={notOpened.failure} />
          </>
        )}
        <p className="muted">{text.dropStart.stays}</p>
        <div className="modal-actions flex gap-8">
          <span className="grow" />
          <Button look="quiet" onClick={close}>
            {text.welcome.cancel}
          </Button>
          <Button
            look="strong"
            testid="choose-log"
            onClick={() => {
              close()
              app.askForLog()
            }}
          >
            {text.dropStart.choose}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
