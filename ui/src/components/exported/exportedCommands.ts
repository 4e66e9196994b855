import type { ExportDto } from '../../lib/ipc/generated/ExportDto'
import type { App } from '../../lib/state/app'
import { text } from '../../lib/text'
import { COMMANDS, type Command } from '../views/commands'

/** What of the window's commands an exported page has. */
const KEPT =
  /^(present|step\.|turn\.|pass\.|play|zoom\.|axis|tab\.(context|evicted|episodes|problems)$|list\.|select\.none|escape\.field)/

/** The budgets of an export, ascending, each with the text by which its view is chosen. */
export function budgetsOf(exported: ExportDto): { typed: string; tokens: number }[] {
  return exported.views
    .map(({ view, replay }) => ({ typed: view.budget, tokens: replay.budget }))
    .sort((a, b) => a.tokens - b.tokens)
}

/** The commands of an exported page. */
export function exportedCommands(exported: ExportDto): Command[] {
  const budgets = budgetsOf(exported)
  const tau = (direction: 1 | -1) => (app: App) => {
    const now = budgets.findIndex(({ typed }) => typed === app.bench.bench.view.budget)
    const next = budgets[now + direction]
    if (next) app.bench.setView({ budget: next.typed })
  }
  const kept = COMMANDS.filter(({ id }) => KEPT.test(id))
  return [
    { id: 'tau.lower', group: 'policy', keys: ['['], title: text.commands.tauLower, run: tau(-1) },
    { id: 'tau.raise', group: 'policy', keys: [']'], title: text.commands.tauRaise, run: tau(1) },
    ...kept.filter(({ id }) => id !== 'present.versus'),
  ]
}
