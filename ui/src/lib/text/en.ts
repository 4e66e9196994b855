import { annotation } from './en/annotation'
import { beside } from './en/beside'
import { corpus } from './en/corpus'
import { dialogs } from './en/dialogs'
import { duel } from './en/duel'
import { episodes } from './en/episodes'
import { lists } from './en/lists'
import { live } from './en/live'
import { pictures } from './en/pictures'
import { glossary } from './en/glossary'
import { guide } from './en/guide'
import { reacquisitions } from './en/reacquisitions'
import { session } from './en/session'
import { tour } from './en/tour'
import { words } from './en/words'

/** Every word that the window says. Words of the engine (levels, reasons, problems) come from the host. */
export const en = {
  ...words,
  ...annotation,
  ...session,
  ...pictures,
  ...lists,
  ...live,
  ...episodes,
  ...beside,
  ...corpus,
  ...glossary,
  ...guide,
  ...reacquisitions,
  ...dialogs,
  ...duel,
  ...tour,
}
