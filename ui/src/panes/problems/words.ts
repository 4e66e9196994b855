import { inLanguage } from '../../lib/text'

/** The words of this pane alone. */
export const words = inLanguage({
  en: {
    tab: 'Problems',
    here: 'Tab Problems: at the selected episode',
  },
})
