import { type TextColumn, textTable } from './read/text-table.ts'
import { visibleLines } from './read/visible.ts'

/** Exit codes: done, refused by a check, misused. */
export const EXIT = { done: 0, refused: 1, misused: 2 } as const

/** Lines on standard output, in which nothing steers the terminal. */
export const print = (lines: string): void => console.log(visibleLines(lines))

/** Lines on the error stream, in which nothing steers the terminal. */
export const say = (lines: string): void => console.error(visibleLines(lines))

/** A piece of data on standard output: as it is, but where that is a terminal nothing steers it. */
export const write = (piece: string): void => void process.stdout.write(process.stdout.isTTY ? visibleLines(piece) : piece)

/** One JSON document on stdout, for programs. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** Rows as columns padded to their widest cell; the first row is the heading. */
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

/** Cells of a line on standard output: of the terminal, else what COLUMNS says, else without an end. */
export const lineWidth = (): number => process.stdout.columns ?? (Number(process.env['COLUMNS']) || Number.POSITIVE_INFINITY)

/** A table that fits the line; what it leaves out is said on the error stream. */
export function printFitted(columns: readonly TextColumn[], rows: readonly (readonly unknown[])[]): void {
  const { lines, leftOut } = textTable(columns, rows, lineWidth())
  for (const line of lines) print(line)
  if (leftOut.length > 0) say(`Not shown for want of room: ${leftOut.join(', ')}.`)
}
