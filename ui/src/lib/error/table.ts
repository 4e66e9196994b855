import type { HostError } from '../ipc/host'
import { text } from '../text'
import { capital } from '../view/format'

/** A way out that the window offers after a failure. */
export type ErrorAction = 'retry' | 'open' | 'sessions'

export interface FailureText {
  title: string
  /** The way out: the hint of the host, or that of the window. */
  advice: string
  actions: readonly ErrorAction[]
}

/** The ways out per code of the host. The catalogue has the words under the same names. */
const ACTIONS: Record<keyof typeof text.failures, readonly ErrorAction[]> = {
  missing: ['open', 'sessions'],
  unreadable: ['retry', 'open'],
  not_a_file: ['open', 'sessions'],
  corpus: ['open'],
  no_corpus: ['retry', 'open'],
  empty: ['retry', 'open'],
  binary: ['open', 'sessions'],
  unknown_format: ['open', 'sessions'],
  unknown_session: ['sessions', 'open'],
  ambiguous: ['open', 'sessions'],
  cancelled: ['retry', 'open'],
  restarted: ['retry'],
  busy: ['retry'],
  unwritable: ['retry'],
  internal: ['retry', 'open'],
  no_access: ['retry'],
  refused: ['open', 'sessions'],
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

const knownOf = (code: string): keyof typeof ACTIONS => {
  const known = codeOf(code)
  return Object.hasOwn(ACTIONS, known) ? (known as keyof typeof ACTIONS) : 'other'
}

/** Returns the words and the ways out for a failure. */
export function failureText(error: HostError): FailureText {
  const known = knownOf(error.code)
  const [title, ours] = text.failures[known]
  // The host's hint names an option of the command line, which the window does not have.
  const isOurs = known === 'unknown_format' || !error.hint
  return { title, advice: isOurs ? ours : `${capital(error.hint ?? '')}.`, actions: ACTIONS[known] }
}

/** Returns one line for a code where there is no room for more. */
export const failureTitle = (code: string): string => text.failures[knownOf(code)][0]
