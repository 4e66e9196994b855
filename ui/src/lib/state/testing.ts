// Hosts for tests of the stores: what they answer is set by the test.

import type { CommandName } from '../ipc/commands'
import type { FrameRequest } from '../ipc/generated/FrameRequest'
import type { OpenRequest } from '../ipc/generated/OpenRequest'
import { HostError, type Host } from '../ipc/host'

/** A host that answers nothing. */
export class QuietHost implements Host {
  call: Host['call'] = (name) => Promise.reject(new HostError('unknown', `no answer to ${name}`))
  subscribe() {}
  onDrop() {}
  picksFiles = false
  pickFile = () => Promise.resolve(null)
  saveFile = () => Promise.resolve(null)
  linkTo = (query: string) => `test://open?${query}`
  report() {}
}

/** A host with a session of which only the lengths matter; it records what it is asked. */
export class ScriptedHost extends QuietHost {
  asked: [CommandName, Record<string, unknown>][] = []
  nTurns = 6
  nSteps = [0, 0, 2, 0, 1, 0]
  revision = 1
  refuse: Partial<Record<CommandName, HostError>> = {}
  /** The budget in the harness's trace. */
  recorded: number | null = null
  defaults: object = {}
  annotation: 'annotated' | 'none' | 'unknown' = 'unknown'
  episodes: object[] = [{}, {}]
  private path = ''
  /** `open` answers when this does. */
  reading: Promise<unknown> = Promise.resolve()

  override call: Host['call'] = async (name, request) => {
    this.asked.push([name, request as Record<string, unknown>])
    const refused = this.refuse[name]
    if (refused) throw refused
    if (name === 'open') await this.reading
    const { held = 'nothing', cut, target = 'log.jsonl' } = request as Partial<FrameRequest & OpenRequest>
    if (name === 'open') this.path = target
    const session = {
      session: 7,
      path: this.path,
      id: null,
      revision: this.revision,
      n_turns: this.nTurns,
      problems: [],
      branches: [],
      annotation: this.annotation,
      choices: { policies: ['cwl', 'summary', 'none'].map((name) => ({ name, options: [] })) },
      recorded: this.recorded === null ? null : { budget: this.recorded, passes: [] },
    }
    const answers: Partial<Record<CommandName, unknown>> = {
      defaults: this.defaults,
      open: session,
      session,
      frame: {
        revision: this.revision,
        graph: held !== 'nothing' ? null : this.graph(),
        history: held !== 'nothing' ? null : { full: this.nSteps.map(() => 2000) },
        replay:
          held === 'replay'
            ? null
            : { n_steps: this.nSteps, budget: 80_000, after: this.nSteps.map(() => 1000) },
        levels: Uint8Array.of(0, 2),
        left: Uint32Array.of(263, 5),
        steps: { turn: cut?.turn ?? this.nTurns, steps: [], before: 0, after: 0 },
      },
    }
    return answers[name] as never
  }

  private graph = () => ({
    revision: this.revision,
    n_turns: this.nTurns,
    episodes: this.episodes,
    edges: [],
    implicit: [],
    human_turns: [],
  })

  names = (from = 0) => this.asked.slice(from).map(([name]) => name)
}
