/** Where a search found what it looked for, the most telling first. */
export const FIELDS = ['code', 'name', 'description'] as const
export type Field = (typeof FIELDS)[number]

/** How much words weigh there. */
export const WEIGHTS: Readonly<Record<Field, number>> = { code: 4, name: 3, description: 1 }
