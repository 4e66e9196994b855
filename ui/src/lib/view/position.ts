/** A place in time that is always concrete: a turn from 1, and how many of its steps are taken. */
export interface Position {
  turn: number
  step: number
}

/** Makes a cut concrete: `null` is `now`, and all steps. Out of range is brought into range. */
export function positionAt(
  cut: { turn: number | null; step: number | null },
  nTurns: number,
  nSteps: ArrayLike<number>,
): Position {
  const turn = Math.max(1, Math.min(cut.turn ?? nTurns, nTurns))
  const most = nSteps[turn - 1] ?? 0
  return { turn, step: Math.max(0, Math.min(cut.step ?? most, most)) }
}

const stepsOf = (nSteps: ArrayLike<number>, turn: number) => nSteps[turn - 1] ?? 0

/** The next place on the way forward through all passes; `null` at the end. */
export function stepForward(at: Position, nTurns: number, nSteps: ArrayLike<number>): Position | null {
  if (at.step < stepsOf(nSteps, at.turn)) return { turn: at.turn, step: at.step + 1 }
  for (let turn = at.turn + 1; turn <= nTurns; turn += 1) {
    if (stepsOf(nSteps, turn) > 0) return { turn, step: 0 }
  }
  return at.turn < nTurns ? { turn: nTurns, step: 0 } : null
}

/** The next place on the way back; `null` at the start. */
export function stepBack(at: Position, nSteps: ArrayLike<number>): Position | null {
  if (at.step > 0) return { turn: at.turn, step: at.step - 1 }
  for (let turn = at.turn - 1; turn >= 1; turn -= 1) {
    if (stepsOf(nSteps, turn) > 0) return { turn, step: stepsOf(nSteps, turn) }
  }
  return at.turn > 1 ? { turn: 1, step: 0 } : null
}

/** The nearest turn with a pass before or after, at its end; `null` when there is none. */
export function passFrom(
  at: Position,
  direction: 1 | -1,
  nTurns: number,
  nSteps: ArrayLike<number>,
): Position | null {
  for (let turn = at.turn + direction; turn >= 1 && turn <= nTurns; turn += direction) {
    if (stepsOf(nSteps, turn) > 0) return { turn, step: stepsOf(nSteps, turn) }
  }
  return null
}

/** One tick of playing: the steps of a turn one by one, then the turn after it. */
export function playForward(at: Position, nTurns: number, nSteps: ArrayLike<number>): Position | null {
  if (at.step < stepsOf(nSteps, at.turn)) return { turn: at.turn, step: at.step + 1 }
  return at.turn < nTurns ? { turn: at.turn + 1, step: 0 } : null
}

/** True at a turn that has a pass, before its first step. */
export function beginsPass(at: Position, nSteps: ArrayLike<number>): boolean {
  return at.step === 0 && stepsOf(nSteps, at.turn) > 0
}

/** How many steps of the whole session are taken at a place, and how many there are. */
export function progressAt(at: Position, nSteps: ArrayLike<number>): { taken: number; all: number } {
  let taken = Math.min(at.step, stepsOf(nSteps, at.turn))
  let all = 0
  for (let idx = 0; idx < nSteps.length; idx += 1) {
    const n = nSteps[idx] ?? 0
    all += n
    if (idx + 1 < at.turn) taken += n
  }
  return { taken, all }
}

/** The share of the session, by turns, that lies before a place; a turn counts step by step. */
export function shareBefore(at: Position, nSteps: number, nTurns: number): number {
  const within = nSteps === 0 ? 1 : Math.min(at.step, nSteps) / nSteps
  return (at.turn - 1 + within) / Math.max(1, nTurns)
}

/** The total of the request at a place, tokens: in the middle of a pass it is that of the step. */
export function totalAt(
  at: Position,
  replay: { after: ArrayLike<number> } | null,
  steps: { turn: number; before: number; steps: readonly { after: number }[] } | null,
): number {
  if (steps && steps.turn === at.turn && at.step < steps.steps.length) {
    return at.step === 0 ? steps.before : (steps.steps[at.step - 1]?.after ?? steps.before)
  }
  return replay?.after[at.turn - 1] ?? 0
}
