import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { LEVELS, countLevels, partly } from '../../lib/view/levels'
import { Ball } from '../shared/Ball'
import { Severity } from '../shared/Severity'

/** What the marks mean, and how many episodes stand at each level. */
export function Legend() {
  const app = useApp()
  const graph = useStore(app.bench.store, (bench) => bench.graph)
  const levels = useStore(app.bench.store, (bench) => bench.levels)
  const left = useStore(app.bench.store, (bench) => bench.left)
  const problems = useStore(app.bench.store, (bench) => bench.session?.problems)
  useStore(app.bench.store, (bench) => bench.cut)
  const isCompacted = useStore(app.bench.store, (bench) => (bench.replay?.compactions.length ?? 0) > 0)
  const isCleared = useStore(app.bench.store, (bench) => (bench.replay?.clearings.length ?? 0) > 0)
  const hasPasses = useStore(
    app.bench.store,
    (bench) => bench.session?.recorded?.passes.some((pass) => pass.turn !== null) ?? false,
  )
  const nRegrets = useStore(app.regrets.store, (state) => state.byEpisode.size)
  const turn = app.bench.position().turn
  const { at, ahead } = countLevels(levels, graph?.episodes ?? [], turn)
  const inPart = partly(levels, left, graph?.episodes ?? [], turn)
  const bySeverity = (severity: string) =>
    problems?.filter((problem) => problem.severity === severity).length ?? 0
  return (
    <div className="legend" data-testid="legend">
      <span className="muted">{text.legend.title}</span>
      {LEVELS.map((name, level) => (
        <span
          key={name}
          className={`legend-level ${at[level] === 0 ? 'none' : ''}`}
          data-level={level}
          data-count={at[level]}
        >
          <Ball level={level} size={12} />
          <span className="muted">{level}</span> {name} <b>{count(at[level] ?? 0)}</b>
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
      <span className="legend-item optional">
        <i className="dash" /> {text.legend.stripped}
      </span>
      <span className="legend-item optional">
        <i className="tri" /> {text.legend.human}
      </span>
      <span className="legend-item optional">
        <i className="tick" /> {text.legend.pass}
      </span>
      {nRegrets > 0 && (
        <span
          className="legend-item optional"
          title={text.legend.regretHint}
          data-testid="legend-regret"
          data-count={nRegrets}
        >
          <svg width="11" height="11" aria-hidden fill="none" stroke="var(--text)" strokeWidth="1.4">
            <path d="M8 3A3.5 3.5 0 1 1 5 2" />
            <path d="M5 0L8.4 2L5 4Z" fill="var(--text)" stroke="none" />
          </svg>
          {text.legend.regret} <b>{count(nRegrets)}</b>
        </span>
      )}
      {isCompacted && (
        <span className="legend-item optional" data-testid="legend-compaction">
          <svg className="pressed" width="14" height="10" aria-hidden>
            <path d="M1 1L6 5L1 9M13 1L8 5L13 9" />
          </svg>
          {text.legend.compaction}
        </span>
      )}
      {isCleared && (
        <span className="legend-item optional" data-testid="legend-clearing">
          <svg className="pressed" width="12" height="10" aria-hidden>
            <path d="M3 1.5H9V8.5H3ZM1 9L11 1" />
          </svg>
          {text.legend.clearing}
        </span>
      )}
      {hasPasses && (
        <span className="legend-item optional" data-testid="legend-recorded">
          <svg width="10" height="10" aria-hidden>
            <path d="M5 0L10 5L5 10L0 5Z" fill="var(--text)" />
          </svg>
          {text.legend.recorded}
        </span>
      )}
    </div>
  )
}
