/**
 * A column name as it is compared: compatibility forms folded, so （元） is (元); markup and every blank gone.
 *
 * The exchanges change brackets, blanks and line breaks in headings from table to table and year to year.
 */
export const heading = (name: unknown): string =>
  String(name ?? '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&nbsp;', '')
    .normalize('NFKC')
    .replace(/\s/g, '')
