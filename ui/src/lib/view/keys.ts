/** Names of keys that a keyboard shows otherwise than `KeyboardEvent.key` says. */
const CAPS: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  PageUp: 'Page ↑',
  PageDown: 'Page ↓',
  Escape: 'Esc',
  '-': '−',
}

/** A press of keys by the name that commands are bound to: `Ctrl+k`, `Shift+ArrowLeft`, `?`. */
export function nameOfPress(
  press: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'> & { altKey?: boolean },
): string {
  const control = press.ctrlKey || press.metaKey
  // The name of a letter or sign already tells of Shift, except together with Ctrl.
  const shift = press.shiftKey && (press.key.length > 1 || (control && /\p{L}/u.test(press.key)))
  const alt = press.altKey ? 'Alt+' : ''
  return `${control ? 'Ctrl+' : ''}${alt}${shift ? 'Shift+' : ''}${control ? press.key.toLowerCase() : press.key}`
}

/** The caps that are pressed for a name: `Ctrl+k` as `Ctrl` and `K`, on a Mac as `⌘` and `K`. */
export function capsOf(name: string, mac = false): string[] {
  const parts = name.split(/\+(?=.)/)
  const key = parts.pop() ?? ''
  const capital = /^\p{Lu}$/u.test(key) && parts.length === 0
  const cap = CAPS[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  const held = parts.map((part) => (mac && part === 'Ctrl' ? '⌘' : part))
  return capital ? ['Shift', cap] : [...held, cap]
}
