import type { CapturedSide } from '../../lib/ipc/generated/CapturedSide'
import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Request',
    body: {
      provider: 'Provider',
      repairs: 'Repairs, so that the provider accepts the request',
      violations: 'Without repairs, the provider would refuse',
      fine: 'Valid without repairs.',
      copy: 'Copy JSON',
      find: 'Find in the request',
      note: 'The messages of the request that a client would send.',
    },
    captured: {
      label: 'Which body to show',
      parts: { rebuilt: 'From the log', captured: 'As captured' },
      hints: {
        rebuilt: 'The request that this program rebuilds from the log, under the policy',
        captured: 'The request that the harness saved as it sent it, compared with the log',
      },
      waiting: 'Looking for captured bodies…',
      how: 'Two harnesses can save each request as they send it. Set one of these variables before the session, and put the folder next to the log:',
      claude: 'Claude Code: OTEL_LOG_RAW_API_BODIES=file:/absolute/folder',
      codex: 'Codex: CODEX_ROLLOUT_TRACE_ROOT=/absolute/folder',
      others: 'Captured nearby:',
      turn: (turn: string) => `turn ${turn}`,
      system: 'System prompt',
      systemPart: (n: string) => `part ${n}`,
      noSystem: 'The request has no system prompt.',
      tools: 'Tool definitions',
      tool: (n: string) => `tool ${n}`,
      noTools: 'The request has no tool definitions.',
      tokens: (n: string) => `${n} ${n === '1' ? 'token' : 'tokens'}`,
      blocks: 'Blocks of the messages',
      differing: (n: string) => `${n} ${n === '1' ? 'differs' : 'differ'}`,
      noDifference: 'The log and the body have the same blocks.',
      same: 'Show equal blocks, too',
      equal: (n: string) => `${n} equal ${n === '1' ? 'block' : 'blocks'}`,
      sides: { both: 'both', log: 'only the log', body: 'only the body' } satisfies Record<
        CapturedSide,
        string
      >,
      toPlace: (line: string) => `line ${line} in the context`,
      cut: (n: string) => `… of ${n} characters`,
      more: (n: string) => `${n} more rows`,
    },
  },
})
