import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { CatalogDataset, DatasetSchema, DryRun } from '../../../clients/typescript/src/index.ts'
import type { Remote } from '../../../ingest/mirror/index.ts'
import { commandRefusal, Refusal } from '../../core/index.ts'
import { sizeOf } from '../progress-bar.ts'
import { EXIT, print, printFitted, say } from '../terminal.ts'
import { answerAt, datasetAt, type JsonAnswer, jsonAt, openService, type ServiceOptions, withQuery, withService } from './connection.ts'
import { counted, keepAnswer, nextOf, printAnswer } from './read-bytes.ts'

export const FORMATS = ['table', 'json', 'csv', 'ndjson', 'arrow', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

interface Options extends ServiceOptions {
  readonly symbol?: string
  readonly date?: string
  readonly from?: string
  readonly to?: string
  readonly where?: readonly string[]
  readonly columns?: string
  readonly sort?: string
  readonly range?: string
  readonly limit?: string
  readonly offset?: string
  readonly release?: string
  readonly asOf?: string
  readonly all?: true
  readonly format?: Format
  readonly json?: true
  readonly out?: string
  readonly dryRun?: true
}

export function readCommand(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command('read')
    .description('read rows of a dataset from a service')
    .argument('<dataset>', 'slug of the dataset')
    .option('--symbol <symbols>', 'tickers or other keys of the dataset, separated by commas')
    .option('--date <day>', 'one day; without --symbol all keys of the day')
    .option('--from <day>', 'first day')
    .option('--to <day>', 'last day')
    .option('--where <name=value>', 'another parameter of the dataset; repeatable', (one, all: string[] = []) => [...all, one])
    .option('--columns <names>', 'columns, separated by commas')
    .option('--sort <columns>', 'sort columns; a leading minus sorts descending')
    .option('--range <column:from..to>', 'numeric ranges, separated by commas: close:600..650,volume:1000..')
    .option('--limit <rows>', 'maximum number of rows per response')
    .option('--offset <rows>', 'rows to skip')
    .option('--release <release>', 'an earlier release')
    .option('--as-of <time>', 'rows as served at the end of a day, or at a time')
    .option('--all', 'read all pages, each charged as one read; only table, csv and ndjson')
    .addOption(new Option('--format <format>', 'format of the rows; default from the name of --out, else table').choices(FORMATS))
    .option('--json', 'print the response unchanged')
    .option('--out <file>', 'write the rows to a file')
    .option('--dry-run', 'print rows, bytes and price without a charge')
  withService(command).action(async (name: string, options: Options) => setExitCode(await read(name, options)))
}

async function read(name: string, options: Options): Promise<number> {
  const format = formatOf(options)
  const remote = await openService(options)
  const dataset = await datasetAt(remote, name)
  const target = withQuery(pathOf(dataset, options), { ...paramsOf(dataset, options), format: format === 'table' ? undefined : format })
  if (options.dryRun) return foretell(remote, dataset, target, options)
  const paged = options.all === true
  try {
    if (format === 'table') return await printRows(remote, dataset, target, paged)
    if (options.out === undefined) await printAnswer(remote, target, paged)
    else await keepAnswer(remote, target, options.out, paged)
    return EXIT.done
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw commandRefusal(error.code, error.facts, `${error.message}${wayOf(dataset, (error.facts['missing'] ?? []) as readonly string[])}`)
  }
}

const OPTION_OF: Readonly<Record<string, string>> = {
  symbol: '--symbol <symbols>',
  date: '--date <day>',
  start_date: '--from <day>',
  end_date: '--to <day>',
}

/** Returns a sentence about missing parameters, starting with a space. Empty if none is missing. */
function wayOf({ links }: CatalogDataset, missing: readonly string[]): string {
  if (missing.length === 0) return ''
  const options = missing.map(name => OPTION_OF[name] ?? `--where ${name}=<value>`).join(' ')
  const whole = missing.includes('symbol') && links.cross_section ? ', or --date <day> alone for all keys of that day' : ''
  return ` Add ${options}${whole}.`
}

/**
 * Determines the format from the options, or from the file extension. Default: table.
 * @throws Error if the options contradict each other
 */
export function formatOf({ format, json, out, all }: Pick<Options, 'format' | 'json' | 'out' | 'all'>): Format {
  const named = out === undefined ? undefined : FORMATS.find(one => one === extname(out).slice(1))
  const chosen = json ? 'json' : (format ?? named ?? (out === undefined ? 'table' : undefined))
  if (json && format !== undefined && format !== 'json') throw new Error('Use --json or --format, not both.')
  if (chosen === undefined) throw new Error(`Unknown format of ${out}. Use --format, or an extension such as .csv or .parquet.`)
  if (chosen === 'table' && out !== undefined) throw new Error('--out cannot write tables. Use another --format.')
  if (all && !['table', 'csv', 'ndjson'].includes(chosen))
    throw new Error(`--all supports table, csv and ndjson. For ${chosen} use a higher --limit, or copy releases with twmd pull.`)
  if (out === undefined && process.stdout.isTTY && (chosen === 'arrow' || chosen === 'parquet'))
    throw new Error(`${chosen} is binary; use --out or a pipe.`)
  return chosen
}

/** Rows of one day for all symbols have another path. */
const pathOf = ({ links }: CatalogDataset, { date, symbol }: Options): string =>
  date !== undefined && symbol === undefined && links.cross_section ? links.cross_section : links.read

function paramsOf(dataset: CatalogDataset, options: Options): Readonly<Record<string, string | undefined>> {
  const { symbol, date, from, to, columns, sort, range, limit, offset, release, asOf } = options
  const others = (options.where ?? []).map(one => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(one) ?? []
    if (name === undefined) throw new Error(`--where must be name=value; it was ${one}.`)
    return [name, value!] as const
  })
  const day = date !== undefined && symbol !== undefined && dataset.links.cross_section ? { start_date: date, end_date: date } : { date }
  return {
    symbol,
    ...day,
    ...(from && { start_date: from }),
    ...(to && { end_date: to }),
    columns,
    sort,
    range,
    limit,
    offset,
    release,
    as_of: asOf,
    ...Object.fromEntries(others),
  }
}

async function foretell(remote: Remote, dataset: CatalogDataset, target: string, { json }: Options): Promise<number> {
  const told = await jsonAt<DryRun>(remote, `${target}${target.includes('?') ? '&' : '?'}dry_run=true`)
  if (json) print(JSON.stringify(told))
  else if (told.refusal) {
    const { missingIn, neededIn } = await import('../../../ingest/mirror/index.ts')
    const { detail, error } = told.refusal
    say(`The read would be refused: ${error.error_message}${neededIn(error)}${wayOf(dataset, missingIn(detail))}`)
  } else {
    const { rows, rows_are, estimated_bytes, format, credits, release, limited } = told
    const most = rows_are === 'exact' ? '' : 'at most '
    print(
      `${most}${counted(rows!, 'row')}${limited ? ', the maximum of the plan per response' : ''}; about ${sizeOf(estimated_bytes!)} as ${format}; ${counted(credits, 'credit')}; release ${release}.`,
    )
  }
  return told.refusal ? EXIT.refused : EXIT.done
}

type Rows = readonly Readonly<Record<string, unknown>>[]
/** The rows are in `data` or in `envelope.data`. */
interface RowsBody {
  readonly data?: Rows
  readonly envelope?: { readonly data?: Rows }
}

async function printRows(remote: Remote, { links }: CatalogDataset, target: string, all: boolean): Promise<number> {
  const rows: Readonly<Record<string, unknown>>[] = []
  let credits = 0
  let facts: JsonAnswer<RowsBody>
  let next: string | undefined = target
  do {
    facts = await answerAt<RowsBody>(remote, next)
    for (const row of facts.body.data ?? facts.body.envelope?.data ?? []) rows.push(row)
    credits += facts.credits
    next = nextOf(facts.headers['link'])
  } while (all && next !== undefined)
  if (rows.length > 0) {
    const { columns } = await jsonAt<DatasetSchema>(remote, links.schema)
    const shown = columns.filter(({ name }) => name in rows[0]!)
    const heads = shown.map(({ name, type, unit }) => ({ head: name, unit, align: NUMBERS.includes(type) ? 'right' : 'left' }) as const)
    printFitted(
      heads,
      rows.map(row => shown.map(({ name }) => row[name])),
    )
  }
  const { 'x-release': release, 'x-data-as-of': day, 'x-empty-reason': empty, 'x-warnings': warnings } = facts.headers
  const { 'x-unknown-symbols': unknown, 'x-did-you-mean': suggestions } = facts.headers
  const about = [counted(rows.length, 'row'), empty && `none because ${empty}`, release && `release ${release}`, day && `data as of ${day}`]
  say(`${[...about, counted(credits, 'credit')].filter(Boolean).join(', ')}.${warnings ? ` Warnings: ${warnings}.` : ''}`)
  if (unknown) say(`Unknown tickers: ${unknown}.${suggestions ? ` Did you mean ${suggestions}?` : ''}`)
  if (next !== undefined) say('There are more rows. Use a higher --limit, or --all.')
  return EXIT.done
}

const NUMBERS = ['number', 'integer']
