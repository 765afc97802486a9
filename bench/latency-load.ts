import { connect, type Socket } from 'node:net'
import { answer } from './child.ts'

/** Open loop: requests are sent on schedule, even if earlier requests are not answered. */
export interface ScheduleOrder {
  readonly url: string
  readonly paths: readonly string[]
  /** Empty if the server requires no key. */
  readonly keys: readonly string[]
  readonly connections: number
  /** Milliseconds between requests, over all connections. Must be whole. */
  readonly everyMs: number
  readonly seconds: number
}

interface Connection {
  readonly socket: Socket
  /** Scheduled times of requests that wait for the connection. */
  readonly due: number[]
  /** Time from which the running request counts. Undefined while no request runs. */
  began: number | undefined
}

/** In milliseconds. Timers use whole milliseconds, so a timer may fire early by this much. */
const EARLY_MS = 0.5
const BUFFER_BYTES = 65_536
const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('content-length: ')

answer({
  /** @returns milliseconds from the scheduled time to the last byte, per request */
  async run({ url, paths, keys, connections, everyMs, seconds }: ScheduleOrder): Promise<readonly number[]> {
    const requests = paths.map((path, index) => requestOf(url, path, keys[index % keys.length]))
    const latencies: number[] = []
    const count = Math.floor((seconds * 1_000) / everyMs)
    const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
    let sent = 0
    const sendNext = (connection: Connection): void => {
      const due = connection.began === undefined ? connection.due.shift() : undefined
      if (due === undefined) return
      connection.began = Math.min(due, performance.now())
      connection.socket.write(requests[sent++ % requests.length]!)
    }
    const opened = Array.from({ length: connections }, (): Connection => {
      const connection: Connection = { socket: openSocket(url, () => answered(connection), reject), due: [], began: undefined }
      return connection
    })
    const answered = (connection: Connection): void => {
      latencies.push(performance.now() - connection.began!)
      connection.began = undefined
      if (latencies.length === count) resolve()
      else sendNext(connection)
    }
    await Promise.all(opened.map(({ socket }) => new Promise<void>(connected => socket.once('connect', () => connected()))))
    const start = performance.now()
    let planned = 0
    const timer = setInterval(() => {
      const now = performance.now()
      for (; planned < count && start + planned * everyMs <= now + EARLY_MS; planned++) {
        const connection = opened[planned % connections]!
        connection.due.push(start + planned * everyMs)
        sendNext(connection)
      }
      if (planned === count) clearInterval(timer)
    }, 1)
    try {
      await finished
    } finally {
      clearInterval(timer)
      for (const { socket } of opened) socket.destroy()
    }
    return latencies
  },
})

function requestOf(url: string, path: string, key: string | undefined): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${new URL(url).hostname}\r\n${key === undefined ? '' : `x-api-key: ${key}\r\n`}\r\n`)
}

/**
 * Opens a connection that counts the bytes of answers and discards them. Allocates no memory per
 * answer, because garbage collections of this process would count as latency.
 */
function openSocket(url: string, answered: () => void, failed: (error: Error) => void): Socket {
  const { hostname, port } = new URL(url)
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let bytesLeft = 0
  const read = (bytes: number): boolean => {
    if (bytesLeft === 0) {
      const size = sizeOf(buffer)
      if (size === null) failed(new Error(`unexpected answer: ${buffer.toString('utf8', 0, bytes)}`))
      bytesLeft = size ?? bytes
    }
    bytesLeft -= bytes
    if (bytesLeft === 0) answered()
    return true
  }
  return connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer, callback: read } }).on('error', failed)
}

/** Returns the size of an answer with its head, in bytes. Null if the status is not 200. */
function sizeOf(buffer: Buffer): number | null {
  if (buffer.toString('latin1', 9, 12) !== '200') return null
  const from = buffer.indexOf(LENGTH) + LENGTH.length
  return buffer.indexOf(HEAD_END) + HEAD_END.length + Number.parseInt(buffer.toString('latin1', from, from + 10), 10)
}
