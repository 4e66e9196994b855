import { useApp } from '../../lib/state/app'
import type { Front } from '../../lib/state/sweep'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count, money, perMille, short } from '../../lib/view/format'
import { Button } from '../../components/shared/Button'
import { SideMark } from './SideMark'
import { words } from './words'
import './sweep.css'

/** The settings that no other beats, the cheapest first, each with the button that takes it. */
export function FrontierList() {
  const app = useApp()
  const { x, y } = useStore(app.sweep.choice, (state) => state)
  const busy = useStore(app.sweep.store, (state) => state.busy)
  const front = useStore(app.sweep.frontier, (state) => state.answer)
  const view = useStore(app.bench.store, (bench) => bench.view)
  const budget = useStore(app.bench.store, (bench) => bench.replay?.budget)
  const axes = [x, y]
  const cannotTell =
    !axes.includes('cost') || !axes.some((key) => ['hits', 'probes', 'reacquired'].includes(key))
  return (
    <aside className="frontier text-s border-l p-6-10" aria-label={words.frontier}>
      <h2 className="text-s muted" title={words.frontierHint}>
        {words.frontier}
      </h2>
      {cannotTell && <p className="muted">{words.frontierNone}</p>}
      {!cannotTell && !front && busy && <p className="muted">{words.frontierWait}</p>}
      <ol className="mt-4" data-testid="frontier-list">
        {front?.on.map((one, at) => {
          const { setting, place } = one
          const isOff = setting.policy === 'none'
          const name = isOff ? words.uncapped : words.setting(setting.policy, short(setting.budget ?? 0))
          const isUsed = view.policy === setting.policy && (isOff || budget === setting.budget)
          const use = () => {
            if (isOff) app.comparison.use({ policy: 'none', budget: view.budget, options: {} })
            else if (place.view) app.comparison.use({ ...place.view, budget: String(setting.budget ?? '') })
          }
          return (
            <li
              className="grid gap-6 min-h-26"
              key={at}
              data-policy={setting.policy}
              data-budget={setting.budget ?? ''}
              data-cost={setting.cost ?? ''}
              data-kept={setting.kept ?? ''}
            >
              {isOff ? (
                <span className="muted text-center" aria-hidden="true">
                  ×
                </span>
              ) : (
                <SideMark side={setting.is_cwl ? 'cwl' : 'others'} />
              )}
              <b className="semibold break-anywhere">{name}</b>
              <span className="text-right">
                {setting.cost === null ? text.compare.unpriced : money(setting.cost)}
              </span>
              <span className="text-right">{keptOf(front, setting.kept)}</span>
              {isUsed ? (
                <span className="badge ok">{words.inUse}</span>
              ) : (
                <Button className="small" label={words.useOf(name)} testid="frontier-use" onClick={use}>
                  {words.use}
                </Button>
              )}
            </li>
          )
        })}
      </ol>
    </aside>
  )
}

const keptOf = (front: Front, kept: number | null): string => {
  if (kept === null) return ''
  return front.answer.by === 'reacquired' ? count(kept) : perMille(kept)
}
