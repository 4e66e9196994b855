import { useState } from 'react'

import { useApp } from '../../lib/state/app'
import { useAnswer } from '../../lib/state/memo'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { bytes, count } from '../../lib/view/format'
import { Button } from '../shared/Button'

/** How many images of one block can be shown. */
const MOST = 20

/** The images of a block: their kind and size, and a button that shows each. */
export function Images({ block, n }: { block: string; n: number }) {
  return (
    <ul className="pt-4 text-s" data-testid="images">
      {Array.from({ length: Math.min(n, MOST) }, (_, number) => (
        <OneImage key={number} block={block} number={number} />
      ))}
      {n > MOST && <li className="muted py-2">{text.image.more(count(n - MOST))}</li>}
    </ul>
  )
}

function OneImage({ block, number }: { block: string; number: number }) {
  const app = useApp()
  const session = useStore(app.bench.store, (bench) => bench.session?.session)
  const branch = useStore(app.bench.store, (bench) => bench.view.branch)
  const [wanted, setWanted] = useState(false)
  const { answer: image, failure } = useAnswer(
    session === undefined ? null : [session, branch, block, number, wanted],
    () => app.host.call('image', { session: session!, branch, block, number, bytes: wanted }),
  )
  if (failure !== null) return <li className="text-error">{failure.message}</li>
  if (image === null) return <li className="muted">{text.image.looking}</li>
  if (image.refused !== null) {
    return <li className="muted">{text.image.refused(image.refused)}</li>
  }
  const name = text.image.name(
    image.kind ?? '',
    bytes(image.n_bytes),
    count(image.width),
    count(image.height),
  )
  return (
    <li>
      <span>{name}</span>{' '}
      <Button aria-expanded={wanted} testid="image-show" onClick={() => setWanted(!wanted)}>
        {wanted ? text.image.hide : text.image.show}
      </Button>
      {wanted && image.data !== null && (
        <img
          className="shown-image display-block border mt-6 h-auto max-h-420"
          alt={text.image.alt(name)}
          width={image.width}
          height={image.height}
          src={`data:${image.media_type};base64,${image.data}`}
        />
      )}
    </li>
  )
}
