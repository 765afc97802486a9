import type { Socket } from 'node:net'

let corked: Socket[] = []

/**
 * Holds back the output of a socket until all responses of this turn of the event loop are written.
 * The ledger commits many reads together, so their responses are ready together. If they are sent
 * together, the client wakes up only once.
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
