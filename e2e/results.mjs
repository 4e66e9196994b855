// The end of a run: how long each file took, and which were red.

import { appendFile } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'

const line = (seconds, words) => `${seconds.toFixed(1).padStart(7)}  ${words}`

const why = ({ reason }) => (reason ? `: ${stripVTControlCharacters(reason)}` : '')

/** Tells the seconds of each file and of all; the names of red ones, with the first reason, go to the file that CWL_FAILED names. */
export async function tell(kind, files, seconds, jobs) {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1))
  console.log(`\nseconds in the ${kind}`)
  for (const file of sorted) console.log(line(file.seconds, `${file.name}${file.failed ? '  FAILED' : ''}`))
  console.log(line(seconds, `in all, ${jobs} at once`))
  const failed = sorted.filter((file) => file.failed)
  if (failed.length > 0 && process.env.CWL_FAILED)
    await appendFile(process.env.CWL_FAILED, failed.map((file) => `  ${file.name}, in the ${kind}${why(file)}\n`).join(''))
}
