import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'

import { chooseHost } from './lib/ipc/choose'
import { showPage } from './page'

showPage(chooseHost())
