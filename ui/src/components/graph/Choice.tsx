interface Props<K extends string> {
  /** The word before both; none where they explain themselves. */
  label?: string
  kinds: readonly K[]
  value: K
  names: Record<K, string>
  title: string
  testid: string
  onPress: () => void
}

/** A choice of two in a gutter, both on one line with the one in force in bold; a press takes the other. */
export function Choice<K extends string>({ label, kinds, value, names, title, testid, onPress }: Props<K>) {
  return (
    <button
      type="button"
      className="gutter-choice"
      data-testid={testid}
      data-value={value}
      title={title}
      onClick={onPress}
    >
      {label && <span>{label} </span>}
      {kinds.map((kind) => (
        <span key={kind} data-kind={kind} className={kind === value ? 'on' : ''} aria-hidden={kind !== value}>
          {names[kind]}
        </span>
      ))}
    </button>
  )
}
