import type { HTMLAttributes } from 'react'

interface Props extends HTMLAttributes<HTMLSpanElement> {
  label: string
  /** True when the word gives way in a narrow window. */
  wideOnly?: boolean
}

/** A control, or a few that belong together, with the word before it; the control brings its own accessible name. */
export function Field({ label, wideOnly = false, children, ...rest }: Props) {
  return (
    <span className="row flex-none gap-6" {...rest}>
      <span className={wideOnly ? 'muted wide-only' : 'muted'}>{label}</span>
      {children}
    </span>
  )
}
