import type { ConsumerKind } from '../../lib/ipc/generated/ConsumerKind'
import type { OverviewLineKind } from '../../lib/ipc/generated/OverviewLineKind'
import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Overview',
    waiting: 'Reading the session …',
    none: 'The session has no request yet.',
    basis: (by: string) => `as it happened, whatever policy is simulated; sizes in ${by}`,
    happened: 'What happened',
    evidence: {
      cost: 'Show the cache misses',
      fullest: 'Show that request',
      compactions: 'Show what was removed',
      clearings: 'Show the first place',
      hidden: 'Show that request',
      repeated: 'Show the largest',
    } satisfies Record<OverviewLineKind, string>,
    sizes: 'Tokens of each request',
    sizesAbout: (n: string, most: string) => `Tokens of ${n} requests; the fullest has ${most}`,
    costs: 'Cost so far',
    costsAbout: (cost: string) => `Cost of the requests added up: ${cost}`,
    window: (n: string) => `window: ${n} tokens`,
    reported: 'reported by the provider',
    counted: 'counted',
    at: (turn: string, tokens: string, cost: string | null) =>
      `Turn ${turn}: ${tokens} tokens${cost === null ? '' : `, ${cost}`}`,
    atHint: 'Point at a request to read its figures; press to go to it',
    consumers: 'Largest consumers',
    consumersAbout:
      'The share of all tokens that the requests held, each request counted: a block that stays for 50 requests counts 50 times',
    files: 'Largest files',
    columns: { name: 'Content', share: 'Share', sent: 'Sent in all', tokens: 'Once', blocks: 'Blocks' },
    largest: 'Go to its largest block',
    kinds: {
      unlogged: () => 'System prompt, tool definitions and whatever else is not in the log',
      system: () => 'System prompt, as logged',
      tool_definitions: (server: string) =>
        server === '' ? 'Tool definitions, as logged' : `Tool definitions of MCP server ${server}, as logged`,
      human: () => 'Human messages',
      injected: () => 'Content added by the harness',
      model: () => 'Model output',
      reasoning: () => 'Reasoning',
      summary: () => 'Summaries',
      tool: (name: string) => name,
      server: (name: string) => `MCP server ${name}`,
      file: (name: string) => name,
      others: (name: string) => `${name} others`,
    } satisfies Record<ConsumerKind, (name: string) => string>,
    misses: 'Cache misses',
    missColumns: { turn: 'Turn', tokens: 'Tokens', cost: 'Cost', why: 'Why' },
    moreMisses: (n: string) => `and ${n} cheaper ones; cwl cost lists them all`,
    subagents: 'Subagents, each with a context of its own',
    subagentColumns: { name: 'Subagent', turns: 'Requests', tokens: 'Tokens' },
  },
})
