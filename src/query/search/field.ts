/** Where a search found what it looked for, the most telling first. */
export const FIELDS = ['code', 'name', 'description'] as const
export type Field = (typeof FIELDS)[number]
