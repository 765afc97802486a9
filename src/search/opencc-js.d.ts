/**
 * Character pairs "simplified traditional", separated by `
 * `. The package has no types for its dictionaries.
 */
declare module 'opencc-js/dict/STCharacters' {
  const pairs: string
  export default pairs
}
