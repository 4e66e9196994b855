import { X } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { Button } from '../shared/Button'

/** Short messages of the window, and complaints of the host, which stay until they are read. */
export function Toasts() {
  const app = useApp()
  const trouble = useStore(app.panes, (panes) => panes.trouble)
  const said = useStore(app.said.store, (state) => state.said)
  return (
    <div className="toasts z-50 grid gap-8 fixed right-16 bottom-16">
      {trouble !== null && (
        <div
          className="toast trouble row gap-8 bg-panel border border-error rounded-8 shadow break-anywhere p-8-12 max-w-420 items-start"
          role="status"
          data-testid="toast"
        >
          <div>
            <strong>{text.toast.trouble}</strong>
            <p>{trouble}</p>
          </div>
          <Button look="quiet" label={text.toast.dismiss} onClick={() => app.panes.set({ trouble: null })}>
            <X size={14} />
          </Button>
        </div>
      )}
      <div aria-live="polite" role="status">
        {said && (
          <div
            key={said.id}
            className="toast row gap-8 bg-panel border rounded-8 shadow break-anywhere p-8-12 max-w-420"
            data-testid="said"
            onPointerEnter={() => app.said.hold()}
            onPointerLeave={() => app.said.go()}
            onFocus={() => app.said.hold()}
            onBlur={() => app.said.go()}
          >
            <span>{said.text}</span>
            {said.action && (
              <Button testid="said-action" onClick={() => app.said.act()}>
                {said.action.label}
              </Button>
            )}
            <Button look="quiet" label={text.toast.dismiss} onClick={() => app.said.dismiss()}>
              <X size={14} />
            </Button>
          </div>
        )}
      </div>
    </div>
  )
}
