import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBucket, type Log } from '../../core/index.ts'

/** Maximum share of the connections for one address. */
const SHARE = 1 / 4
/** When this share of the connections is in use, new connections replace idle connections. */
const CROWDED = 7 / 8
/** Maximum number of unanswered requests per connection. Normal pipelining needs fewer. */
const MOST_REQUESTS = 32
/** Minimum interval between log lines about refused connections. */
const SAID_EVERY_MS = 60_000

/** Responses that have not ended, oldest first. */
const running = new WeakMap<Socket, ServerResponse[]>()

export interface ConnectionBounds {
  /** Maximum number of connections. Half of the file descriptors is a second limit. */
  readonly most: number
  /** True if all connections come from proxies. If true, there is no limit per address. */
  readonly proxied: boolean
  readonly isBlocked: (address: string) => boolean
}

/**
 * Limits connections in total and per address, so that file descriptors remain. If most connections
 * are in use, new connections replace idle connections. A connection with an incomplete request
 * counts as idle.
 */
export function boundConnections(server: Server, { most, proxied, isBlocked }: ConnectionBounds, log: Log): void {
  server.maxConnections = Math.max(1, Math.min(most, Math.floor(openFilesLimit() / 2)))
  const mostOfOne = proxied ? server.maxConnections : Math.max(1, Math.floor(server.maxConnections * SHARE))
  const crowded = Math.max(1, Math.floor(server.maxConnections * CROWDED))
  /** By address, oldest first. */
  const open = new Map<string, Set<Socket>>()
  let total = 0
  const [say, sayLine] = [createRefusalLog(log, 'connections refused'), createRefusalLog(log, 'requests in line refused')]
  const makeRoomFor = (address: string): void => {
    let oldest: Socket | undefined
    let largest = open.get(address)?.size ?? 0
    for (const sockets of open.values()) {
      const idle = sockets.size > largest ? oldestIdle(sockets) : undefined
      if (idle) [oldest, largest] = [idle, sockets.size]
    }
    if (!oldest) return
    say(oldest.remoteAddress, crowded)
    oldest.destroy()
  }
  server.on('drop', drop => say(drop?.remoteAddress, server.maxConnections))
  server.prependListener('connection', socket => {
    const address = addressBucket(socket.remoteAddress ?? '')
    const ofAddress = open.get(address) ?? new Set()
    if (ofAddress.size >= mostOfOne || isBlocked(socket.remoteAddress ?? '')) {
      say(socket.remoteAddress, mostOfOne)
      return void socket.destroy()
    }
    if (total >= crowded) makeRoomFor(address)
    total++
    open.set(address, ofAddress.add(socket))
    running.set(socket, [])
    socket.once('close', () => {
      total--
      ofAddress.delete(socket)
      if (ofAddress.size === 0) open.delete(address)
    })
  })
  const arrived = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const answers = running.get(socket)
    if (!answers) return
    answers.push(response)
    response.on('close', removeClosed)
    if (answers.length <= MOST_REQUESTS || socket.destroyed) return
    sayLine(socket.remoteAddress, MOST_REQUESTS)
    socket.destroy()
  }
  server.prependListener('request', arrived)
  // Node emits only this event for an unknown Expect header.
  server.prependListener('checkExpectation', arrived)
}

function removeClosed(this: ServerResponse): void {
  const answers = running.get(this.req.socket)!
  const index = answers.indexOf(this)
  if (index !== -1) answers.splice(index, 1)
}

function oldestIdle(sockets: ReadonlySet<Socket>): Socket | undefined {
  for (const socket of sockets) if (!answersOn(socket).some(({ req }) => req.complete)) return socket
  return undefined
}

/** Responses that have not ended, oldest first. */
export const answersOn = (socket: Socket): readonly ServerResponse[] => running.get(socket) ?? []

/** Logs at most one line a minute. */
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

/** Infinity if the system does not report a limit. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
