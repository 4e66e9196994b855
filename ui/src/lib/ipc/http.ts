import type { CommandName, Commands } from './commands'
import type { PushDto } from './generated/PushDto'
import { HostError, hostErrorOf, isRaw, type Host } from './host'

/** The host behind an HTTP server on this machine: `POST /call/NAME`, and pushes as server-sent events. */
export function httpHost(base: string): Host {
  return {
    async call<N extends CommandName>(name: N, request: Commands[N]['request']) {
      const answer = await fetch(`${base}/call/${name}`, {
        method: 'POST',
        body: JSON.stringify(request),
      }).catch((thrown: unknown) => {
        throw new HostError('unknown', `the host does not answer: ${String(thrown)}`)
      })
      if (!answer.ok) throw hostErrorOf(await answer.text())
      if (isRaw(name)) return new Uint8Array(await answer.arrayBuffer()) as Commands[N]['response']
      return (await answer.json()) as Commands[N]['response']
    },
    subscribe(hear) {
      const source = new EventSource(`${base}/push`)
      source.onmessage = (event: MessageEvent<string>) => hear(JSON.parse(event.data) as PushDto)
    },
    pickFile: () => Promise.resolve(null),
    linkTo: (query) => `${location.origin}${location.pathname}?${query}`,
    report: (message) => console.error(message),
  }
}
