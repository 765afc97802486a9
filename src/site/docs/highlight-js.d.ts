/** Types for the grammars of highlight.js. The package has no types for them. */
declare module 'highlight.js/lib/languages/*' {
  const grammar: (highlighter: object) => object
  export default grammar
}
