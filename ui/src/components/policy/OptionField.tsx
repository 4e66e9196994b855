import { RotateCcw } from 'lucide-react'
import { useEffect, useId, useState } from 'react'

import type { OptionDto } from '../../lib/ipc/generated/OptionDto'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { formOf, isNumberFor, toggled, valueOf, type OptionForm, type Options } from '../../lib/view/options'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'

interface Props {
  option: OptionDto
  set: Options
  onSet: (value: string) => void
}

/** One option of a policy: its name, what it does, and the field that fits its values. */
export function OptionField({ option, set, onSet }: Props) {
  const id = useId()
  const form = formOf(option)
  const value = valueOf(option, set)
  const changed = value !== option.default
  return (
    <div className={`option ${changed ? 'changed' : ''}`} data-testid="option" data-option={option.key}>
      <div className="option-line">
        <label
          htmlFor={form.kind === 'letters' ? undefined : id}
          id={`${id}-name`}
          className="option-name mono"
        >
          {option.key}
        </label>
        <span className="grow" />
        {changed && (
          <Button
            look="quiet"
            label={text.options.reset(option.key, option.default === '' ? text.options.none : option.default)}
            testid="option-reset"
            onClick={() => onSet(option.default)}
          >
            <RotateCcw size={12} />
          </Button>
        )}
        <Field id={id} option={option} form={form} value={value} onSet={onSet} />
      </div>
      <p className="option-about" id={`${id}-about`}>
        {option.about}
      </p>
    </div>
  )
}

interface FieldProps {
  id: string
  option: OptionDto
  form: OptionForm
  value: string
  onSet: (value: string) => void
}

function Field({ id, option, form, value, onSet }: FieldProps) {
  switch (form.kind) {
    case 'switch':
      return (
        <input
          id={id}
          type="checkbox"
          checked={value === form.on}
          aria-describedby={`${id}-about`}
          onChange={(event) => onSet(event.target.checked ? form.on : form.off)}
        />
      )
    case 'choice':
      return (
        <Choice
          label={option.key}
          value={value}
          options={form.values.map((one) => ({ value: one, label: one }))}
          onChange={onSet}
        />
      )
    case 'letters':
      return (
        <span role="group" aria-labelledby={`${id}-name`} className="letters">
          {form.letters.map((letter) => (
            <button
              key={letter}
              type="button"
              className="letter"
              aria-pressed={value.includes(letter)}
              onClick={() => onSet(toggled(form.letters, value, letter))}
            >
              {letter}
            </button>
          ))}
        </span>
      )
    default:
      return <TypedField id={id} option={option} form={form} value={value} onSet={onSet} />
  }
}

/** A text field: a value that fits is set at once, any other is marked and dropped. */
function TypedField({ id, option, form, value, onSet }: FieldProps) {
  const [draft, setDraft] = useState<string | null>(null)
  useEffect(() => setDraft(null), [value])
  const fits = (typed: string) => form.kind !== 'number' || isNumberFor(form, typed)
  const bad = draft !== null && !fits(draft)
  const range =
    form.kind !== 'number'
      ? option.values
      : form.most === null
        ? text.options.from(count(form.least))
        : text.options.range(count(form.least), count(form.most))
  return (
    <input
      id={id}
      className={`input option-input ${bad ? 'bad' : ''}`}
      inputMode={form.kind === 'number' ? 'numeric' : undefined}
      autoComplete="off"
      spellCheck={false}
      value={draft ?? value}
      title={range}
      aria-invalid={bad}
      aria-describedby={`${id}-about`}
      onChange={(event) => {
        const typed = event.target.value
        setDraft(typed)
        if (form.kind === 'number' && fits(typed) && typed !== value) onSet(typed)
      }}
      onBlur={() => {
        if (draft !== null && fits(draft) && draft !== value) onSet(draft)
        setDraft(null)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && draft !== null && fits(draft)) onSet(draft)
        if (form.kind !== 'number' || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
        event.preventDefault()
        const next = String(Math.max(0, Number(value) + (event.key === 'ArrowUp' ? 1 : -1)))
        if (isNumberFor(form, next)) onSet(next)
      }}
    />
  )
}
