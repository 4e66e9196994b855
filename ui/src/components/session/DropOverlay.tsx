import { FileInput } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'

/** Stands over everything while a file is dragged over the window. */
export function DropOverlay() {
  const app = useApp()
  const over = useStore(app.drops.store, (drops) => drops.over)
  if (!over) return null
  return (
    <div
      className="drop-overlay row justify-center pointer-none fixed rounded-full"
      role="status"
      data-testid="drop-overlay"
    >
      <p className="row gap-10 semibold text-xl">
        <FileInput size={22} aria-hidden /> {text.drop.over}
      </p>
    </div>
  )
}
