import { rem } from '../../lib/canvas/drawn'
import { text } from '../../lib/text'
import { rowsOf } from '../../lib/view/lanes'

/** The least height between the lanes that has room for a label, pixels. */
const LABEL_ROOM = 17

/** The names of the lanes, beside them. */
export function RowLabels({ height }: { height: number }) {
  const rows = rowsOf(height)
  const middle = (from: number, to: number) => ({ top: rem((from + to) / 2) })
  return (
    <div aria-hidden="true">
      <span className="quiet-row text-s muted" style={middle(rows.problems, rows.problems + 14)}>
        {text.graph.problems}
      </span>
      <span className="quiet-row text-s muted" style={middle(rows.loose, rows.loose + rows.looseHeight)}>
        {text.graph.loose}
      </span>
      <span className="lane-row semibold" style={middle(rows.exploreTop, rows.exploreFoot)}>
        <i className="swatch explore" />
        {text.graph.explore}
      </span>
      {rows.actTop - rows.exploreFoot >= LABEL_ROOM && (
        <span className="quiet-row text-s muted" style={middle(rows.exploreFoot, rows.actTop)}>
          {text.graph.feeds}
        </span>
      )}
      <span className="lane-row semibold" style={middle(rows.actTop, rows.actFoot)}>
        <i className="swatch act" />
        {text.graph.act}
      </span>
    </div>
  )
}
