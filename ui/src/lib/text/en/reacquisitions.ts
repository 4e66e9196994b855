import type { ReacquisitionCauseName } from '../../ipc/generated/ReacquisitionCauseName'

/** Texts of the tab Read again. The engine writes the sentences of each story. */
export const reacquisitions = {
  reacquisitions: {
    waiting: 'Reading all texts …',
    none: 'The agent read nothing again after the policy had evicted it.',
    noneHint:
      'Lower τ, or choose another policy. This tab lists each content that the agent read again after its eviction, with the cause.',
    sum: (n: string, tokens: string) =>
      n === '1'
        ? `1 thing was read again, ${tokens} tokens`
        : `${n} things were read again, ${tokens} tokens`,
    cost: (money: string) => `${money} to send once`,
    inferred: 'This program inferred the episodes, so a cause questions the inference, not the agent.',
    causes: {
      changed: 'no mark’s fault',
      policy: 'policy',
      too_small: 'τ too small',
      unmarked: 'not marked',
      undeclared: 'not declared',
      wrong_kind: 'wrong kind',
      closed_early: 'closed too early',
      read_in_act: 'read in an act',
      thin_description: 'thin description',
      in_description: 'in the description',
      stripped_before: 'stripped before',
      needed_by_exploration: 'needed by an exploration',
    } satisfies Record<ReacquisitionCauseName, string>,
    all: 'all causes',
    only: 'Cause',
    list: 'Contents read again: first those whose marks can be mended, the largest first',
    listHint: 'The up and down arrows move, Enter opens.',
    tokens: (n: string) => `${n} tokens`,
    turns: (from: string, gone: string, again: string) =>
      `turn ${from} → evicted ${gone} → read again ${again}`,
    why: 'Why',
    helps: 'Would have helped',
    evidence: 'Evidence',
    first: 'First seen',
    gone: 'Evicted',
    again: 'Read again',
    turn: (turn: string) => `turn ${turn}`,
    beforeTurn: (turn: string, step: string | null) =>
      step === null ? `before turn ${turn}` : `before turn ${turn}, step ${step}`,
    toTurn: 'Go to this turn',
    toEpisode: 'Select this episode',
    toPlace: 'Show it in the Context tab',
    line: (n: string) => `line ${n}`,
    left: 'Left in its place',
    leftNothing: 'Nothing stayed in its place.',
    apply: 'Apply',
    applyHint:
      'Make this change in a new set of marks. The log and the agent’s marks stay as they are; the episode pane compares before and after',
    others: (names: string) => `also ${names}`,
    more: (n: string) => `and ${n} more`,
    /** A mark that leads to the tab. */
    open: 'Read again: causes and remedies',
    ofEpisode: (n: string, turn: string) =>
      n === '1'
        ? `1 block of this episode was read again, at turn ${turn}`
        : `${n} blocks of this episode were read again, first at turn ${turn}`,
    atTurn: 'At this turn, the agent read evicted content again',
  },
}
