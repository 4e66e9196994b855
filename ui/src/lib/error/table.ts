import type { HostError } from '../ipc/host'
import { text } from '../text'

/** What the window offers after a failure. */
export type Action = 'retry' | 'open' | 'sessions'

export interface FailureText {
  title: string
  /** What to do, when the host gave no hint of its own. */
  advice: string
  actions: readonly Action[]
}

/** What is offered for a code of the host; what is said stands in the catalogue under the same name. */
const ACTIONS: Record<keyof typeof text.failures, readonly Action[]> = {
  missing: ['open', 'sessions'],
  unreadable: ['retry', 'open'],
  not_a_file: ['open', 'sessions'],
  empty: ['retry', 'open'],
  binary: ['open', 'sessions'],
  unknown_format: ['open', 'sessions'],
  unknown_session: ['sessions', 'open'],
  ambiguous: ['open', 'sessions'],
  cancelled: ['retry', 'open'],
  restarted: ['retry'],
  unwritable: ['retry'],
  internal: ['retry', 'open'],
  no_access: ['retry'],
  unreachable: ['retry'],
  store: ['retry'],
  other: ['retry', 'open', 'sessions'],
}

/** `unknownFormat`, `UnknownFormat`, `unknown-format` and `unknown_format` are one code. */
export const codeOf = (code: string): string =>
  code
    .replace(/-/g, '_')
    .replace(/(?<=.)([A-Z])/g, '_$1')
    .toLowerCase()

/** What to say and to offer for a failure. */
export function failureText(error: HostError): FailureText {
  const code = codeOf(error.code)
  const known = Object.hasOwn(ACTIONS, code) ? (code as keyof typeof ACTIONS) : 'other'
  const [title, advice] = text.failures[known]
  return { title, advice, actions: ACTIONS[known] }
}
