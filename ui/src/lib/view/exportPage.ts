/** The element of the page for exports that takes one. */
const PLACE = '<script id="export" type="text/plain">'

/** The page with an export in it. The export comes from the host as lines without any `<`. */
export function withExport(template: string, exported: Uint8Array): Uint8Array {
  const at = template.indexOf(PLACE)
  if (at < 0) throw new Error('the page for exports has no place for one')
  if (exported.includes(0x3c)) throw new Error('an export that could end its element')
  const coder = new TextEncoder()
  const before = coder.encode(template.slice(0, at + PLACE.length))
  const after = coder.encode(template.slice(at + PLACE.length))
  const page = new Uint8Array(before.length + exported.length + after.length)
  page.set(before)
  page.set(exported, before.length)
  page.set(after, before.length + exported.length)
  return page
}
