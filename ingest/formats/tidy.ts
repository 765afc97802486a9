import { plainText } from './html.ts'

/**
 * Text of a register as a person would write it: entities read, compatibility forms folded, outer blanks gone.
 *
 * The registers spell some characters as entities of compatibility ideographs (U+F963 for 北) and mix full-width digits in.
 */
export const tidyText = (cell: unknown): string =>
  plainText(String(cell ?? ''))
    .normalize('NFKC')
    .trim()

/** As tidyText, null where nothing is written. */
export const tidyOrNull = (cell: unknown): string | null => tidyText(cell) || null
