import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { Verdict } from '../../../ingest/fetchers/index.ts'
import { type FetchSetupOptions, fetchSetup, type Reply } from '../../fixtures/fetch/source.ts'
import { informWithoutEnd } from '../../fixtures/informational.ts'

type Setup = Awaited<ReturnType<typeof fetchSetup>>
let f: Setup | undefined
afterEach(async () => {
  await f?.close()
  f = undefined
})

const URL_ASKED = 'https://www.twse.com.tw/rwd/zh/fund/T86?date=20260630&response=json'
const good = (): Verdict => ({ good: true })

async function setup(reply: Reply, options: FetchSetupOptions = {}): Promise<Setup> {
  f = await fetchSetup({ reply, ...options })
  return f
}
const ask = (s: Setup, judge = good, mostBytes = 100_000) => s.fetcher.fetch({ url: URL_ASKED }, { mostBytes, judge })
const textOf = async (asking: ReturnType<typeof ask>): Promise<string> => Buffer.from((await asking).bytes).toString()
const ruleOf = async (asking: Promise<unknown>): Promise<unknown> =>
  asking.then(
    () => 'taken',
    (error: { facts?: { rule?: string } }) => error.facts?.rule,
  )

describe('requests', () => {
  it('the fetcher sends its User-Agent and accepted encodings to the base URL of the host', async () => {
    const s = await setup(() => '{}', { contact: 'mailto:data@a.example' })
    const { askedAt } = await ask(s)
    expect(askedAt).toBe(`${s.source.url}/rwd/zh/fund/T86?date=20260630&response=json`)
    const { headers, path } = s.source.requests[0]!
    expect(path).toBe('/rwd/zh/fund/T86?date=20260630&response=json')
    expect(headers['user-agent']).toBe('Mozilla/5.0 (compatible; twmd/1.2.3; +mailto:data@a.example)')
    expect(headers['accept-encoding']).toBe('gzip, deflate')
  })

  it('the fetcher sends a form by POST', async () => {
    const s = await setup(() => 'page')
    const form = { TYPEK: 'sii', year: '112', season: '01' }
    await s.fetcher.fetch({ url: 'https://mopsov.twse.com.tw/mops/web/ajax_t163sb04', form }, { mostBytes: 10, judge: good })
    expect(s.source.requests[0]!.form).toBe('TYPEK=sii&year=112&season=01')
    expect(s.source.requests[0]!.headers['content-type']).toBe('application/x-www-form-urlencoded')
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('the fetcher decodes content-encoding %s', async (coding, pack) => {
    const s = await setup((_, response) => {
      response.setHeader('content-encoding', coding)
      return pack('rows')
    })
    expect(await textOf(ask(s))).toBe('rows')
  })
})

describe('misbehaving sources', () => {
  it('the fetcher refuses a redirect without following it', async () => {
    const s = await setup(({ path }, response) => {
      if (path === '/zh/index.html') return '<html>home</html>'
      response.writeHead(302, { location: '/zh/index.html?secret=1' })
      return ''
    })
    await expect(ask(s)).rejects.toThrow(`${s.source.host} sent a redirect to ${s.source.host}/zh/index.html (status 302) instead of data`)
    expect(s.source.requests).toHaveLength(1)
  })

  it('the fetcher doubles its pauses while connections are cut, then names the host', async () => {
    const s = await setup((_, response) => void response.destroy())
    await expect(ask(s)).rejects.toThrow(
      `No data from ${s.source.host}: the connection failed (UND_ERR_SOCKET). The next request is sent after 20:07`,
    )
    expect(s.slept).toEqual([30_000, 60_000, 120_000])
    expect(s.source.requests).toHaveLength(4)
  })

  it('the fetcher retries after 503 until the source answers', async () => {
    const s = await setup((_, response) => {
      if (s.source.requests.length > 2) return 'rows'
      response.writeHead(503)
      return ''
    })
    expect(await textOf(ask(s))).toBe('rows')
    expect(s.slept).toEqual([30_000, 60_000])
    expect(await textOf(ask(s))).toBe('rows')
    expect(s.slept).toHaveLength(2)
  })

  it.each([429, 503])('the fetcher waits for Retry-After after the status %i', async status => {
    const s = await setup((_, response) => {
      if (s.source.requests.length > 1) return 'rows'
      response.writeHead(status, { 'retry-after': '600' })
      return ''
    })
    expect(await textOf(ask(s))).toBe('rows')
    expect(s.slept).toEqual([600_000])
  })

  it('the fetcher gives up when Retry-After exceeds an hour', async () => {
    const s = await setup((_, response) => {
      response.writeHead(429, { 'retry-after': '86400' })
      return ''
    })
    await expect(ask(s)).rejects.toThrow('it responded with status 429. The next request is sent after 21:00')
    expect(s.slept).toEqual([])
  })

  it('the fetcher retries a security page and returns it after the last try', async () => {
    const page = '<html>因為安全性考量，您所執行的頁面無法呈現</html>'
    const s = await setup(() => page)
    const shut = (): Verdict => ({ good: false, shutOut: true, why: 'the security page' })
    expect(await textOf(ask(s, shut))).toBe(page)
    expect(s.slept).toEqual([30_000, 60_000, 120_000])
  })

  it.each([
    ['uncompressed', undefined, 2_000_000],
    ['compressed', 'gzip', 50_000_000],
  ])('the fetcher refuses a body over the size limit, %s', async (_, coding, size) => {
    const s = await setup((__, response) => {
      if (coding) response.setHeader('content-encoding', coding)
      return coding ? gzipSync(Buffer.alloc(size)) : randomBytes(size)
    })
    expect(await ruleOf(ask(s))).toBe('too_large')
  })

  it('the fetcher stops reading a body that does not end before the timeout', async () => {
    const s = await setup(
      (_, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write('x'), 5)
        response.on('close', () => clearInterval(timer))
        return undefined
      },
      { longestMs: 100, tries: 1 },
    )
    await expect(ask(s)).rejects.toThrow('its response did not end in time')
  })

  it('the fetcher stops waiting for a source that sends no headers before the timeout', async () => {
    const s = await setup(() => undefined, { silenceMs: 100, tries: 1 })
    await expect(ask(s)).rejects.toThrow('UND_ERR_HEADERS_TIMEOUT')
  })

  it('the fetcher gives up on a source that sends informational responses without end', async () => {
    const s = await setup(
      (_, response) => {
        informWithoutEnd(response)
        return undefined
      },
      { tries: 1 },
    )
    await expect(ask(s)).rejects.toThrow('TOO_MANY_INFORMATIONAL')
  })

  it('the fetcher retries a truncated compressed body', async () => {
    const s = await setup((_, response) => {
      response.setHeader('content-encoding', 'gzip')
      const packed = gzipSync('rows'.repeat(100))
      return s.source.requests.length > 1 ? packed : packed.subarray(0, 20)
    })
    expect(await textOf(ask(s))).toBe('rows'.repeat(100))
  })

  it('the fetcher refuses a content-encoding it did not accept', async () => {
    const s = await setup((_, response) => {
      response.setHeader('content-encoding', 'br')
      return brotliCompressSync('rows')
    })
    expect(await ruleOf(ask(s))).toBe('unknown_coding')
  })

  it.each([403, 404])('the fetcher does not retry after the status %i', async status => {
    const s = await setup((_, response) => {
      response.writeHead(status)
      return ''
    })
    expect(await ruleOf(ask(s))).toBe('not_answered')
    expect(s.source.requests).toHaveLength(1)
  })
})
