import type { LiveEventKind } from '../../ipc/generated/LiveEventKind'

/** A running agent whose requests `cwl live` decides about. */
export const live = {
  live: {
    label: 'The running agent',
    inForce: 'In force',
    whatIf: 'What if',
    settings: (policy: string, tau: string | null) => (tau === null ? policy : `${policy} at ${tau}`),
    settingsHint: (tokenizer: string, marks: string) => `τ in tokens of ${tokenizer}; ${marks} marks`,
    same: 'The view is what is in force.',
    waits: 'waits for its first request',
    request: (turn: string, says: string) => `request ${turn}: ${says}`,
    apply: 'Apply',
    applyHint: 'From the next request on the running agent goes by this policy and this τ.',
    turnOff: 'Turn eviction off',
    turnOffHint: 'From the next request on the running agent sends its whole history.',
    applying: 'Applying…',
    applied: (policy: string, tau: string | null) =>
      tau === null ? `The agent goes by ${policy}` : `The agent goes by ${policy} at ${tau}`,
    effect: (says: string, sent: string) => `${says}: ${sent} tokens sent.`,
    computing: 'The effect on the next request is worked out…',
    show: 'Show what is in force',
    takeSmallest: (tau: string) => `Take ${tau}`,
    decisions: 'Decisions',
    decisionsTitle: (n: string) => `The last decisions of ${n}, the newest first`,
    process: (harness: string, process: string) => `${harness}, process ${process}`,
    totals: (requests: string, evicting: string, passed: string, refused: string) =>
      `requests: ${requests}, ${evicting} evicting, ${passed} failed open; refused questions: ${refused}`,
    turn: (turn: string) => `Turn ${turn}`,
    parts: (n: number, tokens: string) => `${n} ${n === 1 ? 'part' : 'parts'}, ${tokens} tokens`,
    mark: (tau: string) => `in force ${tau}`,
    markHint: 'τ that the running agent goes by',
    kind: {
      keep: 'whole',
      evict: 'evicted',
      pass_through: 'failed open',
      refused: 'refused',
      set_by_harness: 'set by the harness',
      set_by_owner: 'set from outside',
    } satisfies Record<LiveEventKind, string>,
  },
}
