import type { RegretCauseDto } from '../../ipc/generated/RegretCauseDto'

/** The words of the tab that tells what was read again. The sentences of each story come from the engine. */
export const regrets = {
  regrets: {
    waiting: 'Reading all texts …',
    none: 'Nothing was read again after it had been evicted.',
    noneHint:
      'Lower τ, or choose another policy: the tab tells of everything that the agent got again after it was gone, and why.',
    sum: (n: string, tokens: string) =>
      n === '1'
        ? `1 thing was read again, ${tokens} tokens`
        : `${n} things were read again, ${tokens} tokens`,
    cost: (money: string) => `${money} to send once`,
    inferred: 'These episodes were inferred, so a cause questions the inference, not the agent.',
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
      stripped_before: 'stripped before',
      needed_by_exploration: 'explored again',
    } satisfies Record<RegretCauseDto, string>,
    all: 'all causes',
    only: 'Cause',
    list: 'What was read again, the dearest first',
    listHint: 'Up and down walk, Enter opens.',
    tokens: (n: string) => `${n} tokens`,
    turns: (from: string, gone: string, again: string) => `turn ${from} → gone ${gone} → again ${again}`,
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
    left: 'What stayed in its place',
    leftNothing: 'Nothing stayed in its place.',
    apply: 'Apply',
    applyHint:
      'Make this change in a set of marks of its own: the log and the agent’s marks stay as they are. The episode pane shows before and after',
    others: (names: string) => `also ${names}`,
    more: (n: string) => `and ${n} more`,
    /** A mark that leads to the tab. */
    open: 'Read again: why, and what would have helped',
    ofEpisode: (n: string, turn: string) =>
      n === '1'
        ? `1 block of it was read again, at turn ${turn}`
        : `${n} blocks of it were read again, first at turn ${turn}`,
    atTurn: 'The reply to this turn read again what had been evicted',
  },
}
