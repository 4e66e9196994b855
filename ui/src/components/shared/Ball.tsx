interface Props {
  /** The level: 0 draws a full disc, 4 a dashed empty ring. */
  level: number
  size?: number
  /** The words that a screen reader says. Without them the ball only repeats a text beside it. */
  label?: string
}

/** A Harvey ball. It is drawn, so that it looks the same with any font. */
export function Ball({ level, size = 11, label }: Props) {
  const share = [1, 0.75, 0.5, 0.25, 0][level] ?? 1
  const radius = 4.5
  const angle = share * 2 * Math.PI - Math.PI / 2
  const x = 6 + radius * Math.cos(angle)
  const y = 6 + radius * Math.sin(angle)
  return (
    <svg
      className="ball"
      width={size}
      height={size}
      viewBox="0 0 12 12"
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      {label && <title>{label}</title>}
      <circle
        cx="6"
        cy="6"
        r={radius}
        fill={share === 1 ? 'currentColor' : 'none'}
        stroke="currentColor"
        strokeWidth="1.2"
        strokeDasharray={share === 0 ? '2 1.6' : undefined}
      />
      {share > 0 && share < 1 && (
        <path
          d={`M6 6 V${6 - radius} A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${x} ${y} Z`}
          fill="currentColor"
        />
      )}
    </svg>
  )
}
