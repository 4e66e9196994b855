/** Lines stay as thin as they are. */
const THIN_PX = 2
const NORMAL_PX = 16

/** Lengths in pixels as shares of the size of text: `24px` as `1.5rem`. */
export const inRem = (css: string): string =>
  css.replace(/(?<![\w#.-])(-?(?:\d+\.)?\d+)px\b/g, (whole, number: string) =>
    Math.abs(Number(number)) <= THIN_PX ? whole : `${Number((Number(number) / NORMAL_PX).toFixed(5))}rem`,
  )

/**
 * Styles are written in pixels as they are at the normal size of text; in the page they grow and shrink with it.
 * Media queries ask about the window and stay as they are; container queries ask whether there is room for text.
 */
export const scaleWithText = {
  postcssPlugin: 'scale-with-text',
  Declaration(declaration: { value: string }) {
    if (declaration.value.includes('px')) declaration.value = inRem(declaration.value)
  },
  AtRule: {
    container(rule: { params: string }) {
      if (rule.params.includes('px')) rule.params = inRem(rule.params)
    },
  },
}
