/**
 * Iterations of the event loop between two pieces of long answers. A short request needs this many
 * iterations from its first byte to its response. A request that arrives while a piece is encoded
 * is therefore answered before the next piece.
 */
const ROUNDS = 3

/** Encoders that wait for a slot, in order of arrival. */
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
