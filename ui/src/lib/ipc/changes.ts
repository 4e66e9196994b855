/** Values that change in time. Going forward costs what changes on the way; going back begins anew. */
export class Folded {
  private readonly first: number[]
  private readonly changes: readonly number[]
  private values: number[]
  private next = 0
  private place = -1

  /** `changes` are place in time, which value, and what it is then: three numbers each. */
  constructor(first: number[], changes: readonly number[]) {
    this.first = first
    this.changes = changes
    this.values = [...first]
  }

  at(place: number): readonly number[] {
    if (place < this.place) {
      this.values = [...this.first]
      this.next = 0
    }
    this.place = place
    for (; this.next < this.changes.length; this.next += 3) {
      if ((this.changes[this.next] ?? 0) > place) break
      this.values[this.changes[this.next + 1] ?? 0] = this.changes[this.next + 2] ?? 0
    }
    return this.values
  }
}

/** How many of ascending numbers are not above a value. */
export function after(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** What is true at a place in time, of pairs of the place from which on it is, and what; `null` before the first. */
export function spanAt(pairs: readonly number[], place: number): number | null {
  let low = 0
  let high = pairs.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pairs[middle * 2] ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return low === 0 ? null : (pairs[low * 2 - 1] ?? null)
}

/**
 * What is true of each row, one row's changes after the other in the export, and here in the order of time: going from
 * one place to another costs what changes on the way, in both directions.
 */
export class Standing {
  /** What is true of each row at the present place; 0 is not being there. */
  readonly states: Int32Array
  private readonly places: Int32Array
  private readonly rows: Int32Array
  private readonly now: Int32Array
  private readonly before: Int32Array
  private next = 0

  /** `spans` are, for each row, the place from which on it is and what: two numbers for each change, ascending. */
  constructor(spans: readonly (readonly number[])[]) {
    let n = 0
    let last = 0
    for (const span of spans) {
      n += span.length >> 1
      last = Math.max(last, span.at(-2) ?? 0)
    }
    // Sorted by counting: where the changes of each place begin, and from there one after the other.
    const starts = new Int32Array(last + 2)
    for (const span of spans) for (let at = 0; at < span.length; at += 2) starts[span[at]! + 1]! += 1
    for (let place = 1; place < starts.length; place += 1) starts[place]! += starts[place - 1]!
    this.states = new Int32Array(spans.length)
    this.places = new Int32Array(n)
    this.rows = new Int32Array(n)
    this.now = new Int32Array(n)
    this.before = new Int32Array(n)
    spans.forEach((span, row) => {
      for (let at = 0; at < span.length; at += 2) {
        const place = span[at]!
        const to = starts[place]!
        starts[place] = to + 1
        this.places[to] = place
        this.rows[to] = row
        this.now[to] = span[at + 1]!
        this.before[to] = at === 0 ? 0 : span[at - 1]!
      }
    })
  }

  /** Goes to a place in time. */
  to(place: number): void {
    const { states, places, rows, now, before } = this
    while (this.next < places.length && places[this.next]! <= place) {
      states[rows[this.next]!] = now[this.next]!
      this.next += 1
    }
    while (this.next > 0 && places[this.next - 1]! > place) {
      this.next -= 1
      states[rows[this.next]!] = before[this.next]!
    }
  }
}
