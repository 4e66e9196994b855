import { capital } from '../../lib/view/format'

/** A sentence of the engine; what stands between backticks is a name. `end` closes it. */
export function Said({ text: said, end = '.' }: { text: string; end?: string }) {
  const parts = capital(said).split('`')
  return (
    <>
      {parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
      {end}
    </>
  )
}
