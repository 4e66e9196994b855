import type { SeverityDto } from '../../lib/ipc/generated/SeverityDto'
import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { LEVELS, countLevels, partly } from '../../lib/view/levels'
import { Ball } from '../shared/Ball'
import { Severity } from '../shared/Severity'
import { Marks } from './Marks'

/** Explains the marks, and tells how many episodes stand at each level. */
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
  const bySeverity = (severity: SeverityDto) =>
    problems?.filter((problem) => problem.severity === severity).length ?? 0
  return (
    <div className="legend" data-testid="legend">
      <div className="legend-levels">
        <span className="muted">{text.legend.title}</span>
        {LEVELS.map((name, level) => (
          <span
            key={name}
            className={`legend-level ${at[level] === 0 ? 'none' : ''}`}
            data-level={level}
            data-count={at[level]}
            title={text.legend.level(String(level))}
          >
            <Ball level={level} size={12} />
            <span className="muted">L{level}</span> {name} <b>{count(at[level] ?? 0)}</b>
            {level === 0 && inPart > 0 && (
              <span className="muted" data-testid="in-part">
                {text.legend.inPart(count(inPart))}
              </span>
            )}
          </span>
        ))}
        {ahead > 0 && <span className="muted">{text.legend.ahead(count(ahead))}</span>}
        <span className="legend-rule" />
        {(['error', 'warning', 'info'] as const).map(
          (severity) =>
            bySeverity(severity) > 0 && (
              <button
                key={severity}
                type="button"
                className="legend-item link"
                onClick={() => app.setTab('problems')}
              >
                <Severity severity={severity} size={12} />
                {text.problems.severity[severity]} <b>{count(bySeverity(severity))}</b>
              </button>
            ),
        )}
      </div>
      <Marks />
    </div>
  )
}
