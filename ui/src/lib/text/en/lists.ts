import type { OverheadSource } from '../../ipc/generated/OverheadSource'
import type { EvictedOrder } from '../../ipc/generated/EvictedOrder'

/** The words of the lists of blocks: context, findings, find, diff, evicted, request. */
export const lists = {
  tabs: {
    label: 'Views of the session',
  },
  context: {
    tokens: 'tokens',
    unlogged: (n: string, source: string) => `${n} of them unlogged (${source})`,
    find: 'Find in context',
    markdown: 'Markdown',
    markdownHint: 'Show texts in Markdown rendered, or, without the tick, as they were written (Y)',
    asSent: 'As sent',
    asSentHint: 'Hide the blocks that the model would not receive',
    copied: 'Copied',
    copyHint: 'Copy (c)',
    copiedBlock: (n: string) => `Copied: ${n} characters`,
    copiedAll: (n: string) => `Copied the whole context: ${n} characters`,
    lineHint: 'The line of the log. If settings.toml names an editor, press to open the line in it (O)',
    lineOpened: (line: string) => `Line ${line} opened in your editor`,
    lineOf: (line: string, path: string) => `Line ${line} of ${path}`,
    copyPlace: 'Copy this place',
    copiedPlace: (place: string) => `Copied: ${place}`,
    tool: 'tool',
    before: (n: string) => `… ${n} characters before this`,
    after: (n: string) => `… ${n} characters after this; Copy takes the whole text`,
    more: (n: string) => `Show all ${n} lines`,
    moreChars: (n: string) => `Show all ${n} characters`,
    less: 'Show less',
    line: (n: string) => `line ${n}`,
    empty: 'Nothing is in the context at this turn.',
    overhead: {
      given: 'set by you',
      inferred: 'inferred from reported usage',
      unknown: 'unknown, counted as 0: the log reports no usage',
    } satisfies Record<OverheadSource, string>,
    reported: (n: string) => `· reported ${n}`,
    overBudget: (above: string) => `${above} tokens above τ, and the policy may evict nothing more.`,
    heldBy: 'Held by',
    images: (n: number) => (n === 1 ? '1 image' : `${n} images`),
    failed: 'failed',
    derived: 'size from usage',
    derivedHint:
      'The log does not hold this text. Its size follows from the usage that the provider reported.',
    open: 'Show the original',
    instead: 'sent instead:',
    raw: 'JSON in the log',
    text: 'Text',
  },
  pins: {
    short: 'Pins',
    title: 'Pins and probes',
    button: (n: number) =>
      n === 0 ? 'Pins and probes: texts that must stay' : `${n} pins and probes: texts that must stay`,
    pin: 'Pin: no policy may evict it',
    unpin: 'Unpin',
    pinned: 'pinned',
    pins: 'Pins',
    pinsAbout:
      'No policy evicts a pinned block. If you pin a text or /an expression/, the window reports the eviction that removes its last copy.',
    pinsHint: 'a text, /an expression/ or block:ID',
    probes: 'Probes',
    probesAbout:
      'A probe is a text or /an expression/ that each request must still hold. Put a turn before it to ask from that turn on, as in 120: the port is 8443.',
    probesHint: '[TURN:] a text or /an expression/',
    kinds: { block: 'block', expression: 'expression', text: 'text' },
    from: (turn: string) => `from turn ${turn}`,
    remove: (what: string) => `Remove ${what}`,
    add: 'Add',
  },
  find: {
    case: 'Match case',
    regex: 'Regular expression',
    previous: 'Previous match (Shift+Enter)',
    next: 'Next match (Enter)',
    searching: '…',
    matches: (at: string, all: string, n: number) => (n === 0 ? 'no match' : `${at} of ${all}`),
    more: (n: string) => `and ${n} more`,
  },
  image: {
    looking: 'Image …',
    name: (kind: string, size: string, width: string, height: string) =>
      `Image, ${size}, ${kind}, ${width} × ${height}`,
    alt: (name: string) => `${name}, from the log`,
    show: 'Show',
    hide: 'Hide',
    refused: (why: string) => `Image not shown: ${why}`,
    more: (n: string) => `and ${n} more images`,
  },
  evicted: {
    find: 'Find in evicted blocks',
    asSent: 'As it happened, no policy evicts anything. Choose “What if” to see what a policy would evict.',
    first: (turn: string) => `since turn ${turn}`,
    firstHint: 'The first request without this block. Press to go there',
    again: (turn: string) => `turn ${turn}`,
    againWhy:
      'The agent read the same content again while this block was evicted. Press for the cause and a remedy',
    sorts: {
      log: 'Sort as in the log',
      size: 'Sort by size, the largest first',
      turn: 'Sort by turn, the last evicted first',
    } satisfies Record<EvictedOrder, string>,
    total: (n: string, tokens: string) => `${n} blocks, ${tokens} tokens`,
    none: 'Nothing evicted at this turn.',
    fits: (tokens: string) => `The request has ${tokens} tokens and fits τ. Lower τ, or go to a later turn.`,
    loggedPartFits: (tokens: string) =>
      `The request has ${tokens} tokens; its logged part fits τ. Lower τ, or go to a later turn.`,
    mayNot: (tokens: string, above: string) =>
      `The request has ${tokens} tokens, ${above} above τ, and this policy may evict nothing more. The Context tab lists the episodes that hold the tokens.`,
    stillToCome: (tokens: string, above: string) =>
      `The policy has evicted nothing at this turn yet: ${tokens} tokens, ${above} above τ. Go one step forward.`,
    noMatch: 'No evicted block matches.',
  },
}
