import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { choicesOf } from '../../lib/view/annotation'
import { capital, count } from '../../lib/view/format'
import { Choice } from '../shared/Choice'
import { Field } from '../shared/Field'

/** Says whose episodes are shown, and chooses them. */
export function AnnotationControl() {
  const app = useApp()
  const from = useStore(app.bench.store, (bench) => bench.graph?.from)
  const annotation = useStore(app.bench.store, (bench) => bench.session?.annotation)
  const hasOwn = annotation === 'annotated'
  const asked = useStore(app.bench.store, (bench) => bench.view.annotation)
  const overlays = useStore(app.marking.store, (marking) => marking.overlays)
  const worth = useStore(app.worth.store, ({ answer }) => answer)
  if (!from) return null
  const weighed = from.source === 'inferred' ? worth : null
  const odd = from.problems.length
  const isUnmarked = annotation === 'none'
  const lines = [
    capital(text.annotation.episodes(from.says)),
    from.note,
    isUnmarked ? text.annotation.unmarked : null,
    weighed?.says ?? null,
    odd > 0 ? text.annotation.odd(count(odd)) : null,
    ...from.problems
      .slice(0, MOST_ODD)
      .map(({ name, line, message }) => text.annotation.mark(name, count(line), message)),
  ]
  const title = lines.filter((line) => line !== null).join('\n')
  const { value, options } = choicesOf(from, asked, overlays, hasOwn)
  return (
    <Field
      label={text.annotation.short}
      wideOnly
      title={title}
      data-testid="annotation-source"
      data-source={from.source}
    >
      <Choice
        label={text.annotation.label}
        testid="annotation"
        value={value}
        options={options}
        onChange={(annotation) => app.bench.setView({ annotation })}
      />
      {weighed?.beats === false && <NoHelp says={weighed.says} />}
      {odd > 0 && <span className="badge warn">{text.annotation.nOdd(count(odd))}</span>}
    </Field>
  )
}

/** Says that inferred episodes do not help on this session, and offers a reader. */
function NoHelp({ says }: { says: string | null }) {
  const app = useApp()
  if (!app.can('mark_with_reader'))
    return (
      <span className="badge warn" data-testid="annotation-worth">
        {text.annotation.noHelp}
      </span>
    )
  return (
    <button
      type="button"
      className="badge warn"
      title={[says, text.annotation.noHelpHint].filter((line) => line !== null).join('\n')}
      data-testid="annotation-worth"
      onClick={() => app.panes.set({ dialog: 'reader' })}
    >
      {text.annotation.noHelp}: {text.reader.open}
    </button>
  )
}

/** The most odd marks that a tooltip lists. */
const MOST_ODD = 8
