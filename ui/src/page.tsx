import './styles'

import { CSPProvider } from '@base-ui/react/csp-provider'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { Window } from './components/views/Window'
import type { Host } from './lib/ipc/host'
import { App, AppContext } from './lib/state/app'
import { applySettings } from './lib/state/settings'
import { language } from './lib/text'

// Browsers report a size that is told a frame later as an error; it is none.
const isLate = (message: string) => message.startsWith('ResizeObserver loop')

/** Shows the window for a host. The page is the same for every host: it hides what its host cannot do. */
export function showPage(host: Host): void {
  window.addEventListener('error', (event) => {
    if (!isLate(event.message)) host.report(`${event.message} (${event.filename}:${event.lineno})`)
  })
  window.addEventListener('unhandledrejection', (event) => host.report(`unhandled: ${String(event.reason)}`))
  applySettings()
  document.documentElement.lang = language
  const app = new App(host)
  const root = document.getElementById('root')
  if (!root) return
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <AppContext value={app}>
          <Window />
        </AppContext>
      </CSPProvider>
    </StrictMode>,
  )
  void app.start()
}
