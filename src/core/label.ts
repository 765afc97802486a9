import type { Words } from './errors.ts'

/** Controls, ends of lines, marks that turn the order of letters, fillers, selectors, tags, blanks in Braille, and halves of characters. */
const UNSEEN = [
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f',
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb',
  // Beyond four digits dialects of regular expressions differ in how they write a character: it stands for itself.
  '\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}',
].join('')

const EMOJI =
  '\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2194-\\u21aa\\u2300-\\u23ff\\u24c2\\u25a0-\\u27bf\\u2934\\u2935\\u2b00-\\u2bff\\u3030\\u303d\\u3297\\u3299\u{1f000}-\u{1faff}'

/**
 * Text on one line, all of whose characters can be seen, as a name that people give has to be: it may be empty, or of blanks alone. An emoji
 * may be followed by what chooses its picture, and be joined to another one. The source is a pattern of JSON Schema: it is read the same by
 * Python, too, where `$` holds before a last end of line.
 */
export const LABEL_FORM = new RegExp(`^(?:[^${UNSEEN}${EMOJI}]|[${EMOJI}]\\ufe0f?(?:\\u200d(?=[${EMOJI}]))?)*$(?!\\n)`, 'u')

/** What a text is required to be, after its name. */
export const LABEL_WORDS: Words = {
  en: 'must have no characters that cannot be seen, such as ends of lines',
  zh: '不可含有看不見的字元，例如換行',
}
