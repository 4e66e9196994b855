import { ColumnReader } from './columns'
import type { CommandName, Commands } from './commands'
import { hearPageDrops } from './drops'
import { HostError, answerOf, hostErrorOf, isRaw, type Host } from './host'
import type { Push } from './generated/Push'
import { hold, type Around } from './pushes'

/** The parts of the browser's window that hold the token: the address, then the storage of this origin. */
export interface TokenPlace {
  location: { hash: string; pathname: string; search: string }
  localStorage: Pick<Storage, 'getItem' | 'setItem'>
  history: { replaceState(data: unknown, unused: string, url: string): void }
}

const KEPT_AS = 'cwl-token'

/**
 * Takes the token from the address and out of it, so that a picture of the window or a copied link does not give it
 * away. A page that is loaded again, or a copied link in another tab, finds it in the storage of this origin, which no
 * other port sees; it is worth nothing once the server has ended.
 */
export function takeToken(place: TokenPlace): string {
  const parts = place.location.hash.replace(/^#/, '').split('&')
  const said = parts.find((part) => part.startsWith('token='))?.slice('token='.length)
  if (said === undefined) return remembered(place) ?? ''
  try {
    place.localStorage.setItem(KEPT_AS, said)
  } catch {
    // A browser that remembers nothing asks for the whole address again.
  }
  const rest = parts.filter((part) => !part.startsWith('token=')).join('&')
  const { pathname, search } = place.location
  place.history.replaceState(null, '', `${pathname}${search}${rest === '' ? '' : `#${rest}`}`)
  return said
}

function remembered(place: TokenPlace): string | null {
  try {
    return place.localStorage.getItem(KEPT_AS)
  } catch {
    return null
  }
}

/** How long to wait before pushes are asked for again, milliseconds: a server that is started again is found. */
const AGAIN_MS = 1_000

/** The host behind `cwl serve`: `POST call/NAME`, and pushes as a stream of server-sent events. */
export function httpHost(token: string): Host {
  const authorization = `Bearer ${token}`
  const columns = new ColumnReader()
  const post = (path: string, body: unknown) =>
    fetch(path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    async call<N extends CommandName>(name: N, request: Commands[N]['request']) {
      const { args, read } = columns.question(name, request)
      const answer = await post(`call/${name}`, args).catch(() => {
        throw new HostError(
          'unreachable',
          'cwl serve does not answer',
          'start it again and open the address it prints',
        )
      })
      if (!answer.ok) throw hostErrorOf(await answer.text())
      if (isRaw(name)) return answerOf(name, new Uint8Array(await answer.arrayBuffer()), read)
      return (await answer.json()) as Commands[N]['response']
    },
    subscribe(hear) {
      const tabs = new BroadcastChannel('cwl-pushes')
      tabs.onmessage = (event: MessageEvent<Push>) => hear(event.data)
      const locks = navigator.locks as LockManager | undefined
      const around: Around = {
        // Not an EventSource: it cannot say a header, and a cookie would be sent to every port of this machine.
        async open() {
          const answer = await fetch('push', { headers: { authorization } })
          return answer.ok ? answer.body : null
        },
        // Where tabs cannot wait for each other each has a stream of its own.
        alone: locks ? (work) => locks.request('cwl-pushes', work) : (work) => work(),
        tell: (push) => locks && tabs.postMessage(push),
        pause: () => new Promise((done) => setTimeout(done, AGAIN_MS)),
      }
      void hold(around, hear)
    },
    onDrop: (hear) => hearPageDrops(window, hear),
    // The server starts no program, and says so if it is asked.
    can: (ability) => ability !== 'reader' && ability !== 'mark_with_reader',
    picksFiles: false,
    pickFile: () => Promise.resolve(null),
    saveFile: (name, bytes, mime) => Promise.resolve(download(name, bytes, mime)),
    linkTo: (query) => `${location.origin}${location.pathname}?${query}`,
    report(message) {
      console.error(message)
      // Nothing is left to tell when telling fails.
      post('report', { message }).catch(() => undefined)
    },
  }
}

/** Hands a file to the browser, which saves it where its user lets it save. */
export function download(name: string, bytes: Uint8Array, mime: string): string {
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mime }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
  return name
}
