import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { openEngine } from '../../../src/engine/index.ts'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import { parsers } from '../../formats/parsing.ts'
import { service } from '../../support.ts'
import { blockOf, linksOf } from './documents.ts'

/** A Python with the required libraries: `PYTHON`, or a virtual environment in `.venv`. */
const PYTHON = process.env['PYTHON'] ?? '.venv/bin/python'
const answers = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
const HAS = {
  curl: answers('curl', '--version'),
  python: answers(PYTHON, '-c', 'import pandas, polars, pyarrow, duckdb'),
  httpfs: answers(PYTHON, '-c', 'import duckdb, duckdb_extension_httpfs'),
  ownPackage: answers(PYTHON, '-c', 'import pandas, twmd'),
  r: answers('Rscript', '--version'),
  arrowOfR: answers('Rscript', '-e', 'library(arrow); library(httr2); library(jsonlite)'),
}

/**
 * Programs that make the same three reads (newest days, one day, a history), each with its
 * requirements.
 */
const PROGRAMS = [
  { file: 'python/with_twmd.py', start: [PYTHON], runs: HAS.ownPackage, lacks: `${PYTHON} with pandas and clients/python` },
  { file: 'python/with_pandas.py', start: [PYTHON], runs: HAS.python, lacks: `${PYTHON} with pandas and pyarrow` },
  { file: 'python/with_polars.py', start: [PYTHON], runs: HAS.python, lacks: `${PYTHON} with polars` },
  { file: 'python/with_pyarrow.py', start: [PYTHON], runs: HAS.python, lacks: `${PYTHON} with pyarrow` },
  { file: 'python/with_duckdb.py', start: [PYTHON], runs: HAS.python, lacks: `${PYTHON} with duckdb and pyarrow` },
  { file: 'r/frames.R', start: ['Rscript'], runs: HAS.arrowOfR, lacks: 'R with arrow, httr2 and jsonlite' },
  { file: 'typescript/frames.ts', start: [process.execPath], runs: true, lacks: 'Node' },
] as const

const COLUMNS = 'trade_date,foreign_net_buy,institutional_net_buy_total'
const READ = '/v2/datasets/institutional-positioning'
const DAYS = weekdays('2021-09-01', 1_200)
const LAST = DAYS.at(-1)!

const s = await service({ examples: false })
const key = s.keyOn('pro', 'recipes@example.test')
const dir = await mkdtemp(join(tmpdir(), 'twmd-recipes-'))
let url = ''
beforeAll(async () => {
  // Amounts below and above 32 bits, and tickers that would change if parsed as numbers.
  const legs: Row = { investment_trust_net_buy: 7, dealer_net_buy: -2 }
  const others = ['1101', '2317', '2454', '6488', '00878', '0050']
  const published = await s.publish(
    'institutional-positioning',
    [
      ...DAYS.map((day, index) => trade('2330', day, index % 3 === 0 ? -5_000_000_000 - index : 1_000 * index, legs)),
      ...others.map((ticker, index) => trade(ticker, LAST, 3_000_000_000 * (index + 1), legs)),
    ],
    { accept: ['closed_day', 'row_count_drift'] },
  )
  expect(published.faults).toEqual([])
  url = await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await s.close()
  await rm(dir, { recursive: true })
})

const rowsOf = async (path: string): Promise<readonly Row[]> => (await s.get(path, key)).json().data
const newest = (): Promise<readonly Row[]> => rowsOf(`${READ}?symbol=2330&limit=50&columns=${COLUMNS}`)

/**
 * Runs an example with address and key in the environment. Asynchronous, so that the service in
 * this process can answer.
 */
async function run([program, ...first]: readonly string[], file: string, ...args: readonly string[]) {
  const env = { ...process.env, TWMD_URL: url, TWMD_API_KEY: key }
  const child = spawn(program!.includes('/') ? resolve(program!) : program!, [...first, resolve('examples', file), ...args], {
    cwd: dir,
    env,
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: child.exitCode, stdout, stderr }
}

/** A printed row without frames, cell separators, bigint suffixes and row numbers. */
const plain = (rowText: string): string =>
  rowText
    .replace(/[^\w.:-]+/g, ' ')
    .trim()
    .replace(/(\d)n\b/g, '$1')
    .replace(/^\d /, '')

/** The output that a program with the three reads must print, made from the JSON answers. */
async function linesOf(): Promise<readonly string[]> {
  const rowText = (row: Row): string => Object.values(row).join(' ')
  const [first, day, history] = [
    await newest(),
    await rowsOf(`${READ}/cross-section?date=${LAST}&columns=ticker,${COLUMNS}`),
    await rowsOf(`${READ}?symbol=2330&limit=5000&columns=${COLUMNS}`),
  ]
  const net = (row: Row): number => Number(row['institutional_net_buy_total'])
  const years = Map.groupBy(history, row => String(row['trade_date']).slice(0, 4))
  return [
    `2330: newest ${first.length} days`,
    ...first.slice(0, 5).map(rowText),
    `${LAST}: ${day.length} tickers most bought first`,
    ...[...day]
      .sort((a, b) => net(b) - net(a))
      .slice(0, 5)
      .map(rowText),
    `2330: ${history.length} days by year`,
    ...[...years.keys()].sort().map(year => `${year} ${years.get(year)!.reduce((sum, row) => sum + net(row), 0)}`),
  ]
}

/** The service's error message for an invalid symbol. */
const refusal = async (): Promise<string> => (await s.get(`${READ}?symbol=x`, key)).json().error.error_message

for (const { file, start, runs, lacks } of PROGRAMS) {
  it.skipIf(!runs)(`examples/${file} prints the newest days, one day and a paged history (skipped without ${lacks})`, async () => {
    const expected = await linesOf()
    expect(expected.length).toBe(3 + 5 + 5 + 6)
    const { status, stdout, stderr } = await run(start, file, '2330', 'pages')
    expect([status, stderr]).toEqual([0, ''])
    expect(
      stdout
        .split('\n')
        .map(plain)
        .filter(rowText => expected.includes(rowText)),
    ).toEqual(expected)
  })

  it.skipIf(!runs)(`examples/${file} reports a company without rows`, async () => {
    const { status, stdout, stderr } = await run(start, file, '9999', 'pages')
    expect([status, stdout.trim(), stderr]).toEqual([0, '9999: newest 0 days', ''])
  })

  it.skipIf(!runs)(`examples/${file} exits with 1 and the error message of the service`, async () => {
    const { status, stdout, stderr } = await run(start, file, 'x', 'pages')
    expect([status, stdout.trim(), stderr.trim()]).toEqual([1, '', await refusal()])
  })
}

/** Runs a Python program, after some first lines. */
async function runPython(program: string, ...first: readonly string[]) {
  const env = { ...process.env, KEY: key, URL: `${url}${READ}?symbol=2330&limit=500` }
  const child = spawn(resolve(PYTHON), ['-c', [...first, program].join('\n')], { cwd: dir, env })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: child.exitCode, lines: stdout.trim().split('\n'), stderr }
}

const total = async (): Promise<string> => {
  const rows = await rowsOf(`${READ}?symbol=2330&limit=500`)
  return `2330 ${rows.reduce((sum, row) => sum + Number(row['foreign_net_buy']), 0)}`
}

it.skipIf(!HAS.python)(
  `pandas reads each format as docs/formats.md shows (skipped without ${PYTHON} with pandas and pyarrow)`,
  async () => {
    const print = 'print(days["ticker"].iloc[0], days["foreign_net_buy"].sum())'
    const program = blockOf('docs/formats.md', 'import pandas').replace(/^days = .*$/gm, `$&\n${print}`)
    const { lines, stderr } = await runPython(program, 'import os', 'KEY, URL = os.environ["KEY"], os.environ["URL"]')
    expect([lines, stderr]).toEqual([Array(3).fill(await total()), ''])
  },
)

it.skipIf(!HAS.httpfs)('DuckDB reads a URL as docs/formats.md shows, charged once (skipped without duckdb-extension-httpfs)', async () => {
  const left = async (): Promise<number> => Number((await s.get(`${READ}?symbol=2330`, key)).headers['x-credits-remaining'])
  const before = await left()
  const statements = blockOf('docs/formats.md', 'CREATE SECRET').replaceAll('http://127.0.0.1:8080', url).replace('sk_live_…', key)
  const [secret, read] = statements.split(';') as [string, string]
  const { lines, stderr } = await runPython(
    `print(*duckdb.sql("SELECT any_value(ticker), sum(foreign_net_buy) ${read.trim()}").fetchone())`,
    'import duckdb, duckdb_extension_httpfs, pathlib',
    'file = next(pathlib.Path(duckdb_extension_httpfs.__path__[0]).rglob("*.duckdb_extension"))',
    `duckdb.execute(f"LOAD '{file}'")`,
    `duckdb.execute("${secret}")`,
  )
  expect([lines, stderr]).toEqual([[await total()], ''])
  // Three requests cost 2 credits each: the read, the JSON of the total, and the second count of
  // the credits.
  expect(before - (await left())).toBe(6)
})

it.skipIf(!HAS.r)('the files of examples/r parse (skipped without Rscript)', () => {
  for (const file of globSync('examples/r/*.R')) {
    const { status, stderr } = spawnSync('Rscript', ['-e', `invisible(parse(${JSON.stringify(file)}))`], { encoding: 'utf8' })
    expect([file, status, stderr]).toEqual([file, 0, ''])
  }
})

it.skipIf(!HAS.curl)('examples/curl/newest.sh prints the JSON of the newest days', async () => {
  const { status, stdout } = await run(['sh'], 'curl/newest.sh', '2330')
  expect([status, JSON.parse(stdout).data]).toEqual([0, await newest()])
})

it.skipIf(!HAS.curl)('examples/curl/day.sh saves the CSV of a day', async () => {
  const { status, stdout } = await run(['sh'], 'curl/day.sh', LAST, 'day.csv')
  const { body } = await s.get(`${READ}/cross-section?date=${LAST}&format=csv&columns=ticker,${COLUMNS}`, key)
  expect([status, readFileSync(join(dir, 'day.csv'), 'utf8')]).toEqual([0, body])
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`day.csv: 7 tickers of ${LAST}`)
})

it.skipIf(!HAS.curl)('examples/curl/history.sh saves every page of one release as Parquet', async () => {
  const { status } = await run(['sh'], 'curl/history.sh', '2330', 'history')
  const [folder, ...others] = readdirSync(join(dir, 'history'))
  const dataset = s.dataset('institutional-positioning')
  expect([status, folder, others]).toEqual([0, `2330-${s.releases.current(dataset).manifest.release}`, []])
  const engine = await openEngine({ threads: 1, memoryLimit: '500MB', spillTo: dir })
  const session = await engine.connect()
  try {
    const parse = parsers(session, dir)['parquet']!
    const rows: Row[] = []
    for (const page of [1, 2, 3])
      rows.push(...(await parse(readFileSync(join(dir, 'history', folder!, `${page}.parquet`)), dataset.columns)))
    expect(rows).toEqual(await rowsOf(`${READ}?symbol=2330&limit=5000`))
    expect(existsSync(join(dir, 'history', folder!, '4.parquet'))).toBe(false)
  } finally {
    session.close()
    engine.close()
  }
})

it.skipIf(!HAS.curl)('examples/curl/poll.sh pays once for a change and fetches a deleted file again', async () => {
  const poll = async (): Promise<string> => (await run(['sh'], 'curl/poll.sh', '2330', 'newest.json')).stdout.trim()
  const left = async (): Promise<number> => Number((await s.get(`${READ}?symbol=2330`, key)).headers['x-credits-remaining'])
  const before = await left()
  expect([await poll(), await poll(), await poll()]).toEqual([
    'newest.json: changed',
    ...Array(2).fill('newest.json: unchanged, nothing charged'),
  ])
  expect(before - (await left())).toBe(4)
  expect(JSON.parse(readFileSync(join(dir, 'newest.json'), 'utf8')).data).toEqual(await rowsOf(`${READ}?symbol=2330&limit=50`))
  await rm(join(dir, 'newest.json'))
  expect(await poll()).toBe('newest.json: changed')
})

it.skipIf(!HAS.curl).each([
  ['newest.sh', 'x'],
  ['day.sh', 'x', 'refused'],
  ['history.sh', 'x', 'refused'],
  ['poll.sh', 'x', 'refused'],
])('examples/curl/%s exits with the error message of the service and saves nothing', async (file, ...args) => {
  const path = file === 'day.sh' ? `${READ}/cross-section?date=x` : `${READ}?symbol=x`
  const { status, stdout, stderr } = await run(['sh'], `curl/${file}`, ...args)
  expect([status, stdout, stderr.trim().split('\n').at(-1)]).toEqual([1, '', (await s.get(path, key)).json().error.error_message])
  expect(globSync(join(dir, 'refused*'))).toEqual([])
})

const recipe = readFileSync('examples/excel/newest.pq', 'utf8')
const [, path] = /RelativePath = "([^"]+)"/.exec(recipe)!
const [, header] = /Headers = \[#"([^"]+)" = Cell\("TWMD_API_KEY"\)\]/.exec(recipe)!
const requestsByFile = new Map(
  [.../Query = \[([^\]]*)\]/.exec(recipe)![1]!.matchAll(/(\w+) = (?:"([^"]*)"|Cell\("TWMD_SYMBOL"\))/g)].map(([, name, value]) => [
    name!,
    value ?? '2330',
  ]),
)
const ask = (symbol: string, secret = key) =>
  s.app.inject({ url: `/${path}?${new URLSearchParams([...requestsByFile.set('symbol', symbol)])}`, headers: { [header!]: secret } })

it('examples/excel/newest.pq requests a CSV with a byte order mark and sets the types of its columns', async () => {
  const { statusCode, rawPayload, headers } = await ask('2330')
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present'])
  expect([...rawPayload.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const lines = rawPayload.subarray(3).toString().split('\r\n')
  expect([lines.length, lines.at(-1)]).toEqual([52, ''])
  expect(lines.join('')).not.toMatch(/[\r\n"]/)
  const types = { text: 'type text', date: 'type date', integer: 'Int64.Type', number: 'type number' } as Record<string, string>
  const typed = [...recipe.matchAll(/\{"(\w+)", ([\w. ]+)\}/g)].map(([, name, type]) => [name, type])
  expect(lines[0]!.split(',')).toEqual(typed.map(([name]) => name))
  expect(typed).toEqual(Object.entries(s.dataset('institutional-positioning').columns).map(([name, { type }]) => [name, types[type]]))
})

it('examples/excel/newest.pq handles the statuses of errors and finds their message', async () => {
  const handled = JSON.parse(`[${/ManualStatusHandling = \{([^}]*)\}/.exec(recipe)![1]}]`) as readonly number[]
  expect(recipe).toContain('Json.Document(Answer)[error][error_message]')
  const refused = await ask('x')
  expect([handled, refused.json().error.error_message]).toEqual([expect.arrayContaining([refused.statusCode]), await refusal()])
  expect((await ask('2330', 'sk_live_wrong')).statusCode).toBe(401)
})

it('the service refuses the Excel query with a key in the URL', async () => {
  expect((await s.get(`/${path}?symbol=2330&api_key=${key}`)).json().error.error_code).toBe('key_in_url')
})

it('examples/README.md lists every example and no other file', () => {
  const files = globSync('examples/*/*').map(file => file.slice('examples/'.length))
  const linked = linksOf('examples/README.md').filter(target => /^\w+\/\w+\.\w+$/.test(target))
  expect([...new Set(linked)].sort()).toEqual(files.sort())
})
