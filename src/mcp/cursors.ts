import { createHash } from 'node:crypto'
import { Refusal } from '../core/index.ts'

const VERSION = 2

/** Sorts keys, so that equal arguments give equal texts. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

const digestOf = (args: unknown): string => createHash('sha256').update(canonical(args)).digest('base64url').slice(0, 16)

export type CursorPosition = readonly (number | string | null)[]

/** @param args tool name and arguments, which the next request must repeat */
export const writeCursor = (position: CursorPosition, args: object): string =>
  Buffer.from(JSON.stringify([VERSION, digestOf(args), ...position])).toString('base64url')

/** @throws Refusal invalid_cursor if the cursor was written for other arguments */
export function readCursor(text: string, args: object): CursorPosition {
  const fields = parseFields(text)
  // Several base64 texts decode to the same bytes, but only one text is accepted.
  if (!fields || writeCursor(fields.slice(2) as CursorPosition, args) !== text) throw new Refusal('invalid_cursor')
  return fields.slice(2) as CursorPosition
}

/** @throws Refusal invalid_cursor if the value is not a whole number */
export function wholeNumber(value: CursorPosition[number] | undefined): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Refusal('invalid_cursor')
  return value as number
}

/** @throws Refusal invalid_cursor if the value is neither a text nor null */
export function textOrNull(value: CursorPosition[number] | undefined): string | null {
  if (value !== null && typeof value !== 'string') throw new Refusal('invalid_cursor')
  return value
}

function parseFields(text: string): readonly unknown[] | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(fields) ? fields : undefined
  } catch {
    return undefined
  }
}
