import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'
import { errorOf, FREE, fileOf, PAID, partsOf, signedUrl } from './signed.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

it('a signed URL returns the file with its sha256, marked as immutable, with length and ETag', async () => {
  const { sha256, bytes } = partsOf(s, FREE)[0]!
  const response = await s.get(signedUrl(s, s.keyOn('free'), FREE))
  expect(response.statusCode).toBe(200)
  expect(createHash('sha256').update(response.rawPayload).digest('hex')).toBe(sha256)
  expect(response.headers).toMatchObject({
    'content-length': String(bytes),
    'content-type': 'application/vnd.apache.parquet',
    'cache-control': 'private, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    etag: `"${sha256}"`,
  })
  expect(response.headers).not.toHaveProperty('x-credits-remaining')
  expect(response.headers).not.toHaveProperty('content-encoding')
})

it('a file that is requested with a key is not compressed, and the answer states the remaining credits', async () => {
  const { sha256, bytes } = partsOf(s, FREE)[0]!
  const response = await s.get(`/files/${FREE}/${sha256}.parquet`, s.keyOn('free'), { 'accept-encoding': 'gzip, br, zstd' })
  expect([response.statusCode, response.rawPayload.length]).toEqual([200, bytes])
  expect(response.headers).toHaveProperty('x-credits-remaining')
})

it.each([
  ['bytes=0-3', 0, 4],
  ['bytes=4-', 4, Number.POSITIVE_INFINITY],
  ['bytes=-8', -8, 8],
  ['bytes=10-10', 10, 1],
  ['bytes=5-999999999', 5, Number.POSITIVE_INFINITY],
  ['bytes=-999999999', 0, Number.POSITIVE_INFINITY],
  ['BYTES=0-3', 0, 4],
])('Range %s is answered 206 with exactly those bytes', async (range, from, most) => {
  const { sha256, bytes } = partsOf(s, FREE)[0]!
  const whole = await readFile(fileOf(s, FREE, sha256))
  const expected = whole.subarray(from < 0 ? bytes + from : from).subarray(0, most)
  const response = await s.get(signedUrl(s, s.keyOn('free'), FREE), undefined, { range })
  expect(response.statusCode).toBe(206)
  expect(response.rawPayload.equals(expected)).toBe(true)
  const first = bytes - whole.subarray(from < 0 ? bytes + from : from).length
  expect(response.headers).toMatchObject({
    'content-range': `bytes ${first}-${first + expected.length - 1}/${bytes}`,
    'content-length': String(expected.length),
  })
})

it.each(['bytes=999999999-', 'bytes=-0'])('Range %s is refused with 416 and the size of the file', async range => {
  const { bytes } = partsOf(s, FREE)[0]!
  const response = await s.get(signedUrl(s, s.keyOn('free'), FREE), undefined, { range })
  expect([response.statusCode, errorOf(response), response.headers['content-range']]).toEqual([
    416,
    'range_not_satisfiable',
    `bytes */${bytes}`,
  ])
  expect(response.headers).not.toHaveProperty('etag')
})

it.each(['bytes=0-1,4-5', 'lines=0-1', 'bytes=', 'bytes=-', 'bytes=9-2', 'bytes=a-b', `bytes=${'9'.repeat(40)}-`])(
  'the service ignores Range %s and sends the whole file',
  async range => {
    const response = await s.get(signedUrl(s, s.keyOn('free'), FREE), undefined, { range })
    expect([response.statusCode, response.rawPayload.length]).toEqual([200, partsOf(s, FREE)[0]!.bytes])
  },
)

it('If-Range with another tag, or a date, returns the whole file', async () => {
  const { sha256, bytes } = partsOf(s, FREE)[0]!
  const sent = (ifRange: string) => s.get(signedUrl(s, s.keyOn('free'), FREE), undefined, { range: 'bytes=0-3', 'if-range': ifRange })
  expect((await sent(`"${sha256}"`)).statusCode).toBe(206)
  for (const other of ['"another"', `W/"${sha256}"`, 'Wed, 01 Jul 2026 00:00:00 GMT']) {
    const response = await sent(other)
    expect([response.statusCode, response.rawPayload.length]).toEqual([200, bytes])
  }
})

it('HEAD of a file has the headers of GET, also for ranges, and answers a matching If-None-Match with 304', async () => {
  const { sha256, bytes } = partsOf(s, FREE)[0]!
  const url = signedUrl(s, s.keyOn('free'), FREE)
  const head = (headers: Record<string, string>) => s.app.inject({ method: 'HEAD', url, headers })
  const whole = await head({})
  expect([whole.statusCode, whole.headers['content-length'], whole.headers['etag'], whole.body]).toEqual([
    200,
    String(bytes),
    `"${sha256}"`,
    '',
  ])
  const range = await head({ range: 'bytes=0-3' })
  expect([range.statusCode, range.headers['content-length'], range.headers['content-range']]).toEqual([206, '4', `bytes 0-3/${bytes}`])
  for (const method of ['GET', 'HEAD'] as const) {
    const notModified = await s.app.inject({ method, url, headers: { 'if-none-match': `"${sha256}"` } })
    expect([notModified.statusCode, notModified.body]).toEqual([304, ''])
  }
})

it('a file is not found under the path of another dataset', async () => {
  const { sha256 } = partsOf(s, PAID)[0]!
  const response = await s.get(`/files/${FREE}/${sha256}.parquet`, s.keyOn('max'))
  expect([response.statusCode, errorOf(response)]).toEqual([404, 'unknown_id'])
  const signed = await s.get(signedUrl(s, s.keyOn('max'), FREE, sha256))
  expect([signed.statusCode, errorOf(signed)]).toEqual([404, 'unknown_id'])
})

it('a file of a dataset above the caller’s plan is refused with plan_required', async () => {
  const { sha256 } = partsOf(s, PAID)[0]!
  for (const response of [
    await s.get(`/files/${PAID}/${sha256}.parquet`, s.keyOn('free')),
    await s.get(signedUrl(s, s.keyOn('free'), PAID)),
  ])
    expect([response.statusCode, errorOf(response)]).toEqual([403, 'plan_required'])
})

it.each([
  '..%2f..%2fsecrets.json',
  '..%2f..%2f..%2fstate.sqlite',
  '%2e%2e%2f%2e%2e%2fsecrets.json',
  '..%5c..%5csecrets.json',
  `..%2fparts%2f${'0'.repeat(64)}.parquet`,
  `${'0'.repeat(64)}.parquet%00.json`,
  'current',
  `${'A'.repeat(64)}.parquet`,
  '0.parquet',
])('an invalid file name, or one outside the store, is not found: %s', async name => {
  for (const slug of [FREE, '..', '%2e%2e', '..%2freleases']) {
    const response = await s.get(`/files/${slug}/${name}`, s.keyOn('max'))
    expect(response.statusCode, slug).toBe(404)
    expect(response.body).not.toContain('KEY_PEPPER')
  }
})

it('a file of an unknown dataset is refused with unknown_dataset', async () => {
  const { sha256 } = partsOf(s, FREE)[0]!
  for (const slug of ['nothing', 'trading-calendar-of-nothing']) {
    const response = await s.get(`/files/${slug}/${sha256}.parquet`, s.keyOn('max'))
    expect([response.statusCode, errorOf(response)]).toEqual([404, 'unknown_dataset'])
  }
})

it('a file without signature or key is refused with missing_api_key', async () => {
  const { sha256 } = partsOf(s, FREE)[0]!
  const response = await s.get(`/files/${FREE}/${sha256}.parquet`)
  expect([response.statusCode, errorOf(response)]).toEqual([401, 'missing_api_key'])
})
