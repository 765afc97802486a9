import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBucket, type Log } from '../../core/index.ts'

/** Idle connections of one address, as a share of all connections. */
const SHARE = 1 / 4
/** Beyond this share of all connections, a new one replaces an idle one. */
const CROWDED = 7 / 8
/** Requests on one connection that are not over: clients that send the next before an answer came send a few. */
const MOST_REQUESTS = 32
/** Milliseconds between log lines about refused connections. */
const SAID_EVERY_MS = 60_000

/** An open connection. */
interface Connection {
  readonly socket: Socket
  readonly address: string
  /** Requests that arrived and are not over. */
  requests: number
  /** Those of them whose body has not arrived. */
  unfinished: number
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
 * Bounds the connections of a server, in total and idle ones by address (an IPv6 /64), so that descriptors are left for files. An idle
 * connection has no complete request: it is new, has sent part of a head or of a body, or is kept alive after an answer. A refused one that
 * waits for its refusal counts as idle too. Connections beyond a bound are closed. Once an eighth of the total is left, a new connection replaces the oldest idle
 * one of the address that holds the most, so idle connections of many addresses never keep new callers out. A connection with more
 * requests in its queue than any client sends is closed with all of them, because each takes memory until its turn.
 *
 * @param most connections in total; reduced to half of the process's descriptors
 */
export function boundConnections(server: Server, most: number, log: Log): void {
  server.maxConnections = Math.max(1, Math.min(most, Math.floor(openFilesLimit() / 2)))
  const mostIdle = Math.max(1, Math.floor(server.maxConnections * SHARE))
  const crowded = Math.max(1, Math.floor(server.maxConnections * CROWDED))
  let open = 0
  /** Idle connections by address, oldest first. */
  const idle = new Map<string, Set<Connection>>()
  const [say, sayLine] = [createRefusalLog(log, 'connections refused'), createRefusalLog(log, 'requests in line refused')]
  const count = (connection: Connection): void => {
    const { address, isCounted, requests, unfinished, rests, closed } = connection
    connection.isCounted = !closed && (requests === unfinished || rests)
    if (connection.isCounted === isCounted) return
    const ofAddress = idle.get(address) ?? new Set()
    if (isCounted) ofAddress.delete(connection)
    else ofAddress.add(connection)
    if (ofAddress.size === 0) idle.delete(address)
    else idle.set(address, ofAddress)
  }
  /** Closes the oldest idle connection of the address that holds the most, unless that is the address of the new one. */
  const makeRoomFor = (address: string): void => {
    let largest: ReadonlySet<Connection> = idle.get(address) ?? new Set()
    for (const ofAddress of idle.values()) if (ofAddress.size > largest.size) largest = ofAddress
    const [oldest] = largest
    if (oldest === undefined || oldest.address === address) return
    say(oldest.socket.remoteAddress, crowded)
    oldest.socket.destroy()
  }
  server.on('drop', drop => say(drop?.remoteAddress, server.maxConnections))
  server.prependListener('connection', socket => {
    const address = addressBucket(socket.remoteAddress ?? '')
    if ((idle.get(address)?.size ?? 0) >= mostIdle) {
      say(socket.remoteAddress, mostIdle)
      return void socket.destroy()
    }
    if (open >= crowded) makeRoomFor(address)
    const connection: Connection = {
      socket,
      address,
      requests: 0,
      unfinished: 0,
      line: [],
      rests: false,
      closed: false,
      isCounted: false,
      count: () => count(connection),
    }
    open++
    connections.set(socket, connection)
    count(connection)
    socket.once('close', () => {
      open--
      connection.closed = true
      count(connection)
    })
  })
  const arrived = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const connection = connections.get(socket)
    if (!connection) return
    connection.requests++
    const finished = hasBody(request) ? awaitBody(connection, request) : () => {}
    count(connection)
    if (connection.requests > MOST_REQUESTS && !socket.destroyed) {
      sayLine(socket.remoteAddress, MOST_REQUESTS)
      socket.destroy()
    }
    response.on('close', () => {
      finished()
      connection.requests--
      count(connection)
      if (!connection.closed) connection.line.shift()?.()
    })
  }
  server.prependListener('request', arrived)
  // Requests with an Expect of their own kind are handed over apart.
  server.prependListener('checkExpectation', arrived)
}

/** The headers of a GET are not parsed for this: nothing waits for its body. */
const hasBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'GET' && method !== 'HEAD' && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)

/** Counts a request as unfinished until its body has arrived. @returns ends that earlier; idempotent */
function awaitBody(connection: Connection, request: IncomingMessage): () => void {
  let waits = true
  connection.unfinished++
  const finished = (): void => {
    if (!waits) return
    waits = false
    connection.unfinished--
    connection.count()
  }
  request.once('end', finished)
  return finished
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

/** Hands requests to the framework one at a time for each connection. */
export function serveInLine(server: Server): void {
  const [framework] = server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void]
  server.removeListener('request', framework)
  server.on('request', (request, response) => {
    if (!waitsInLine(request, () => framework(request, response))) framework(request, response)
  })
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
