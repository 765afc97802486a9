import { type Command, InvalidArgumentError, Option } from 'commander'
import { DIFFERENCES, type DifferenceKind, type Differences, type DifferingRow, diffReleases } from '../../../ingest/history/index.ts'
import { keptRelease, type Workspace } from '../../../ingest/publish/index.ts'
import { EXIT, print, write } from '../terminal.ts'
import { datasetNamed, withWorkspace } from '../workspace.ts'

const FORMATS = ['table', 'json', 'csv'] as const

interface Options {
  readonly format: (typeof FORMATS)[number]
  readonly only?: Exclude<DifferenceKind, 'confirmed'>
  readonly provenance?: true
  readonly limit?: number
}

/** Default number of printed rows. The summary counts all rows. */
const TABLE_ROWS = 50

export function diffReleasesCommand(releases: Command, setExitCode: (code: number) => void): void {
  releases
    .command('diff')
    .description('print the row differences between two releases')
    .argument('<dataset>', 'slug, such as bond-yield-curve')
    .argument('[from]', 'older release: id, served, or parent (of the served one)', 'parent')
    .argument('[to]', 'newer release', 'served')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('table'))
    .addOption(new Option('--only <kind>', 'only rows of one kind').choices(DIFFERENCES.filter(kind => kind !== 'confirmed')))
    .option('--provenance', 'also print rows where only the source differs')
    .option('--limit <rows>', `maximum number of rows; default ${TABLE_ROWS} for tables, else all`, rowCount)
    .action(async (slug: string, from: string, to: string, options: Options) =>
      setExitCode(await withWorkspace(workspace => diff(workspace, slug, [from, to], options))),
    )
}

function rowCount(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('Must be a number of rows, 0 or more.')
  return Number(text)
}

async function diff(workspace: Workspace, slug: string, names: readonly [string, string], options: Options): Promise<number> {
  const dataset = datasetNamed(workspace, slug)
  const [from, to] = [await keptRelease(workspace.releases, dataset, names[0]), await keptRelease(workspace.releases, dataset, names[1])]
  const differences = await diffReleases(workspace, dataset, from, to)
  const kinds = options.only ? [options.only] : DIFFERENCES.filter(kind => kind !== 'confirmed' || options.provenance)
  const limit = options.limit ?? (options.format === 'table' ? TABLE_ROWS : undefined)
  await PRINT[options.format](differences, kinds, limit)
  return EXIT.done
}

type Print = (differences: Differences, kinds: readonly DifferenceKind[], limit: number | undefined) => Promise<void>

const PRINT: Readonly<Record<Options['format'], Print>> = {
  async table(differences, kinds, limit) {
    const { from, to, rows, columns_added, columns_removed } = differences.summary
    print(`${from} → ${to}`)
    print(
      `${rows.added} added, ${rows.changed} changed, ${rows.removed} removed, ${rows.unchanged} unchanged${rows.confirmed > 0 ? `, ${rows.confirmed} of them with another source` : ''}`,
    )
    const byColumn = Object.entries(rows.by_column).map(([name, count]) => `${name} (${count})`)
    if (byColumn.length > 0) print(`changed cells: ${byColumn.join(', ')}`)
    if (columns_added.length > 0) print(`columns only in the newer release: ${columns_added.join(', ')}`)
    if (columns_removed.length > 0) print(`columns only in the older release: ${columns_removed.join(', ')}`)
    let printed = 0
    for await (const page of differences.pages(kinds, limit)) {
      for (const row of page) print(lineOf(row))
      printed += page.length
    }
    const all = kinds.reduce((sum, kind) => sum + rows[kind], 0)
    if (printed < all) print(`… and ${all - printed} more; use --limit or --format csv.`)
  },
  async json(differences, kinds, limit) {
    // Writes row by row, because the differences may not fit in memory.
    write(`${JSON.stringify(differences.summary, null, 2).slice(0, -2)},\n  "differences": [`)
    let before = '\n'
    for await (const page of differences.pages(kinds, limit)) {
      write(before + page.map(row => `    ${JSON.stringify(row)}`).join(',\n'))
      before = ',\n'
    }
    write('\n  ]\n}\n')
  },
  async csv(differences, kinds, limit) {
    print(csvLine(['kind', ...differences.summary.grain, 'column', 'old', 'new']))
    for await (const page of differences.pages(kinds, limit)) write(page.flatMap(csvLines).join(''))
  },
}

const SIGN: Readonly<Record<DifferenceKind, string>> = { added: '+', changed: '~', removed: '-', confirmed: '=' }

function lineOf({ kind, grain, cells }: DifferingRow): string {
  const name = Object.values(grain).map(textOf).join(' ')
  return [`${SIGN[kind]} ${name}`, ...cells.map(cell => `    ${cell.column}: ${textOf(cell.old)} → ${textOf(cell.new)}`)].join('\n')
}

const textOf = (value: unknown): string => (value === null ? 'null' : typeof value === 'object' ? JSON.stringify(value) : String(value))

/** One line per different cell. A row that exists in only one release has one line. */
const csvLines = ({ kind, grain, cells }: DifferingRow): readonly string[] => {
  const named = [kind, ...Object.values(grain)]
  if (cells.length === 0) return [`${csvLine([...named, null, null, null])}\n`]
  return cells.map(cell => `${csvLine([...named, cell.column, cell.old, cell.new])}\n`)
}

const csvLine = (values: readonly unknown[]): string => values.map(csvCell).join(',')

function csvCell(value: unknown): string {
  const text = value === null ? '' : textOf(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
