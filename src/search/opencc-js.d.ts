/**
 * Pairs of a simplified and a traditional character, separated by `|`. The package has no types.
 */
declare module 'opencc-js/dict/STCharacters' {
  const pairs: string
  export default pairs
}
