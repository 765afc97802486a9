import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { crossSections, FORMATS, served } from '../../../catalog/index.ts'
import { OTHERS, openFormats, rowsOf } from './formats.ts'

const formats = await openFormats()
const { s, key, parse, ask } = formats
afterAll(() => formats.close())

it('every format contains the rows of JSON and the same headers, for every dataset', async () => {
  for (const dataset of [...served(s.catalog), ...crossSections(s.catalog)]) await formats.compare(dataset)
}, 300_000)

const URL = '/v2/datasets/company-risk-events?symbol=2330&limit=6000'
beforeAll(() => formats.publishTexts(6_000))

it.each(OTHERS)('an answer in format=%s has all 6,000 rows, and an answer with limit=1 has the first of these rows', async format => {
  const rows = rowsOf((await ask(URL)).body)
  expect(rows.length).toBe(6_000)
  const { columns } = s.dataset('company-risk-events')
  const answer = await ask(`${URL}&format=${format}`)
  expect(await parse[format]!(answer.rawPayload, columns)).toEqual(rows)
  const page = await ask(`${URL.replace('6000', '1')}&format=${format}`)
  expect(await parse[format]!(page.rawPayload, columns)).toEqual(rows.slice(0, 1))
})

it('the service compresses 6,000 rows in every format except Parquet', async () => {
  for (const format of FORMATS) {
    const [plain, coded] = [await ask(`${URL}&format=${format}`), await ask(`${URL}&format=${format}`, { 'accept-encoding': 'zstd' })]
    expect(coded.headers['content-encoding']).toBe(format === 'parquet' ? undefined : 'zstd')
    const body = format === 'parquet' ? coded.rawPayload : zstdDecompressSync(coded.rawPayload)
    const stable = (bytes: Buffer) => bytes.toString('latin1').replaceAll(/req_\w{26}/g, 'req')
    expect(stable(body) === stable(plain.rawPayload)).toBe(true)
  }
})

it('the service serves the next caller after callers abandoned answers of each format', async () => {
  if (!s.app.server.listening) await s.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = s.app.server.address() as AddressInfo
  for (const format of FORMATS) {
    for (let turn = 0; turn < 5; turn++) {
      const request = get({ port, path: `${URL}&format=${format}`, headers: { 'x-api-key': key } })
      const [response] = await once(request, 'response')
      response.once('data', () => request.destroy())
      await once(response, 'close').catch(() => {})
    }
    const [response] = await once(get({ port, path: `${URL}&format=${format}`, headers: { 'x-api-key': key } }), 'response')
    expect([response.statusCode, (await buffer(response)).length > 0]).toEqual([200, true])
  }
})
