/** Value of a cell in JSON. */
export type Cell = string | number | boolean | null | readonly Cell[]
/** A row of a read. This module uses no DOM, so tests can import it. */
export type Row = Readonly<Record<string, Cell>>
