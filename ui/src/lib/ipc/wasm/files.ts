import { HostError } from '../host'

/** The part of a drop that holds files; only an entry tells whether one is a folder. */
export interface DroppedFiles {
  readonly files: ArrayLike<File>
  readonly items: ArrayLike<{
    kind: string
    webkitGetAsEntry(): { name: string; isDirectory: boolean } | null
  }>
}

/** The logs that a person gave the page: a browser lets a page read nothing else, and only until it is loaded again. */
export class LogFiles {
  /** By name; `null` for a folder. */
  private readonly given = new Map<string, Blob | null>()

  /** Takes what was dropped and returns its names. */
  take({ files, items }: DroppedFiles): string[] {
    const entries = Array.from(items)
      .filter(({ kind }) => kind === 'file')
      .map((item) => item.webkitGetAsEntry())
    return Array.from(files, (file, at) => this.add(file, entries[at]?.isDirectory === true))
  }

  has(name: string): boolean {
    return this.given.has(name)
  }

  /** Lets the person choose a file; `null` if nothing was chosen. */
  choose(): Promise<string | null> {
    const field = document.createElement('input')
    field.type = 'file'
    return new Promise((done) => {
      field.addEventListener('change', () => {
        const file = field.files?.[0]
        done(file ? this.add(file, false) : null)
      })
      field.addEventListener('cancel', () => done(null))
      field.click()
    })
  }

  /** Returns a file by its name, or says in words why it cannot be read. */
  find(name: string): Blob {
    const file = this.given.get(name)
    if (file) return file
    if (file === null)
      throw new HostError(
        'not_a_file',
        'this is a folder, and a page in a browser reads one log',
        'drop one log of it, or open the folder with `cwl serve`',
        name,
      )
    throw new HostError(
      'missing',
      'the page does not have this log any more: a browser lets a page read a file until the page is loaded again',
      'choose the log again, or drop it here',
      name,
    )
  }

  private add(file: File, isFolder: boolean): string {
    this.given.set(file.name, isFolder ? null : file)
    return file.name
  }
}
