/**
 * Iterations of the event loop between pieces. A short request needs as many from its first byte to
 * its response. So a request that arrives during a piece is answered before the next piece.
 */
const ROUNDS = 3

/** Encoders that wait for their slot, in order. */
const waiting: (() => void)[] = []
let roundsLeft = 0

/** Waits for the next slot to encode a piece of a long answer. All answers share the slots. */
export function encodeSlot(): Promise<void> {
  return new Promise(resolve => {
    if (waiting.push(resolve) === 1) startRounds()
  })
}

function startRounds(): void {
  roundsLeft = ROUNDS
  setImmediate(nextRound)
}

function nextRound(): void {
  if (--roundsLeft > 0) return void setImmediate(nextRound)
  waiting.shift()!()
  if (waiting.length > 0) startRounds()
}
