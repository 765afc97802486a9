/** Rows that tables hold together, those with too few cells to be read included. */
export const heldBy = (tables: readonly { readonly held: number }[]): number => tables.reduce((sum, { held }) => sum + held, 0)
