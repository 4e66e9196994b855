import { useId } from 'react'

interface Props<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
  testid?: string
}

/** One of a few that all fit side by side, behind its label. */
export function Segments<T extends string>({ testid, ...rest }: Props<T>) {
  return (
    <fieldset
      className="setting m-10-0-0 row flex-wrap gap-4-12 min-w-0 border-0 p-0"
      data-testid={testid}
      data-value={rest.value}
    >
      <legend className="p-0 min-w-116">{rest.label}</legend>
      <SegmentGroup {...rest} />
    </fieldset>
  )
}

/** One of a few that all fit side by side; the label is for those who do not see the field. */
export function SegmentGroup<T extends string>({ label, value, options, onChange, testid }: Props<T>) {
  const name = useId()
  return (
    <div className="segments flex-wrap" role="radiogroup" aria-label={label} data-testid={testid}>
      {options.map((option) => (
        <label key={option.value} className="segment">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  )
}
