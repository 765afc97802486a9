import { describe, expect, it } from 'vitest'
import { LABEL_FORM } from '../../src/core/index.ts'

/** What Unicode itself calls a control, a separator of lines, half a character, or not to be drawn; and three that are drawn as nothing. */
const NOT_SEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

describe('a label', () => {
  it('takes every character that is drawn and no other', () => {
    const wrong = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
      one => LABEL_FORM.test(`a${one}b`) === (NOT_SEEN.test(one) || TURNS.test(one)),
    )
    expect(wrong.map(one => one.codePointAt(0)!.toString(16))).toEqual([])
  })

  it.each(['', ' ', 'notebook', '台股 夜間匯入', '👩‍💻', '👩🏽‍💻', '👨‍👩‍👧', '❤️‍🔥', '🇹🇼', '☎️ 2'])('may be %j', text =>
    expect(text).toMatch(LABEL_FORM),
  )

  it.each([
    ['half of a character', 'a\ud83d'],
    ['an end of line', 'a\n'],
    ['a joiner between letters', 'note\u200dbook'],
    ['a joiner after the last emoji', '👩\u200d'],
    ['a selector after a letter', 'a\ufe0f'],
    ['a selector alone', '\ufe0f'],
    ['two selectors', '❤\ufe0f\ufe0f'],
    ['a flag with tags', '🏴\u{e0067}\u{e007f}'],
  ])('may not have %s', (_, text) => expect(text).not.toMatch(LABEL_FORM))

  it('is refused in time that does not grow with the number of ways to read it', () => {
    expect('👩‍'.repeat(20_000)).not.toMatch(LABEL_FORM)
  })

  it('is described in words that other dialects of regular expressions have', () => {
    expect(LABEL_FORM.source).not.toMatch(/\\[pPx]|\\u\{|\(\?<|\(\?[a-z]/)
  })
})
