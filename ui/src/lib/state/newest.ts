/**
 * Asks at most one question at a time and keeps only the newest of those that wait: a drag asks as often as
 * the pointer moves, the host answers as fast as it can, and what is drawn is never older than what was drawn.
 * An answer that came after `forget` is dropped.
 */
export interface Newest<Q> {
  (question: Q): void
  forget(): void
}

export function newest<Q, A>(
  ask: (question: Q) => Promise<A>,
  apply: (answer: A, question: Q) => void,
  fail: (thrown: unknown, question: Q) => void,
): Newest<Q> {
  let waiting: { question: Q } | null = null
  let busy = false
  let epoch = 0

  const next = async (question: Q): Promise<void> => {
    busy = true
    const asked = epoch
    try {
      const answer = await ask(question)
      if (asked === epoch) apply(answer, question)
    } catch (thrown) {
      if (asked === epoch) fail(thrown, question)
    }
    busy = false
    const after = waiting
    waiting = null
    if (after) void next(after.question)
  }

  const run = (question: Q) => {
    if (busy) waiting = { question }
    else void next(question)
  }
  run.forget = () => {
    epoch += 1
    waiting = null
  }
  return run
}
