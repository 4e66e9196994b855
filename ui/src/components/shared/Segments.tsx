import { useId } from 'react'

interface Props<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
  testid?: string
}

/** One of a few that all fit side by side. */
export function Segments<T extends string>({ label, value, options, onChange, testid }: Props<T>) {
  const name = useId()
  return (
    <fieldset className="setting" data-testid={testid} data-value={value}>
      <legend>{label}</legend>
      <div className="setting-values">
        {options.map((option) => (
          <label key={option.value} className="setting-value">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
