import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressBucket, type Log } from '../../core/index.ts'

/** Idle connections of one address, as a share of all connections. */
const SHARE = 1 / 4
/** Milliseconds between log lines about refused connections. */
const SAID_EVERY_MS = 60_000

/**
 * Bounds the connections of a server, in all and idle ones by address (an IPv6 /64), so that descriptors are left for files. A connection
 * beyond is closed at once. An idle one has no request: it is new, sends headers still, or is kept alive after an answer.
 *
 * @param most connections in all; fewer where half of the process's descriptors are fewer
 */
export function boundConnections(server: Server, most: number, log: Log): void {
  server.maxConnections = Math.max(1, Math.min(most, Math.floor(openFilesLimit() / 2)))
  const mostIdle = Math.max(1, Math.floor(server.maxConnections * SHARE))
  const idle = new Map<string, number>()
  const count = (address: string, change: 1 | -1): void => {
    const now = (idle.get(address) ?? 0) + change
    if (now === 0) idle.delete(address)
    else idle.set(address, now)
  }
  const connections = new WeakMap<Socket, { readonly address: string; requests: number; closed: boolean }>()
  const say = createRefusalLog(log)
  server.on('drop', drop => say(drop?.remoteAddress, server.maxConnections))
  server.prependListener('connection', socket => {
    const address = addressBucket(socket.remoteAddress ?? '')
    if ((idle.get(address) ?? 0) >= mostIdle) {
      say(socket.remoteAddress, mostIdle)
      return void socket.destroy()
    }
    const connection = { address, requests: 0, closed: false }
    connections.set(socket, connection)
    count(address, 1)
    socket.once('close', () => {
      connection.closed = true
      if (connection.requests === 0) count(address, -1)
    })
  })
  server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (!connection || connection.closed) return
    if (connection.requests++ === 0) count(connection.address, -1)
    response.on('close', () => {
      if (--connection.requests === 0 && !connection.closed) count(connection.address, 1)
    })
  })
}

/** One line a minute, however many connections are refused. */
function createRefusalLog(log: Log): (address: string | undefined, limit: number) => void {
  let [refused, silentUntil] = [0, Number.NEGATIVE_INFINITY]
  return (address, limit) => {
    refused++
    if (performance.now() < silentUntil) return
    log('connections refused', { address: address ?? null, limit, refused })
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
