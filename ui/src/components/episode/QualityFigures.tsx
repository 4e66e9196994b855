import type { QualityFigureDto } from '../../lib/ipc/generated/QualityFigureDto'
import { text } from '../../lib/text'
import { capital } from '../../lib/view/format'

/** The annotation in figures. Each has its parts under it: a number alone would say too much. */
export function QualityFigures({
  figures,
  note,
}: {
  figures: readonly QualityFigureDto[]
  note: string | null
}) {
  if (figures.length === 0) return null
  return (
    <div
      className="quality"
      role="region"
      aria-label={text.problems.figures}
      tabIndex={0}
      data-testid="quality"
    >
      <dl>
        {figures.map((figure) => (
          <div key={figure.name} data-testid="quality-figure" data-figure={figure.name}>
            <dt>
              <span>{capital(figure.title)}</span> <b>{figure.value}</b>
            </dt>
            <dd className="muted">{capital(figure.says)}.</dd>
          </div>
        ))}
      </dl>
      {note !== null && <p className="muted" data-testid="quality-note">{`${capital(note)}.`}</p>}
    </div>
  )
}
