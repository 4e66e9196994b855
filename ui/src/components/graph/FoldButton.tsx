import { ChevronDown, ChevronRight } from 'lucide-react'

import { useApp } from '../../lib/state/app'
import { turnFold } from '../../lib/state/layout'
import { text } from '../../lib/text'

interface Props {
  pane: 'graph' | 'timeline'
  name: string
  folded: boolean
}

/** The name of a pane, in its gutter: it folds the pane to a line, and opens it again. */
export function FoldButton({ pane, name, folded }: Props) {
  const app = useApp()
  const Icon = folded ? ChevronRight : ChevronDown
  return (
    <button
      type="button"
      className="fold -ml-8 row gap-4 min-w-0 rounded-4 nowrap cursor-pointer hover-panel2 p-1-4"
      title={text.commands.fold[pane](folded)}
      aria-expanded={!folded}
      data-testid={`fold-${pane}`}
      onClick={() => turnFold(app, pane)}
    >
      <Icon size={12} className="muted" /> <strong>{name}</strong>
    </button>
  )
}
