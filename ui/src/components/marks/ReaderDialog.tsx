import { useEffect, useRef, useState } from 'react'

import type { ReaderPlanAnswer } from '../../lib/ipc/generated/ReaderPlanAnswer'
import type { HostError } from '../../lib/ipc/host'
import { useApp } from '../../lib/state/app'
import type { NotSaved } from '../../lib/state/readerMarking'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capital, count } from '../../lib/view/format'
import { Button } from '../shared/Button'
import { Modal } from '../shared/Modal'
import { Said } from '../shared/Said'

/** Marks the session with the reader of the user's settings: says what would leave the machine, then how far it is. */
export default function ReaderDialog() {
  const app = useApp()
  const { reader, busy, notSaved, failure } = useStore(app.readerMarking.store, (state) => state)
  const start = useRef<HTMLButtonElement>(null)
  useEffect(() => void app.readerMarking.look(), [app])
  const close = () => {
    app.readerMarking.stop()
    app.panes.set({ dialog: null })
  }
  const mark = async () => {
    const saved = await app.readerMarking.start()
    if (saved === null) return
    app.panes.set({ dialog: null })
    const { name, n_episodes, n_calls, n_covered } = saved
    app.said.say(text.reader.saved(name, count(n_episodes), count(n_covered), count(n_calls)))
  }
  const plan = reader?.plan ?? null
  return (
    <Modal open title={text.reader.title} closeLabel={text.marks.cancel} onClose={close} first={start}>
      <div className="open-form stack gap-8" data-testid="reader-dialog" data-busy={busy}>
        {reader === null && failure === null && <p className="muted">{text.reader.wait}</p>}
        {reader && !plan && <NoReader reader={reader} />}
        {plan && (
          <>
            <p>{text.reader.command}</p>
            <p className="mono path break-anywhere" data-testid="reader-command">
              {plan.command}
            </p>
            <div data-testid="reader-says">
              {plan.says.map((says) => (
                <p key={says} className="break-anywhere">
                  <Said text={capital(says)} />
                </p>
              ))}
            </div>
            <p className="muted">{text.reader.name(plan.name, plan.replaces)}</p>
          </>
        )}
        {notSaved && <Refused notSaved={notSaved} />}
        {failure && <Failed failure={failure} />}
        {busy && <Attempt />}
        <div className="modal-actions flex gap-8">
          <span className="grow" />
          <Button look="quiet" testid="reader-cancel" onClick={busy ? () => app.readerMarking.stop() : close}>
            {busy || plan ? text.marks.cancel : text.reader.close}
          </Button>
          {plan ? (
            <Button
              ref={start}
              look="strong"
              testid="reader-start"
              disabled={busy}
              onClick={() => void mark()}
            >
              {notSaved ? text.reader.again : text.reader.start}
            </Button>
          ) : (
            <Button
              look="strong"
              testid="reader-look"
              disabled={reader === null && failure === null}
              onClick={() => void app.readerMarking.look()}
            >
              {text.reader.look}
            </Button>
          )}
        </div>
      </div>
    </Modal>
  )
}

/** The line that names a reader, and the path of the settings file that it belongs to. */
function NoReader({ reader: { settings, example } }: { reader: ReaderPlanAnswer }) {
  const app = useApp()
  return (
    <div className="stack gap-8" data-testid="reader-none">
      <p>{settings === null ? text.reader.noHome : text.reader.none}</p>
      {settings !== null && (
        <>
          <p className="mono path break-anywhere">{settings}</p>
          <p>{text.reader.line}</p>
          <div className="row gap-8">
            <code className="grow break-anywhere" data-testid="reader-example">
              {example}
            </code>
            <Button
              testid="reader-copy"
              onClick={() => void app.clipboard.put(example, () => text.reader.copied)}
            >
              {text.reader.copy}
            </Button>
          </div>
          <p className="muted">{text.reader.lineAbout}</p>
        </>
      )}
    </div>
  )
}

/** Lists what is wrong with the last answer, and says where it is. */
function Refused({ notSaved: { why, problems, draft } }: { notSaved: NotSaved }) {
  const app = useApp()
  return (
    <div className="stack gap-8" role="alert" data-testid="reader-refused">
      <p className="text-error">{text.reader.refused(why)}</p>
      {problems.length > 0 && (
        <ol
          className="max-h-140 overflow-auto break-anywhere text-s"
          tabIndex={0}
          aria-label={text.reader.problems}
        >
          {problems.map((problem, at) => (
            <li key={at}>
              <Said text={problem} end="" />
            </li>
          ))}
        </ol>
      )}
      {draft !== null && (
        <>
          <p>{text.reader.draft}</p>
          <div className="row gap-8">
            <span className="mono path grow break-anywhere" data-testid="reader-draft">
              {draft}
            </span>
            <Button onClick={() => void app.clipboard.put(draft, () => text.reader.copiedPath)}>
              {text.reader.copyPath}
            </Button>
          </div>
        </>
      )}
    </div>
  )
}

function Failed({ failure: { message, hint, path } }: { failure: HostError }) {
  return (
    <div role="alert" data-testid="reader-failure">
      <p className="text-error break-anywhere">
        {capital(message)}. {hint && `${capital(hint)}.`}
      </p>
      {path && <p className="mono path break-anywhere">{path}</p>}
    </div>
  )
}

/** The prompt that the reader has, and for how long. */
function Attempt() {
  const app = useApp()
  const { attempt, since } = useStore(app.readerMarking.store, (state) => state)
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((now - since) / 1000))
  return (
    <div>
      <p role="status" data-testid="reader-attempt">
        {attempt ? text.reader.attempt(attempt) : text.reader.begins}
      </p>
      {/* Not a part of the status: seconds are not to be spoken. */}
      <p className="muted tabular">{text.reader.seconds(count(seconds))}</p>
      <progress className="w-full" aria-label={text.reader.title} />
    </div>
  )
}
