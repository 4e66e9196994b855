import type { Ability } from '../abilities'
import { PURE, type CommandName, type Commands } from '../commands'
import { hearPageDrops } from '../drops'
import type { Push } from '../generated/Push'
import type { SampleSuggestion } from '../generated/SampleSuggestion'
import { HostError, answerOf, type Host } from '../host'
import { download } from '../http'
import { USUAL_VIEW } from '../../view/usual'
import type { Engine } from './engine'
import { LogFiles } from './files'

/** The commands that the page answers besides those that need nothing but the log. It keeps nothing, and sees no other file. */
const ANSWERED: ReadonlySet<Ability> = new Set<Ability>([
  'defaults',
  'open',
  'admit',
  'sample',
  'cancel',
  'sweep',
  'frontier',
])

/** The sample of the page: what it is called, and how its text is loaded. */
export interface Sample extends SampleSuggestion {
  load(): Promise<Blob>
}

/** A host in the page itself: it reads the log that a person drops or chooses, and nothing leaves the browser. */
export function wasmHost(engine: Engine, sample: Sample, files = new LogFiles()): Host {
  let hear: (push: Push) => void = () => undefined
  // A person may have a log of the same name.
  const isSample = (name: string) => name === sample.path && !files.has(name)
  const open = async (name: string): Promise<string | Uint8Array> => {
    const log = isSample(name) ? await sample.load() : files.find(name)
    return engine.open(name, log, (done, total) => hear({ type: 'progress', session: 0, done, total }))
  }
  const answers: { [N in CommandName]?: (request: Commands[N]['request']) => Commands[N]['response'] } = {
    defaults: () => ({
      target: null,
      link: null,
      view: USUAL_VIEW,
      budget_given: false,
      policy_given: false,
      cut: { turn: null, step: null },
      demo: false,
    }),
    sample: () => ({ path: sample.path, budget: sample.budget }),
    admit: ({ session }) => {
      if (!isSample(session)) files.find(session)
      return { target: session, known: true, marks: null }
    },
    cancel: () => {
      engine.stop()
      return { stopped: true }
    },
  }
  return {
    async call<N extends CommandName>(name: N, request: Commands[N]['request']) {
      const own = answers[name]
      if (own) return own(request)
      return readAnswer(
        name,
        await (name === 'open'
          ? open((request as Commands['open']['request']).target)
          : engine.call(name, JSON.stringify(request))),
      )
    },
    subscribe(listen) {
      hear = listen
    },
    onDrop: (listen) =>
      hearPageDrops(window, listen, (dragged) => {
        const names = files.take(dragged)
        return { type: 'dropped', paths: names, names }
      }),
    picksFiles: true,
    pickFile: () => files.choose(),
    saveFile: (name, bytes, mime) => Promise.resolve(download(name, bytes, mime)),
    linkTo: (query) => `${location.origin}${location.pathname}?${query}`,
    report: (message) => console.error(message),
    can: (ability) => ANSWERED.has(ability) || (PURE as readonly Ability[]).includes(ability),
  }
}

/** Reads an answer of the engine: JSON, or bytes. */
export const readAnswer = <N extends CommandName>(name: N, answer: string | Uint8Array) =>
  typeof answer === 'string' ? (JSON.parse(answer) as Commands[N]['response']) : answerOf(name, answer)

/** Reads a file of the page's own server. */
export async function loadOwn(address: string): Promise<Response> {
  const answer = await fetch(address)
  if (!answer.ok) throw new HostError('unreachable', `${address} could not be loaded`, 'load the page again')
  return answer
}
