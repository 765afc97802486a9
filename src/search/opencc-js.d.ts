/**
 * Pairs of a simplified and a traditional character, separated by a space. Pairs are separated by
 * `|`. The package has no types for its dictionaries.
 */
declare module 'opencc-js/dict/STCharacters' {
  const pairs: string
  export default pairs
}
