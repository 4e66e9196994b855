import { en } from './en'

/** Every word of the window in one language. A translation is one object of this type. */
export type Catalogue = typeof en

/** The languages that there are. */
const CATALOGUES: Readonly<Record<string, Catalogue>> = { en }

/** The first wanted language that there is: `de-AT` is served by `de`; without any it is English. */
export function languageOf(wanted: readonly string[], known: readonly string[]): string {
  for (const tag of wanted) {
    const parts = tag.toLowerCase().split(/[-_.@]/)
    const [base = ''] = parts
    const exact = known.find((name) => name.toLowerCase() === parts.join('-'))
    const fits = exact ?? known.find((name) => name.toLowerCase() === base)
    if (fits !== undefined) return fits
  }
  return 'en'
}

/** The language of the window. */
export const language = languageOf(
  typeof navigator === 'undefined' ? [] : (navigator.languages ?? [navigator.language]),
  Object.keys(CATALOGUES),
)

export const text: Catalogue = CATALOGUES[language] ?? en

/** The words of a part of the window that brings its own, in the window's language. */
export const inLanguage = <T>(catalogues: { en: T } & Readonly<Record<string, T>>): T =>
  catalogues[language] ?? catalogues.en
