/** An event of files that are dragged over the window. */
export type Drop =
  | { type: 'over' }
  | { type: 'left' }
  /** Dropped: where they are, as far as the page may know it, and what they are called. */
  | { type: 'dropped'; paths: string[]; names: string[] }

/** The part of a drag event that tells what is dragged. */
export interface Dragged {
  types: readonly string[]
  files: ArrayLike<{ name: string }>
  getData(format: string): string
}

/** True when files are dragged, or their addresses; text that is dragged about in the page is none of ours. */
export const isOfFiles = ({ types }: Pick<Dragged, 'types'>): boolean => types.includes('Files')

/** The last part of a path of any platform. */
export const nameOf = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path

/** Returns the dropped files. A browser does not tell where a file is; some other engines tell its address. */
export function droppedOf(dragged: Dragged): Drop {
  const lines = dragged.getData('text/uri-list').split(/\r?\n/)
  const paths = lines.flatMap((line) => pathOf(line) ?? [])
  const names = paths.length > 0 ? paths.map(nameOf) : Array.from(dragged.files, ({ name }) => name)
  return { type: 'dropped', paths, names }
}

function pathOf(address: string): string | null {
  if (!/^file:\/\/(localhost)?\//i.test(address)) return null
  try {
    const path = decodeURIComponent(new URL(address).pathname)
    return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path
  } catch {
    return null
  }
}

/** Hears drags over a page, which would otherwise leave itself and show the file. */
export function hearPageDrops(
  page: EventTarget,
  hear: (drop: Drop) => void,
  read: (dragged: DataTransfer) => Drop = droppedOf,
): void {
  // Every element that is entered and left on the way tells of it.
  let depth = 0
  const on = (name: string, act: (dragged: DataTransfer) => void) =>
    page.addEventListener(name, (event) => {
      const dragged = (event as DragEvent).dataTransfer
      if (!dragged || !isOfFiles(dragged)) return
      event.preventDefault()
      act(dragged)
    })
  on('dragenter', () => {
    depth += 1
    if (depth === 1) hear({ type: 'over' })
  })
  on('dragover', () => undefined)
  on('dragleave', () => {
    depth = Math.max(0, depth - 1)
    if (depth === 0) hear({ type: 'left' })
  })
  on('drop', (dragged) => {
    depth = 0
    hear(read(dragged))
  })
}
