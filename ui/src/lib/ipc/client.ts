import { Channel, invoke } from '@tauri-apps/api/core'

import type { CommandName, Commands } from './commands'
import type { PushDto } from './generated/PushDto'
import { bytesOf, hostErrorOf, isRaw, type Host } from './host'

/** The host behind a Tauri window. The only place that knows Tauri. */
export const windowHost: Host = {
  async call<N extends CommandName>(name: N, request: Commands[N]['request']) {
    try {
      const answer = await invoke<unknown>('call', { name, args: request })
      if (isRaw(name)) return bytesOf(answer) as Commands[N]['response']
      return (typeof answer === 'string' ? JSON.parse(answer) : answer) as Commands[N]['response']
    } catch (thrown) {
      throw hostErrorOf(thrown)
    }
  },

  subscribe(hear) {
    const channel = new Channel<PushDto>()
    channel.onmessage = hear
    invoke('subscribe', { channel }).catch((thrown: unknown) => {
      hear({ type: 'trouble', message: hostErrorOf(thrown).message })
    })
  },

  picksFiles: true,
  async pickFile() {
    try {
      return await invoke<string | null>('pick_file')
    } catch (thrown) {
      throw hostErrorOf(thrown)
    }
  },

  linkTo: (query) => `cwl-inspector://open?${query}`,

  async saveFile(name, bytes) {
    try {
      return await invoke<string | null>('save_file', bytes, { headers: { name: encodeURIComponent(name) } })
    } catch (thrown) {
      throw hostErrorOf(thrown)
    }
  },

  report(message) {
    // Nothing is left to tell when telling fails.
    invoke('report', { message }).catch(() => undefined)
  },
}
