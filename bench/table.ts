import { availableParallelism, cpus, totalmem } from 'node:os'

/** Limits of the ratio to the reference. Without a reference, limits of the value. */
export interface Goal {
  readonly atMost?: number
  readonly atLeast?: number
}

export interface Line {
  readonly name: string
  readonly measured: number
  /** Reference value, measured in the same run. */
  readonly against?: number
  readonly unit: string
  readonly goal?: Goal
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export function tableOf(lines: readonly Line[]): string {
  const cells = [['name', 'measured', 'against', 'ratio', 'goal', 'held'], ...lines.map(cellsOf)]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map(row => row[column]!.length)))
  const rows = cells.map(row => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`)
  return [rows[0], `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...rows.slice(1)].join('\n')
}

function cellsOf({ name, measured, against, unit, goal }: Line): readonly string[] {
  const ratio = against === undefined ? undefined : measured / against
  return [
    name,
    `${digits(measured)} ${unit}`,
    against === undefined ? '' : `${digits(against)} ${unit}`,
    ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    goal ? `${goal.atMost === undefined ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`}${ratio === undefined ? ` ${unit}` : 'x'}` : '',
    goal ? (holds(ratio ?? measured, goal) ? 'yes' : 'NO') : '',
  ]
}

const holds = (value: number, { atMost = Number.POSITIVE_INFINITY, atLeast = 0 }: Goal): boolean => value <= atMost && value >= atLeast

const digits = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3))

export function machine(duckdb: string): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`
  return `${cores}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, DuckDB ${duckdb}`
}
