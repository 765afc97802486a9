import type { Column, NestedShape } from './column.ts'

export const JSON_MEMBER = '_json'

/** Returns the shape of a column in Arrow and Parquet. Undefined for a plain column. */
export function sentShape({ type, shape }: Pick<Column, 'type' | 'shape'>): NestedShape | undefined {
  if (type !== 'json' || shape === undefined) return undefined
  return 'members' in shape ? { members: { ...shape.members, [JSON_MEMBER]: 'text' } } : shape
}
