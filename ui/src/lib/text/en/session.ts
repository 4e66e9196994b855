import type { PolicyFamilyDto } from '../../ipc/generated/PolicyFamilyDto'

/** The words about the session: the top bar, the start, the list of sessions. */
export const session = {
  top: {
    sentOf: 'of',
    raw: 'raw',
    sessionsHint: 'Show or hide the sessions (Ctrl+B)',
    live: 'live',
    gone: 'log is gone',
    idle: 'idle',
    liveHint: 'A line was written within the last five minutes.',
    idleHint: 'No line was written within the last five minutes. The window still follows the log.',
    policy: 'Policy',
    budget: 'τ',
    budgetLabel: 'Token budget τ',
    budgetHint: 'Token budget τ: 80000, 80k or 50% of the window',
    tokenizer: 'Tokens by',
    countedBy: (by: string) => `Every figure is counted in ${by}.`,
    branch: 'Branch',
    branchMain: (n: string) => `current, ${n} messages`,
    branchOther: (leaf: string, n: string) => `${leaf}, ${n} messages`,
    branchSubagent: (leaf: string, n: string) => `subagent ${leaf}, ${n} messages`,
    copy: 'copy of another session',
    proved: (requests: string, ofRequests: string, messages: string, ofMessages: string) =>
      `proved: ${requests} of ${ofRequests} requests, ${messages} of ${ofMessages} messages`,
    provedHint: 'The log has the hashes of all that was sent, and every one fits.',
    unproved: (first: string) => `The first that is not: ${first}`,
    subagent: (name: string | null) => (name === null ? 'subagent' : `subagent ${name}`),
    calledBy: (caller: string) => `called by ${caller}`,
    openCaller: (title: string) => `Open the session that called this one: ${title}`,
    drift: (factor: string) => `· reported × ${factor}`,
    unit: (by: string) => `· ${by}`,
    theme: { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
    help: 'Keys (?)',
    window: 'Window of the model',
  },
  policies: {
    family: {
      paper: 'This paper',
      compaction: 'Compaction',
      clearing: 'Clearing',
      baseline: 'Baselines',
    } satisfies Record<PolicyFamilyDto, string>,
  },
  options: {
    button: (policy: string, n: number) =>
      n === 0 ? `Options of ${policy}` : `Options of ${policy}: ${n} changed`,
    own: (policy: string) => `Of ${policy}`,
    common: 'Of every policy',
    reset: (sentence: string, value: string) => `“${sentence}”: back to ${value}`,
    key: 'As cwl --set takes it',
    resetAll: 'Reset all to defaults',
    none: 'nothing',
    from: (least: string) => `${least} or more`,
    range: (least: string, most: string) => `${least} to ${most}`,
  },
  /** Where τ comes from. */
  source: {
    word: { default: 'default', yours: 'yours', trace: 'from the trace' },
    button: (word: string) => `Token budget τ: ${word}. Where it comes from`,
    default: (tokens: string) =>
      `You set no τ, and no trace says which one the harness used, so τ is the default, ${tokens}.`,
    yours: 'You set τ. The window keeps it for every log that you open, until you reset it.',
    trace: (tokens: string) =>
      `The trace of pi-cwl says that the harness evicts above ${tokens} tokens. You set no τ, so the window uses the same.`,
    resetToDefault: (tokens: string) => `Reset to the default, ${tokens}`,
    resetToTrace: (tokens: string) => `Reset to ${tokens}, from the trace`,
  },
  /** The passes of the harness, as its trace tells them. */
  recorded: {
    title: (n: string) => `What the harness evicted itself (${n})`,
    turn: (turn: string) => `Turn ${turn}`,
    noTurn: 'Turn not known',
    sizes: (before: string, after: string) => `${before} → ${after} tokens`,
    removed: (names: string) => `removed ${names}`,
    stripped: (names: string) => `stripped ${names}`,
    moreNames: (n: string) => `and ${n} more`,
    more: (n: string) => `… and ${n} more passes`,
  },
  welcome: {
    title: 'See what the model would receive',
    lead: 'Open the log of a coding agent. The window shows its episodes, what an eviction policy takes out under a token budget, and why.',
    open: 'Open a log…',
    sessions: 'Choose a session',
    sample: 'Open the sample',
    newest: 'Newest on this machine',
    found: (n: string, each: readonly string[]) =>
      each.length > 1 ? `of ${n}: ${each.join(', ')}` : `of ${each.join('')}`,
    looking: 'looking through it …',
    teach:
      'An agent marks its work with a tool named delimiter: one call starts an episode, another ends it.',
    example: `delimiter  action: start  type: expl  name: map-ingest
  … searches and reads …
delimiter  action: end  description: "ingest.rs splits lines, parse.rs …"
delimiter  action: start  type: act   name: fix-retry  dependencies: [map-ingest]
  … edits …
delimiter  action: end`,
    withoutMarks:
      'A log without such calls opens too: its episodes are then inferred from what the agent did, and drawn as such.',
    pathLabel: 'Path of a log, or the beginning of a session’s id',
    offered: 'Sessions that fit',
    recent: 'Opened last',
    pathHint: '/home/me/.pi/agent/sessions/…/session.jsonl',
    pathOpen: 'Open',
    browse: 'Browse…',
    browseFolder: 'Choose a corpus…',
    cancel: 'Cancel',
    dialogTitle: 'Open a log',
    stays: 'The open session stays as it was: Cancel or Esc goes back to it.',
    dialogNote:
      'The log is only read, and followed while the agent writes to it. The folder of a corpus shows a table of its sessions.',
  },
  /** A link that names a file that is no known session. */
  link: {
    title: 'Open this file?',
    says: 'A link names a file that is not among your sessions, or a file of marks. A web page can make such a link: open it only if you know why.',
    marks: 'It reads marks from this file:',
    open: 'Open it',
    leave: 'Do not open',
  },
  /** Files that are dragged over the window. */
  drop: {
    over: 'Drop a log to open it',
    unknown: (name: string) => `A browser does not tell a page in which folder ${name} is.`,
    unknownHint: 'Paste its path below, choose it if it is one of these sessions, or start with it:',
    command: 'cwl serve FILE',
  },
  opening: {
    title: 'Opening',
    reading: (done: string, all: string) => `${done} of ${all} read`,
    stop: 'Stop reading',
  },
  drawer: {
    pinned: 'Kept on top',
    pin: (title: string) => `Keep on top: ${title}`,
    unpin: (title: string) => `Keep no longer on top: ${title}`,
    title: 'Sessions',
    find: 'Search sessions and texts',
    heads: { recent: 'Recent', sessions: 'Sessions', texts: 'Texts' },
    headCount: (n: string, more: boolean) => (more ? `${n} and more` : n),
    scope: 'Where to search',
    scopes: { all: 'All sessions', session: 'This session' },
    searched: (nSessions: number, nTexts: number, more: boolean) =>
      `${nSessions} ${nSessions === 1 ? 'session' : 'sessions'}, ${nTexts}${more ? ' or more' : ''} ${
        nTexts === 1 && !more ? 'text' : 'texts'
      } found`,
    nothing: 'No session has such a name, and no text has these words.',
    noText: 'No text has all of these words.',
    noTextHint:
      'Whole words are found, and the beginning of the last one; "quotation marks" hold words together.',
    notIndexed: (n: string) =>
      `${n === '1' ? '1 text is' : `About ${n} texts are`} not in the search index yet; results grow while it is made.`,
    moreSessions: (n: string) => `${n} more ${n === '1' ? 'session' : 'sessions'}`,
    moreHits: (n: string) => `${n} more here`,
    moreTexts: 'Show more texts',
    mostTexts: 'There are more. Add a word to narrow it down.',
    held: 'still in context',
    notHeld: 'not in context',
    hitTurn: (turn: string) => `turn ${turn}`,
    otherBranch: 'other branch',
    noBranch: 'on no branch',
    hitCopies: (n: string) => `${n} times`,
    hitCopiesHint: 'The number of blocks in the session with this text; this is the last of them.',
    none: 'No sessions were found.',
    noneHint: 'These folders are searched:',
    noMatch: 'No session matches.',
    notShown: (n: number) => `${n} found but not shown`,
    annotated: 'annotated',
    plain: 'no marks',
    gone: 'log gone',
    archived: 'archived',
    format: (name: string) => `written as ${name}`,
    continues: (origin: string) => `continues ${origin}`,
    subagents: (shown: number, all: number) =>
      `${shown < all ? `${shown} of ` : ''}${all} ${all === 1 ? 'subagent' : 'subagents'}`,
    subagentsOf: (label: string, title: string) => `${label} of ${title}`,
    pending: (n: number, shown: string) =>
      n === 1 ? '1 more is being read' : `${shown} more are being read`,
    elsewhere: 'No folder recorded',
    requests: (n: string) => (n === '1' ? '1 request' : `${n} requests`),
    tokens: (n: string, by: string | null) => ({
      label: `${n} tok`,
      hint: by === 'provider' ? "the next request, in the provider's tokens" : by ? `the next request, counted in ${by}` : '',
    }),
    close: 'Close',
  },
}
