import { expect, it } from 'vitest'
import { readSealed, sealedLine } from '../../src/core/index.ts'

const VALUE = { file: '2330 台積電.json', rows: 1_024, releases: { 'daily-prices': '20260701T060000123Z' }, none: null }

it('a line is JSON as any other, and reads as what was written', () => {
  const text = sealedLine(VALUE) + sealedLine({ rows: 2 })
  expect(JSON.parse(text.split('\n')[0]!)).toEqual({ ...VALUE, sum: expect.stringMatching(/^[0-9a-f]{16}$/) })
  expect(readSealed(text)).toEqual({ values: [VALUE, { rows: 2 }], damaged: 0 })
})

it('whichever bit of a line flips, another value is never read out of it', () => {
  const line = Buffer.from(sealedLine(VALUE))
  let found = 0
  for (let bit = 0; bit < line.length * 8; bit++) {
    const flipped = Buffer.from(line)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    const { values, damaged } = readSealed(flipped.toString())
    // Where the flip hit the hash itself or its name, the value stands beside what is left of it.
    for (const value of values) expect(value).toMatchObject(VALUE)
    if (damaged > 0) found++
  }
  expect(found).toBeGreaterThan(line.length * 6)
})

it('lines that a crash cut off and lines of no object are counted, lines of an earlier version taken, and the others read', () => {
  const [whole, plain] = [sealedLine(VALUE), `${JSON.stringify(VALUE)}\n`]
  expect(readSealed(`\n${whole.slice(0, 40)}\n${plain}null\n7\n${whole}${whole.slice(0, -3)}`)).toEqual({
    values: [VALUE, VALUE],
    damaged: 4,
  })
})
