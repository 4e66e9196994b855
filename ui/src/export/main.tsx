import './fonts.css'

import type { ExportDto } from '../lib/ipc/generated/ExportDto'
import { recordedHost } from '../lib/ipc/recorded/host'
import { beGuest } from '../lib/state/remembered'
import { showPage } from '../page'

const exported = JSON.parse(document.getElementById('export')?.textContent ?? '') as ExportDto
beGuest()
showPage(recordedHost(exported))
