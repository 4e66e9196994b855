import './fonts/signs.css'
import './styles/scales.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/utilities.css'
import './styles/policy.css'
import './styles/budget.css'
import './styles/drawer.css'
import './styles/frame.css'
import './styles/topbar.css'
import './styles/recording.css'
import './styles/help.css'
import './styles/palette.css'
import './styles/settings.css'
import './styles/graph.css'
import './styles/timeline.css'
import './styles/tip.css'
import './styles/transport.css'
import './styles/legend.css'
import './styles/panes.css'
import './styles/blocks.css'
import './styles/find.css'
import './styles/code.css'
import './styles/tables.css'
import './styles/corpus.css'
import './styles/inspector.css'
import './styles/marks.css'
import './styles/notes.css'
import './styles/contrast.css'
import './styles/present.css'

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
