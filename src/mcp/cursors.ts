import { createHash } from 'node:crypto'
import { Refusal } from '../core/index.ts'

const VERSION = 2

/** The same text for the same arguments, in whatever order their names were sent. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

const digestOf = (question: unknown): string => createHash('sha256').update(canonical(question)).digest('base64url').slice(0, 16)

/** Where the next page begins, in what the tool needs to go on: numbers, texts and nulls. */
export type Place = readonly (number | string | null)[]

/** @param question every argument that the next page must repeat, and the name of the tool */
export const writeCursor = (place: Place, question: object): string =>
  Buffer.from(JSON.stringify([VERSION, digestOf(question), ...place])).toString('base64url')

/** @throws Refusal invalid_cursor for anything `writeCursor` does not make, and for the cursor of another question */
export function readCursor(text: string, question: object): Place {
  const fields = fieldsOf(text)
  // Base64 allows several spellings of the same bytes; only the canonical one was issued.
  if (!fields || writeCursor(fields.slice(2) as Place, question) !== text) throw new Refusal('invalid_cursor')
  return fields.slice(2) as Place
}

/** A number of items that a page leaves out. @throws Refusal invalid_cursor for anything else */
export function wholeNumber(value: Place[number] | undefined): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Refusal('invalid_cursor')
  return value as number
}

/** @throws Refusal invalid_cursor for what is neither text nor null */
export function textOrNull(value: Place[number] | undefined): string | null {
  if (value !== null && typeof value !== 'string') throw new Refusal('invalid_cursor')
  return value
}

function fieldsOf(text: string): readonly unknown[] | undefined {
  try {
    const fields: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(fields) ? fields : undefined
  } catch {
    return undefined
  }
}
