/** The package has no types for its grammars. */
declare module 'highlight.js/lib/languages/*' {
  const grammar: (highlighter: object) => object
  export default grammar
}
