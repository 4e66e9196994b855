import type { QualityFigure } from '../../lib/ipc/generated/QualityFigure'
import { text } from '../../lib/text'
import { capital } from '../../lib/view/format'

/** The annotation in figures. Each has its parts under it: a number alone would say too much. */
export function QualityFigures({
  figures,
  note,
}: {
  figures: readonly QualityFigure[]
  note: string | null
}) {
  if (figures.length === 0) return null
  return (
    <div
      className="quality max-h-45% flex-none text-s border-b overflow-auto p-6-12"
      role="region"
      aria-label={text.problems.figures}
      tabIndex={0}
      data-testid="quality"
    >
      <dl className="grid gap-4-16">
        {figures.map((figure) => (
          <div key={figure.name} data-testid="quality-figure" data-figure={figure.name}>
            <dt className="flex justify-between gap-8">
              <span>{capital(figure.title)}</span> <b className="nowrap">{figure.value}</b>
            </dt>
            <dd className="muted text-s leading-tight">{capital(figure.says)}.</dd>
          </div>
        ))}
      </dl>
      {note !== null && <p className="muted" data-testid="quality-note">{`${capital(note)}.`}</p>}
    </div>
  )
}
