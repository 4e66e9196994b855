import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'

import engineAddress from 'cwl-engine.wasm?url'
import sampleAddress from '../../../samples/pi/quickstart/input.jsonl?url'

import { startEngine } from '../lib/ipc/wasm/engine'
import { loadOwn, wasmHost } from '../lib/ipc/wasm/host'
import { beGuest } from '../lib/state/remembered'
import { showPage } from '../page'

// Names and titles of logs stay in no browser.
beGuest()
const engine = startEngine(loadOwn(engineAddress).then((answer) => answer.arrayBuffer()))
showPage(
  wasmHost(engine, {
    path: 'sample.jsonl',
    // The sample passes it several times, as the window's does.
    budget: '9000',
    load: async () => (await loadOwn(sampleAddress)).blob(),
  }),
)
