import { expect, it } from 'vitest'
import { openBody } from '../../src/formats/index.ts'

const PIECE = Buffer.alloc(256 * 1_024, 'x')

/** Pieces, and how many of them were made so far. */
function pieces(count: number, failAt = Number.POSITIVE_INFINITY) {
  const seen = { made: 0 }
  function* make(): Generator<Buffer, void> {
    for (; seen.made < count; seen.made++) {
      if (seen.made === failAt) throw new Error('no more')
      yield PIECE
    }
  }
  return { seen, all: make() }
}

async function streamed(count: number, failAt?: number) {
  const { seen, all } = pieces(count, failAt)
  const body = await openBody(all)
  if (Buffer.isBuffer(body)) throw new Error('The body is whole.')
  return { seen, body }
}

it('is whole up to half a megabyte, in one buffer, and nothing for no pieces', async () => {
  for (const count of [0, 1, 2]) expect(await openBody(pieces(count).all)).toEqual(Buffer.concat(Array(count).fill(PIECE)))
})

it('beyond that is made as it is taken, to the last piece, and over then', async () => {
  const { seen, body } = await streamed(20)
  expect(seen.made).toBeLessThan(4)
  let over = false
  body.over.then(() => {
    over = true
  })
  let taken = 0
  for await (const piece of body) {
    taken += piece.length
    expect(seen.made * PIECE.length - taken).toBeLessThan(4 * PIECE.length)
    expect(over).toBe(false)
  }
  expect(taken).toBe(20 * PIECE.length)
  expect(await body.over).toBe(null)
})

it('lets the event loop go on between pieces', async () => {
  const { body } = await streamed(20)
  let turns = 0
  let counting = true
  const count = (): void => {
    turns++
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  for await (const _ of body);
  counting = false
  expect(turns).toBeGreaterThanOrEqual(15)
})

it('throws where making a later piece failed, and says what with its end', async () => {
  const { body } = await streamed(20, 7)
  let taken = 0
  const taking = (async () => {
    for await (const _ of body) taken++
  })()
  await expect(taking).rejects.toThrow('no more')
  expect(taken).toBe(7)
  expect(await body.over).toMatchObject({ message: 'no more' })
})

it('is over once who takes it stops, or once it is cancelled, and cannot be taken on', async () => {
  const [left, cancelled] = [await streamed(20), await streamed(20)]
  for await (const _ of left.body) break
  expect(await left.body.over).toBe(null)
  let taken = 0
  const taking = (async () => {
    for await (const _ of cancelled.body) if (++taken === 5) cancelled.body.cancel()
  })()
  await expect(taking).rejects.toThrow('given up')
  expect(cancelled.seen.made).toBeLessThan(8)
  expect(await cancelled.body.over).toBe(null)
})
