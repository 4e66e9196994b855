import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { isAsItHappened, settingOf } from '../../lib/view/happened'

/** Chooses between what happened and a simulation, and says which one the figures are. */
export function WhatIfSwitch() {
  const app = useApp()
  const isFact = useStore(app.bench.store, (bench) => isAsItHappened(bench.view))
  const setting = useStore(app.bench.calm, ({ view, replay }) => settingOf(view, replay))
  const words = text.happened
  const side = (on: boolean) => (
    <label
      className={on && !isFact ? 'segment simulated' : 'segment'}
      title={on ? words.onHint : words.offHint}
      data-testid={on ? 'what-if-on' : 'what-if-off'}
    >
      <input
        type="radio"
        name="what-if"
        checked={on !== isFact}
        aria-keyshortcuts="y"
        onChange={() => app.bench.setWhatIf(on)}
      />
      <span>
        {on ? words.on : words.off}
        {on && <span className="what-if-setting">{setting}</span>}
      </span>
    </label>
  )
  return (
    <div
      role="radiogroup"
      aria-label={words.label}
      className="segments tabular"
      data-testid="what-if"
      data-on={!isFact}
    >
      {side(false)}
      {side(true)}
    </div>
  )
}
