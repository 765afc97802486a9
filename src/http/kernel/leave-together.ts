import type { Socket } from 'node:net'

/** Sockets whose answers wait until all answers that are ready now are made. */
let corked: Socket[] = []

/**
 * Holds what is written to a socket until every answer of this turn is made. The uses of many reads are committed together, so their answers
 * are ready together, and a client that is woken by one of them finds the others there.
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
