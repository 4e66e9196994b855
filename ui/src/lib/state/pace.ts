/** The clock that a pace goes by, milliseconds, and a way to wait until two frames were painted. */
export interface Rhythm {
  now(): number
  painted(): Promise<void>
}

/** Two frames of a page that has nothing to do, milliseconds. */
const IDLE_MS = 34

const SCREEN: Rhythm = {
  now: () => performance.now(),
  painted: () =>
    new Promise((done) => {
      // A page out of sight paints nothing and has all the time.
      if (typeof requestAnimationFrame === 'undefined' || document.hidden) done()
      else requestAnimationFrame(() => requestAnimationFrame(() => done()))
    }),
}

/**
 * How often something may be taken over that comes all the time: no more often than every `least` milliseconds, and so
 * seldom that the page spends a small share of its time on it, but at least every `most` milliseconds. The first one after
 * a pause goes at once.
 */
export class Pace {
  private readonly least: number
  private readonly most: number
  private readonly rhythm: Rhythm
  private since = -Infinity
  private painting: Promise<void> = Promise.resolve()
  private gap: number

  constructor(least: number, most: number, rhythm: Rhythm = SCREEN) {
    this.least = least
    this.most = most
    this.rhythm = rhythm
    this.gap = least
  }

  /** Waits until the next one may go. */
  async turn(): Promise<void> {
    await this.painting
    const early = this.since + this.gap - this.rhythm.now()
    if (early > 0) await new Promise((done) => setTimeout(done, early))
    this.since = this.rhythm.now()
  }

  /** Waits for frames where the page has much to do, so that one task need not both read an answer and take it over. */
  async breath(): Promise<void> {
    if (this.gap > this.least) await this.rhythm.painted()
  }

  /** Takes one over, and watches how long the page is busy with it. */
  take(apply: () => void): void {
    const begun = this.rhythm.now()
    apply()
    this.painting = this.rhythm.painted().then(() => {
      const busy = this.rhythm.now() - begun - IDLE_MS
      this.gap = Math.min(this.most, Math.max(this.least, busy * SHARE))
    })
  }
}

/** The page spends at most one part in this number of its time, so that fewer than one frame in twenty comes late. */
const SHARE = 24
