import type { Socket } from 'node:net'

/** Sockets to uncork after all responses of this turn of the event loop are written. */
let corked: Socket[] = []

/**
 * Corks a socket until all responses of this turn of the event loop are written. The ledger commits
 * many reads together, so their responses are ready together. Sent in one packet, they wake up the
 * client only once.
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
