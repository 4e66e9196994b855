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
  },
})
