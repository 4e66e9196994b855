import './fonts.css'

import type { ExportDto } from '../lib/ipc/generated/ExportDto'
import { recordedHost } from '../lib/ipc/recorded/host'
import { showPage } from '../page'

const exported = JSON.parse(document.getElementById('export')?.textContent ?? '') as ExportDto
showPage(recordedHost(exported))
