import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { ended, type Ran, startTwmd } from '../fixtures/cli/twmd.ts'
import { quote, trade, weekdays } from '../fixtures/publish/rows.ts'
import { service } from '../support.ts'

const DAYS = weekdays('2026-01-05', 40)
const LAST = DAYS.at(-1)!
const SLUG = 'institutional-positioning'
const READ = `/v2/datasets/${SLUG}`

let now = new Date('2026-07-01T12:00:00Z')
const s = await service({ examples: false, now: () => now })
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

/** Runs a command of a reader, who has a key and nothing of the service's. */
const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  ended(startTwmd(join(s.dir, 'nowhere'), args, { TWMD_URL: url, TWMD_API_KEY: key, ...more }))
const rowsOf = async (path: string): Promise<readonly Row[]> => {
  const body = (await s.get(path, key)).json()
  return body.data ?? body.envelope.data
}

describe('twmd read', () => {
  it('prints a table: units in the head, numbers to the right, Han characters two cells wide', async () => {
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

  it('fits the line, and says what it leaves out and that rows follow', async () => {
    const { stdout, stderr } = await run(['read', SLUG, '--symbol', '2330', '--limit', '2'], { COLUMNS: '45' })
    expect(stdout.split('\n')).toEqual([
      'ticker  market  trade_date  foreign_net_buy',
      '                                     shares',
      `2330    TWSE    ${LAST}       5000000039`,
      `2330    TWSE    ${DAYS.at(-2)}       5000000038`,
      '',
    ])
    expect(stderr).toMatch(/^Not shown for want of room: investment_trust_net_buy, /m)
    expect(stderr).toMatch(/^More rows follow: /m)
  })

  it('prints the answer as it is sent, and every page of it', async () => {
    const [from, to] = [DAYS[3]!, DAYS[9]!]
    const raw = await run(['read', SLUG, '--symbol', '2330', '--from', from, '--to', to, '--sort', 'trade_date', '--json'])
    const path = `${READ}?symbol=2330&start_date=${from}&end_date=${to}&sort=trade_date`
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

  it('writes a file in the format its name says, once it is whole', async () => {
    const file = join(s.dir, 'rows.parquet')
    const { code, stdout, stderr } = await run(['read', SLUG, '--symbol', '2330', '--limit', '30', '--out', file])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/rows\.parquet: 30 rows of release \S+, \S+ kB, 2 credits\.$/m)
    expect(readFileSync(file)).toEqual((await s.get(`${READ}?symbol=2330&limit=30&format=parquet`, key)).rawPayload)
  })

  it('tells the price before anything is charged', async () => {
    const { code, stdout } = await run(['read', SLUG, '--symbol', '2330', '--limit', '30', '--dry-run'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^30 rows; about \S+ kB as json; 2 credits; release \S+\.\n$/)])
    const refused = await run(['read', SLUG, '--dry-run'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/symbol is required: .* Give --symbol <symbols>, or --date <day>/),
    ])
    const dear = await run(['read', 'bond-yield-curve', '--symbol', 'TWGB', '--dry-run'])
    expect([dear.code, dear.stderr]).toEqual([1, expect.stringContaining('needs a higher plan. It needs the plan max; this key has pro.')])
  })

  it.each([
    [['read', 'daily-price'], 2, 'did you mean daily-prices?'],
    [['read', SLUG, '--symbol', 'no such'], 1, 'The service answered 422: symbol must look like 2330'],
    [['read', 'daily-prices'], 1, 'Give --symbol <symbols>, or --date <day> alone for all keys of that day.'],
    [['read', 'daily-prices', '--format', 'csv'], 1, 'Give --symbol <symbols>, or'],
    [['read', 'bond-yield-curve', '--symbol', 'TWGB'], 1, 'needs a higher plan. It needs the plan max; this key has pro.'],
    [['read', SLUG, '--symbol', '2330', '--where', 'x'], 2, '--where takes name=value'],
    [['read', SLUG, '--symbol', '2330', '--out', 'rows'], 2, 'Name the format of rows with --format'],
    [['read', SLUG, '--symbol', '2330', '--all', '--format', 'arrow'], 2, 'twmd pull'],
    [['read', SLUG, '--format', 'xml'], 2, 'Allowed choices are table, json, csv, ndjson, arrow, parquet'],
    [['read', SLUG, '--url', 'nowhere'], 2, '--url takes the address of a service'],
  ] as const)('refuses %j with exit code %i and a sentence', async (args, code, sentence) => {
    const ran = await run(args)
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([code, '', expect.stringContaining(sentence)])
  })

  it('leaves no file where the answer breaks off', async () => {
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
    expect([ran.code, ran.stderr, readdirSync(out)]).toEqual([1, expect.stringContaining('The answer broke off'), []])
    server.close()
  })
})

it('twmd query prints a line for each field, with its unit and day, and why one is missing', async () => {
  const { code, stdout, stderr } = await run(['query', '2330,9999', '--fields', 'institutional.foreign_net_buy', '--as-of', DAYS[5]!])
  expect([code, stderr]).toEqual([0, expect.stringContaining(`As known on ${DAYS[5]}.`)])
  expect(stdout.split('\n').map(line => line.split(/ {2,}/))).toEqual([
    ['company', 'field', 'value', 'unit', 'of, or why missing'],
    ['2330', 'institutional.foreign_net_buy', '5000000005', 'shares', DAYS[5]],
    ['9999', 'institutional.foreign_net_buy', 'no_such_entity'],
    [''],
  ])
  expect(stderr).toContain(' 1 credit.')
  const csv = await run(['query', '2330', '--fields', 'institutional.foreign_net_buy', '--format', 'csv'])
  const path = '/v2/query?entity_type=company&entity_ids=2330&fields=institutional.foreign_net_buy&format=csv'
  expect([csv.code, csv.stdout]).toEqual([0, (await s.get(path, key)).body])
  const file = join(s.dir, 'fields.csv')
  const kept = await run(['query', '2330', '--fields', 'institutional.foreign_net_buy', '--out', file])
  expect([kept.code, kept.stderr]).toEqual([0, expect.stringMatching(/fields\.csv: 1 row, 0\.\d kB, 1 credit\.$/m)])
  expect(readFileSync(file, 'utf8')).toBe(csv.stdout)
})

it('twmd search prints what is found, and a hint where nothing is', async () => {
  const { stdout } = await run(['search', '台積', '--type', 'symbol'])
  expect(stdout).toMatch(/^type +id +title +market +is\nsymbol +2330 +台積電 +TWSE/)
  const none = await run(['search', 'zzzzzz'])
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', expect.stringContaining('Nothing is found.')])
})

describe('twmd tail', () => {
  const publish = async (minute: number): Promise<void> => {
    now = new Date(Date.UTC(2026, 6, 1, 13, minute))
    await s.publish(SLUG, [trade('2330', LAST, minute)], { accept: ['closed_day', 'row_count_drift'] })
  }

  it('tells of each publication as it comes, and goes on where it was stopped, without a key', async () => {
    const cursor = join(s.dir, 'cursor.json')
    const args = ['tail', '--every', '1', '--cursor-file', cursor]
    const child = startTwmd(join(s.dir, 'nowhere'), args, { TWMD_URL: url })
    const ran = ended(child)
    let heard = ''
    child.stdout!.on('data', bytes => (heard += bytes))
    await vi.waitUntil(() => existsSync(cursor), { timeout: 60_000 })
    await publish(1)
    await vi.waitUntil(() => heard.includes('\n'), { timeout: 60_000 })
    const [{ release_version: first }] = (await s.get('/v2/updates?published_since=2026-01-01&limit=1')).json().data
    expect(heard).toBe(`2026-07-01 21:01:00  ${SLUG}  revision  +0 ~1 -0  ${LAST}  ${first}\n`)
    await vi.waitUntil(() => readFileSync(cursor, 'utf8').includes(first), { timeout: 60_000 })
    child.kill('SIGTERM')
    await ran

    await publish(2)
    now = new Date(Date.UTC(2026, 6, 1, 13, 3))
    await s.publish('bond-yield-curve', s.dataset('bond-yield-curve').example)
    const again = await run(['tail', '--once', '--cursor-file', cursor, '--json', '--dataset', SLUG], { TWMD_API_KEY: '' })
    expect(
      again.stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toMatchObject([{ previous_release_version: first, slug: SLUG }])
    expect(await run(['tail', '--once', '--cursor-file', cursor])).toEqual({ code: 0, stdout: '', stderr: '' })
    const since = await run(['tail', '--once', '--since', '2026-07-01T13:02:00Z'])
    expect(
      since.stdout
        .trimEnd()
        .split('\n')
        .map(line => line.split('  ')[1]),
    ).toEqual([SLUG, 'bond-yield-curve'])
  })

  it('refuses a cursor that is none', async () => {
    const file = join(s.dir, 'rows.txt')
    writeFileSync(file, 'something else')
    expect(await run(['tail', '--once', '--cursor-file', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no cursor of twmd tail'),
    })
  })
})

describe.runIf(process.platform === 'linux')('twmd login', () => {
  /** Stands in for libsecret's program: attributes as a file name, the secret from standard input. */
  const STORE = `#!/bin/sh
command=$1; shift
[ "$1" = --label ] && shift 2
file="$SECRETS/$(echo "$*" | tr -c 'a-z0-9\\n' _)"
case $command in
  store) cat > "$file" ;;
  lookup) cat "$file" 2>/dev/null ;;
  clear) rm -f "$file" ;;
esac
`
  /** A login shell's way of handing a key in: by standard input. */
  const login = async (text: string, env: Readonly<Record<string, string>>): Promise<Ran> => {
    const child = startTwmd(join(s.dir, 'nowhere'), ['login'], env, 'pipe')
    child.stdin!.end(text)
    return ended(child)
  }

  it('keeps a key that the service takes in the key store, and later commands find it there', async () => {
    const [bin, secrets] = [join(s.dir, 'bin'), join(s.dir, 'secrets')]
    for (const folder of [bin, secrets]) mkdirSync(folder)
    writeFileSync(join(bin, 'secret-tool'), STORE)
    chmodSync(join(bin, 'secret-tool'), 0o755)
    const env = { TWMD_URL: url, TWMD_API_KEY: '', SECRETS: secrets, PATH: `${bin}:${process.env['PATH']}` }

    const without = await run(['search', '2330'], env)
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('twmd login')])
    const wrong = await login('sk_live_00000000000000000000000000000000000000\n', env)
    expect([wrong.code, readdirSync(secrets)]).toEqual([1, []])
    expect(await login(`${key}\n`, env)).toEqual({
      code: 0,
      stdout: `The key of ${url}, plan pro, is kept in the key store. twmd logout removes it.\n`,
      stderr: '',
    })
    expect((await run(['search', '2330'], env)).stdout).toMatch(/^symbol +2330 /m)
    expect((await run(['logout'], env)).stdout).toBe(`The key of ${url} is removed from the key store.\n`)
    expect(readdirSync(secrets)).toEqual([])
  })

  it('says what else there is where no key store is', async () => {
    const env = { TWMD_URL: url, PATH: join(s.dir, 'nothing') }
    const ran = await login(`${key}\n`, env)
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('secret-tool is not installed). Put the key into TWMD_API_KEY')])
  })
})
