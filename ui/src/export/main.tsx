import './fonts.css'

import type { ExportDto } from '../lib/ipc/generated/ExportDto'
import type { ExportedSessionDto } from '../lib/ipc/generated/ExportedSessionDto'
import { recordedHost } from '../lib/ipc/recorded/host'
import { startEngine } from '../lib/ipc/wasm/engine'
import { exportedHost } from '../lib/ipc/wasm/exported'
import { beGuest } from '../lib/state/remembered'
import { showPage } from '../page'

const held = (id: string) => document.getElementById(id)?.textContent ?? ''

const [about, engine, session] = [held('export'), held('engine'), held('session')]
beGuest()
showPage(
  engine === ''
    ? recordedHost(JSON.parse(about) as ExportDto)
    : exportedHost(startEngine(Promise.resolve(engine)), JSON.parse(about) as ExportedSessionDto, session),
)
