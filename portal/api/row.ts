export type Cell = string | number | boolean | null | readonly Cell[]
/** This module does not use the DOM, so tests can import it. */
export type Row = Readonly<Record<string, Cell>>
