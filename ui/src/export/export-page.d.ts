declare module 'virtual:export-page' {
  /** The page for exports, as one HTML file without an export in it. */
  const html: string
  export default html
}
