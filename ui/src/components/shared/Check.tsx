import type { ReactNode } from 'react'

interface Props {
  checked: boolean
  onChange: (checked: boolean) => void
  title?: string
  testid?: string
  children: ReactNode
}

/** A box to tick, with its meaning beside it. */
export function Check({ checked, onChange, title, testid, children }: Props) {
  return (
    <label className="check inline-row gap-6 nowrap" title={title}>
      <input
        type="checkbox"
        checked={checked}
        data-testid={testid}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  )
}
