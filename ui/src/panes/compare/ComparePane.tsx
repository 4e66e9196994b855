import { Plus, Swords } from 'lucide-react'
import { useEffect } from 'react'

import { useApp } from '../../lib/state/app'
import { PARTS } from '../../lib/state/comparison'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { MOST_COLUMNS } from '../../lib/view/comparison'
import { capital } from '../../lib/view/format'
import { Button } from '../../components/shared/Button'
import { Empty } from '../../components/shared/Empty'
import { BesideBar, BesidePart } from './BesidePart'
import { Differences, DifferencesBar } from './Differences'
import { Figures } from './Figures'
import { SweepBar, SweepPart } from './SweepPart'
import './compare.css'

/** Policies side by side, the blocks in which two of them differ, all of them over every τ; and another session beside this one. */
export function ComparePane() {
  const app = useApp()
  const { part, columns } = useStore(app.comparison.store, (state) => state)
  const failure = useStore(app.comparison.figures, (state) => state.failure)
  useEffect(() => {
    app.comparison.setShown(true)
    return () => app.comparison.setShown(false)
  }, [app])
  return (
    <div className="pane">
      <div className="pane-bar compare-bar flex-wrap">
        <div className="segments" role="group" aria-label={text.compare.partsLabel}>
          {PARTS.filter((name) => name !== 'sessions' || app.beside.canAsk).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === part}
              className="segment"
              data-testid={`compare-${name}`}
              onClick={() => app.comparison.setPart(name)}
            >
              {text.compare.parts[name]}
            </button>
          ))}
        </div>
        {part === 'sweep' && <SweepBar />}
        {part === 'blocks' && columns.length > 0 && <DifferencesBar />}
        <span className="grow" />
        {part === 'sessions' && <BesideBar />}
        {part !== 'sessions' && (
          <Button
            {...(part === 'sweep' && { look: 'quiet', label: text.duel.button })}
            testid="compare-duel"
            onClick={() => app.duel.set(true)}
          >
            <Swords size={14} /> {part !== 'sweep' && text.duel.button}
          </Button>
        )}
        {part === 'figures' && columns.length + 1 < MOST_COLUMNS && (
          <Button testid="compare-add" onClick={() => app.comparison.add()}>
            <Plus size={14} /> {text.compare.add}
          </Button>
        )}
      </div>
      {failure && (
        <div className="notice bg-error-soft error" role="alert">
          <b className="text-error">{capital(failure.message)}.</b> {failure.hint}
        </div>
      )}
      {part === 'sessions' ? (
        <BesidePart />
      ) : part === 'sweep' ? (
        <SweepPart />
      ) : part === 'figures' ? (
        <Figures />
      ) : columns.length === 0 ? (
        <Empty title={text.compare.alone}>{text.compare.aloneHint}</Empty>
      ) : (
        <Differences />
      )}
    </div>
  )
}
