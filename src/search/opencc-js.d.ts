/** `simplified traditional` pairs, separated by `|`. The package publishes no types for its dictionaries. */
declare module 'opencc-js/dict/STCharacters' {
  const pairs: string
  export default pairs
}
