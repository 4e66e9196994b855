import type { CapturedSideDto } from '../../ipc/generated/CapturedSideDto'

/** The words of captured bodies. */
export const captured = {
  captured: {
    label: 'The body that is shown',
    parts: { rebuilt: 'From the log', captured: 'As captured' },
    hints: {
      rebuilt: 'The request as this program puts it together from the log, under the policy',
      captured: 'The request as the harness kept it when it was sent, beside what the log gives',
    },
    waiting: 'Looking for captured bodies…',
    how: 'Two harnesses can keep each request as they send it. Set one of these before the session, and put the folder beside the log:',
    claude: 'Claude Code: OTEL_LOG_RAW_API_BODIES=file:/absolute/folder',
    codex: 'Codex: CODEX_ROLLOUT_TRACE_ROOT=/absolute/folder',
    others: 'Captured nearby:',
    notHere: (turn: string) => `this page has no captured body of turn ${turn}`,
    turn: (turn: string) => `turn ${turn}`,
    system: 'System prompt',
    systemPart: (n: string) => `part ${n}`,
    noSystem: 'The request has none.',
    tools: 'Tool definitions',
    tool: (n: string) => `tool ${n}`,
    noTools: 'The request has none.',
    tokens: (n: string) => `${n} ${n === '1' ? 'token' : 'tokens'}`,
    blocks: 'Blocks of messages, as recorded',
    differing: (n: string) => `${n} ${n === '1' ? 'differs' : 'differ'}`,
    noDifference: 'Log and body have the same blocks.',
    same: 'Equal blocks, too',
    equal: (n: string) => `${n} equal ${n === '1' ? 'block' : 'blocks'}`,
    sides: { both: 'both', log: 'only the log', body: 'only the body' } satisfies Record<
      CapturedSideDto,
      string
    >,
    toPlace: (line: string) => `line ${line} in the context`,
    cut: (n: string) => `… of ${n} characters`,
    more: (n: string) => `${n} more rows`,
  },
}
