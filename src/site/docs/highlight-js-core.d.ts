/** The package's own types declare browser globals, which server code must not use. */
declare const highlighter: {
  registerLanguage(name: string, grammar: (highlighter: object) => object): void
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals?: boolean }): { readonly value: string }
}
export default highlighter
