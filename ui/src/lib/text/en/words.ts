import type { Band } from '../../ipc/generated/Band'

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
    /** The content that each level evicts, in a word. */
    short: ['intact', 'reasoning', 'bulk', 'intermediate', 'removed'],
    other: (level: number) => `level ${level}`,
    inPart: 'in part',
  },
  /** The bands of a request. */
  bands: {
    unlogged: 'Unlogged',
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
  } satisfies Record<Band, string>,
  /** Titles and remedies of failures, by the host's code. */
  failures: {
    missing: [
      'This file does not exist',
      'Check the path. The harness may have deleted the log; the list keeps sessions that you opened before.',
    ],
    unreadable: ['The file cannot be read', 'Give yourself read access to the file, then try again.'],
    not_a_file: [
      'This is not a file',
      'The path leads to a folder, a pipe or a device. Open a log inside the folder.',
    ],
    corpus: [
      'This is a corpus',
      'The window shows the table of a corpus. Update the program if you do not see the table.',
    ],
    no_corpus: [
      'This corpus cannot be read',
      'Make the corpus again: cwl corpus PATH… --out DIR --fresh. Your logs are untouched.',
    ],
    empty: ['The file is empty', 'Try again after the agent has written its first message.'],
    binary: [
      'This is not a log',
      'The file holds binary data. Logs of coding agents are text, one JSON record per line.',
    ],
    unknown_format: [
      'No format fits this file',
      'The file is text, but the program found no record of a known agent in it. If you know which agent wrote it, name the format on the command line: cwl report --format NAME FILE.',
    ],
    unknown_session: ['This session is unknown', 'Choose a session from the list, or open its log by path.'],
    ambiguous: ['Several ids begin like this', 'Type more of the id, or choose a session from the list.'],
    cancelled: [
      'You stopped the reading',
      'The program keeps what it has read. Try again to go on from there.',
    ],
    restarted: [
      'The agent has just rewritten the log',
      'Try again: the program reads the log from its start.',
    ],
    busy: ['The server has too many requests at once', 'Try again in a moment.'],
    unwritable: ['The file was not saved', 'Choose another folder, or free some space on the disk.'],
    internal: [
      'The program failed',
      'Your log is untouched. Try again. If it fails twice, report the line above.',
    ],
    refused: [
      'The window does not follow this link',
      'Any web page can make a link, so a link opens only known sessions and files of this machine.',
    ],
    no_access: [
      'The server refuses this page',
      'Open the whole address that cwl serve printed, with the part after #.',
    ],
    unreachable: ['cwl serve has ended', 'Start cwl serve again and open the address that it prints.'],
    store: ['The database did not answer', 'Another program may hold the database, or the disk may be full.'],
    other: ['This could not be opened', 'Try again, or open another log.'],
  } satisfies Record<string, Pair>,
}
