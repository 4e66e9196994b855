import { useRef, useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { isKept } from '../../lib/view/annotation'
import { capital } from '../../lib/view/format'
import { Button } from '../shared/Button'

/** The set of marks that is shown, while marks are being changed: where it comes from, copies, files, removal. */
export function MarksCard() {
  const app = useApp()
  const on = useStore(app.marking.store, (marking) => marking.on)
  const overlays = useStore(app.marking.store, (marking) => marking.overlays)
  const annotation = useStore(app.bench.store, (bench) => bench.view.annotation)
  const from = useStore(app.bench.store, (bench) => bench.graph?.from)
  const selected = useStore(app.bench.store, (bench) => bench.selected)
  const failure = useStore(app.marking.store, (marking) => marking.failure)
  const hasGuesses = useStore(
    app.bench.store,
    (bench) => bench.graph?.episodes.some(({ confidence }) => confidence !== null) ?? false,
  )
  const [copying, setCopying] = useState<string | null>(null)
  const file = useRef<HTMLInputElement>(null)
  if (!on || !from) return null
  const own = overlays.find(({ name }) => name === annotation)
  const copy = async () => {
    if (copying !== null && (await app.marking.copyAs(copying))) setCopying(null)
  }
  const tell = (saving: Promise<string | null>) =>
    void app.attempt(
      saving.then((at) => {
        if (at !== null) app.said.say(text.marks.saved(at))
      }),
    )
  const take = async (taken: File | undefined) => {
    if (taken) await app.marking.take(taken.name.replace(/\.json$/i, ''), await taken.text())
  }
  return (
    <section className="part mt-12" data-testid="marks-set">
      <h3 className="mb-4">{text.marks.set}</h3>
      <p>{capital(text.annotation.episodes(from.says))}</p>
      {own?.based_on && <p className="muted">{capital(text.marks.basedOn(own.based_on))}</p>}
      {!isKept(annotation) && <p className="muted">{text.marks.unchanged}</p>}
      <p className="muted">{text.marks.hint}</p>
      <div className="marks-actions flex flex-wrap gap-6 mt-8">
        {hasGuesses && (
          <Button onClick={() => void app.marking.edit([{ do: 'accept', of: null }])}>
            {text.marks.acceptAll}
          </Button>
        )}
        <Button onClick={() => setCopying(copying === null ? '' : null)}>{text.marks.saveAs}</Button>
        <Button title={text.marks.exportHint} onClick={() => tell(app.marking.saveFile())}>
          {text.marks.exportJson}
        </Button>
        <Button title={text.marks.importHint} onClick={() => file.current?.click()}>
          {text.marks.importJson}
        </Button>
        {app.can('mark_with_reader') && (
          <Button
            title={text.reader.openHint}
            testid="marks-reader"
            onClick={() => app.panes.set({ dialog: 'reader' })}
          >
            {text.reader.open}
          </Button>
        )}
        {own && (
          <Button title={text.marks.reportHint} onClick={() => tell(app.marking.report())}>
            {text.marks.report}
          </Button>
        )}
        {own && (
          <Button onClick={() => void app.attempt(app.marking.remove(own.name))}>
            {text.marks.removeSet}
          </Button>
        )}
        <input
          ref={file}
          type="file"
          accept="application/json,.json"
          hidden
          data-testid="marks-file"
          onChange={(event) => {
            void take(event.target.files?.[0])
            // The same file may be chosen again after it was changed.
            event.target.value = ''
          }}
        />
      </div>
      {copying !== null && (
        <form
          className="marks-actions flex flex-wrap gap-6 mt-8"
          onSubmit={(event) => {
            event.preventDefault()
            void copy()
          }}
        >
          <input
            className="input grow"
            autoFocus
            aria-label={text.marks.copyName}
            placeholder={text.marks.copyName}
            value={copying}
            onChange={(event) => setCopying(event.target.value)}
            onKeyDown={(event) => event.stopPropagation()}
          />
          <button type="submit" className="button strong" disabled={copying.trim() === ''}>
            {text.marks.copy}
          </button>
        </form>
      )}
      {failure && selected === null && (
        <p className="text-error" role="alert">
          {failure.message}
        </p>
      )}
    </section>
  )
}
