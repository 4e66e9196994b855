import type { Host } from '../ipc/host'
import type { NamedPlace } from '../view/link'
import { createStore } from './store'

/** Lets links in: what is known opens at once, for any other file the person is asked. */
export class Admission {
  /** The file that the person is asked about, and the file of marks that the link names with it. */
  readonly store = createStore<{ asked: string | null; marks: string | null }>({ asked: null, marks: null })
  private readonly host: Host
  private readonly show: (on: boolean) => void
  private readonly rest: () => void
  private answered: ((yes: boolean) => void) | null = null

  /** `show` shows and hides the question, and `rest` shows the start behind it. */
  constructor(host: Host, show: (on: boolean) => void, rest: () => void) {
    this.host = host
    this.show = show
    this.rest = rest
  }

  /** Returns what a link may open of what it names; `null` where the person does not want it. */
  async of({ session, annotation }: NamedPlace): Promise<string | null> {
    const { target, known, marks } = await this.host.call('admit', {
      session,
      ...(annotation === undefined ? {} : { annotation }),
    })
    if (known) return target
    this.rest()
    this.store.set({ asked: target, marks })
    this.show(true)
    const yes = await new Promise<boolean>((resolve) => (this.answered = resolve))
    return yes ? target : null
  }

  /** The answer of the person. */
  answer(yes: boolean): void {
    this.show(false)
    this.store.set({ asked: null, marks: null })
    this.answered?.(yes)
    this.answered = null
  }
}
