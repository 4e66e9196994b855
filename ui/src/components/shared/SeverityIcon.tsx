/** The mark of a severity: shape and glyph, not colour alone. */
export function SeverityIcon({
  severity,
  size = 14,
}: {
  severity: 'error' | 'warning' | 'info'
  size?: number
}) {
  return (
    <svg className={`severity ${severity}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {severity === 'error' ? (
        <path d="M8 0.8 15.2 8 8 15.2 0.8 8Z" />
      ) : severity === 'warning' ? (
        <path d="M8 1 15.4 14.4H0.6Z" />
      ) : (
        <circle cx="8" cy="8" r="7" />
      )}
      <text x="8" y={severity === 'warning' ? 12.8 : 11.4} textAnchor="middle">
        {severity === 'info' ? 'i' : '!'}
      </text>
    </svg>
  )
}
