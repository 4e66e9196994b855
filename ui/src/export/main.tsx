import './fonts.css'
import '../fonts/signs.css'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/policy.css'
import '../styles/budget.css'
import '../styles/frame.css'
import '../styles/graph.css'
import '../styles/timeline.css'
import '../styles/tip.css'
import '../styles/transport.css'
import '../styles/legend.css'
import '../styles/panes.css'
import '../styles/blocks.css'
import '../styles/code.css'
import '../styles/tables.css'
import '../styles/inspector.css'
import '../styles/contrast.css'
import '../styles/present.css'
import './exported.css'

import { CSPProvider } from '@base-ui/react/csp-provider'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { ExportedWindow } from '../components/exported/ExportedWindow'
import { exportedHost } from '../lib/ipc/exported'
import type { ExportDto } from '../lib/ipc/generated/ExportDto'
import { App, AppContext } from '../lib/state/app'
import { applySettings } from '../lib/state/settings'

const exported = JSON.parse(document.getElementById('export')?.textContent ?? '') as ExportDto
document.title = exported.session.title
applySettings()
const app = new App(exportedHost(exported))
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <AppContext value={app}>
          <ExportedWindow exported={exported} />
        </AppContext>
      </CSPProvider>
    </StrictMode>,
  )
  void app.start()
}
