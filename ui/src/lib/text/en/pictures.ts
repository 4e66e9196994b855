import type { EpisodeKindDto } from '../../ipc/generated/EpisodeKindDto'

/** The words of the pictures: graph, timeline, legend, transport, the exported page and the presentation. */
export const pictures = {
  graph: {
    label: 'Episode graph',
    hint: 'Left and right walk in time, up to what an episode needs, down to what it feeds, a quote and the beginning of a name to that name, Enter selects.',
    session: 'Session',
    problems: 'Lint',
    toFindings: (more: number) =>
      more === 0 ? 'Press to show it in the Lint tab' : `${more} more; press to show them in the Lint tab`,
    loose: 'Unannotated',
    explore: 'Explore',
    feeds: 'feeds into',
    act: 'Act',
    turn: 'turn',
    live: 'LIVE',
    fitHint: 'Show the whole session (0)',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    newTurns: (n: number) => `${n} new ${n === 1 ? 'turn' : 'turns'} ↓`,
    turns: (a: string, b: string) => (a === b ? `turn ${a}` : `turns ${a}–${b}`),
    keptOf: (kept: string, all: string) => `${kept} of ${all} tokens`,
    ahead: 'not begun at this turn',
    regret: (n: string, turn: string) =>
      n === '1'
        ? `1 block was read again, at turn ${turn}`
        : `${n} blocks were read again, first at turn ${turn}`,
    active: 'active',
    spelling: (typed: string) => `go to: ${typed}…`,
    blockedBy: (names: string, more: number) => `Waits for ${names}${more > 0 ? ` and ${more} more` : ''}`,
    human: 'Human',
    option: (
      name: string,
      kind: string,
      source: string | null,
      level: number,
      levelName: string,
      kept: string,
      all: string,
    ) =>
      `${name}, ${source === null ? kind : `${source} ${kind}`}, level ${level} ${levelName}, ${kept} of ${all} tokens`,
  },
  range: {
    label: 'The selected turns',
    turns: (from: string, to: string, n: string) =>
      from === to ? `turn ${from}` : `turns ${from}–${to} (${n})`,
    cameIn: (tokens: string) => `${tokens} tokens came in`,
    evicted: (tokens: string, steps: string) =>
      steps === '0' ? 'nothing evicted' : `${tokens} evicted in ${steps} ${steps === '1' ? 'step' : 'steps'}`,
    sent: (mean: string, most: string) => `${mean} sent on average, ${most} at the most`,
    over: (n: string) => `${n} above τ`,
    zoom: 'Show these turns (Z)',
    clear: 'Clear the selection of turns (Esc)',
  },
  picture: {
    save: 'Save graph and timeline as a picture',
    kind: { svg: 'SVG', png: 'PNG' },
    about: { svg: 'Sharp at every size; texts can be searched', png: 'Twice the pixels of the screen' },
    saved: (where: string) => `Saved: ${where}`,
    failed: (why: string) => `The picture was not saved: ${why}`,
    turn: (turn: string, all: string) => `turn ${turn} of ${all}`,
    step: (step: string, all: string) => `step ${step} of ${all}`,
    policy: (name: string) => `policy ${name}`,
    budget: (tokens: string) => `τ ${tokens} tokens`,
    sent: (sent: string, full: string) => `${sent} of ${full} tokens sent`,
  },
  axis: {
    x: 'x:',
    kind: { turns: 'turns', tokens: 'tokens' },
    hint: {
      turns: 'Every turn is equally wide. Press for widths by the tokens that came in (X)',
      tokens: 'A turn is as wide as the tokens that came in. Press for equal widths (X)',
    },
  },
  kind: { expl: 'explore', act: 'act', unannotated: 'unannotated' } satisfies Record<EpisodeKindDto, string>,
  timeline: {
    title: 'Context',
    sub: 'tokens sent',
    full: 'no eviction',
    reported: 'reported',
    fullAt: (n: string) => `no eviction: ${n} ↑`,
    budget: (n: string) => `τ ${n}`,
    grip: 'Token budget τ; up and down change it',
    playhead: 'Turn that is shown; left and right go by a turn, with Shift they select turns',
    at: (turn: string, turns: string, step: string, steps: string) =>
      `turn ${turn} of ${turns}${steps === '0' ? '' : `, step ${step} of ${steps}`}`,
    turn: (n: string) => `Turn ${n}`,
    sent: 'sent',
    before: 'before the pass',
    compacted: 'compacted by the harness before it',
    cleared: 'old outputs cleared by the harness before it',
    recorded: (what: string) => `the harness itself ran a pass here: ${what} (pi-cwl’s trace)`,
    over: 'over τ: nothing more may go',
    reportedBy: 'reported by the provider',
  },
  legend: {
    title: 'Kept',
    level: (level: number, name: string, n: string) =>
      `Eviction level ${level}, ${name}: ${n} ${n === '1' ? 'episode' : 'episodes'}`,
    levelAbout: [
      'Nothing of the episode is evicted',
      'Its reasoning is evicted',
      'Its bulk output is evicted, too',
      'Its reads, searches and shell output are evicted, too',
      'The whole episode is evicted; words of a human and the description of an exploration stay',
    ],
    problems: (severity: string, n: string) => `${severity}: ${n}. Press for the list.`,
    ahead: (n: string) => `${n} not begun`,
    inPart: (n: string) => `(${n} in part)`,
    all: 'Levels and marks, explained',
    height: {
      word: 'height of a box',
      about:
        'It grows with the square root of the tokens: four times the tokens are twice as high. The filled part is what the model receives.',
    },
    marks: {
      inferred: {
        word: 'inferred',
        about:
          'The agent did not mark this episode; the stronger its outline and first edge, the surer they are',
      },
      stripped: {
        word: 'source stripped',
        about: 'Something is gone of the exploration that such a line comes from',
      },
      human: { word: 'human', about: 'A person said something before this turn' },
      pass: {
        word: 'pass',
        about: 'The policy took something before this request; the line is as long as that was large',
      },
      regret: {
        word: 'read again',
        about:
          'Something of the episode was read again after this policy had evicted it; at the foot of the timeline, at the turns that read it. Press one for why, and for what would have helped (R)',
      },
      compaction: { word: 'compaction', about: 'The harness put a summary in the place of what was before' },
      clearing: {
        word: 'clearing',
        about: 'The harness took out old outputs and wrote nothing in their place',
      },
      loss: {
        word: 'hidden loss',
        about: 'From this turn on fewer tokens were sent than the log accounts for, and it does not say why',
      },
      miss: {
        word: 'miss',
        about:
          'As the provider reported it, the request did not read from the prompt cache what it should have read',
      },
      recorded: {
        word: 'the harness’s own pass',
        about: 'The harness itself evicted something before this turn',
      },
    },
  },
  transport: {
    previousPass: 'Previous pass',
    back: 'Step back (←)',
    forward: 'Step forward (→)',
    nextPass: 'Next pass',
    play: 'Play (space)',
    pause: 'Pause (space)',
    speed: 'Speed',
    stopsAtPasses: 'Stop playing before each pass',
    progress: (taken: string, all: string) => `${taken} of the session’s ${all} steps are taken`,
    progressLabel: 'Steps of the whole session taken',
    ofAll: (taken: string, all: string) => `${taken}/${all} in all`,
    present: 'Present: large, the graph and one sentence (P)',
    now: 'now',
    title: 'Time',
    step: 'step',
    follow: 'Follow',
    followHint: 'Stay on the newest turn (F)',
    noPass: 'No pass at this turn: what is left fits.',
    beforePass: (tokens: string, above: string) => `Before the pass: ${tokens} tokens, ${above} above τ.`,
    overBudget: 'τ cannot be met here: nothing more may go.',
  },
  export: {
    button: 'Export as one HTML file (E)',
    title: 'Export as one HTML file',
    about:
      'A page to send: graph, timeline, every step with its sentence, and the texts. It opens anywhere, without this program, and loads nothing.',
    budgets: (policy: string, budget: string) => `More budgets to choose from, beside ${policy} at ${budget}`,
    budgetsHint: '40k, 80k, 120k',
    redact: 'Redact secrets and names',
    redactAbout:
      'Keys, tokens, passwords, cookies, addresses and home directories become marks. The page says what was redacted. Look it over before you send it: rules find forms and names, not meanings.',
    openAbout: 'Everything stays as it stands in the log, with every secret that the agent has seen.',
    known: 'I know that everyone who gets the page can read all of it',
    busy: 'The page is made …',
    stop: 'Stop',
    save: 'Save …',
    saved: (place: string) => `Exported: ${place}`,
  },
  /** The page of an export. */
  exported: {
    redacted: 'Secrets and names are redacted',
    notRedacted: 'Nothing is redacted',
    nothing: 'Nothing was found that looks like a secret or a name.',
    marks: 'A mark stands in the place of each; the same number is the same secret.',
    counted: (kind: string, different: string, places: string) =>
      `${kind}: ${different} different, in ${places} ${places === '1' ? 'place' : 'places'}`,
    unread: (n: string) => `${n} texts are left out, because they could not be looked through`,
    caution:
      'Rules found them. A secret that does not have the form of one, and is not named as one, is not found.',
    everything: 'The person who made this page chose to leave everything as it stands in the log.',
    leftOut: 'Not in this page',
    /** The parts that no page has room for. */
    never: [
      'the parts of long texts that are cut: find looks through what is in here',
      'the blocks in which two policies differ, and the sweep over every τ',
      'the differences from another context, and the request as JSON that is put together from the log',
      'every policy and τ that was not chosen when the page was made',
    ],
    copyLink: 'Copy a link to what is shown (L)',
    madeBy: (who: string) => `Made by ${who}. This page loads nothing and sends nothing.`,
    listOf: (turn: string) => `the list is that of turn ${turn}`,
    cut: (n: string) => `… of ${n} characters`,
  },
  present: {
    label: 'Presentation',
    turn: 'Turn',
    step: 'Step',
    of: (at: string, all: string) => `${at} of ${all}`,
    sent: (before: string, after: string) => `${before} → ${after} tokens`,
    still: (tokens: string) => `${tokens} tokens`,
    tau: (tokens: string) => `τ ${tokens}`,
    versus: 'Compare with compaction',
    versusOff: 'Without compaction',
    compaction: 'compaction',
    sentNow: 'tokens sent',
    gone: 'tokens gone',
    found: 'later uses that still find it',
    noFound: 'not used',
    leave: 'Leave the presentation (Esc)',
    play: 'Play (space)',
    pause: 'Pause (space)',
    keys: [
      ['← →', 'step'],
      ['space', 'play'],
      ['[ ]', 'τ'],
      ['C', 'compaction'],
      ['Esc', 'leave'],
    ],
  },
}
