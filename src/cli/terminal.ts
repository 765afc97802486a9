/** Exit codes: done, refused by a check, misused. */
export const EXIT = { done: 0, refused: 1, misused: 2 } as const

/** One JSON document on stdout, for programs. */
export const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2))

/** Rows as columns padded to their widest cell; the first row is the heading. */
export function printTable(rows: readonly (readonly (string | number)[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => String(row[column]).length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => String(cell).padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}
