import type { DiffChange } from '../../lib/ipc/generated/DiffChange'
import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Diff',
    previousCommand: 'Previous change in the diff',
    nextCommand: 'Next change in the diff',
    label: 'Against',
    find: 'Find in the diff',
    against: {
      full: 'the full history',
      turn: 'another turn',
      turnBefore: 'the turn before',
      stepBefore: 'the step before',
      policy: 'another policy',
      budget: 'another τ',
    },
    policy: 'The other policy',
    budget: 'The other τ',
    turn: 'The other turn',
    turnHint: 'turn …',
    and: 'and',
    here: 'The turn of the window',
    previous: 'Previous change (Shift+N)',
    next: 'Next change (n)',
    totals: (before: string, after: string) => `${before} → ${after}`,
    totalsHint: 'All tokens: of the other context, and of this one',
    added: (tokens: string, n: string) => `+${tokens} (${n === '1' ? '1 block' : `${n} blocks`})`,
    removed: (tokens: string, n: string) => `−${tokens} (${n === '1' ? '1 block' : `${n} blocks`})`,
    changed: (n: string) => `${n} changed`,
    overhead: (n: string) => `${n} of them unlogged`,
    run: (n: string, tokens: string) => `${n} equal blocks, ${tokens} tokens`,
    same: (against: string) => `Equal to ${against}: all blocks have the same texts.`,
    nothing: 'Both contexts are empty.',
    cut: 'The window compares only the beginnings word by word.',
    change: { same: 'same', added: 'added', removed: 'removed', changed: 'changed' } satisfies Record<
      DiffChange,
      string
    >,
    sign: { same: '', added: '+', removed: '−', changed: '≠' } satisfies Record<DiffChange, string>,
  },
})
