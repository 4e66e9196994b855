import type { Severity } from '../../lib/ipc/generated/Severity'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { LEVELS, countLevels, partly } from '../../lib/view/levels'
import { Ball } from '../shared/Ball'
import { SeverityIcon } from '../shared/SeverityIcon'
import { Marks } from './Marks'

/** Tells how many episodes stand at each level, and explains the marks. What has no room stands behind its button alone. */
export function Legend() {
  const app = useApp()
  const graph = useStore(app.bench.calm, (bench) => bench.graph)
  const levels = useStore(app.bench.calm, (bench) => bench.levels)
  const left = useStore(app.bench.calm, (bench) => bench.left)
  const problems = useStore(app.bench.store, (bench) => bench.session?.problems)
  useStore(app.bench.calm, (bench) => bench.cut)
  const turn = app.bench.position(app.bench.calm.get()).turn
  const { at, ahead } = countLevels(levels, graph?.episodes ?? [], turn)
  const inPart = partly(levels, left, graph?.episodes ?? [], turn)
  const bySeverity = (severity: Severity) =>
    problems?.filter((problem) => problem.severity === severity).length ?? 0
  const counted = LEVELS.map((name, level) => ({ name, level, n: at[level] ?? 0 }))
  return (
    <div
      className="legend grow row gap-10 text-s overflow-hidden nowrap px-6 justify-end min-w-36 max-h-35"
      data-testid="legend"
    >
      <div className="legend-levels row min-w-0 flex-none gap-x-8">
        <span className="muted legend-word">{text.legend.title}</span>
        {counted.map(({ name, level, n }) => (
          <span
            key={name}
            className={`inline-row gap-6 legend-level ${n === 0 ? 'muted' : ''}`}
            data-level={level}
            data-count={n}
            title={text.legend.level(level, name, count(n))}
          >
            <Ball level={level} size={12} />
            <span className="legend-name">{text.levels.short[level]}</span> <b>{count(n)}</b>
            {level === 0 && inPart > 0 && (
              <span className="muted legend-word" data-testid="in-part">
                {text.legend.inPart(count(inPart))}
              </span>
            )}
          </span>
        ))}
        {ahead > 0 && <span className="muted legend-word">{text.legend.ahead(count(ahead))}</span>}
      </div>
      <div className="legend-problems row min-w-0 flex-none border-l gap-x-8 pl-10">
        {(['error', 'warning', 'info'] as const).map(
          (severity) =>
            bySeverity(severity) > 0 && (
              <button
                key={severity}
                type="button"
                className="link inline-row gap-6"
                title={text.legend.problems(text.problems.severity[severity], count(bySeverity(severity)))}
                onClick={() => app.setTab('problems')}
              >
                <SeverityIcon severity={severity} size={12} />
                <span className="legend-word">{text.problems.severity[severity]}</span>{' '}
                <b>{count(bySeverity(severity))}</b>
              </button>
            ),
        )}
      </div>
      <Marks levels={counted} />
    </div>
  )
}
