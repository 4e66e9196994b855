import type { ButtonHTMLAttributes, ReactNode } from 'react'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The accessible name of a button that shows only an icon. */
  label?: string
  look?: 'plain' | 'quiet' | 'strong'
  children: ReactNode
  testid?: string
}

export function Button({ label, look = 'plain', children, testid, className = '', ...rest }: Props) {
  return (
    <button
      type="button"
      className={`button ${look} ${className}`}
      aria-label={label}
      title={label}
      data-testid={testid}
      {...rest}
    >
      {children}
    </button>
  )
}
