import type { Column, NestedShape } from './column.ts'

/**
 * Member that Arrow and Parquet add to object columns. It contains the JSON text of the whole value
 * if the declared members cannot hold all of it, otherwise null.
 */
export const JSON_MEMBER = '_json'

/** The shape of a column in Arrow and Parquet. Undefined if the column is not nested there. */
export function sentShape({ type, shape }: Pick<Column, 'type' | 'shape'>): NestedShape | undefined {
  if (type !== 'json' || shape === undefined) return undefined
  return 'members' in shape ? { members: { ...shape.members, [JSON_MEMBER]: 'text' } } : shape
}
