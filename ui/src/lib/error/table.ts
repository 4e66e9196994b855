import type { HostError } from '../ipc/host'

/** What the window offers after a failure. */
export type Action = 'retry' | 'open' | 'sessions'

export interface FailureText {
  title: string
  /** What to do, when the host gave no hint of its own. */
  advice: string
  actions: Action[]
}

const TABLE: Record<string, FailureText> = {
  missing: {
    title: 'There is no such file',
    advice:
      'Check the path. A harness may have deleted the log; sessions that were opened before stay in the list.',
    actions: ['open', 'sessions'],
  },
  unreadable: {
    title: 'The file cannot be read',
    advice: 'Give yourself read access to it, then try again.',
    actions: ['retry', 'open'],
  },
  not_a_file: {
    title: 'This is no file',
    advice: 'It is a folder, a pipe or a device. Open one of the logs inside a folder.',
    actions: ['open', 'sessions'],
  },
  empty: {
    title: 'The file is empty',
    advice: 'It fills when the agent writes its first message. Try again then.',
    actions: ['retry', 'open'],
  },
  binary: {
    title: 'This is not a log',
    advice: 'The file holds binary data. Logs of coding agents are text, one JSON record per line.',
    actions: ['open', 'sessions'],
  },
  unknown_format: {
    title: 'No format fits this file',
    advice: 'It is text, but no record of a known agent was found in it.',
    actions: ['open', 'sessions'],
  },
  unknown_session: {
    title: 'This session is not known',
    advice: 'Choose one from the list, or open its log by path.',
    actions: ['sessions', 'open'],
  },
  ambiguous: {
    title: 'Several sessions have such an id',
    advice: 'Write more of the id, or choose one from the list.',
    actions: ['open', 'sessions'],
  },
  cancelled: {
    title: 'Reading was stopped',
    advice: 'What was read is kept. Try again to go on from there.',
    actions: ['retry', 'open'],
  },
  restarted: {
    title: 'The log was written anew just now',
    advice: 'Try again: it is read from its start.',
    actions: ['retry'],
  },
  unwritable: {
    title: 'The file was not saved',
    advice: 'Choose another folder, or make room on the disk.',
    actions: ['retry'],
  },
  internal: {
    title: 'The program failed',
    advice: 'Your log is untouched. Try again; if it happens twice, report it with the line above.',
    actions: ['retry', 'open'],
  },
  no_access: {
    title: 'This page may not ask',
    advice: 'Open the whole address that cwl serve printed, with what follows the #.',
    actions: ['retry'],
  },
  unreachable: {
    title: 'cwl serve has ended',
    advice: 'Start it again and open the address that it prints.',
    actions: ['retry'],
  },
  store: {
    title: 'The database did not answer',
    advice: 'Another program may hold it, or the disk may be full.',
    actions: ['retry'],
  },
}

const OTHER: FailureText = {
  title: 'This could not be opened',
  advice: 'Try again, or open another log.',
  actions: ['retry', 'open', 'sessions'],
}

/** `unknownFormat`, `UnknownFormat`, `unknown-format` and `unknown_format` are one code. */
export const codeOf = (code: string): string =>
  code
    .replace(/-/g, '_')
    .replace(/(?<=.)([A-Z])/g, '_$1')
    .toLowerCase()

/** What to say and to offer for a failure. */
export function failureText(error: HostError): FailureText {
  return TABLE[codeOf(error.code)] ?? OTHER
}
