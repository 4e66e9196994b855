import { Channel, invoke } from '@tauri-apps/api/core'

import { ColumnReader } from './columns'
import type { CommandName, Commands } from './commands'
import { nameOf, type Drop } from './drops'
import type { Push } from './generated/Push'
import { answerOf, bytesOf, hostErrorOf, isRaw, type Host } from './host'

/** An event of files over the window, as Tauri tells it. */
type WindowDrop = Exclude<Drop, { type: 'dropped' }> | { type: 'dropped'; paths: string[] }

const columns = new ColumnReader()

let hearDrop: (drop: Drop) => void = () => undefined

/** The host behind a Tauri window. The only place that knows Tauri. */
export const windowHost: Host = {
  async call<N extends CommandName>(name: N, request: Commands[N]['request']) {
    try {
      const { args, read } = columns.question(name, request)
      const answer = await invoke<unknown>('call', { name, args })
      if (isRaw(name)) return answerOf(name, bytesOf(answer), read)
      return (typeof answer === 'string' ? JSON.parse(answer) : answer) as Commands[N]['response']
    } catch (thrown) {
      throw hostErrorOf(thrown)
    }
  },

  subscribe(hear) {
    const channel = new Channel<Push>()
    channel.onmessage = hear
    const drops = new Channel<WindowDrop>()
    drops.onmessage = (drop) =>
      hearDrop(drop.type === 'dropped' ? { ...drop, names: drop.paths.map(nameOf) } : drop)
    invoke('subscribe', { channel, drops }).catch((thrown: unknown) => {
      hear({ type: 'trouble', message: hostErrorOf(thrown).message })
    })
  },

  picksFiles: true,
  onDrop(hear) {
    hearDrop = hear
  },

  async pickFile(folder = false) {
    try {
      return await invoke<string | null>('pick_file', { folder })
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

  async editLine(session, line) {
    try {
      return await invoke<boolean>('edit_line', { session, line })
    } catch (thrown) {
      throw hostErrorOf(thrown)
    }
  },

  report(message) {
    // Nothing is left to tell when telling fails.
    invoke('report', { message }).catch(() => undefined)
  },
}
