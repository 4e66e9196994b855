import { useMemo, useRef } from 'react'

import { useApp, type App } from '../../lib/state/app'
import { useStore } from '../../lib/state/store'
import { text } from '../../lib/text'
import { capsOf } from '../../lib/view/keys'
import { Empty } from '../shared/Empty'
import { Keys } from '../shared/Keys'
import { Said } from '../shared/Said'
import { Modal } from '../shared/Modal'
import { GROUPS, isThere } from '../../lib/state/command'
import { COMMANDS, PART_KEYS } from './commands'

interface Entry {
  title: string
  keys: readonly string[]
}

/** Lists the commands and keys that this host has answers for, by the parts of the help. */
const sectionsOf = (app: App): readonly { title: string; entries: readonly Entry[] }[] => [
  ...GROUPS.map((group) => ({
    title: text.help.groups[group],
    entries: COMMANDS.filter((command) => command.group === group && isThere(app, command)).map(
      ({ title, keys }) => ({ title, keys: keys?.slice(0, 1) ?? [] }),
    ),
  })),
  ...[...new Set(PART_KEYS.map(({ part }) => part))].map((part) => ({
    title: text.help.within(part),
    entries: PART_KEYS.filter((key) => key.part === part),
  })),
]

/** Tells whether every word stands in the title, the section or the keys of an entry. */
function fits({ title, keys }: Entry, section: string, words: readonly string[]): boolean {
  const caps = keys.map((key) => capsOf(key).join(' '))
  const said = `${section} ${title} ${caps.join(' ')}`.toLowerCase()
  return words.every((word) => said.includes(word))
}

interface Explained {
  title: string
  entries: readonly (readonly [name: string, meaning: string])[]
}

const GUIDE: Explained = { title: text.guide.title, entries: Object.values(text.guide.topics) }
const GLOSSARY: Explained = { title: text.glossary.title, entries: Object.values(text.glossary.words) }

/** Returns the entries whose name or meaning contains every word of the query. */
const explainedWith = ({ title, entries }: Explained, sought: readonly string[]) =>
  entries.filter(([name, meaning]) => {
    const said = `${title} ${name} ${meaning}`.toLowerCase()
    return sought.every((word) => said.includes(word))
  })

/** Topics or words with what they mean, those that hold every sought word. */
function Explanations({ of, sought, testid }: { of: Explained; sought: readonly string[]; testid: string }) {
  const found = explainedWith(of, sought)
  if (found.length === 0) return null
  return (
    <section className="help-words mt-12" data-testid={testid}>
      <h3>{of.title}</h3>
      <dl>
        {found.map(([name, meaning]) => (
          <div className="grid gap-12 border-t py-4" key={name}>
            <dt className="semibold">{name}</dt>
            <dd className="muted">
              <Said text={meaning} end="" />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The help: the guide, all commands and keys, and the words of the field, with a field that searches them. */
export function Help() {
  const app = useApp()
  const open = useStore(app.panes, (panes) => panes.dialog === 'help')
  const find = useStore(app.panes, (panes) => panes.helpFind)
  const setFind = (helpFind: string) => app.panes.set({ helpFind })
  const field = useRef<HTMLInputElement>(null)
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  const all = useMemo(() => sectionsOf(app), [app])
  const sections = all
    .map(({ title, entries }) => ({
      title,
      entries: entries.filter((entry) => fits(entry, title, words)),
    }))
    .filter(({ entries }) => entries.length > 0)
  const nExplained = [GUIDE, GLOSSARY].reduce((sum, of) => sum + explainedWith(of, words).length, 0)
  const nFound = sections.reduce((sum, { entries }) => sum + entries.length, 0)
  return (
    <Modal
      open={open}
      wide
      title={text.help.title}
      closeLabel={text.help.close}
      onClose={() => {
        app.panes.set({ dialog: null, helpFind: '' })
      }}
      first={field}
    >
      <input
        ref={field}
        className="input w-full h-34"
        type="search"
        placeholder={text.help.find}
        aria-label={text.help.find}
        data-testid="help-find"
        value={find}
        onChange={(event) => setFind(event.target.value)}
      />
      <p className="unseen" aria-live="polite">
        {words.length > 0 && text.help.found(nFound)}
      </p>
      {nFound + nExplained === 0 && <Empty title={text.help.noMatch} />}
      <Explanations of={GUIDE} sought={words} testid="help-guide" />
      {/* It scrolls, so the keyboard must be able to stand in it. */}
      <div className="help-sections mt-12" tabIndex={0} role="region" aria-label={text.help.title}>
        {sections.map(({ title, entries }) => (
          <section className="mb-12" key={title}>
            <h3>{title}</h3>
            <dl>
              {entries.map((entry) => (
                <div className="row justify-between gap-12 border-t min-h-28" key={`${entry.title}`}>
                  <dt>{entry.title}</dt>
                  <dd className="flex gap-8">
                    {entry.keys.map((key) => (
                      <Keys key={key} name={key} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Explanations of={GLOSSARY} sought={words} testid="help-words" />
    </Modal>
  )
}
