import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import type { Ran } from '../fixtures/cli/twmd.ts'
import { quote, trade, weekdays } from '../fixtures/publish/rows.ts'
import { service } from '../support.ts'

const DAYS = weekdays('2026-01-05', 40)
const LAST = DAYS.at(-1)!
const SLUG = 'institutional-positioning'
const READ = `/v2/datasets/${SLUG}`

const s = await service({ examples: false })
const key = s.keyOn('pro', 'cli@example.test')
let url = ''
beforeAll(async () => {
  const accept = ['closed_day']
  const trades = DAYS.map((day, at) => trade('2330', day, 5_000_000_000 + at))
  const quotes = [quote('2330', LAST, 70_000, { name: '台積電' }), quote('1101', LAST, 9, { name: '台\u001b[31m泥' })]
  for (const published of [await s.publish(SLUG, trades, { accept }), await s.publish('daily-prices', quotes, { accept })])
    expect(published.faults).toEqual([])
  url = await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => s.close())

/** Runs a command as a user with a key but without access to the data folder. */
const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  runTwmd(join(s.dir, 'nowhere'), args, { TWMD_URL: url, TWMD_API_KEY: key, ...more })
const rowsOf = async (path: string): Promise<readonly Row[]> => {
  const body = (await s.get(path, key)).json()
  return body.data ?? body.envelope.data
}

it('twmd read prints a table with units, right-aligned numbers and double-width Han characters', async () => {
  const { code, stdout, stderr } = await run(['read', 'daily-prices', '--date', LAST, '--columns', 'ticker,name,close,volume'])
  expect(code).toBe(0)
  expect(stdout.split('\n')).toEqual([
    'ticker  name                    close  volume',
    '                        TWD per share  shares',
    String.raw`1101    台\u001b[31m泥           10.5       9`,
    '2330    台積電                   10.5   70000',
    '',
  ])
  const [release] = (await s.get('/v2/datasets'))
    .json()
    .data.flatMap((one: Row) => (one['slug'] === 'daily-prices' ? [one['release_version']] : []))
  expect(stderr).toContain(`2 rows, release ${release}, data as of ${LAST}, 1 credit.`)
})

it('twmd read fits the table to COLUMNS and names the omitted columns and further rows', async () => {
  const { stdout, stderr } = await run(['read', SLUG, '--symbol', '2330', '--limit', '2'], { COLUMNS: '45' })
  expect(stdout.split('\n')).toEqual([
    'ticker  market  trade_date  foreign_net_buy',
    '                                     shares',
    `2330    TWSE    ${LAST}       5000000039`,
    `2330    TWSE    ${DAYS.at(-2)}       5000000038`,
    '',
  ])
  expect(stderr).toMatch(/^Not shown, because the terminal is too narrow: investment_trust_net_buy, /m)
  expect(stderr).toMatch(/^There are more rows\. /m)
})

it('twmd read --json, --format and --all print the response bytes, with filters and ranges', async () => {
  const [from, end] = [DAYS[3]!, DAYS[9]!]
  const raw = await run(['read', SLUG, '--symbol', '2330', '--from', from, '--to', end, '--sort', 'trade_date', '--json'])
  const path = `${READ}?symbol=2330&start_date=${from}&end_date=${end}&sort=trade_date`
  expect([raw.code, JSON.parse(raw.stdout)]).toEqual([0, (await s.get(path, key)).json()])
  const range = ['--range', 'foreign_net_buy:5000000030..<5000000035,dealer_net_buy:..1000000']
  const between = await run(['read', SLUG, '--symbol', '2330', ...range, '--json'])
  const ranged = `${READ}?symbol=2330&range=${encodeURIComponent(range[1]!)}`
  expect([between.code, JSON.parse(between.stdout)]).toEqual([0, (await s.get(ranged, key)).json()])
  const csv = await run(['read', SLUG, '--symbol', '2330', '--limit', '9', '--all', '--format', 'csv'])
  expect(csv).toEqual({ code: 0, stdout: (await s.get(`${READ}?symbol=2330&limit=40&format=csv`, key)).body, stderr: '' })
  const lines = (await run(['read', SLUG, '--symbol', '2330', '--where', 'sort_order=asc', '--limit', '3', '--format', 'ndjson'])).stdout
  const rows = await rowsOf(`${READ}?symbol=2330&sort_order=asc&limit=3`)
  expect(lines).toBe(rows.map(row => `${JSON.stringify(row)}\n`).join(''))
})

it('twmd read --out writes the format of the file extension', async () => {
  const file = join(s.dir, 'rows.parquet')
  const { code, stdout, stderr } = await run(['read', SLUG, '--symbol', '2330', '--limit', '30', '--out', file])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(/rows\.parquet: 30 rows of release \S+, \S+ kB, 2 credits\.$/m)
  expect(readFileSync(file)).toEqual((await s.get(`${READ}?symbol=2330&limit=30&format=parquet`, key)).rawPayload)
})

it('twmd read --dry-run prints rows, size and credits, or the reason for a refusal', async () => {
  const { code, stdout } = await run(['read', SLUG, '--symbol', '2330', '--limit', '30', '--dry-run'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^30 rows; about \S+ kB as json; 2 credits; release \S+\.\n$/)])
  const refused = await run(['read', SLUG, '--dry-run'])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/symbol is required, for example symbol=2330\. .* Add --symbol <symbols>, or --date <day>/),
  ])
  const dear = await run(['read', 'bond-yield-curve', '--symbol', 'TWGB', '--dry-run'])
  expect([dear.code, dear.stderr]).toEqual([
    1,
    expect.stringContaining(
      'requires a higher plan. Upgrade to the plan in required_plan. The request needs the plan max; this key has pro.',
    ),
  ])
})

it.each([
  [['read', 'daily-price'], 2, 'did you mean daily-prices?'],
  [['read', SLUG, '--symbol', 'no such'], 1, 'The service answered 422: symbol must look like 2330'],
  [['read', 'daily-prices'], 1, 'Add --symbol <symbols>, or --date <day> alone for all keys of that day.'],
  [['read', 'daily-prices', '--format', 'csv'], 1, 'Add --symbol <symbols>, or'],
  [
    ['read', 'bond-yield-curve', '--symbol', 'TWGB'],
    1,
    'requires a higher plan. Upgrade to the plan in required_plan. The request needs the plan max; this key has pro.',
  ],
  [['read', SLUG, '--symbol', '2330', '--where', 'x'], 2, '--where must be name=value'],
  [['read', SLUG, '--symbol', '2330', '--out', 'rows'], 2, 'Unknown format of rows. Use --format'],
  [['read', SLUG, '--symbol', '2330', '--all', '--format', 'arrow'], 2, 'twmd pull'],
  [['read', SLUG, '--format', 'xml'], 2, 'Allowed choices are table, json, csv, ndjson, arrow, parquet'],
  [['read', SLUG, '--url', 'nowhere'], 2, '--url must be the address of a service'],
] as const)('twmd %j exits with %i and suggests a fix', async (args, code, sentence) => {
  const ran = await run(args)
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([code, '', expect.stringContaining(sentence)])
})

it('twmd read --out leaves no file when the response breaks off', async () => {
  const listed = [{ slug: SLUG, dataset: SLUG, links: { read: READ, schema: `${READ}/schema` } }]
  const server = createServer((request, response) => {
    if (request.url === '/v2/datasets') return response.end(JSON.stringify({ data: listed }))
    response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '1000' }).write('ticker\r\n')
    return setTimeout(() => response.destroy(), 20)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const out = join(s.dir, 'broken')
  mkdirSync(out)
  const { port } = server.address() as AddressInfo
  const ran = await run(['read', SLUG, '--symbol', '2330', '--out', join(out, 'rows.csv'), '--url', `http://127.0.0.1:${port}`])
  expect([ran.code, ran.stderr, readdirSync(out)]).toEqual([1, expect.stringContaining('The connection was lost'), []])
  server.close()
})

it('twmd query prints each field with unit and day, or the reason why it is missing', async () => {
  const { code, stdout, stderr } = await run(['query', '2330,9999', '--fields', 'institutional.foreign_net_buy', '--as-of', DAYS[5]!])
  expect([code, stderr]).toEqual([0, expect.stringContaining(`Values that were known on ${DAYS[5]}.`)])
  expect(stdout.split('\n').map(line => line.split(/ {2,}/))).toEqual([
    ['company', 'field', 'value', 'unit', 'date, or reason if missing'],
    ['2330', 'institutional.foreign_net_buy', '5000000005', 'shares', DAYS[5]],
    ['9999', 'institutional.foreign_net_buy', 'no_such_entity'],
    [''],
  ])
  expect(stderr).toContain(' 1 credit.')
  const csv = await run(['query', '2330', '--fields', 'institutional.foreign_net_buy', '--format', 'csv'])
  const path = '/v2/query?entity_type=company&entity_ids=2330&fields=institutional.foreign_net_buy&format=csv'
  expect([csv.code, csv.stdout]).toEqual([0, (await s.get(path, key)).body])
  const file = join(s.dir, 'fields.csv')
  const written = await run(['query', '2330', '--fields', 'institutional.foreign_net_buy', '--out', file])
  expect([written.code, written.stderr]).toEqual([0, expect.stringMatching(/fields\.csv: 1 row, 0\.\d kB, 1 credit\.$/m)])
  expect(readFileSync(file, 'utf8')).toBe(csv.stdout)
})

it('twmd sql prints rows of a query, writes files and states the price', async () => {
  const query = 'SELECT ticker, trade_date, foreign_net_buy FROM institutional_positioning WHERE ticker = $1 ORDER BY trade_date DESC'
  const { code, stdout, stderr } = await run(['sql', query, '--param', '2330', '--limit', '1'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 row; 2 credits; releases: institutional-positioning ')])
  expect(stdout).toBe(`ticker  trade_date  foreign_net_buy\n2330    ${LAST}       5000000039\n`)
  expect(stderr).toContain('There are more rows. Use --offset 1, or a higher --limit.')
  const csv = await run(['sql', query, '--param', '2330', '--format', 'csv'])
  expect(csv.stdout.split('\n')).toHaveLength(DAYS.length + 2)
  const price = await run(['sql', query, '--param', '2330', '--dry-run'])
  expect(price.stdout).toContain(`scans ${DAYS.length} rows; 2 credits.`)
  const refused = await run(['sql', "SELECT * FROM read_text('/etc/passwd')"])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('reads from read_text()')])
})

it('twmd sql --local queries the data folder without a service', async () => {
  const { code, stdout } = await runTwmd(
    s.dir,
    ['sql', '--local', 'SELECT count(*) AS n FROM institutional_positioning', '--format', 'csv'],
    {},
  )
  expect([code, stdout]).toEqual([0, `n\r\n${DAYS.length}\r\n`])
})

it('twmd search prints hits, and a hint when there are none', async () => {
  const { stdout } = await run(['search', '台積', '--type', 'symbol'])
  expect(stdout).toMatch(/^type +id +title +market +is\nsymbol +2330 +台積電 +TWSE/)
  const none = await run(['search', 'zzzzzz'])
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', expect.stringContaining('No results.')])
})

it('twmd tail refuses a cursor file that twmd tail did not write', async () => {
  const file = join(s.dir, 'rows.txt')
  writeFileSync(file, 'something else')
  expect(await run(['tail', '--once', '--cursor-file', file])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not a cursor file of twmd tail'),
  })
})

it('twmd tail --once prints the publications since a time', async () => {
  const { code, stdout } = await run(['tail', '--once', '--since', '2026-07-01T00:00:00Z'])
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^2026-07-01 20:00:00  ${SLUG}  new_rows  \\+40 ~0 -0  `, 'm'))
  expect(stdout).toMatch(/^2026-07-01 20:00:00 {2}daily-prices {2}new_rows {2}\+2 ~0 -0 {2}/m)
})
