import type { Column, NestedShape } from './column.ts'

/**
 * Name of an additional member of object columns in Arrow and Parquet. If the declared members
 * cannot contain the whole value, this member contains the value as JSON text. Otherwise null.
 */
export const JSON_MEMBER = '_json'

/**
 * Returns the shape with which Arrow and Parquet send a column. Undefined for columns without
 * nesting.
 */
export function sentShape({ type, shape }: Pick<Column, 'type' | 'shape'>): NestedShape | undefined {
  if (type !== 'json' || shape === undefined) return undefined
  return 'members' in shape ? { members: { ...shape.members, [JSON_MEMBER]: 'text' } } : shape
}
