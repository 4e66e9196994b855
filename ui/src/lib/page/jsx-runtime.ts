/**
 * Makes every element of the page: the compiler calls this for each tag. Text of a log comes in through many doors, as the
 * title of a session, the name of an episode or of a tool, a note; it goes out through this one, where each character that
 * is not seen becomes its code.
 */
import { jsx as make, jsxs as makeMany } from 'react/jsx-runtime'

import { shown } from './shown'

export { Fragment } from 'react/jsx-runtime'
export type { JSX } from 'react/jsx-runtime'

export const jsx: typeof make = (type, props, key) => make(type, shown(props), key)
export const jsxs: typeof makeMany = (type, props, key) => makeMany(type, shown(props), key)
