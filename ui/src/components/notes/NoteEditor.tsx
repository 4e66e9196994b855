import { useEffect, useRef } from 'react'

import type { NoteTarget } from '../../lib/ipc/generated/NoteTarget'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { keyOf } from '../../lib/view/notes'
import { Button } from '../shared/Button'

/** Writes a note on something. What is typed stays as a draft until it is saved or discarded. */
export function NoteEditor({ subject }: { subject: NoteTarget }) {
  const app = useApp()
  const key = keyOf(subject)
  const draft = useStore(app.notes.store, (made) => made.drafts[key])
  const refused = useStore(app.notes.store, (made) => made.refused)
  const id = useStore(app.notes.store, (made) => made.editing?.id)
  const body = draft ?? app.notes.textOf(key)
  const field = useRef<HTMLTextAreaElement>(null)
  const before = useRef<Element | null>(null)
  useEffect(() => {
    before.current ??= document.activeElement
    const area = field.current
    area?.focus()
    area?.setSelectionRange(area.value.length, area.value.length)
  }, [id])

  /** Gives the keyboard back to the element that had it. */
  const leave = (act: () => void) => {
    act()
    const element = before.current
    if (element instanceof HTMLElement && element.isConnected) element.focus({ preventScroll: true })
  }
  const save = () => void app.notes.save().then(() => app.notes.store.get().editing ?? leave(() => undefined))
  return (
    <form
      className="note-editor grid gap-6"
      data-testid="note-editor"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
        else if (event.key === 'Escape') leave(() => app.notes.close())
        else return event.stopPropagation()
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <textarea
        ref={field}
        className="input w-full h-auto font-inherit p-8-10 min-h-64"
        data-testid="note-text"
        aria-label={text.notes.writeOn[subject.on]}
        aria-describedby="note-hint"
        placeholder={text.notes.placeholder}
        rows={Math.min(12, Math.max(3, body.split('\n').length + 1))}
        value={body}
        onChange={(event) => app.notes.type(key, event.target.value)}
      />
      {refused && (
        <p className="text-error" role="alert" data-testid="note-refused">
          {refused.message}
          {refused.hint && ` · ${refused.hint}`}
        </p>
      )}
      <div className="row flex-wrap gap-8">
        <span id="note-hint" className="muted">
          {text.notes.saveHint}
        </span>
        <span className="grow" />
        {draft !== undefined && (
          <Button look="quiet" testid="note-discard" onClick={() => leave(() => app.notes.discard(key))}>
            {text.notes.discard}
          </Button>
        )}
        <button type="submit" className="button strong" data-testid="note-save">
          {text.notes.save}
        </button>
      </div>
    </form>
  )
}
