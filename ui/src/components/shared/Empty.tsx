import type { ReactNode } from 'react'

/** Stands in a pane that has nothing to show: says what that means and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty text-center p-24 max-w-480">
      <p className="semibold">{title}</p>
      {children && <div className="muted mt-6">{children}</div>}
    </div>
  )
}
