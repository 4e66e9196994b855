import type { CapturedBodyAnswer } from '../../lib/ipc/generated/CapturedBodyAnswer'
import type { CapturedAnswer } from '../../lib/ipc/generated/CapturedAnswer'
import type { Host } from '../../lib/ipc/host'
import { Memo } from '../../lib/state/memo'
import { onQuestion } from '../../lib/state/question'
import { createStore } from '../../lib/state/store'
import type { Question, Workbench } from '../../lib/state/workbench'

/** How long the cut rests before a body is read, milliseconds. */
const REST_MS = 120

/** The parts of the Request tab: the body that is put together from the log, and the one that the harness kept. */
export type BodyPart = 'rebuilt' | 'captured'

/** Asks about captured bodies while they show: about all turns once, about the turn of the cut each time. */
export class Captured {
  readonly choice = createStore<{ part: BodyPart }>({ part: 'rebuilt' })
  /** Every turn with a captured body, and how far log and bodies agree. */
  readonly whole: Memo<Question, CapturedAnswer>
  /** The body of the turn of the cut. */
  readonly body: Memo<{ question: Question; turn: number }, CapturedBodyAnswer>
  private readonly bench: Workbench
  private nLooking = 0

  constructor(host: Host, bench: Workbench) {
    this.bench = bench
    this.whole = new Memo({
      ask: ({ session, view }) => host.call('captured', { session, view, folder: null, turn: null }),
      key: ({ session, revision, view: { branch, tokenizer } }) => [session, revision, branch, tokenizer],
      keep: (now, before) => now.session === before.session,
      restMs: REST_MS,
    })
    this.body = new Memo({
      ask: ({ question: { session, view }, turn }) => host.call('captured_body', { session, view, turn }),
      key: ({ question: { session, revision, view }, turn }) => [
        session,
        revision,
        view.branch,
        view.tokenizer,
        turn,
      ],
      keep: (now, before) => now.question.session === before.question.session,
      restMs: REST_MS,
    })
    onQuestion(bench, (_, other) => {
      if (other) {
        this.whole.forget()
        this.body.forget()
      }
      this.refresh()
    })
  }

  /** Asks from now on until the returned function is called. */
  look(): () => void {
    this.nLooking += 1
    this.refresh()
    return () => {
      this.nLooking -= 1
    }
  }

  private refresh(): void {
    const { question } = this.bench.bench
    if (this.nLooking === 0 || !question) return
    this.whole.want(question)
    this.body.want({ question, turn: this.bench.position().turn })
  }
}
