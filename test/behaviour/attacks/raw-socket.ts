import { connect, type Socket } from 'node:net'
import { answerOf } from './audited.ts'
import type { Answer } from './target.ts'

/** What came over one connection. */
export interface Exchange {
  readonly answers: readonly Answer[]
  /** Bytes behind the last whole answer. */
  readonly rest: string
  /** True where the other side ended the connection; false where the wait was over. */
  readonly ended: boolean
}

/** Opens a connection, from another loopback address where one is named. Errors of it are left to who waits for its end. */
export function openSocket({ hostname, port }: URL, localAddress?: string): Socket {
  const socket = connect({ host: hostname, port: Number(port), ...(localAddress !== undefined && { localAddress }) })
  socket.on('error', () => {}).setNoDelay(true)
  return socket
}

/** Writes pieces as they are, one after the other, and reads until the connection ends, or `waitMs` pass with nothing coming. */
export function exchangeRaw(url: URL, pieces: readonly (string | Buffer)[], waitMs: number): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  const came: Buffer[] = []
  const socket = openSocket(url)
  const done = (ended: boolean): void => {
    clearTimeout(timer)
    socket.destroy()
    resolve({ ...answersIn(Buffer.concat(came).toString('latin1')), ended })
  }
  let timer = setTimeout(() => done(false), waitMs)
  const [first = '', ...more] = pieces
  socket.once('connect', () => {
    socket.write(first as string, 'latin1')
    for (const [index, piece] of more.entries())
      setTimeout(() => socket.writable && socket.write(piece as string, 'latin1'), 20 * (index + 1)).unref()
  })
  socket.on('data', bytes => {
    came.push(Buffer.from(bytes))
    clearTimeout(timer)
    timer = setTimeout(() => done(false), waitMs)
  })
  socket.once('close', () => done(true))
  return promise
}

/** Whole answers, each with a length or in chunks, and what is left behind the last. */
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
