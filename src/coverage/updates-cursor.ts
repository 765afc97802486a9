import { SERVED_FAMILIES } from '../../catalog/index.ts'
import { isDay, momentOf, Refusal, taipei } from '../core/index.ts'

/** Values of `category`. `monthly_revenue` has no dataset yet. */
export const UPDATE_CATEGORIES = [...SERVED_FAMILIES, 'monthly_revenue'] as const
export type UpdateCategory = (typeof UPDATE_CATEGORIES)[number]

/** Minimum day of data of an entry, by category; no minimum for missing categories. */
export type Floors = Readonly<Partial<Record<UpdateCategory, string>>>

/** The end of a page of the feed, with the parameters of the first page. */
export interface UpdatesCursor {
  /** RFC 3339 in Taipei, to the millisecond. */
  readonly published_since: string | null
  readonly category: UpdateCategory | null
  /** Slug of the requested dataset; null for all. */
  readonly dataset: string | null
  readonly floors: Floors
  /** Position of the last entry on the page, from `placeOf`. */
  readonly place: string
}

const VERSION = 3
const SLUG = /^[a-z0-9-]{1,100}$/
const PLACE = /^\d{8}T\d{9}Z(-preview)? [a-z0-9-]{1,100}$/

export const writeUpdatesCursor = ({ published_since, category, dataset, floors, place }: UpdatesCursor): string => {
  const days = UPDATE_CATEGORIES.map(name => floors[name] ?? null)
  const fields = [VERSION, published_since, category, days, place, ...(dataset === null ? [] : [dataset])]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** @throws Refusal invalid_cursor for anything `writeUpdatesCursor` does not produce */
export function readUpdatesCursor(text: string): UpdatesCursor {
  const cursor = cursorOf(parsed(text))
  // Base64 has several encodings of the same bytes. Only the canonical one is issued.
  if (cursor === undefined || writeUpdatesCursor(cursor) !== text) throw new Refusal('invalid_cursor')
  return cursor
}

function cursorOf(fields: unknown): UpdatesCursor | undefined {
  if (!Array.isArray(fields)) return undefined
  const [version, published_since, category, days, place, dataset = null] = fields
  if (version !== VERSION || typeof place !== 'string' || !PLACE.test(place)) return undefined
  if (dataset !== null && (typeof dataset !== 'string' || !SLUG.test(dataset))) return undefined
  if (!isInstantOrNull(published_since) || !isCategoryOrNull(category) || !areDaysOf(category, days)) return undefined
  return { published_since, category, dataset, floors: floorsOf(days), place }
}

const floorsOf = (days: readonly (string | null)[]): Floors =>
  Object.fromEntries(UPDATE_CATEGORIES.flatMap((name, index) => (days[index] == null ? [] : [[name, days[index]]])))

function isInstantOrNull(value: unknown): value is string | null {
  const moment = typeof value === 'string' ? momentOf(value) : null
  return value === null || (moment !== null && taipei(moment) === value)
}

const isCategoryOrNull = (value: unknown): value is UpdateCategory | null =>
  value === null || UPDATE_CATEGORIES.some(category => category === value)

/**
 * Validates a day or null per category. With a requested category, other categories must be null.
 */
const areDaysOf = (requested: UpdateCategory | null, value: unknown): value is readonly (string | null)[] =>
  Array.isArray(value) &&
  value.length === UPDATE_CATEGORIES.length &&
  value.every((day, index) => {
    const category = UPDATE_CATEGORIES[index]
    return day === null || ((requested ?? category) === category && typeof day === 'string' && isDay(day))
  })

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
