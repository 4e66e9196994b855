import { pane as body } from './body/pane'
import { pane as compactions } from './compactions/pane'
import { pane as compare } from './compare/pane'
import { pane as context } from './context/pane'
import { pane as diff } from './diff/pane'
import { pane as episodes } from './episodes/pane'
import { pane as evicted } from './evicted/pane'
import { pane as overview } from './overview/pane'
import { pane as problems } from './problems/pane'
import { pane as reacquisitions } from './reacquisitions/pane'

/** All panes, in the order of their tabs. */
export const PANES = {
  overview,
  context,
  evicted,
  diff,
  body,
  episodes,
  problems,
  compare,
  compactions,
  reacquisitions,
}

export type Tab = keyof typeof PANES
export const TABS = Object.keys(PANES) as Tab[]
