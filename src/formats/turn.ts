/**
 * Rounds of the event loop before the next piece is made. A short request is answered in as many, from its bytes to its own: one that came
 * while a piece was made leaves before the next one.
 */
const ROUNDS = 3

/** Who waits to make a piece, in order. */
const waiting: (() => void)[] = []
let left = 0

/**
 * Resolves when one who encodes a long answer may go on: after others of the process had theirs, one a time, however many answers are
 * encoded at once.
 */
export function turn(): Promise<void> {
  return new Promise(resolve => {
    if (waiting.push(resolve) === 1) begin()
  })
}

function begin(): void {
  left = ROUNDS
  setImmediate(goRound)
}

function goRound(): void {
  if (--left > 0) return void setImmediate(goRound)
  waiting.shift()!()
  if (waiting.length > 0) begin()
}
