import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Read again',
    here: 'Tab Read again: at the selected episode, else at this turn',
  },
})
