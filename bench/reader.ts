import { Agent, get } from 'node:http'
import { SLUG } from './data.ts'
import type { Served } from './server.ts'

/** The newest 50 rows of a ticker. */
export const pathFor = (ticker: string): string => `/v2/datasets/${SLUG}?symbol=${ticker}`

/** An answer as a caller gets it. */
export interface Answer {
  /** From sending the request to the last byte of the body. */
  readonly ms: number
  readonly bytes: number
  /** Milliseconds per stage, as the service itself measured them. */
  readonly stages: Readonly<Record<string, number>>
  readonly release: string
}

/** One caller on one connection that stays open. */
export interface Reader {
  read(ticker: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  close(): void
}

/** @throws Error from `read` for any answer but 200 and 304 */
export function openReader({ url, keys }: Served): Reader {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let turn = 0
  return {
    read: (ticker, headers = {}) =>
      new Promise((resolve, reject) => {
        const began = performance.now()
        const key = keys[turn++ % keys.length]!
        const request = get(`${url}${pathFor(ticker)}`, { agent, headers: { 'x-api-key': key, ...headers } }, response => {
          let bytes = 0
          response.on('data', (data: Buffer) => {
            bytes += data.length
          })
          response.on('end', () => {
            const { statusCode, headers: told } = response
            if (statusCode !== 200 && statusCode !== 304) return reject(new Error(`${pathFor(ticker)} was answered ${statusCode}`))
            const stages = stagesOf(String(told['server-timing'] ?? ''))
            resolve({ ms: performance.now() - began, bytes, stages, release: String(told['x-release']) })
          })
        })
        request.on('error', reject)
      }),
    close: () => agent.destroy(),
  }
}

const stagesOf = (header: string): Readonly<Record<string, number>> =>
  Object.fromEntries([...header.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, stage, ms]) => [stage, Number(ms)]))
