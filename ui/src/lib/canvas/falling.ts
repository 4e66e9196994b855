/** How soon a size comes to where it belongs: after this many milliseconds a third of the way is left. */
const TWEEN_MS = 70
/** A smaller distance is none, tokens. */
const NEAR_TOKENS = 20

/** The size of the request at the cut as it is drawn: with each step of a pass it falls to what the step leaves. */
export class FallingSize {
  private turn = 0
  private value = 0
  private last = 0
  /** True while the size is on its way. */
  isMoving = false

  /** Moves the size towards `tokens`, and returns it. At another turn, or `still`, it is there at once. */
  advance(now: number, turn: number, tokens: number, still: boolean): number {
    const passed = Math.min(60, Math.max(0, now - this.last))
    const gap = tokens - this.value
    this.isMoving = !still && turn === this.turn && Math.abs(gap) > NEAR_TOKENS
    this.value = this.isMoving ? this.value + gap * (1 - Math.exp(-passed / TWEEN_MS)) : tokens
    this.turn = turn
    this.last = now
    return this.value
  }
}
