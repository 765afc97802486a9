import { expect, it } from 'vitest'
import { LABEL_PATTERN } from '../../src/core/index.ts'

/**
 * Control characters, line separators, surrogates, ignorable characters, and three characters that
 * fonts render as blanks.
 */
const NOT_SEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

it('LABEL_FORM accepts every visible character and no other', () => {
  const wrong = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
    one => LABEL_PATTERN.test(`a${one}b`) === (NOT_SEEN.test(one) || TURNS.test(one)),
  )
  expect(wrong.map(one => one.codePointAt(0)!.toString(16))).toEqual([])
})

it('LABEL_FORM accepts complete emoji sequences and refuses incomplete sequences', () => {
  const accepted = ['', ' ', 'notebook', '台股 夜間匯入', '👩‍💻', '👩🏽‍💻', '👨‍👩‍👧', '❤️‍🔥', '🇹🇼', '☎️ 2']
  for (const text of accepted) expect.soft(text).toMatch(LABEL_PATTERN)
  const refused = {
    'half of a surrogate pair': 'a\ud83d',
    'a line end': 'a\n',
    'a joiner between letters': 'note\u200dbook',
    'a joiner after the last emoji': '👩\u200d',
    'a selector after a letter': 'a\ufe0f',
    'a selector alone': '\ufe0f',
    'two selectors': '❤\ufe0f\ufe0f',
    'a flag with tags': '🏴\u{e0067}\u{e007f}',
  }
  for (const [what, text] of Object.entries(refused)) expect.soft(text, what).not.toMatch(LABEL_PATTERN)
})

it('LABEL_FORM refuses a long joiner sequence without backtracking', () => {
  expect('👩‍'.repeat(20_000)).not.toMatch(LABEL_PATTERN)
})

it('LABEL_FORM uses only syntax that other regular expression dialects support', () => {
  expect(LABEL_PATTERN.source).not.toMatch(/\\[pPx]|\\u\{|\(\?<|\(\?[a-z]/)
})
