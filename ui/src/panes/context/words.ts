import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Context',
    copyAll: 'Copy the whole context',
    more: (n: string) => `${n} more`,
    turn: (turn: string) => `turn ${turn}`,
    line: (line: string) => `line ${line}`,
  },
})
