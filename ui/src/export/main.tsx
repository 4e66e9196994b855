import './fonts.css'

import type { ExportDto } from '../lib/ipc/generated/ExportDto'
import { exportedHost } from '../lib/ipc/exported'
import { showPage } from '../page'

const exported = JSON.parse(document.getElementById('export')?.textContent ?? '') as ExportDto
showPage(exportedHost(exported))
