import type { BlameClass } from '../../lib/ipc/generated/BlameClass'
import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Episodes',
    columns: {
      name: 'Episode',
      kind: 'Kind',
      level: 'Level',
      kept: 'Kept',
      tokens: 'Tokens',
      turns: 'Turns',
      links: 'Draws on / used by',
      again: 'Read again',
      problems: 'Problems',
    },
    none: 'No episodes.',
    find: 'Filter by name',
    parts: { all: 'All episodes', blame: 'By re-reads' },
    partsLabel: 'Part of the Episodes tab',
    openBlame: 'Tab Episodes: by re-reads, the worst first',
    blame: {
      noneHint:
        'Lower τ, or choose another policy. This list ranks episodes by the tokens that the agent read again because of their marks.',
      classes: {
        mendable: 'Marks that can be mended',
        reader: 'Marks that need a reader',
        no_mark: 'No mark is to blame',
        changed: 'The content had changed',
      } satisfies Record<BlameClass, string>,
      nothingToMend: 'No mark here has a certain fix.',
      tokensHint: 'Tokens that the agent read again',
      fix: 'Fix',
      fixSays: 'Fix:',
      wouldHelp: 'Would have helped:',
      first: (turn: string) => `original, turn ${turn}`,
      again: (turn: string) => `re-read, turn ${turn}`,
      story: (n: string) => (n === '1' ? 'why' : `why, largest of ${n}`),
      storyHint: 'Show it in the tab Read again: what was read, what evicted it, what was read again',
    },
  },
})
