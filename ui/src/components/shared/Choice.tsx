import { Select } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'

interface Option<T extends string> {
  value: T
  label: string
  /** A sentence that says what the option is. */
  about?: string
  /** A note in small letters. */
  note?: string
}

interface Props<T extends string> {
  label: string
  value: T
  options: readonly Option<T>[]
  onChange: (value: T) => void
  testid?: string
}

/** One of a few, as a list that drops down. */
export function Choice<T extends string>({ label, value, options, onChange, testid }: Props<T>) {
  return (
    <Select.Root
      items={options.map((option) => ({ value: option.value, label: option.label }))}
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      modal={false}
    >
      <Select.Trigger className="choice" aria-label={label} data-testid={testid} data-value={value}>
        <Select.Value />
        <Select.Icon className="choice-icon">
          <ChevronDown size={13} />
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="choice-place" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="choice-popup">
            <Select.List className="choice-list">
              {options.map((option) => (
                <Select.Item
                  key={option.value}
                  value={option.value}
                  className="choice-item"
                  data-value={option.value}
                >
                  <Select.ItemIndicator className="choice-check">
                    <Check size={13} />
                  </Select.ItemIndicator>
                  <Select.ItemText>{option.label}</Select.ItemText>
                  {option.about && <span className="choice-about">{option.about}</span>}
                  {option.note && <span className="choice-note">{option.note}</span>}
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  )
}
