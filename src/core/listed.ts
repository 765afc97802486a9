/** What lies between commas, none of it empty. */
export const listed = (text = ''): readonly string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
