/**
 * The functions of `highlight.js/lib/core` that the site uses. `tsconfig.json` replaces the
 * package's own types by this file, because those types also declare browser globals, which server
 * code must not use.
 */
declare const highlighter: {
  registerLanguage(name: string, grammar: (highlighter: object) => object): void
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals?: boolean }): { readonly value: string }
}
export default highlighter
