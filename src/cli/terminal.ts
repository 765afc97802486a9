import { type TextColumn, textTable } from './read/text-table.ts'
import { visibleLines } from './read/visible.ts'

/** `refused`: the service refused the request. `misused`: wrong usage. */
export const EXIT = { done: 0, refused: 1, misused: 2 } as const

/** Escapes control characters. */
export const print = (lines: string): void => console.log(visibleLines(lines))

/** Prints to the error stream, with control characters escaped. */
export const say = (lines: string): void => console.error(visibleLines(lines))

/** Escapes control characters if the output is a terminal. */
export const write = (piece: string): void => void process.stdout.write(process.stdout.isTTY ? visibleLines(piece) : piece)

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** The first row is the header. */
export function printTable(rows: readonly (readonly (string | number)[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => String(row[column]).length)))
  for (const row of rows)
    print(
      row
        .map((cell, column) => String(cell).padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}

/** Width of the terminal in cells, or COLUMNS, or no limit. */
export const lineWidth = (): number => process.stdout.columns ?? (Number(process.env['COLUMNS']) || Number.POSITIVE_INFINITY)

/** Prints the names of dropped columns on the error stream. */
export function printFitted(columns: readonly TextColumn[], rows: readonly (readonly unknown[])[]): void {
  const { lines, leftOut } = textTable(columns, rows, lineWidth())
  for (const line of lines) print(line)
  if (leftOut.length > 0) say(`Not shown, because the terminal is too narrow: ${leftOut.join(', ')}.`)
}
