import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital } from '../../lib/view/format'
import { Button } from '../shared/Button'
import { Check } from '../shared/Check'
import { Modal } from '../shared/Modal'

/** Makes one HTML file of the session: asks whether to redact. */
export function ExportDialog() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'export')
  const { redact, known, busy, progress, failure } = useStore(app.exporting.store, (state) => state)
  const close = () => {
    app.exporting.stop()
    app.panes.set({ dialog: null })
  }
  const save = async () => {
    const place = await app.exporting.save()
    if (place === null) return
    app.panes.set({ dialog: null })
    app.said.say(text.export.saved(place))
  }
  return (
    <Modal open={open} title={text.export.title} closeLabel={text.welcome.cancel} onClose={close}>
      <form
        className="open-form stack gap-8"
        data-testid="export-form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <p>{text.export.about}</p>
        <Check checked={redact} testid="export-redact" onChange={(on) => app.exporting.setRedact(on)}>
          <span>{text.export.redact}</span>
        </Check>
        <p className="muted">{redact ? text.export.redactAbout : text.export.openAbout}</p>
        {!redact && (
          <Check checked={known} testid="export-known" onChange={(on) => app.exporting.setKnown(on)}>
            <span className="text-error">{text.export.known}</span>
          </Check>
        )}
        <p role="status" className={failure ? 'text-error' : 'muted'}>
          {failure
            ? `${capital(failure.message)}. ${failure.hint ? `${capital(failure.hint)}.` : ''}`
            : busy
              ? text.export.busy
              : ''}
        </p>
        {busy && (
          <progress
            className="w-full"
            data-testid="export-progress"
            max={progress?.total ?? 1}
            value={progress?.done}
            aria-label={text.export.busy}
          />
        )}
        <div className="modal-actions flex gap-8">
          <span className="grow" />
          <Button look="quiet" onClick={close}>
            {busy ? text.export.stop : text.welcome.cancel}
          </Button>
          <Button look="strong" type="submit" disabled={!app.exporting.isReady()} testid="export-save">
            {text.export.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
