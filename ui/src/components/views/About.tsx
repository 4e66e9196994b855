import { useEffect, useState } from 'react'

import type { ReferenceTable } from '../../lib/ipc/generated/ReferenceTable'
import type { TablesAnswer } from '../../lib/ipc/generated/TablesAnswer'
import { useApp } from '../../lib/state/app'
import { text } from '../../lib/text'
import { count } from '../../lib/view/format'

/** The version, and the tables that are in force with their rows, sources and days. */
export function About() {
  const { host } = useApp()
  const [told, setTold] = useState<TablesAnswer | null>(null)
  useEffect(() => {
    let isShown = true
    host.call('tables', {}).then(
      (tables) => isShown && setTold(tables),
      // Nothing but this list depends on it.
      () => undefined,
    )
    return () => {
      isShown = false
    }
  }, [host])
  if (told === null) return null
  return (
    <section data-testid="about">
      <h3 className="border-b mt-6 pb-4">{text.settings.about(told.version)}</h3>
      <dl className="grid gap-6 text-s break-anywhere">
        {told.tables.map((table) => (
          <div key={table.name} data-testid={`table-${table.name}`}>
            <dt className="semibold">{table.name}</dt>
            <dd className="muted">{says(table)}</dd>
            <dd className="muted">
              <details data-testid={`rows-${table.name}`}>
                <summary>{text.settings.tableRows}</summary>
                <ul className="bullets">
                  {table.rows.map((row) => (
                    <li key={`${row.is_own} ${row.name}`}>{text.settings.tableRow(row)}</li>
                  ))}
                </ul>
              </details>
            </dd>
            {table.problems.map((problem) => (
              <dd key={problem} className="muted">
                {problem}
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  )
}

function says(table: ReferenceTable): string {
  const words = text.settings
  const { n_rows: nRows, n_own: nOwn, oldest, newest, own_file: file, is_there: isThere } = table
  return [
    words.table(count(nRows), table.holds),
    oldest !== null && newest !== null && words.tableDays(oldest, newest),
    file === null ? words.tableFixed : isThere ? words.tableOwn(count(nOwn), file) : words.tableNone(file),
  ]
    .filter((part) => part !== false)
    .join('; ')
}
