import type { BandNameDto } from '../../ipc/generated/BandNameDto'

/** A title and the text below it. */
type Pair = readonly [string, string]

/** Words that all parts of the window share, and what to do about a failure. */
export const words = {
  app: 'CWL Inspector',
  tokens: (n: string) => `${n} tokens`,
  ago: {
    now: 'just now',
    minutes: (n: number) => `${n} min ago`,
    hours: (n: number) => `${n} h ago`,
    days: (n: number) => `${n} d ago`,
  },
  /** The five levels, in order; names are the engine's. */
  levels: {
    names: ['intact', 'reasoning stripped', 'bulk stripped', 'intermediate stripped', 'removed'],
    other: (level: number) => `level ${level}`,
    inPart: 'in part',
  },
  /** The bands of a request. */
  bands: {
    unlogged: 'Not in the log',
    human: 'Human',
    prologue: 'Prologue',
    act: 'Act',
    expl: 'Explore',
    unannotated: 'Unannotated',
    reasoning: 'Reasoning',
    residue: 'Descriptions, summaries',
    system: 'System',
    text: 'Replies',
    calls: 'Calls',
    reads: 'File reads',
    searches: 'Searches',
    shell: 'Shell output',
    results: 'Other results',
  } satisfies Record<BandNameDto, string>,
  /** Why something could not be done, and what to do about it, by the host's code. */
  failures: {
    missing: [
      'There is no such file',
      'Check the path. A harness may have deleted the log; sessions that were opened before stay in the list.',
    ],
    unreadable: ['The file cannot be read', 'Give yourself read access to it, then try again.'],
    not_a_file: [
      'This is no file',
      'It is a folder, a pipe or a device. Open one of the logs inside a folder.',
    ],
    corpus: ['This is a corpus', 'The window shows its table; update the program where it does not.'],
    no_corpus: [
      'This corpus cannot be read',
      'Make it again: cwl corpus PATH… --out DIR --fresh. Your logs are untouched.',
    ],
    empty: ['The file is empty', 'It fills when the agent writes its first message. Try again then.'],
    binary: [
      'This is not a log',
      'The file holds binary data. Logs of coding agents are text, one JSON record per line.',
    ],
    unknown_format: [
      'No format fits this file',
      'It is text, but no record of a known agent was found in it.',
    ],
    unknown_session: ['This session is not known', 'Choose one from the list, or open its log by path.'],
    ambiguous: ['Several sessions have such an id', 'Write more of the id, or choose one from the list.'],
    cancelled: ['Reading was stopped', 'What was read is kept. Try again to go on from there.'],
    restarted: ['The log was written anew just now', 'Try again: it is read from its start.'],
    busy: ['Too much is asked of the server at once', 'Try again in a moment.'],
    unwritable: ['The file was not saved', 'Choose another folder, or make room on the disk.'],
    internal: [
      'The program failed',
      'Your log is untouched. Try again; if it happens twice, report it with the line above.',
    ],
    refused: [
      'The link is not followed',
      'A web page can make a link, so links open sessions that are known and files of this machine.',
    ],
    no_access: [
      'This page may not ask',
      'Open the whole address that cwl serve printed, with what follows the #.',
    ],
    unreachable: ['cwl serve has ended', 'Start it again and open the address that it prints.'],
    store: ['The database did not answer', 'Another program may hold it, or the disk may be full.'],
    other: ['This could not be opened', 'Try again, or open another log.'],
  } satisfies Record<string, Pair>,
}
