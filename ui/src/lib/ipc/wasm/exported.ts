import type { Ability } from '../abilities'
import { PURE, type CommandName, type Commands } from '../commands'
import type { ExportedSession } from '../generated/ExportedSession'
import type { Host } from '../host'
import { download } from '../http'
import type { Engine } from './engine'
import { readAnswer } from './host'
import type { Packed } from './messages'

/** The commands that an exported page answers besides those that need nothing but its session. */
const ANSWERED: ReadonlySet<Ability> = new Set<Ability>(['defaults', 'open', 'sweep', 'frontier'])

/** A host in an exported page: the engine answers about the one session that the page holds. */
export function exportedHost(engine: Engine, exported: ExportedSession, session: Packed): Host {
  const { path, view, cut, made_by: madeBy, redacted, left_out: leftOut } = exported
  return {
    async call<N extends CommandName>(name: N, request: Commands[N]['request']) {
      if (name === 'defaults')
        return {
          target: path,
          link: null,
          view,
          budget_given: true,
          policy_given: true,
          cut,
          demo: false,
        } as Commands[N]['response']
      const asked = name === 'open' ? engine.openSession(session) : engine.call(name, JSON.stringify(request))
      return readAnswer(name, await asked)
    },
    subscribe: () => undefined,
    onDrop: () => undefined,
    picksFiles: false,
    pickFile: () => Promise.resolve(null),
    saveFile: (name, bytes, mime) => Promise.resolve(download(name, bytes, mime)),
    linkTo: (query) => `${location.href.replace(/#.*$/s, '')}#${query}`,
    report: (message) => console.error(message),
    can: (ability) => ANSWERED.has(ability) || (PURE as readonly Ability[]).includes(ability),
    exported: { path, madeBy, redacted, leftOut },
  }
}
