import { JSON_MEMBER, type JsonScalar, type JsonShape, type NestedShape, sentShape } from '../../catalog/index.ts'
import type { BatchColumn } from './batches.ts'
import type { RowSet } from './encoder.ts'

/** Metadata of answers with LIST and STRUCT columns. Empty for other answers. */
export const nestedMark = ({ columns, names }: RowSet): readonly (readonly [key: string, value: string])[] =>
  names.some(name => sentShape(columns[name]!) !== undefined) ? [['twmd.nested', 'list_struct']] : []

const SCALARS: Readonly<Record<JsonScalar, string>> = { text: 'string', number: 'number', boolean: 'boolean' }

export function nestedValues({ nulls, valid, items, ends }: BatchColumn, rows: number, shape: NestedShape): readonly unknown[] {
  const bytes = Buffer.from(items.buffer as ArrayBuffer, items.byteOffset, items.byteLength)
  let parsedText = ''
  let parsed: unknown = null
  return Array.from({ length: rows }, (_, row) => {
    if (nulls > 0 && ((valid[row >> 3]! >> (row & 7)) & 1) === 0) return null
    const text = bytes.toString('utf8', ends[row], ends[row + 1])
    if (text !== parsedText) parsed = nestedValue(text, shape)
    parsedText = text
    return parsed
  })
}

/**
 * Converts JSON text to values. If a member does not fit the shape, `JSON_MEMBER` contains the
 * whole text.
 *
 * @param shape result of `sentShape`
 */
function nestedValue(text: string, shape: NestedShape): unknown {
  const value: unknown = JSON.parse(text)
  if (fits(value, shape)) return value
  if ('members' in shape) return { ...(fitting(value, shape) as object | null), [JSON_MEMBER]: text }
  return shape.list === 'text' ? [text] : null
}

function fits(value: unknown, shape: JsonShape): boolean {
  if (value === null) return true
  if (typeof shape === 'string') return typeof value === SCALARS[shape] && isExact(value)
  if ('list' in shape) return Array.isArray(value) && value.every(element => fits(element, shape.list))
  if (typeof value !== 'object' || Array.isArray(value)) return false
  return Object.entries(value).every(([name, member]) => {
    const declared = name !== JSON_MEMBER && Object.hasOwn(shape.members, name) ? shape.members[name] : undefined
    return declared !== undefined && fits(member, declared)
  })
}

/** False for numbers beyond the range of a double, and for texts that UTF-8 cannot represent. */
const isExact = (value: unknown): boolean =>
  typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value)

function fitting(value: unknown, shape: JsonShape): unknown {
  if (fits(value, shape)) return value
  if (typeof shape === 'string' || 'list' in shape || typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      name !== JSON_MEMBER && Object.hasOwn(shape.members, name) ? [[name, fitting(member, shape.members[name]!)]] : [],
    ),
  )
}
