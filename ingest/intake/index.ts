/** A received file to rows, captures and quarantine. */
export { type Arrival, judgeEmpty, readArrival } from './arrival.ts'
export { type Capture, recordCaptures } from './captures.ts'
export { calendarOf, calendarRows } from './closed-days.ts'
export { formatOf, readDrops, sourceOf } from './drop.ts'
export { heldDays } from './held-days.ts'
export { type Piece, piecesOf } from './pieces.ts'
export { quarantine } from './quarantine.ts'
