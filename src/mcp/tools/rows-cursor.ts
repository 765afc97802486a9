import { createHash } from 'node:crypto'
import { Refusal } from '../../core/index.ts'

/** Where a page of rows ended. */
export interface RowsPlace {
  /** Rows before the next one. */
  readonly offset: number
  /** All pages are of this release; null for a dataset without one. */
  readonly release: string | null
  /** Rows in all, counted with the first page; null where that takes too long. */
  readonly total: number | null
}

const VERSION = 1

const digestOf = (question: unknown): string => createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 16)

/** @param question what was asked, which the next page must ask as well */
export const writeRowsCursor = ({ offset, release, total }: RowsPlace, question: unknown): string =>
  Buffer.from(JSON.stringify([VERSION, digestOf(question), offset, release, total])).toString('base64url')

/** @throws Refusal invalid_cursor for anything else, and for a cursor of another question */
export function readRowsCursor(text: string, question: unknown): RowsPlace {
  const place = placeOf(text, digestOf(question))
  if (place === undefined) throw new Refusal('invalid_cursor')
  return place
}

function placeOf(text: string, digest: string): RowsPlace | undefined {
  try {
    const [version, of, offset, release, total] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as readonly unknown[]
    const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
    if (version !== VERSION || of !== digest || !isWhole(offset)) return undefined
    if ((release !== null && typeof release !== 'string') || (total !== null && !isWhole(total))) return undefined
    return { offset, release, total }
  } catch {
    return undefined
  }
}
