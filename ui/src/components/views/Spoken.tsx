import { useEffect } from 'react'

import { useApp } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'
import { revealed } from '../../lib/view/hidden'

/** The title waits until nothing has moved for so long, milliseconds. */
const TITLE_MS = 120

/** Tells a screen reader what changed; the title of the page tells session and turn. */
export function Spoken() {
  const app = useApp()
  const said = useStore(app.announcer.store, (state) => state.said)
  const title = useStore(app.bench.store, (bench) =>
    bench.phase === 'open' ? (bench.session?.title ?? null) : null,
  )
  useStore(app.bench.store, (bench) => bench.cut)
  useStore(app.bench.store, (bench) => bench.graph)
  const page = title === null ? text.app : text.spoken.page(count(app.bench.position().turn), title, text.app)
  useEffect(() => {
    // The window's frame shows it too, which takes time that a drag needs for its frames.
    const rest = setTimeout(() => (document.title = revealed(page)), TITLE_MS)
    return () => clearTimeout(rest)
  }, [page])
  return (
    <p className="unseen" role="status" aria-live="polite" data-testid="spoken">
      {said}
    </p>
  )
}

/** Links past the first parts of the window, for people who use the keyboard. They show while one of them has the focus. */
export function Skips() {
  const to = (selector: string) => () => document.querySelector<HTMLElement>(selector)?.focus()
  return (
    <nav className="skips z-60 flex gap-4 absolute top-0 left-0" aria-label={text.skips.label}>
      <button
        className="bg-page border rounded-6 nowrap p-4-12"
        type="button"
        onClick={to('.graph [role=listbox]')}
      >
        {text.skips.graph}
      </button>
      <button
        className="bg-page border rounded-6 nowrap p-4-12"
        type="button"
        onClick={to('.transport button')}
      >
        {text.skips.time}
      </button>
      <button
        className="bg-page border rounded-6 nowrap p-4-12"
        type="button"
        onClick={to('.tabs [role=tab][aria-selected=true]')}
      >
        {text.skips.tabs}
      </button>
    </nav>
  )
}
