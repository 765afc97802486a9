import { type Dataset, SERVED_FAMILIES } from '../../catalog/index.ts'
import { isDay, momentOf, Refusal, taipei } from '../core/index.ts'

/** A family of datasets, or a dataset that has its own category. */
export const UPDATE_CATEGORIES = [...SERVED_FAMILIES, 'monthly_revenue'] as const
export type UpdateCategory = (typeof UPDATE_CATEGORIES)[number]

/** Datasets of the family `internal` are never served. */
export const categoryOf = ({ id, family }: Dataset): UpdateCategory =>
  UPDATE_CATEGORIES.find(category => category === id) ?? (family as UpdateCategory)

/** A dataset with a category of its own also belongs to its family. */
export const isIn = (category: UpdateCategory, dataset: Dataset): boolean => category === categoryOf(dataset) || category === dataset.family

const comparedIn = (category: UpdateCategory | null): readonly UpdateCategory[] => {
  if (category === null) return UPDATE_CATEGORIES
  return category === 'financial_statements' ? [category, 'monthly_revenue'] : [category]
}

export const floorsIn = (category: UpdateCategory | null, floors: Floors): Floors =>
  Object.fromEntries(comparedIn(category).flatMap(name => (floors[name] === undefined ? [] : [[name, floors[name]]])))

/** First day of data per category. */
export type Floors = Readonly<Partial<Record<UpdateCategory, string>>>

/** Start of the next page, with the parameters of the first page. */
export interface UpdatesCursor {
  /** RFC 3339 in Taipei, with milliseconds. */
  readonly published_since: string | null
  readonly category: UpdateCategory | null
  /** Slug. Null for all datasets. */
  readonly dataset: string | null
  readonly floors: Floors
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

/** @throws Refusal invalid_cursor for any text that `writeUpdatesCursor` does not write */
export function readUpdatesCursor(text: string): UpdatesCursor {
  const cursor = cursorOf(parsed(text))
  // Several base64 texts decode to the same bytes, but only one text is accepted.
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

const areDaysOf = (requested: UpdateCategory | null, value: unknown): value is readonly (string | null)[] =>
  Array.isArray(value) &&
  value.length === UPDATE_CATEGORIES.length &&
  value.every(
    (day, index) => day === null || (comparedIn(requested).includes(UPDATE_CATEGORIES[index]!) && typeof day === 'string' && isDay(day)),
  )

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
