import { capital } from '../../lib/view/format'
import { aboutEpisode } from '../../lib/view/steps'

interface Props {
  text: string
  /** Closes the sentence. */
  end?: string
  /** The episode with whose name the sentence may begin: names keep their letters. */
  name?: string | null
}

/** A sentence of the engine; what stands between backticks is a name. */
export function Said({ text: said, end = '.', name = null }: Props) {
  const parts = (name === null ? capital(said) : aboutEpisode(name, said)).split('`')
  return (
    <>
      {parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
      {end}
    </>
  )
}
