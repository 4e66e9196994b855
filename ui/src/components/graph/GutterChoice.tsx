import { CHOICES, type Pair, exchange, settings } from '../../lib/state/settings'
import { useStore } from '../../lib/state/store'

interface Props<K extends Pair> {
  setting: K
  /** The word before both; none where they explain themselves. */
  label?: string
  names: Record<(typeof CHOICES)[K][number], string>
  /** The tip while a value is in force. */
  hints: Record<(typeof CHOICES)[K][number], string>
  testid: string
}

/** A setting of two values in a gutter, both on one line with the one in force in bold; a press takes the other. */
export function GutterChoice<K extends Pair>({ setting, label, names, hints, testid }: Props<K>) {
  const value: (typeof CHOICES)[K][number] = useStore(settings, (held) => held[setting])
  const kinds: readonly (typeof CHOICES)[K][number][] = CHOICES[setting]
  return (
    <button
      type="button"
      className="gutter-choice row gap-4 muted rounded-4 absolute px-4 h-20 cursor-pointer hover-panel2 text-xs left-8 bottom-0"
      data-testid={testid}
      data-value={value}
      title={hints[value]}
      onClick={() => exchange(setting)}
    >
      {label && <span>{label} </span>}
      {kinds.map((kind) => (
        <span
          key={kind}
          data-kind={kind}
          className={kind === value ? 'text-main semibold' : ''}
          aria-hidden={kind !== value}
        >
          {names[kind]}
        </span>
      ))}
    </button>
  )
}
