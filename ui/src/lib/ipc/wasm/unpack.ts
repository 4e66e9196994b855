import type { Packed } from './messages'

/** Unpacks bytes that are in the page. */
export async function unpack(packed: Packed): Promise<ArrayBuffer> {
  const letters = atob(packed)
  const bytes = new Uint8Array(letters.length)
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at)
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(unpacked).arrayBuffer()
}
