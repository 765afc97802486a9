import { connect, type Socket } from 'node:net'
import { answerOf } from './audited.ts'
import type { Answer } from './target.ts'

/** Data received over one connection. */
export interface Exchange {
  readonly answers: readonly Answer[]
  /** Bytes after the last complete answer. */
  readonly rest: string
  /** True if the service ended the connection. False if the wait ended first. */
  readonly ended: boolean
}

/**
 * Opens a connection, optionally from another loopback address. Errors only appear as the end of
 * the connection.
 */
export function openSocket({ hostname, port }: URL, localAddress?: string): Socket {
  const socket = connect({ host: hostname, port: Number(port), ...(localAddress !== undefined && { localAddress }) })
  socket.on('error', () => {}).setNoDelay(true)
  return socket
}

/**
 * Writes the pieces in order and unchanged. Reads until the connection ends, or until no data
 * arrives for `waitMs`.
 *
 * @param localAddress loopback address to connect from; default: the system chooses
 */
export function exchangeRaw(url: URL, pieces: readonly (string | Buffer)[], waitMs: number, localAddress?: string): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const received: Buffer[] = []
  const socket = openSocket(url, localAddress)
  const finish = (ended: boolean): void => {
    clearTimeout(timer)
    socket.destroy()
    resolve({ ...answersIn(Buffer.concat(received).toString('latin1')), ended })
  }
  let timer = setTimeout(() => finish(false), waitMs)
  const [first = '', ...more] = pieces
  socket.once('connect', () => {
    socket.write(first as string, 'latin1')
    for (const [index, piece] of more.entries())
      setTimeout(() => socket.writable && socket.write(piece as string, 'latin1'), 20 * (index + 1)).unref()
  })
  socket.on('data', bytes => {
    received.push(Buffer.from(bytes))
    clearTimeout(timer)
    timer = setTimeout(() => finish(false), waitMs)
  })
  socket.once('close', () => finish(true))
  return promise
}

/** Complete answers, and the bytes after the last one. */
function answersIn(text: string): Omit<Exchange, 'ended'> {
  const answers: Answer[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(rest)?.[1]
    if (end === -1 || status === undefined) return { answers, rest }
    const lines = rest.slice(0, end).split('\r\n').slice(1)
    const headers = Object.fromEntries(
      lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const length = Number(headers['content-length'] ?? 0)
    if (rest.length < end + 4 + length) return { answers, rest }
    answers.push(answerOf(Number(status), headers, rest.slice(end + 4, end + 4 + length)))
    rest = rest.slice(end + 4 + length)
  }
}
