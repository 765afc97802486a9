import { expect, it } from 'vitest'
import { cachedRowWriter } from '../../src/formats/cached-rows.ts'
import { createSink, writeBytes } from '../../src/formats/sink.ts'
import { createTextCache, PAGE_ROWS, type RowTexts } from '../../src/row-cache/row-texts.ts'

const MINUTE = 60_000
let now = 0

/**
 * Reads one row with a text of this length.
 * @returns the number of encoded rows
 */
function read(texts: RowTexts, row: number, length: number): number {
  let encoded = 0
  const write = cachedRowWriter(createSink(length), { texts, from: 0 }, length, sink => (first, last) => {
    encoded += last - first
    for (let row = first; row < last; row++) writeBytes(sink, Buffer.alloc(length, 'x'))
  })
  write(row, row + 1)
  return encoded
}

/**
 * Reads the first row of every page several times.
 * @returns the number of encoded rows
 */
function readPages(texts: RowTexts, length: number, times: number): number {
  let encoded = 0
  for (let time = 0; time < times; time++) {
    for (let row = 0; row < texts.rows; row += PAGE_ROWS) encoded += read(texts, row, length)
  }
  return encoded
}

it('if no memory is free for a page of row texts, repeated reads of one row do not encode the page', () => {
  const memory = createTextCache(() => now)
  memory.limit(5_000)
  expect(readPages(memory.textsFor(3_200), 380, 10)).toBe(1_000 + PAGE_ROWS - 1)
  expect(memory.bytes()).toBe(0)
})

it('a page of row texts is encoded when space becomes available', () => {
  const memory = createTextCache(() => now)
  memory.limit(20_000)
  const [texts, other] = [memory.textsFor(PAGE_ROWS), memory.textsFor(PAGE_ROWS)]
  expect(readPages(texts, 380, 4)).toBe(2 + PAGE_ROWS)
  expect(readPages(other, 380, 10)).toBe(10 + PAGE_ROWS - 1)
  texts.close()
  expect(readPages(other, 380, 10)).toBe(PAGE_ROWS)
})

it('a shorter page of row texts is encoded after unused texts are evicted', () => {
  const memory = createTextCache(() => now)
  memory.limit(13_000)
  const texts = memory.textsFor(2 * PAGE_ROWS)
  for (let times = 0; times < 3; times++) read(texts, 0, 1_000)
  expect(memory.bytes()).toBe(0)
  now += MINUTE
  for (let times = 0; times < 6; times++) read(texts, PAGE_ROWS, 100)
  expect(memory.bytes()).toBeGreaterThan(0)
})

it('if a page of row texts is too long to cache, it is encoded once', () => {
  const memory = createTextCache(() => now)
  memory.limit(2 ** 20)
  const texts = memory.textsFor(PAGE_ROWS)
  const once = readPages(texts, 10_000, 3)
  expect(once).toBeGreaterThan(3)
  expect(readPages(texts, 10_000, 10)).toBe(10)
  expect(memory.bytes()).toBe(0)
})

it('if the limit of the row text cache is lowered, unused texts are evicted first, and only as many as needed', () => {
  const memory = createTextCache(() => now)
  memory.limit(2 ** 20)
  const [first, second] = [memory.textsFor(2 * PAGE_ROWS), memory.textsFor(2 * PAGE_ROWS)]
  for (const texts of [first, second]) readPages(texts, 380, 3)
  const all = memory.bytes()
  memory.limit(all - 1)
  expect(memory.bytes()).toBeLessThan(all)
  expect(memory.bytes()).toBeGreaterThan(0)
  expect(readPages(second, 380, 1)).toBe(0)
  memory.limit(0)
  expect(memory.bytes()).toBe(0)
})
