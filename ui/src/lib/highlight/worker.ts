import { spansOf } from './languages'

/** One text to be coloured, by a number. */
export interface Job {
  id: number
  code: string
  language: string
}

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Job>) => void) | null
  postMessage(answer: unknown): void
}

scope.onmessage = ({ data: { id, code, language } }) => {
  try {
    scope.postMessage({ id, spans: spansOf(code, language) })
  } catch {
    // Code that cannot be coloured stays plain.
    scope.postMessage({ id, spans: [] })
  }
}
