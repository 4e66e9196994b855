import './fonts.css'

import type { ExportedSession } from '../lib/ipc/generated/ExportedSession'
import { startEngine } from '../lib/ipc/wasm/engine'
import { exportedHost } from '../lib/ipc/wasm/exported'
import { beGuest } from '../lib/state/remembered'
import { showPage } from '../page'

const data = document.getElementById('export')?.textContent ?? ''
const [about = '', session = '', engine = ''] = data.split('\n')
beGuest()
showPage(exportedHost(startEngine(Promise.resolve(engine)), JSON.parse(about) as ExportedSession, session))
