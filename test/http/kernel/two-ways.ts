import { once } from 'node:events'
import { Agent, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import { type ServiceOptions, service } from '../../support.ts'

export const SLUG = 'institutional-positioning'
export const READ = `/v2/datasets/${SLUG}?symbol=2330`
const DAYS = weekdays('2025-01-06', 300)

export type Sent = Readonly<Record<string, string | readonly string[]>>

/** A listening service with some history of one symbol, and the number of requests that reached its framework. */
export async function listening(options: ServiceOptions = {}) {
  const s = await service(options)
  let seen = 0
  s.app.addHook('onRequest', (_request, _reply, done) => {
    seen++
    done()
  })
  const rows = DAYS.map((day, index) => trade('2330', day, index * 1_001))
  expect((await s.publish(SLUG, rows, { accept: ['row_count_drift'] })).faults).toEqual([])
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = s.app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  const send = async (path: string, headers: Sent, method = 'GET', body = '') => {
    const request = ask({ port, path, method, agent, headers: headers as Record<string, string> })
    request.end(body)
    const [response] = await once(request, 'response')
    return {
      status: response.statusCode as number,
      raw: response.rawHeaders as string[],
      headers: response.headers,
      body: await buffer(response),
    }
  }
  const close = async (): Promise<void> => {
    agent.destroy()
    await s.close()
  }
  return { s, send, close, seen: () => seen }
}

export type Listening = Awaited<ReturnType<typeof listening>>
type Answer = Awaited<ReturnType<Listening['send']>>

/** Headers that differ between any two answers. */
const OWN: ReadonlySet<string> = new Set(['date', 'x-request-id', 'server-timing'])
const bodyOf = ({ body }: Answer): string => body.toString('latin1').replaceAll(/req_\w{26}/g, 'req')

/** The parts of an answer that both paths must share, with header names as sent. */
export function shared(answer: Answer) {
  const headers: string[] = []
  for (let at = 0; at < answer.raw.length; at += 2) {
    const [name, value] = [answer.raw[at]!, answer.raw[at + 1]!]
    headers.push(OWN.has(name.toLowerCase()) ? name : `${name}: ${value}`)
  }
  return { status: answer.status, headers: headers.sort(), body: answer.headers['content-encoding'] ? '' : bodyOf(answer) }
}

/** A header without effect on a GET request that forces the framework path. */
export const BY_FRAMEWORK = { 'content-type': 'application/json' }

/** A request without its key. */
export type Asked = readonly [path: string, headers?: Sent, method?: string, body?: string]

/** Plain requests whose answers are in memory. */
export const AT_ONCE: readonly Asked[] = [
  [READ],
  [`${READ}&limit=7`],
  [`${READ}&limit=7&offset=3`],
  [`${READ}&limit=1&offset=299`],
  [`${READ}&start_date=2025-02-01&end_date=2025-03-01`],
  [`${READ}&columns=trade_date,ticker`],
  [`${READ}&columns=trade_date%2Cticker`],
  [`${READ}&sort_order=asc&limit=5`],
  [`${READ}&range=foreign_net_buy:0..&limit=5`],
  [`${READ}&range=foreign_net_buy%3A..%3C1000000%2Cdealer_net_buy:-1000000..&limit=5`],
  [`${READ}&format=json`],
  [READ, { accept: '*/*' }],
  [READ, { accept: 'application/json, text/plain, */*' }],
  [READ, { accept: 'application/problem+json' }],
  [READ, { 'accept-encoding': 'gzip, deflate, br' }],
  [READ, { 'accept-encoding': 'zstd' }],
  [READ, { 'accept-encoding': 'br' }],
  [READ, { 'accept-encoding': 'identity' }],
  [`${READ}&limit=1`, { 'accept-encoding': 'gzip' }],
  [READ, { authorization: 'Bearer {key}' }],
  [READ, { authorization: 'Bearer {key}', 'x-api-key': '{key}' }],
  [READ, { 'user-agent': 'x', 'accept-language': 'zh-TW', origin: 'https://app.example' }],
  ['/v2/datasets/institutional_positioning?symbol=2330'],
]

/** Requests that are not plain, are refused or need the engine. */
export const BY_THE_FRAMEWORK: readonly Asked[] = [
  ['/v2/datasets'],
  [`/v2/datasets/${SLUG}`],
  [`/v2/datasets/${SLUG}?`],
  [`/v2/datasets/${SLUG}/?symbol=2330`],
  [`/v2/Datasets/${SLUG}?symbol=2330`],
  [`//v2/datasets/${SLUG}?symbol=2330`],
  [`/v2/datasets/${SLUG}%20?symbol=2330`],
  [`/v2/datasets/${SLUG}-s?symbol=2330`],
  [`${READ}&symbol=2317`],
  [`${READ}&`],
  [`${READ}&&limit=3`],
  [`${READ}&limit`],
  [`${READ}&=3`],
  [`${READ}&limit=`],
  [`${READ}&limit=x`],
  [`${READ}&limit=0`],
  [`${READ}&offset=-1`],
  [`${READ}&nothing=1`],
  [`${READ}&__proto__=1`],
  [`${READ}&columns=nothing`],
  [`${READ}&start_date=2025-02-30`],
  [`${READ}&start_date=%zz`],
  [`${READ}&start_date=%ff`],
  [`${READ}&start_date=2025-02-01#fragment`],
  [`${READ}&key=1`],
  [`${READ}&start_date=sk%5flive_0123456789`],
  [`${READ}&offset=3000`],
  [`/v2/datasets/${SLUG}?symbol=9999`],
  [`${READ}&format=csv&limit=3`],
  [`${READ}&format=ndjson&limit=3`],
  [`${READ}&dry_run=true`],
  [`${READ}&release=20200101T000000000Z`],
  [`${READ}&release=x&limit=2`],
  [`${READ}&${'x'.repeat(8_200)}`],
  [READ, { accept: 'text/csv' }],
  [READ, { accept: 'image/png' }],
  [READ, { 'x-api-key': '' }],
  [READ, { 'x-api-key': 'sk_live_wrong' }],
  [READ, { authorization: 'Bearer' }],
  [READ, { authorization: 'Basic x' }],
  [READ, { authorization: 'Bearer sk_live_wrong', 'x-api-key': '{key}' }],
  [READ, { 'if-none-match': '*' }],
  [READ, { 'if-none-match': '"nothing"' }],
  [READ, { 'content-encoding': 'gzip' }],
  [READ, { 'x-forwarded-for': '203.0.113.1' }],
  [READ, {}, 'HEAD'],
  [READ, {}, 'POST', '{}'],
  [READ, {}, 'OPTIONS'],
  [READ, { 'content-length': '2' }, 'GET', '{}'],
]
