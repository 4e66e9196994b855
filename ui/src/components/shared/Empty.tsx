import type { ReactNode } from 'react'

/** What a pane says when it has nothing to show: what that means, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <div className="empty-hint">{children}</div>}
    </div>
  )
}
