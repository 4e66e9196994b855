import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The accessible name of a button that shows only an icon. */
  label?: string
  look?: 'plain' | 'quiet' | 'strong'
  children: ReactNode
  testid?: string
  ref?: Ref<HTMLButtonElement>
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
