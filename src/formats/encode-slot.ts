/** A short request needs this many turns of the event loop. */
const ROUNDS = 3

const waiting: (() => void)[] = []
let roundsLeft = 0

/** Waits until the next piece of a long answer may be encoded. */
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
