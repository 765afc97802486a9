import type { Column, NestedShape } from './column.ts'

/**
 * Additional member of object columns in Arrow and Parquet. Contains the value as JSON text if the
 * declared members cannot contain the whole value. Otherwise null.
 */
export const JSON_MEMBER = '_json'

/** Returns the shape of a column in Arrow and Parquet. Undefined for a plain column. */
export function sentShape({ type, shape }: Pick<Column, 'type' | 'shape'>): NestedShape | undefined {
  if (type !== 'json' || shape === undefined) return undefined
  return 'members' in shape ? { members: { ...shape.members, [JSON_MEMBER]: 'text' } } : shape
}
