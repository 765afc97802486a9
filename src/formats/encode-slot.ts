/**
 * Number of event loop iterations between two pieces of long answers. A short request needs this
 * many iterations from its first byte to its response. So a short request that arrives while a
 * piece is encoded gets its response before the next piece is encoded.
 */
const ROUNDS = 3

const waiting: (() => void)[] = []
let roundsLeft = 0

/**
 * Waits until the next piece of a long answer may be encoded. All long answers share these slots.
 */
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
