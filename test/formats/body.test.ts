import { expect, it } from 'vitest'
import { type BodyStream, ENCODERS, openBody, valueRows } from '../../src/formats/index.ts'

const PIECE = Buffer.alloc(256 * 1_024, 'x')

/** Long enough for a turn of the event loop. */
function spendTime(): void {
  for (const until = performance.now() + 0.6; performance.now() < until; );
}

/** Pieces that take time, and the number created so far. */
function pieces(count: number, failAt = Number.POSITIVE_INFINITY) {
  const seen = { made: 0 }
  function* make(): Generator<Buffer, void> {
    for (; seen.made < count; seen.made++) {
      if (seen.made === failAt) throw new Error('no more')
      spendTime()
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

it('a body up to 512 KiB is one buffer, which is empty if there are no pieces', async () => {
  for (const count of [0, 1, 2]) expect(await openBody(pieces(count).all)).toEqual(Buffer.concat(Array(count).fill(PIECE)))
})

it('a body above 512 KiB is a stream that encodes on demand and ends after its last piece', async () => {
  const { seen, body } = await streamed(20)
  expect(seen.made).toBeLessThan(4)
  let hasEnded = false
  body.ended.then(() => {
    hasEnded = true
  })
  let taken = 0
  for await (const piece of body) {
    taken += piece.length
    expect(seen.made * PIECE.length - taken).toBeLessThan(4 * PIECE.length)
    expect(hasEnded).toBe(false)
  }
  expect(taken).toBe(20 * PIECE.length)
  expect(await body.ended).toBe(null)
})

it('a body stream yields to the event loop between pieces', async () => {
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

it('a body stream throws and reports the error when a later piece fails', async () => {
  const { body } = await streamed(20, 7)
  let taken = 0
  const taking = (async () => {
    for await (const _ of body) taken++
  })()
  await expect(taking).rejects.toThrow('no more')
  expect(taken).toBe(7)
  expect(await body.ended).toMatchObject({ message: 'no more' })
})

it('a body stream ends when its consumer stops or cancels it', async () => {
  const [left, cancelled] = [await streamed(20), await streamed(20)]
  for await (const _ of left.body) break
  expect(await left.body.ended).toBe(null)
  let taken = 0
  const taking = (async () => {
    for await (const _ of cancelled.body) if (++taken === 5) cancelled.body.cancel()
  })()
  await expect(taking).rejects.toThrow('already released')
  expect(cancelled.seen.made).toBeLessThan(8)
  expect(await cancelled.body.ended).toBe(null)
})

const NUMBERS = valueRows(
  { n: { type: 'integer', doc: '', docZh: '', zh: '' } },
  Array.from({ length: 200_000 }, (_, n) => ({ n: 1_000_000 + n })),
)

async function numbers(): Promise<BodyStream> {
  const body = await openBody(ENCODERS.ndjson.encode(NUMBERS, ['', '']))
  if (Buffer.isBuffer(body)) throw new Error('The body is whole.')
  return body
}

const WHOLE = Buffer.concat([...(await ENCODERS.ndjson.encode(NUMBERS, ['', '']))])

it('a body stream reuses the memory of sent pieces', async () => {
  const body = await numbers()
  body.reuse!(() => true)
  const [copies, buffers] = [[] as Buffer[], new Set<ArrayBufferLike>()]
  for await (const piece of body) {
    buffers.add(piece.buffer)
    copies.push(Buffer.from(piece))
  }
  expect(Buffer.concat(copies).equals(WHOLE)).toBe(true)
  expect(copies.length).toBeGreaterThan(80)
  // Nothing is sent before the first 512 KiB, which are 16 pieces.
  expect(buffers.size).toBeLessThan(20)
})

it('a body stream never overwrites pieces that another stream has not sent yet', async () => {
  const [retained, other] = [await numbers(), await numbers()]
  retained.reuse!(() => false)
  other.reuse!(() => true)
  const pieces: Buffer[] = []
  const taking = (async () => {
    for await (const piece of retained) pieces.push(piece)
  })()
  for await (const _ of other);
  await taking
  expect(Buffer.concat(pieces).equals(WHOLE)).toBe(true)
})

it('several body streams make one piece per turn of the event loop', async () => {
  const BODIES = 5
  let [made, before, most, taking] = [0, 0, 0, true]
  const check = (): void => {
    // Each body creates its first chunk synchronously.
    if (before >= BODIES) most = Math.max(most, made - before)
    before = made
    if (taking) setImmediate(check)
  }
  function* counted(): Generator<Buffer, void> {
    for (let index = 0; index < 20; index++, made++) {
      spendTime()
      yield PIECE
    }
  }
  const bodies = await Promise.all(Array.from({ length: BODIES }, () => openBody(counted())))
  made = 0
  setImmediate(check)
  await Promise.all(
    bodies.map(async body => {
      for await (const _ of body as BodyStream);
    }),
  )
  taking = false
  expect(most).toBe(1)
})

it('a body stream reads only the values of its encoded pieces', async () => {
  let seen = 0
  const row = {
    get n() {
      return ++seen
    },
  }
  const rows = valueRows({ n: { type: 'integer', doc: '', docZh: '', zh: '' } }, Array<typeof row>(200_000).fill(row))
  expect(seen).toBe(0)
  const body = await openBody(ENCODERS.json.encode(rows, ['[', ']']))
  expect([Buffer.isBuffer(body), seen > 0, seen < 100_000]).toEqual([false, true, true])
})
