import { revealed } from '../view/hidden'

/** The properties by which an element, or a component that makes one, shows a text or has it read out. */
const TEXTS = [
  'children',
  'title',
  'label',
  'alt',
  'placeholder',
  'aria-label',
  'aria-description',
  'aria-valuetext',
  'aria-roledescription',
]

function shownOf(value: unknown): unknown {
  if (typeof value === 'string') return revealed(value)
  if (!Array.isArray(value)) return value
  const parts = value.map(shownOf)
  return parts.some((part, at) => part !== value[at]) ? parts : value
}

/** Returns the properties of an element with its texts as people see them: each hidden character as its code. */
export function shown(props: unknown): unknown {
  const given = props as Record<string, unknown>
  let changed: Record<string, unknown> | null = null
  for (const name of TEXTS) {
    const value = given[name]
    if (value === undefined) continue
    const text = shownOf(value)
    if (text !== value) changed = { ...(changed ?? given), [name]: text }
  }
  return changed ?? props
}
