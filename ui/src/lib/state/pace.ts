/** The clock that a pace goes by, and how the page shows that it was busy. */
export interface Rhythm {
  /** Milliseconds. */
  now(): number
  /** Counts the frames that are not painted from now on until frames come in time again. */
  lostFrames(): Promise<number>
}

/** The time between two frames, milliseconds. */
const FRAME_MS = 1000 / 60
/** A frame that comes later counts as lost. */
const LATE_MS = 1.2 * FRAME_MS
/** Frames in time that end a count: the panes below are drawn some frames after the pictures. */
const IN_TIME = 6

const SCREEN: Rhythm = {
  now: () => performance.now(),
  lostFrames: () =>
    new Promise((done) => {
      // A page out of sight paints nothing and has all the time.
      if (typeof requestAnimationFrame === 'undefined' || document.hidden) return done(0)
      let [last, nLost, nInTime] = [performance.now(), 0, 0]
      const painted = () => {
        const now = performance.now()
        const gap = now - last
        const lost = gap > LATE_MS ? Math.max(1, Math.round(gap / FRAME_MS - 1)) : 0
        last = now
        nLost += lost
        nInTime = lost > 0 ? 0 : nInTime + 1
        if (nInTime === IN_TIME) done(nLost)
        else requestAnimationFrame(painted)
      }
      requestAnimationFrame(painted)
    }),
}

/**
 * How often something may be taken over that comes all the time: no more often than every `least` milliseconds, and so
 * seldom that at most one frame in thirty is lost to it, but at least every `most` milliseconds. The first one after a pause goes at
 * once.
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

  /** Takes one over, and watches how many frames the page loses. */
  take(apply: () => void): void {
    const lost = this.rhythm.lostFrames()
    apply()
    this.painting = lost.then((n) => {
      this.gap = Math.min(this.most, Math.max(this.least, n * FRAMES_FOR_ONE_LOST * FRAME_MS))
    })
  }
}

/** The goal is one in twenty, and other work loses some, too. */
const FRAMES_FOR_ONE_LOST = 30
