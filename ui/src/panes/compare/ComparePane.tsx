import { Plus, Swords } from 'lucide-react'
import { useEffect } from 'react'

import type { Ability } from '../../lib/ipc/abilities'
import { useApp, type App } from '../../lib/state/app'
import { PARTS, type ComparePart } from '../../lib/state/comparison'
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

/** The ability that each part needs. A part whose ability the host lacks is not there. */
const NEEDED_BY: Record<Exclude<ComparePart, 'sessions'>, Ability> = {
  figures: 'compare',
  blocks: 'compare_blocks',
  sweep: 'sweep',
}

const hasPart = (app: App, part: ComparePart) =>
  part === 'sessions' ? app.beside.canAsk : app.can(NEEDED_BY[part])

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
          {PARTS.filter((name) => hasPart(app, name)).map((name) => (
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
        {part !== 'sessions' && app.duel.canAsk && (
          <Button
            {...(part === 'sweep' && { look: 'quiet', label: text.duel.button })}
            testid="compare-duel"
            onClick={() => app.duel.set(true)}
          >
            <Swords size={14} /> {part !== 'sweep' && text.duel.button}
          </Button>
        )}
        {part === 'figures' && app.comparison.isFixed && (
          <span className="muted clip">{text.compare.recorded}</span>
        )}
        {part === 'figures' && !app.comparison.isFixed && columns.length + 1 < MOST_COLUMNS && (
          <Button testid="compare-add" onClick={() => app.comparison.add()}>
            <Plus size={14} /> {text.compare.add}
          </Button>
        )}
      </div>
      {failure && (
        <div className="notice error" role="alert">
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
