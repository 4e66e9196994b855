import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline'

/** The font of the canvases as a rule that carries it along. Load it late: it is large. */
export const FONT_RULE = `@font-face{font-family:"Inter Variable";font-weight:100 900;src:url(${inter}) format("woff2")}`
