import { Select } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'

interface Option<T extends string> {
  value: T
  label: string
  /** Plain words that stand beside the label in the list. */
  plain?: string
  /** The group under whose heading it stands; options of a group follow each other. */
  group?: string
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
        <Select.Icon className="inline-flex muted">
          <ChevronDown size={13} />
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="z-40" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="popup choice-popup">
            <Select.List>
              {groupsOf(options).map(([group, some]) => {
                const items = some.map((option) => <Item key={option.value} option={option} />)
                if (group === undefined) return items
                return (
                  <Select.Group key={group} className="choice-group">
                    <Select.GroupLabel className="p-6-12-2-24 text-s semibold muted">
                      {group}
                    </Select.GroupLabel>
                    {items}
                  </Select.Group>
                )
              })}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  )
}

function Item<T extends string>({ option }: { option: Option<T> }) {
  return (
    <Select.Item value={option.value} className="choice-item list-row" data-value={option.value}>
      <Select.ItemIndicator className="choice-check inline-flex">
        <Check size={13} />
      </Select.ItemIndicator>
      <span>
        <Select.ItemText render={<span />}>{option.label}</Select.ItemText>
        {option.plain && <span className="muted">{` — ${option.plain}`}</span>}
      </span>
      {option.about && <span className="text-s max-w-360">{option.about}</span>}
      {option.note && <span className="text-s muted max-w-320">{option.note}</span>}
    </Select.Item>
  )
}

/** Options by their groups, in their order. */
function groupsOf<T extends string>(options: readonly Option<T>[]): [string | undefined, Option<T>[]][] {
  const groups: [string | undefined, Option<T>[]][] = []
  for (const option of options) {
    const last = groups.at(-1)
    if (last && last[0] === option.group) last[1].push(option)
    else groups.push([option.group, [option]])
  }
  return groups
}
