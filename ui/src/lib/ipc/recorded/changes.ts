// How an export writes values that change in time. A moment is the number of a cut, counted through all turns and steps.

/** A list of values that change in time. Going forward costs the changes on the way; going back begins anew. */
export class Folded {
  private readonly first: number[]
  private readonly changes: readonly number[]
  private values: number[]
  private next = 0
  private moment = -1

  /** `changes` are the moment, the place of the value, and the new value: three numbers each. */
  constructor(first: number[], changes: readonly number[]) {
    this.first = first
    this.changes = changes
    this.values = [...first]
  }

  at(moment: number): readonly number[] {
    if (moment < this.moment) {
      this.values = [...this.first]
      this.next = 0
    }
    this.moment = moment
    for (; this.next < this.changes.length; this.next += 3) {
      if ((this.changes[this.next] ?? 0) > moment) break
      this.values[this.changes[this.next + 1] ?? 0] = this.changes[this.next + 2] ?? 0
    }
    return this.values
  }
}

/** Counts the ascending numbers that are not above a value. */
export function countUpTo(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** Tells whether a moment lies inside: the ascending moments are those of coming in and of going out, in turn. */
export const isBetween = (inAndOut: readonly number[], moment: number): boolean =>
  countUpTo(inAndOut, moment) % 2 === 1

/** Returns the value at a moment from pairs of the moment of a change and the new value; `null` before the first. */
export function valueAt(pairs: readonly number[], moment: number): number | null {
  let low = 0
  let high = pairs.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pairs[middle * 2] ?? 0) <= moment) low = middle + 1
    else high = middle
  }
  return low === 0 ? null : (pairs[low * 2 - 1] ?? null)
}

/**
 * The state of each row. The export has the changes row by row, and they are sorted by moment here, so that going from
 * one moment to another costs the changes on the way, in both directions.
 */
export class Standing {
  /** The state of each row at the present moment; 0 means that the row is not listed. */
  readonly states: Int32Array
  private readonly moments: Int32Array
  private readonly rows: Int32Array
  private readonly now: Int32Array
  private readonly before: Int32Array
  private next = 0

  /** `spans` are, for each row, the moment of a change and the new state: two numbers each, ascending. */
  constructor(spans: readonly (readonly number[])[]) {
    let n = 0
    let last = 0
    for (const span of spans) {
      n += span.length >> 1
      last = Math.max(last, span.at(-2) ?? 0)
    }
    // Sorted by counting: `starts` tells where the changes of each moment begin.
    const starts = new Int32Array(last + 2)
    for (const span of spans) for (let at = 0; at < span.length; at += 2) starts[span[at]! + 1]! += 1
    for (let moment = 1; moment < starts.length; moment += 1) starts[moment]! += starts[moment - 1]!
    this.states = new Int32Array(spans.length)
    this.moments = new Int32Array(n)
    this.rows = new Int32Array(n)
    this.now = new Int32Array(n)
    this.before = new Int32Array(n)
    spans.forEach((span, row) => {
      for (let at = 0; at < span.length; at += 2) {
        const moment = span[at]!
        const to = starts[moment]!
        starts[moment] = to + 1
        this.moments[to] = moment
        this.rows[to] = row
        this.now[to] = span[at + 1]!
        this.before[to] = at === 0 ? 0 : span[at - 1]!
      }
    })
  }

  /** Goes to a moment. */
  to(moment: number): void {
    const { states, moments, rows, now, before } = this
    while (this.next < moments.length && moments[this.next]! <= moment) {
      states[rows[this.next]!] = now[this.next]!
      this.next += 1
    }
    while (this.next > 0 && moments[this.next - 1]! > moment) {
      this.next -= 1
      states[rows[this.next]!] = before[this.next]!
    }
  }
}
