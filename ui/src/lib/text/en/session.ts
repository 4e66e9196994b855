import type { PolicyFamily } from '../../ipc/generated/PolicyFamily'

/** The words about the session: the top bar, the start, the list of sessions. */
export const session = {
  top: {
    sentOf: 'of',
    sent: 'tokens sent',
    raw: 'raw',
    sessionsHint: 'Show or hide the sessions (Ctrl+B)',
    live: 'live',
    gone: 'log deleted',
    idle: 'idle',
    liveHint: 'The agent wrote a line within the last five minutes.',
    idleHint: 'The agent wrote no line within the last five minutes. The window still follows the log.',
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
    provedHint:
      'The log holds a hash of each request and message that was sent. Each rebuilt one has the same hash.',
    unproved: (first: string) => `The first one that differs: ${first}`,
    subagent: (name: string | null) => (name === null ? 'subagent' : `subagent ${name}`),
    calledBy: (caller: string) => `called by ${caller}`,
    openCaller: (title: string) => `Open the session that called this one: ${title}`,
    drift: (factor: string) => `· reported × ${factor}`,
    unit: (by: string) => `· ${by}`,
    theme: { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
    help: 'Keys (?)',
    window: 'Window of the model',
  },
  /** The switch between the recorded history and a simulation. */
  happened: {
    label: 'Shown history',
    off: 'As it happened',
    offHint: 'The harness’s own history. Figures are facts of the log. (Y)',
    on: 'What if',
    onHint: 'A simulation: the requests as a policy would have cut them under a token budget τ. (Y)',
    setting: (policy: string, tau: string) => `: ${policy} at ${tau}`,
    spoken: (sent: string) => `As it happened: ${sent} tokens.`,
  },
  policies: {
    family: {
      paper: 'From the paper',
      compaction: 'Compaction',
      clearing: 'Clearing',
      baseline: 'Baselines',
    } satisfies Record<PolicyFamily, string>,
  },
  options: {
    button: (policy: string, n: number) =>
      n === 0 ? `Options of ${policy}` : `Options of ${policy}: ${n} changed`,
    own: (policy: string) => `Options of ${policy}`,
    common: 'Options of every policy',
    reset: (sentence: string, value: string) => `“${sentence}”: back to ${value}`,
    key: 'The name for cwl --set',
    resetAll: 'Reset all to defaults',
    none: 'nothing',
    from: (least: string) => `${least} or more`,
    range: (least: string, most: string) => `${least} to ${most}`,
  },
  /** Where τ comes from. */
  source: {
    word: { default: 'default', yours: 'yours', trace: 'from the trace' },
    button: (word: string) => `Token budget τ: ${word}. Press for its origin`,
    default: (tokens: string) =>
      `τ is the default, ${tokens}: you set none, and no trace names the harness’s own.`,
    yours: 'You set τ. The window uses your τ for every log until you reset it.',
    trace: (tokens: string) =>
      `The harness evicts above ${tokens} tokens, says the trace of pi-cwl. You set no τ, so the window uses the same.`,
    resetToDefault: (tokens: string) => `Reset to the default, ${tokens}`,
    resetToTrace: (tokens: string) => `Reset to ${tokens}, from the trace`,
  },
  /** The harness's own passes, from its trace. */
  recorded: {
    title: (n: string) => `Passes of the harness itself (${n})`,
    turn: (turn: string) => `Turn ${turn}`,
    noTurn: 'Turn unknown',
    sizes: (before: string, after: string) => `${before} → ${after} tokens`,
    removed: (names: string) => `removed ${names}`,
    stripped: (names: string) => `stripped ${names}`,
    moreNames: (n: string) => `and ${n} more`,
    more: (n: string) => `… and ${n} more passes`,
  },
  welcome: {
    title: 'See what the model would receive',
    lead: 'Open the log of a coding agent. The window shows its episodes, what an eviction policy removes under a token budget, and why.',
    open: 'Open a log…',
    sessions: 'Choose a session',
    sample: 'Open the sample',
    newest: 'Newest on this machine',
    found: (n: string, each: readonly string[]) =>
      each.length > 1 ? `of ${n}: ${each.join(', ')}` : `of ${each.join('')}`,
    looking: 'searching …',
    teach:
      'An agent marks its work with a tool named delimiter: one call starts an episode, another ends it.',
    example: `delimiter  action: start  type: expl  name: map-ingest
  … searches and reads …
delimiter  action: end  description: "ingest.rs splits lines, parse.rs …"
delimiter  action: start  type: act   name: fix-retry  dependencies: [map-ingest]
  … edits …
delimiter  action: end`,
    withoutMarks:
      'A log without these calls opens too: the program infers its episodes from what the agent did, and dots their outlines.',
    pathLabel: 'Path of a log, or the first characters of a session’s id',
    offered: 'Matching sessions',
    recent: 'Recently opened',
    pathHint: '/home/me/.pi/agent/sessions/…/session.jsonl',
    pathOpen: 'Open',
    browse: 'Browse…',
    browseFolder: 'Choose a corpus…',
    cancel: 'Cancel',
    dialogTitle: 'Open a log',
    stays: 'The open session stays as it is. Press Cancel or Esc to go back to it.',
    dialogNote:
      'The window reads the log, never writes it, and follows it while the agent works. If you open the folder of a corpus, the window shows a table of its sessions.',
  },
  /** A link that names a file that is no known session. */
  link: {
    title: 'Open this file?',
    says: 'The link names a file that is not among your sessions, or a file of marks. Any web page can make such a link. Open the file only if you know where the link comes from.',
    marks: 'The link reads marks from this file:',
    open: 'Open file',
    leave: 'Do not open',
  },
  /** Files that are dragged over the window. */
  /** The start of a page without a program behind it. */
  dropStart: {
    lead: 'Drop the log of a coding agent on this page. It shows the episodes of the log, what an eviction policy removes under a token budget, and why.',
    drop: 'Drop a log here',
    choose: 'Choose a log…',
    stays:
      'The page computes in your browser. It sends nothing anywhere, and keeps nothing after you close it.',
    reads:
      'The page reads logs of pi, Claude Code, Codex, Copilot CLI, VS Code Copilot Chat, Gemini CLI, Qwen Code, Kimi Code, Droid, Antigravity and Cursor, trajectories, request bodies, and what opencode export and hermes sessions export print; packed with gzip or not.',
    needs:
      'Some things need the program: databases, the list of sessions, logs that still grow, marks and notes. Start it with cwl serve.',
  },
  drop: {
    over: 'Drop a log to open it',
    unknown: (name: string) => `The browser does not tell the page the folder of ${name}.`,
    unknownHint: 'Paste the path below, choose the session from the list, or start with:',
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
    unpin: (title: string) => `No longer keep on top: ${title}`,
    title: 'Sessions',
    find: 'Search sessions and texts',
    heads: { recent: 'Recent', sessions: 'Sessions', texts: 'Texts' },
    headCount: (n: string, more: boolean) => (more ? `${n} and more` : n),
    scope: 'Search scope',
    scopes: { all: 'All sessions', session: 'This session' },
    searched: (nSessions: number, nTexts: number, more: boolean) =>
      `${nSessions} ${nSessions === 1 ? 'session' : 'sessions'}, ${nTexts}${more ? ' or more' : ''} ${
        nTexts === 1 && !more ? 'text' : 'texts'
      } found`,
    nothing: 'No session has this name, and no text has these words.',
    noText: 'No text has all of these words.',
    noTextHint:
      'The search finds whole words, and the last word also by its beginning. "Quotation marks" search for a phrase.',
    notIndexed: (n: string) =>
      `${n === '1' ? '1 text is' : `About ${n} texts are`} not in the search index yet. The program is adding them; more results may come.`,
    moreSessions: (n: string) => `${n} more ${n === '1' ? 'session' : 'sessions'}`,
    moreHits: (n: string) => `${n} more here`,
    moreTexts: 'Show more texts',
    mostTexts: 'More texts match. Add a word to narrow the search.',
    held: 'still in context',
    notHeld: 'not in context',
    hitTurn: (turn: string) => `turn ${turn}`,
    otherBranch: 'other branch',
    noBranch: 'on no branch',
    hitCopies: (n: string) => `${n} times`,
    hitCopiesHint: 'How many blocks of the session hold this text. The list shows the last one.',
    none: 'The program found no sessions.',
    noneHint: 'The program searches these folders:',
    noMatch: 'No session matches.',
    notShown: (n: number) => `${n} more found, not listed`,
    annotated: 'annotated',
    plain: 'no marks',
    gone: 'log deleted',
    archived: 'archived',
    format: (name: string) => `written as ${name}`,
    continues: (origin: string) => `continues ${origin}`,
    subagents: (shown: number, all: number) =>
      `${shown < all ? `${shown} of ` : ''}${all} ${all === 1 ? 'subagent' : 'subagents'}`,
    subagentsOf: (label: string, title: string) => `${label} of ${title}`,
    pending: (n: number, shown: string) => (n === 1 ? 'reading 1 more' : `reading ${shown} more`),
    elsewhere: 'Unknown folder',
    requests: (n: string) => (n === '1' ? '1 request' : `${n} requests`),
    tokens: (n: string, by: string | null) => ({
      label: `${n} tok`,
      hint:
        by === 'provider'
          ? "the next request, in the provider's tokens"
          : by
            ? `the next request, counted in ${by}`
            : '',
    }),
    close: 'Close',
  },
}
