import { type Command, Option } from 'commander'
import type { SqlAnswer, SqlDryRun } from '../../../clients/typescript/src/index.ts'
import { MOST_OFFSET, MOST_ROWS } from '../../read/index.ts'
import { EXIT, print, printFitted, say } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'
import { answerAt, jsonAt, openService, type ServiceOptions, withQuery, withService } from './connection.ts'
import { FORMATS, type Format, formatOf } from './read.ts'
import { counted, keepAnswer, printAnswer } from './read-bytes.ts'

interface Options extends ServiceOptions {
  readonly param?: readonly string[]
  readonly limit?: number
  readonly offset?: number
  readonly asOf?: string
  readonly format?: Format
  readonly json?: true
  readonly out?: string
  readonly dryRun?: true
  readonly local?: true
}

export function sqlCommand(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command('sql')
    .description('run an SQL query over the datasets')
    .argument('<query>', 'one SELECT; tables are datasets with _ instead of -')
    .option('--param <value>', 'value of $1, then of $2, and so on; repeatable', (one, all: string[] = []) => [...all, one])
    .option('--limit <rows>', 'maximum number of rows', wholeNumber(1, MOST_ROWS))
    .option('--offset <rows>', 'rows to skip', wholeNumber(0, MOST_OFFSET))
    .option('--as-of <time>', 'rows as served at the end of a day, or at a time')
    .addOption(new Option('--format <format>', 'format of the rows; default from the name of --out, else table').choices(FORMATS))
    .option('--json', 'print the response unchanged')
    .option('--out <file>', 'write the rows to a file')
    .option('--dry-run', 'print rows and price without a charge')
    .option('--local', 'query the data folder, without a service and a key')
  withService(command).action(async (query: string, options: Options) => setExitCode(await sql(query, options)))
}

async function sql(query: string, options: Options): Promise<number> {
  const format = formatOf(options)
  if (options.local) return runLocally(query, options, format)
  const { param = [], limit, offset, asOf, out } = options
  const remote = await openService(options)
  const params = param.length > 0 ? JSON.stringify(param) : undefined
  const sentFormat = format === 'table' ? undefined : format
  const target = withQuery('/v2/sql', {
    q: query,
    params,
    limit: limit?.toString(),
    offset: offset?.toString(),
    as_of: asOf,
    format: sentFormat,
  })
  if (options.dryRun) return printPrice(await jsonAt<SqlDryRun>(remote, `${target}&dry_run=true`), options)
  if (out !== undefined) await keepAnswer(remote, target, out, false)
  else if (format !== 'table') await printAnswer(remote, target, false)
  else printTable((await answerAt<SqlAnswer>(remote, target)).body)
  return EXIT.done
}

/** Runs the query on the data folder, with the limits of the highest plan. */
async function runLocally(query: string, { param = [], limit, offset, asOf, out }: Options, format: Format): Promise<number> {
  const { configured } = await import('../workspace.ts')
  const { createLog, newId, stopwatch } = await import('../../core/index.ts')
  const { openDataFolder } = await import('../../main.ts')
  const { createRunSql } = await import('../../operations/index.ts')
  const config = configured()
  const { reader, close, ...folder } = await openDataFolder({ config, log: createLog(config.logLevel, process.stderr) })
  try {
    const input = {
      text: query,
      values: param,
      limit: limit ?? null,
      offset: offset ?? 0,
      asOf: asOf ?? null,
      pins: {},
      format: format === 'table' ? 'json' : format,
      bom: false,
      from: 'arguments',
    } as const
    const call = { requestId: newId('req'), isDisconnected: () => false, time: stopwatch() }
    const { body, meta } = await createRunSql(folder)(reader, input, call)
    const bytes = body as Buffer
    if (out !== undefined) {
      const { writeWhole } = await import('./whole-file.ts')
      await writeWhole(out, async function* () {
        yield bytes
      })
      say(`${out}: ${counted(meta.rows, 'row')}.`)
    } else if (format === 'table') printTable(JSON.parse(bytes.toString()) as SqlAnswer)
    else process.stdout.write(bytes)
    return EXIT.done
  } finally {
    await close()
  }
}

function printPrice(told: SqlDryRun, { json }: Options): number {
  if (json) print(JSON.stringify(told))
  else if (told.refusal) say(`The query would be refused: ${told.refusal.error.error_message}`)
  else print(`at most ${counted(told.rows!, 'row')}; scans ${counted(told.scan!.scanned_rows, 'row')}; ${counted(told.credits, 'credit')}.`)
  return told.refusal ? EXIT.refused : EXIT.done
}

function printTable({ columns, data, data_count: rows, meta, warnings }: SqlAnswer): void {
  printFitted(
    columns.map(({ name, type }) => ({ head: name, align: type === 'number' || type === 'integer' ? 'right' : 'left' }) as const),
    data.map(row => columns.map(({ name }) => row[name])),
  )
  const releases = Object.entries(meta.releases).map(([slug, id]) => `${slug} ${id}`)
  const about = [
    counted(rows, 'row'),
    counted(meta.credits, 'credit'),
    ...(releases.length > 0 ? [`releases: ${releases.join(', ')}`] : []),
  ]
  say(`${about.join('; ')}.${warnings.length > 0 ? ` Warnings: ${warnings.join(', ')}.` : ''}`)
  if (meta.next_offset !== null) say(`There are more rows. Use --offset ${meta.next_offset}, or a higher --limit.`)
}
