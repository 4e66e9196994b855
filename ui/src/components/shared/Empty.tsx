import type { ReactNode } from 'react'

/** Stands in a pane that has nothing to show: says what that means and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <div className="empty-hint">{children}</div>}
    </div>
  )
}
