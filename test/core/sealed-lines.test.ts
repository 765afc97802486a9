import { expect, it } from 'vitest'
import { checksummedLine, readChecksummedLines } from '../../src/core/index.ts'

const VALUE = { file: '2330 台積電.json', rows: 1_024, releases: { 'daily-prices': '20260701T060000123Z' }, none: null }

it('readSealed returns the values of sealed lines, which are JSON', () => {
  const text = checksummedLine(VALUE) + checksummedLine({ rows: 2 })
  expect(JSON.parse(text.split('\n')[0]!)).toEqual({ ...VALUE, sum: expect.stringMatching(/^[0-9a-f]{16}$/) })
  expect(readChecksummedLines(text)).toEqual({ values: [VALUE, { rows: 2 }], damaged: 0 })
})

it('readSealed never returns a changed value after any bit flip', () => {
  const sealed = Buffer.from(checksummedLine(VALUE))
  let found = 0
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Buffer.from(sealed)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    const { values, damaged } = readChecksummedLines(flipped.toString())
    // If the flip hits the hash or its field name, the line keeps its value and a damaged seal.
    for (const value of values) expect(value).toMatchObject(VALUE)
    if (damaged > 0) found++
  }
  expect(found).toBeGreaterThan(sealed.length * 6)
})

it('readSealed counts damaged lines, accepts lines without a checksum and returns all other lines', () => {
  const [whole, plain] = [checksummedLine(VALUE), `${JSON.stringify(VALUE)}\n`]
  expect(readChecksummedLines(`\n${whole.slice(0, 40)}\n${plain}null\n7\n${whole}${whole.slice(0, -3)}`)).toEqual({
    values: [VALUE, VALUE],
    damaged: 4,
  })
})
