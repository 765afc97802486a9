import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBucket, type Log } from '../../core/index.ts'

/** Idle connections of one address, as a share of all connections. */
const SHARE = 1 / 4
/** Requests on one connection that are not over: clients that send the next before an answer came send a few. */
const MOST_REQUESTS = 32
/** Milliseconds between log lines about refused connections. */
const SAID_EVERY_MS = 60_000

/** What is known of an open connection. */
interface Connection {
  readonly address: string
  /** That arrived and are not over. */
  requests: number
  /** What handles those that wait until the one before is over, in order. */
  readonly line: (() => void)[]
  rests: boolean
  closed: boolean
  /** It is one of the idle ones of its address. */
  isCounted: boolean
  /** Counts it among them, or no more, once something changed. */
  readonly count: () => void
}

const connections = new WeakMap<Socket, Connection>()

/**
 * Bounds the connections of a server, in all and idle ones by address (an IPv6 /64), so that descriptors are left for files. A connection
 * beyond is closed at once. An idle one has no request (it is new, sends headers still, or is kept alive after an answer), or it rests. One
 * with more requests in line than any client sends is closed with all of them: each takes up memory until it is its turn.
 *
 * @param most connections in all; fewer where half of the process's descriptors are fewer
 */
export function boundConnections(server: Server, most: number, log: Log): void {
  server.maxConnections = Math.max(1, Math.min(most, Math.floor(openFilesLimit() / 2)))
  const mostIdle = Math.max(1, Math.floor(server.maxConnections * SHARE))
  const idle = new Map<string, number>()
  const [say, sayLine] = [createRefusalLog(log, 'connections refused'), createRefusalLog(log, 'requests in line refused')]
  const count = (connection: Connection): void => {
    const { address, isCounted, requests, rests, closed } = connection
    connection.isCounted = !closed && (requests === 0 || rests)
    if (connection.isCounted === isCounted) return
    const now = (idle.get(address) ?? 0) + (isCounted ? -1 : 1)
    if (now === 0) idle.delete(address)
    else idle.set(address, now)
  }
  server.on('drop', drop => say(drop?.remoteAddress, server.maxConnections))
  server.prependListener('connection', socket => {
    const address = addressBucket(socket.remoteAddress ?? '')
    if ((idle.get(address) ?? 0) >= mostIdle) {
      say(socket.remoteAddress, mostIdle)
      return void socket.destroy()
    }
    const connection: Connection = {
      ...{ address, requests: 0, line: [], rests: false, closed: false, isCounted: false },
      count: () => count(connection),
    }
    connections.set(socket, connection)
    count(connection)
    socket.once('close', () => {
      connection.closed = true
      count(connection)
    })
  })
  const arrived = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.get(socket)
    if (!connection) return
    connection.requests++
    count(connection)
    if (connection.requests > MOST_REQUESTS && !socket.destroyed) {
      sayLine(socket.remoteAddress, MOST_REQUESTS)
      socket.destroy()
    }
    response.on('close', () => {
      connection.requests--
      count(connection)
      if (!connection.closed) connection.line.shift()?.()
    })
  }
  server.prependListener('request', arrived)
  // Requests with an Expect of their own kind are handed over apart.
  server.prependListener('checkExpectation', arrived)
}

/**
 * Lets a request wait until those before it on its connection are over, so that a connection is no more than one request at a time.
 *
 * @param handle called when it is its turn, unless the connection was closed
 * @returns false where none is before it, and nothing has happened
 */
export function waitsInLine({ socket }: IncomingMessage, handle: () => void): boolean {
  const connection = connections.get(socket)
  if (!connection || connection.requests <= 1) return false
  connection.line.push(handle)
  return true
}

/**
 * Counts a connection as idle although a request runs on it: its caller is kept waiting, and takes up no more of the connections by that
 * than by doing nothing.
 *
 * @returns what ends that
 */
export function rest(socket: Socket): () => void {
  const connection = connections.get(socket)
  // A request that was injected has no connection.
  if (!connection) return () => {}
  const set = (rests: boolean): void => {
    connection.rests = rests
    connection.count()
  }
  set(true)
  return () => set(false)
}

/** One line a minute, however many connections are refused. */
function createRefusalLog(
  log: Log,
  event: 'connections refused' | 'requests in line refused',
): (address: string | undefined, limit: number) => void {
  let [refused, silentUntil] = [0, Number.NEGATIVE_INFINITY]
  return (address, limit) => {
    refused++
    if (performance.now() < silentUntil) return
    log(event, { address: address ?? null, limit, refused })
    refused = 0
    silentUntil = performance.now() + SAID_EVERY_MS
  }
}

/** Descriptors this process may have open; infinite where the system does not tell. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
