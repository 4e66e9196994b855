import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

import { text } from '../../lib/text'
import { capsOf } from '../../lib/view/keys'
import { GROUPS } from '../../lib/state/command'
import { COMMANDS, PART_KEYS } from './commands'

const PAGE = fileURLToPath(new URL('../../../../docs/keys.md', import.meta.url))

const press = (key: string) =>
  capsOf(key)
    .map((cap) => `<kbd>${cap.replaceAll('<', '&lt;')}</kbd>`)
    .join(' ')

const table = (rows: readonly { title: string; keys: readonly string[] }[]) =>
  [
    '| keys | do |',
    '|---|---|',
    ...rows.map(({ title, keys }) => `| ${keys.map(press).join(', ')} | ${title} |`),
  ].join('\n')

/** The page of the book that lists every key, from the table that the window goes by. */
function page(): string {
  const groups = GROUPS.map((group) => ({
    title: text.help.groups[group],
    rows: COMMANDS.filter((command) => command.group === group && (command.keys ?? []).length > 0).map(
      ({ title, keys }) => ({
        title,
        keys: (keys ?? []).filter((key, at, all) => isNew(key, all.slice(0, at))),
      }),
    ),
  }))
  const parts = [...new Set(PART_KEYS.map(({ part }) => part))].map((part) => ({
    title: text.help.within(part),
    rows: PART_KEYS.filter((key) => key.part === part),
  }))
  const sections = [...groups, ...parts].map(({ title, rows }) => `## ${title}\n\n${table(rows)}\n`)
  return `# Keys\n\n<!-- written by \`make gen\` -->\n\n${INTRODUCTION}\n\n${sections.join('\n')}`
}

/** Tells whether a key is another one on the keyboard than those before it: \`p\` and \`P\` are one. */
const isNew = (key: string, before: readonly string[]) =>
  !before.some((other) => other.toLowerCase() === key.toLowerCase())

const INTRODUCTION =
  'Every command of the window with its keys; <kbd>?</kbd> lists them in the window, <kbd>Ctrl</kbd> <kbd>K</kbd> finds them by name. On a Mac <kbd>⌘</kbd> stands for <kbd>Ctrl</kbd>.'

test('the page of keys is that of the commands; with CWL_GEN set it is written instead', () => {
  if (process.env.CWL_GEN) writeFileSync(PAGE, page())
  expect(readFileSync(PAGE, 'utf8'), 'docs/keys.md is out of date: run `make gen` and commit it').toBe(page())
})
