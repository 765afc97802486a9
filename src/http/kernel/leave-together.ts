import type { Socket } from 'node:net'

let corked: Socket[] = []

/**
 * Delays output until the next tick. The ledger commits many reads together, so one client receives
 * all responses with one wake-up.
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
