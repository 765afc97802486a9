import type { Words } from './errors.ts'

/**
 * Ranges of invisible characters: controls, line ends, bidi marks, fillers, variation selectors,
 * tags, Braille blanks and lone surrogates.
 */
const INVISIBLE = [
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f',
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb',
  // The escapes for these code points differ between languages, so the characters are literal.
  '\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}',
].join('')

const EMOJI =
  '\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2194-\\u21aa\\u2300-\\u23ff\\u24c2\\u25a0-\\u27bf\\u2934\\u2935\\u2b00-\\u2bff\\u3030\\u303d\\u3297\\u3299\u{1f000}-\u{1faff}'

/**
 * One line of visible characters, or an empty text. The pattern is also published as JSON Schema,
 * and must work in Python.
 */
export const LABEL_PATTERN = new RegExp(`^(?:[^${INVISIBLE}${EMOJI}]|[${EMOJI}]\\ufe0f?(?:\\u200d(?=[${EMOJI}]))?)*$(?!\\n)`, 'u')

export const LABEL_WORDS: Words = {
  en: 'must not contain invisible characters, for example line breaks',
  zh: '不可含有看不見的字元，例如換行',
}
