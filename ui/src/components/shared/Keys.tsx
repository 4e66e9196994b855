import { capsOf } from '../../lib/view/keys'

const MAC = typeof navigator !== 'undefined' && navigator.userAgent.includes('Macintosh')

/** The caps of a key by its name. */
export function Keys({ name }: { name: string }) {
  return (
    <span className="caps flex-none gap-4 inline-flex">
      {capsOf(name, MAC).map((cap, at) => (
        <kbd key={at}>{cap}</kbd>
      ))}
    </span>
  )
}
