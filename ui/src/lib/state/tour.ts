import { usualStorage } from './remembered'
import { createStore } from './store'

/** The key that remembers that the tour was taken or refused. */
const KEY = 'cwl-inspector.tour'

/** The stops of the tour, in their order. */
export const STOPS = ['overview', 'graph', 'budget', 'evicted', 'duel'] as const
export type Stop = (typeof STOPS)[number]

/** A walk through the window on the sample. It is offered at the first start, and begins only if the user wants it. */
export class Tour {
  readonly store = createStore<{
    /** The place of the stop that shows; `null` if no tour is underway. */
    at: number | null
    /** True until the user has taken or refused it. */
    offered: boolean
  }>({ at: null, offered: true })
  private readonly storage: Pick<Storage, 'getItem' | 'setItem'> | null
  private readonly open: () => Promise<void>
  private readonly show: (stop: Stop) => void

  /** `open` opens the sample; `show` brings the part of a stop into view. */
  constructor(
    open: () => Promise<void>,
    show: (stop: Stop) => void,
    storage: Pick<Storage, 'getItem' | 'setItem'> | null = usualStorage(),
  ) {
    this.open = open
    this.show = show
    this.storage = storage
    this.store.set({ offered: !wasSeen(storage) })
  }

  /** Opens the sample and begins at the first stop. */
  async start(): Promise<void> {
    this.refuse()
    await this.open()
    this.go(0)
  }

  /** Goes some stops on or back; beyond the last one the tour ends. */
  by(n: number): void {
    const { at } = this.store.get()
    if (at !== null) this.go(at + n)
  }

  leave(): void {
    this.store.set({ at: null })
  }

  /** Offers it no more. */
  refuse(): void {
    this.store.set({ offered: false })
    try {
      this.storage?.setItem(KEY, 'seen')
    } catch {
      // A full storage only means that it is offered again.
    }
  }

  private go(to: number): void {
    const stop = STOPS[to]
    if (stop === undefined) return this.leave()
    this.show(stop)
    this.store.set({ at: to })
  }
}

function wasSeen(storage: Pick<Storage, 'getItem'> | null): boolean {
  try {
    return storage?.getItem(KEY) === 'seen'
  } catch {
    return false
  }
}
