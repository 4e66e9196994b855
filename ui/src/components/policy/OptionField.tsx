import { RotateCcw } from 'lucide-react'
import { useEffect, useId, useState } from 'react'

import type { OptionRow } from '../../lib/ipc/generated/OptionRow'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import {
  aroundValue,
  formOf,
  isNumberFor,
  perMilleOf,
  percentOf,
  sentenceOf,
  toggled,
  valueOf,
  type OptionForm,
  type Options,
} from '../../lib/view/options'
import { Button } from '../shared/Button'
import { Choice } from '../shared/Choice'
import { Said } from '../shared/Said'

interface Props {
  option: OptionRow
  set: Options
  onSet: (value: string) => void
}

/** One option of a policy: a sentence with the field that fits its values in it, and the key that scripts use. */
export function OptionField({ option, set, onSet }: Props) {
  const id = useId()
  const form = formOf(option)
  const value = valueOf(option, set)
  const changed = value !== option.default
  const [before, after] = aroundValue(option)
  return (
    <div className={`py-4 option ${changed ? 'changed' : ''}`} data-testid="option" data-option={option.key}>
      <div className="option-line row gap-6 min-h-26">
        <div
          className={`gap-4-6 row ${form.kind === 'switch' ? '' : 'flex-wrap'} ${changed ? 'semibold' : ''}`}
        >
          {form.kind === 'switch' && (
            <Field id={id} option={option} form={form} value={value} onSet={onSet} />
          )}
          <label htmlFor={form.kind === 'letters' ? undefined : id} id={`${id}-name`}>
            <Said text={before} end="" />
          </label>
          {form.kind !== 'switch' && (
            <Field id={id} option={option} form={form} value={value} onSet={onSet} />
          )}
          <span>{after}</span>
        </div>
        <span className="grow" />
        {changed && (
          <Button
            className="small"
            look="quiet"
            label={text.options.reset(sentenceOf(option), shownDefault(option))}
            testid="option-reset"
            onClick={() => onSet(option.default)}
          >
            <RotateCcw size={12} />
          </Button>
        )}
      </div>
      <p className="text-s muted" id={`${id}-about`}>
        {option.about !== '' && (
          <>
            <Said text={option.about} />{' '}
          </>
        )}
        <code className={`option-key text-xs ${changed ? 'text-active' : 'muted'}`} title={text.options.key}>
          {option.key}={value}
        </code>
      </p>
    </div>
  )
}

interface FieldProps {
  id: string
  option: OptionRow
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
          className="m-0"
          checked={value === form.on}
          aria-describedby={`${id}-about`}
          onChange={(event) => onSet(event.target.checked ? form.on : form.off)}
        />
      )
    case 'choice':
      return (
        <Choice
          label={sentenceOf(option)}
          value={value}
          options={form.values.map((one) => ({ value: one, label: one }))}
          onChange={onSet}
        />
      )
    case 'letters':
      return (
        <span role="group" aria-labelledby={`${id}-name`} className="segments">
          {form.letters.map((letter) => (
            <button
              key={letter}
              type="button"
              className="segment mono px-8"
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

const shownDefault = ({ default: usual, share }: OptionRow): string =>
  usual === '' ? text.options.none : share ? `${percentOf(usual)} %` : usual

/** A text field: a value that fits is set at once, any other is marked and dropped. A share is typed in per cent. */
function TypedField({ id, option, form, value, onSet }: FieldProps) {
  const [draft, setDraft] = useState<string | null>(null)
  useEffect(() => setDraft(null), [value])
  const read = (typed: string) => (option.share ? perMilleOf(typed) : typed)
  const fitting = (typed: string): string | null => {
    const value = read(typed)
    return value !== null && (form.kind !== 'number' || isNumberFor(form, value)) ? value : null
  }
  const bad = draft !== null && fitting(draft) === null
  const shown = (value: number) => (option.share ? `${percentOf(String(value))} %` : count(value))
  const range =
    form.kind !== 'number'
      ? option.values
      : form.most === null
        ? text.options.from(shown(form.least))
        : text.options.range(shown(form.least), shown(form.most))
  const own = option.share ? percentOf(value) : value
  const step = option.share ? 10 : 1
  return (
    <input
      id={id}
      className={`w-74 text-right tabular h-24 input ${bad ? 'bad' : ''}`}
      inputMode={form.kind === 'number' ? 'numeric' : undefined}
      autoComplete="off"
      spellCheck={false}
      value={draft ?? own}
      title={range}
      aria-invalid={bad}
      aria-label={sentenceOf(option)}
      aria-describedby={`${id}-about`}
      onChange={(event) => {
        const typed = event.target.value
        setDraft(typed)
        const next = fitting(typed)
        if (form.kind === 'number' && next !== null && next !== value) onSet(next)
      }}
      onBlur={() => {
        const next = draft === null ? null : fitting(draft)
        if (next !== null && next !== value) onSet(next)
        setDraft(null)
      }}
      onKeyDown={(event) => {
        const next = draft === null ? null : fitting(draft)
        if (event.key === 'Enter' && next !== null) onSet(next)
        if (form.kind !== 'number' || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
        event.preventDefault()
        const other = String(Math.max(0, Number(value) + (event.key === 'ArrowUp' ? step : -step)))
        if (isNumberFor(form, other)) onSet(other)
      }}
    />
  )
}
