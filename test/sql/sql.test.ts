import { readdirSync, readFileSync } from 'node:fs'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, describe, expect, it } from 'vitest'
import { workersOf } from '../fixtures/sql/worker-pids.ts'
import { service } from '../support.ts'

const s = await service()
afterAll(s.close)

let callers = 0
const newKey = (plan: 'free' | 'pro' | 'max' = 'max') => s.keyOn(plan, `sql${++callers}@example.test`)
const post = (key: string, body: object) => s.app.inject({ method: 'POST', url: '/v2/sql', headers: { 'x-api-key': key }, payload: body })
const getSql = (key: string, query: Record<string, string>, headers: Record<string, string> = {}) =>
  s.get(`/v2/sql?${new URLSearchParams(query)}`, key, headers)
const errorOf = (answer: { json(): { error: { error_code: string; error_message: string } } }) => answer.json().error

describe('answers', () => {
  it('a SQL query returns the rows of the dataset with columns, releases and price', async () => {
    const key = newKey()
    const rows = (await s.get('/v2/datasets/institutional-positioning?symbol=2330', key)).json().data
    const answer = await post(key, {
      q: 'SELECT * FROM institutional_positioning WHERE ticker = $1 ORDER BY trade_date DESC',
      params: ['2330'],
    })
    expect(answer.statusCode, answer.body).toBe(200)
    const body = answer.json()
    expect(body.data).toEqual(rows)
    expect(body).toMatchObject({ endpoint: '/v2/sql', plan_id: 'max', data_count: rows.length, meta: { credits: 2, next_offset: null } })
    expect(body.meta.releases).toEqual({ 'institutional-positioning': expect.stringMatching(/^\d{8}T\d{9}Z$/) })
    expect(body.meta.scanned_rows).toBe(rows.length)
    expect(answer.headers).toMatchObject({ 'x-credits-charged': '2', 'x-row-count': String(rows.length) })
    expect(answer.headers['x-releases']).toBe(`institutional-positioning=${body.meta.releases['institutional-positioning']}`)
  })

  it('SQL queries support joins, windows, ASOF JOIN, PIVOT, QUALIFY and SUMMARIZE', async () => {
    const key = newKey()
    for (const q of [
      'SELECT * FROM daily_prices JOIN institutional_positioning USING (ticker, trade_date)',
      'SELECT ticker, row_number() OVER (PARTITION BY ticker ORDER BY trade_date) AS n FROM daily_prices QUALIFY n = 1',
      'SELECT a.ticker, b.close FROM institutional_positioning a ASOF JOIN daily_prices b ON a.ticker = b.ticker AND a.trade_date >= b.trade_date',
      "SELECT * FROM (PIVOT daily_prices ON market IN ('TWSE', 'TPEX') USING count(*) GROUP BY trade_date)",
      'SELECT * FROM (SUMMARIZE daily_prices)',
      'WITH t AS (SELECT ticker, sum(volume) AS v FROM daily_prices GROUP BY ALL) SELECT * FROM t ORDER BY v DESC',
      'FROM securities SELECT market, count(*) GROUP BY ALL',
    ]) {
      const answer = await post(key, { q })
      expect.soft(answer.statusCode, `${q}: ${answer.body.slice(0, 300)}`).toBe(200)
      expect.soft(answer.json().data_count, q).toBeGreaterThan(0)
    }
  })

  it('a SQL query returns the same rows in every format', async () => {
    const key = newKey()
    const query = { q: 'SELECT ticker, close, trade_date FROM daily_prices ORDER BY ALL LIMIT 5' }
    const { data } = (await getSql(key, query)).json()
    const lines = await getSql(key, { ...query, format: 'ndjson' })
    expect(
      lines.body
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(data)
    const csv = await getSql(key, { ...query, format: 'csv' })
    expect(csv.body.split('\n').length).toBeGreaterThan(data.length)
    expect(csv.headers['content-disposition']).toBe('attachment; filename="sql.csv"')
    const table = tableFromIPC((await getSql(key, { ...query, format: 'arrow' })).rawPayload)
    expect(table.toArray().map(row => row.toJSON().ticker)).toEqual(data.map(({ ticker }: { ticker: string }) => ticker))
    const parquet = await getSql(key, { ...query, format: 'parquet' })
    expect(parquet.rawPayload.subarray(0, 4).toString()).toBe('PAR1')
  })

  it('a SQL answer gives duplicate columns different names and contains values of every type', async () => {
    const q =
      "SELECT 1 AS a, 2.5 AS a, [1, 2] AS l, {'x': 1} AS s, 'nan'::DOUBLE AS n, TIMESTAMPTZ '2020-01-01 00:00:00+00' AS t, INTERVAL 1 DAY AS i"
    const { data } = (await post(newKey(), { q })).json()
    expect(data).toEqual([{ a: 1, a_1: 2.5, l: [1, 2], s: { x: 1 }, n: null, t: '2020-01-01T08:00:00+08:00', i: '1 day' }])
  })

  it('a SQL query binds values by name and position, and refuses missing and extra values', async () => {
    const key = newKey()
    expect((await post(key, { q: 'SELECT $b AS b, $a AS a', params: { a: 1, b: 'x' } })).json().data).toEqual([{ b: 'x', a: 1 }])
    expect((await post(key, { q: 'SELECT ? AS b, ? AS a', params: [null, true] })).json().data).toEqual([{ b: null, a: true }])
    const wrong = await post(key, { q: 'SELECT $1', params: [1, 2] })
    expect([wrong.statusCode, errorOf(wrong).error_message]).toEqual([422, expect.stringContaining('$2')])
    expect((await post(key, { q: 'SELECT $1' })).statusCode).toBe(422)
  })
})

describe('pages and ETags', () => {
  it('a SQL answer links to the next page in the same release', async () => {
    const key = newKey()
    const q = 'SELECT ticker, trade_date FROM daily_prices ORDER BY ALL'
    const all = (await getSql(key, { q })).json().data
    const first = await getSql(key, { q, limit: '1' })
    const [, target] = /^<(.*)>; rel="next"$/.exec(String(first.headers['link']))!
    const second = await s.get(target!, key)
    expect([...first.json().data, ...second.json().data]).toEqual(all.slice(0, 2))
    expect(target).toContain('releases=daily-prices')
    expect(first.json().meta.next_offset).toBe(1)
  })

  it('a SQL query with its current ETag is answered 304, free of charge', async () => {
    const key = newKey()
    const first = await getSql(key, { q: 'SELECT count(*) AS n FROM securities' })
    const second = await getSql(key, { q: 'SELECT count(*) AS n FROM securities' }, { 'if-none-match': String(first.headers['etag']) })
    expect([second.statusCode, second.headers['x-credits-charged']]).toEqual([304, '0'])
    const other = await getSql(key, { q: 'SELECT count(*) AS m FROM securities' })
    expect(other.headers['etag']).not.toBe(first.headers['etag'])
  })
})

describe('price', () => {
  it('a SQL query is charged once, with the price that the dry run states', async () => {
    const key = newKey()
    for (const q of [
      'SELECT 1',
      'SELECT count(*) FROM daily_prices',
      "SELECT count(*) FROM daily_prices WHERE ticker = '2330'",
      "SELECT count(*) FROM daily_prices WHERE trade_date = '2026-06-30'",
      'SELECT count(*) FROM daily_prices, institutional_positioning',
      'SELECT count(*) FROM daily_prices a JOIN daily_prices b USING (ticker)',
      'SELECT * FROM (SELECT * FROM securities) UNION ALL SELECT * FROM securities',
      'SELECT (SELECT count(*) FROM margin_trading) AS n',
      'WITH newest AS (SELECT max(trade_date) AS day FROM daily_prices) SELECT ticker FROM daily_prices, newest WHERE trade_date = day',
      'SELECT p.ticker, m.margin_balance FROM daily_prices p ASOF JOIN margin_trading m ON p.ticker = m.ticker AND p.trade_date >= m.trade_date',
    ]) {
      const dry = await post(key, { q, dry_run: true })
      expect.soft(dry.headers['x-credits-charged'], q).toBe('0')
      const answer = await post(key, { q })
      expect.soft(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
      expect.soft(answer.headers['x-credits-charged'], q).toBe(String(dry.json().credits))
      expect.soft(answer.json().meta, q).toMatchObject({ credits: dry.json().credits, scanned_rows: dry.json().scan.scanned_rows })
    }
  })

  it('a SQL query scans only the rows that its conditions can match', async () => {
    const key = newKey()
    const rowsOf = async (q: string) => (await post(key, { q, dry_run: true })).json().scan.scanned_rows
    const all = await rowsOf('SELECT 1 FROM securities')
    const one = await rowsOf("SELECT 1 FROM securities WHERE ticker = '2330'")
    const either = await rowsOf("SELECT 1 FROM securities WHERE ticker = '2330' OR true")
    const hidden = await rowsOf("SELECT 1 FROM securities a LEFT JOIN securities b ON a.ticker = '2330'")
    expect(one).toBeLessThan(all)
    expect([either, hidden]).toEqual([all, all])
    expect(await rowsOf("SELECT 1 FROM securities WHERE ticker = 'none'")).toBe(0)
  })

  it('a SQL query costs nothing if it is refused, fails or exceeds its time', async () => {
    const key = newKey('free')
    for (const q of ['SELECT nope FROM securities', 'SELECT count(*) FROM range(1000000000000)', 'COPY x TO y']) {
      const answer = await post(key, { q })
      expect.soft([422, 504], q).toContain(answer.statusCode)
      expect.soft(answer.headers['x-credits-charged'], q).toBe('0')
    }
    expect((await post(key, { q: 'SELECT 1 AS works' })).statusCode).toBe(200)
  })
})

describe('plans and releases', () => {
  it('a SQL query is refused if it names a dataset of a higher plan anywhere', async () => {
    const key = newKey('free')
    for (const q of [
      'SELECT * FROM institutional_positioning',
      'SELECT 1 FROM securities WHERE EXISTS (SELECT 1 FROM institutional_positioning)',
      'WITH a AS (SELECT * FROM INSTITUTIONAL_POSITIONING) SELECT 1',
      'SELECT (SELECT max(foreign_net_buy) FROM "Institutional_Positioning")',
      'SELECT 1 UNION ALL SELECT count(*) FROM institutional_positioning',
      'SELECT * FROM (SUMMARIZE institutional_positioning)',
    ]) {
      const answer = await post(key, { q })
      expect.soft([answer.statusCode, answer.json().error?.required_plan], q).toEqual([403, 'pro'])
    }
  })

  it('a SQL query reads pinned releases, and the releases of an earlier time', async () => {
    const key = newKey()
    const q = 'SELECT count(*) AS n FROM securities'
    const { meta } = (await post(key, { q })).json()
    expect((await post(key, { q, releases: meta.releases })).json().meta.releases).toEqual(meta.releases)
    expect((await getSql(key, { q, releases: `securities=${meta.releases.securities}` })).statusCode).toBe(200)
    expect((await post(key, { q, as_of: '2026-07-01' })).json().meta).toMatchObject({ as_of: '2026-07-01', releases: meta.releases })
    const early = await post(key, { q, as_of: '2020-01-01' })
    expect([early.statusCode, errorOf(early).error_code]).toEqual([422, 'invalid_parameter'])
    for (const body of [{ releases: { 'daily-prices': meta.releases.securities } }, { releases: { nope: 'x' } }, { as_of: 'x' }])
      expect.soft((await post(key, { q, ...body })).statusCode, JSON.stringify(body)).toBe(422)
    expect((await post(key, { q, releases: { securities: '20000101T000000000Z' } })).statusCode).toBe(404)
  })
})

it('a SQL query is answered 501 if the operator has not enabled SQL', async () => {
  const off = await service({ env: { SQL: 'off' } })
  const answer = await off.get('/v2/sql?q=SELECT+1', off.keyOn('max'))
  expect([answer.statusCode, errorOf(answer).error_code]).toEqual([501, 'reserved_endpoint'])
  await off.close()
})

it.runIf(process.platform === 'linux')('the service runs SQL queries on threads that yield to all other processes', async () => {
  expect((await post(newKey(), { q: 'SELECT count(*) AS n FROM daily_prices' })).statusCode).toBe(200)
  const workers = workersOf(process.pid)
  expect(workers).not.toEqual([])
  for (const pid of workers) expect.soft(new Set(policiesOf(pid))).toEqual(new Set([SCHED_IDLE]))
})

const SCHED_IDLE = '5'

/** Scheduling policies of the threads of a process: field 41 of `stat`, see proc_pid_stat(5). */
const policiesOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/task`).map(
    thread =>
      readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ')[38]!,
  )
