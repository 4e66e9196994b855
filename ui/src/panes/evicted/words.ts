import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Evicted',
    columns: {
      block: 'Block',
      episode: 'Episode',
      gone: 'Evicted',
      again: 'Read again',
      tokens: 'Tokens',
    },
  },
})
