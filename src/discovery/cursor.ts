import { isDay, Refusal } from '../core/index.ts'

/** Where a page of the updates feed ended, and what was asked for when the first page was. */
export interface Cursor {
  readonly since: string | null
  readonly published_since: string | null
  readonly category: string | null
  /** Place of the last publication told, as `placeOf` writes it. */
  readonly place: string
}

const VERSION = 2
const PLACE = /^\d{8}T\d{9}Z(-preview)? [a-z0-9-]{1,100}$/

export const writeCursor = ({ since, published_since, category, place }: Cursor): string =>
  Buffer.from(JSON.stringify([VERSION, since, published_since, category, place])).toString('base64url')

/** @throws Refusal invalid_cursor for anything `writeCursor` does not write */
export function readCursor(text: string): Cursor {
  const fields = parsed(text)
  if (!Array.isArray(fields)) throw new Refusal('invalid_cursor')
  const [version, since, published_since, category, place] = fields
  const sound = version === VERSION && isDayOrNull(since) && isTextOrNull(published_since) && isTextOrNull(category)
  if (!sound || typeof place !== 'string' || !PLACE.test(place)) throw new Refusal('invalid_cursor')
  const cursor = { since, published_since, category, place }
  // Another spelling of the same bytes is not one we gave out.
  if (writeCursor(cursor) !== text) throw new Refusal('invalid_cursor')
  return cursor
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'
const isDayOrNull = (value: unknown): value is string | null => value === null || (typeof value === 'string' && isDay(value))

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
