import { expect, it } from 'vitest'
import { visible, visibleLines } from '../../src/cli/read/visible.ts'

const TURNING = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
const ENDING = [0x2028, 0x2029]
const CONTROL = [0x00, 0x07, 0x1b, 0x7f, 0x85, 0x9b]

it('visible and visibleLines escape every control, direction and line-separator character', () => {
  for (const code of [...CONTROL, ...TURNING, ...ENDING]) {
    const sign = String.fromCharCode(code)
    const shown = `a\\u${code.toString(16).padStart(4, '0')}b`
    expect.soft([visible(`a${sign}b`), visibleLines(`a${sign}b`)], `U+${code.toString(16)}`).toEqual([shown, shown])
  }
})

it('visibleLines keeps line ends, tabs and Han characters; visible escapes the tab', () => {
  expect(visibleLines('台積電\tTSMC\r\nÖ\n')).toBe('台積電\tTSMC\r\nÖ\n')
  expect(visible('台積電\tTSMC')).toBe('台積電\\u0009TSMC')
})
