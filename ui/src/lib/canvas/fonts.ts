import letters from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline'
import signs from '../../fonts/inter-signs.woff2?inline'

const face = (file: string, more = '') =>
  `@font-face{font-family:"Inter Variable";font-weight:100 900;src:url(${file}) format("woff2")${more}}`

/** The font of the canvases as rules that carry it along. Load them late: they are large. */
export const FONT_RULE = face(letters) + face(signs, ';unicode-range:U+3C4,U+2190-27BF')
