/** Makes every element of a page that is being developed, as `jsx-runtime.ts` does. */
import { jsxDEV as make } from 'react/jsx-dev-runtime'

import { shown } from './shown'

export { Fragment } from 'react/jsx-dev-runtime'
export type { JSX } from 'react/jsx-dev-runtime'

export const jsxDEV: typeof make = (type, props, ...rest) => make(type, shown(props), ...rest)
