import type { Socket } from 'node:net'

let corked: Socket[] = []

/**
 * Delays output until the next tick. A client that waits for several responses then wakes up once.
 */
export function leaveTogether(socket: Socket): void {
  socket.cork()
  if (corked.push(socket) === 1) process.nextTick(uncork)
}

function uncork(): void {
  const sockets = corked
  corked = []
  for (const socket of sockets) socket.uncork()
}
