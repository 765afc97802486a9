import { connect } from 'node:net'
import { SLUG } from './data.ts'
import type { Served } from './server.ts'

export const pathFor = (ticker: string): string => `/v2/datasets/${SLUG}?symbol=${ticker}`

export interface Answer {
  /** Time from the request to the last byte, in ms. */
  readonly ms: number
  readonly bytes: number
  /** Duration of each stage in ms, as reported by the service. */
  readonly stages: Readonly<Record<string, number>>
  readonly release: string
}

export interface Reader {
  read(ticker: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  close(): void
}

interface Arriving {
  readonly path: string
  readonly began: number
  readonly pieces: Buffer[]
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/**
 * Uses a socket, because an HTTP client would spend time on parsing headers.
 *
 * @throws Error from `read` for a status other than 200 and 304
 */
export function openReader({ url, keys }: Served, pathOf = pathFor): Reader {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let [turn, size, got] = [0, 0, 0]
  let arriving: Arriving | undefined
  socket.on('data', (bytes: Buffer) => {
    const answer = arriving!
    if (answer.pieces.length === 0) size = sizeOf(bytes)
    answer.pieces.push(bytes)
    got += bytes.length
    if (got < size) return
    const ms = performance.now() - answer.began
    arriving = undefined
    take(answer, ms)
  })
  socket.on('error', error => arriving?.reject(error))
  return {
    read: (ticker, headers = {}) =>
      new Promise((resolve, reject) => {
        const path = pathOf(ticker)
        const key = keys.length > 0 ? { 'x-api-key': keys[turn++ % keys.length]! } : {}
        const lines = Object.entries({ host: hostname, ...key, ...headers })
        const request = `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
        got = 0
        arriving = { path, began: performance.now(), pieces: [], resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

function sizeOf(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n') + 4
  return end + Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1] ?? 0)
}

function take({ path, pieces, resolve, reject }: Arriving, ms: number): void {
  const all = Buffer.concat(pieces)
  const end = all.indexOf('\r\n\r\n')
  const head = all.toString('latin1', 0, end)
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? []
  if (status !== '200' && status !== '304') return reject(new Error(`${path} was answered ${status}: ${all.toString('utf8', end + 4)}`))
  const told = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? ''
  resolve({ ms, bytes: all.length - end - 4, stages: stagesOf(told('server-timing')), release: told('x-release') })
}

const stagesOf = (header: string): Readonly<Record<string, number>> =>
  Object.fromEntries([...header.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, stage, ms]) => [stage, Number(ms)]))
