/** Grammars of highlight.js, for which the package has no types. */
declare module 'highlight.js/lib/languages/*' {
  const grammar: (highlighter: object) => object
  export default grammar
}
