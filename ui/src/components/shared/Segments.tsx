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
    <fieldset
      className="setting row flex-wrap gap-4-12 min-w-0 border-0 p-0"
      data-testid={testid}
      data-value={value}
    >
      <legend className="p-0 min-w-116">{label}</legend>
      <div className="segments flex-wrap">
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
    </fieldset>
  )
}
