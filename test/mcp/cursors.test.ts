import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, type Holder, holder } from '../usage/ledger.ts'
import { type Agent, agentAt } from './agent.ts'

const DAYS = weekdays('2026-06-01', 10)
const COMPANIES = Array.from({ length: 100 }, (_, at) => String(4_000 + at))

let time = NOW
let s: TestService
let agent: Agent
let account: Holder
beforeAll(async () => {
  s = await service({ now: () => time })
  await s.publish(
    'institutional-positioning',
    DAYS.map(day => trade('2330', day, 5)),
  )
  account = holder(s, 'max', 'pages@example.test', NOW)
  agent = await agentAt(await s.app.listen({ port: 0, host: '127.0.0.1' }), account.key)
})
afterAll(async () => {
  await agent.close()
  await s.close()
})

async function answered(name: string, args: Record<string, unknown>) {
  const { isError, answer, text } = await agent.call(name, args)
  expect(isError, text).toBe(false)
  return answer
}
/** Calls a tool and expects a refusal that is free of charge. @returns the error message */
async function refused(name: string, args: Record<string, unknown>): Promise<string> {
  const before = balanced(s.dir, account.accountId)
  const { isError, answer, text } = await agent.call(name, args)
  expect([isError, answer.error?.error_code], text).toEqual([true, 'invalid_cursor'])
  expect(answer.error.what_next).toContain('omit cursor')
  expect(balanced(s.dir, account.accountId)).toEqual(before)
  return answer.error.error_message
}

const FIND = { query: '2', limit: 2 }
const FIELDS = { entity_type: 'company', entities: COMPANIES }
const ROWS = {
  dataset: 'institutional-positioning',
  columns: ['trade_date'],
  limit: 3,
  filters: { symbol: '2330', start_date: '2026-06-01', end_date: '2026-06-12' },
}

it.each([
  ['find', FIND, { query: '23' }],
  ['find', FIND, { type: 'symbol' }],
  ['get_fields', FIELDS, { entities: COMPANIES.toReversed() }],
  ['get_fields', FIELDS, { as_of_date: '2026-06-30' }],
  ['get_rows', ROWS, { filters: { symbol: '2330' } }],
  ['get_rows', ROWS, { columns: ['trade_date', 'market'] }],
  ['get_rows', ROWS, { dataset: 'daily-prices' }],
] as const)('%s refuses the cursor of %o with changed arguments %o', async (name, question, other) => {
  const { next_cursor: cursor } = await answered(name, question)
  expect(await refused(name, { ...question, ...other, cursor })).toContain('belongs to other parameters')
})

it('a tool refuses a changed cursor and the cursor of another tool', async () => {
  const { next_cursor: cursor } = await answered('find', FIND)
  for (const sent of ['1', '', 'MQ', `${cursor}=`, cursor.slice(1), Buffer.from('[2,3]').toString('base64url')])
    expect(await refused('find', { ...FIND, cursor: sent })).toContain('cursor is invalid')
  await refused('get_rows', { ...ROWS, cursor })
})

it('a tool accepts a cursor if the arguments have another order or another limit', async () => {
  const { next_cursor: cursor, rows } = await answered('get_rows', ROWS)
  const filters = { end_date: '2026-06-12', start_date: '2026-06-01', symbol: '2330' }
  const next = await answered('get_rows', { cursor, filters, limit: 2, columns: ROWS.columns, dataset: ROWS.dataset })
  expect([...rows, ...next.rows].flat()).toEqual(DAYS.toReversed().slice(0, 5))
})

it('if the next page of get_fields is read after midnight, it keeps the as-of day of the first page', async () => {
  const first = await answered('get_fields', FIELDS)
  expect(first.returned).toBeLessThan(COMPANIES.length)
  time = new Date(NOW.getTime() + 86_400_000)
  const next = await answered('get_fields', { ...FIELDS, cursor: first.next_cursor })
  expect([first.as_of_date, next.as_of_date]).toEqual(['2026-07-01', '2026-07-01'])
  expect((await answered('get_fields', { ...FIELDS, entities: ['2330'] })).as_of_date).toBe('2026-07-02')
  time = NOW
})

it('a publication invalidates cursors of find and get_fields; a cursor of get_rows continues with its release', async () => {
  const [found, values] = [await answered('find', FIND), await answered('get_fields', FIELDS)]
  const rows = await answered('get_rows', ROWS)
  const [company] = s.dataset('securities').example
  await s.publish('securities', [{ ...company!, ticker: '2999', name: '新公司' }, ...s.dataset('securities').example], {
    accept: ['row_count'],
  })
  await s.publish('institutional-positioning', [trade('2330', '2026-06-30', 7)])
  await s.search.refresh()
  expect(await refused('find', { ...FIND, cursor: found.next_cursor })).toContain('served releases changed')
  expect(await refused('get_fields', { ...FIELDS, cursor: values.next_cursor })).toContain('served releases changed')
  const next = await answered('get_rows', { ...ROWS, cursor: rows.next_cursor })
  expect([next.release, next.total]).toEqual([rows.release, rows.total])
})

it('if a publication arrives while a page is queued, the cursor of the page is refused, free of charge', async () => {
  const values = await answered('get_fields', FIELDS)
  const turn = await s.gate.acquireSlot({ ...account, plan: 'max', limits: PLANS.max }, { slots: PLANS.max.requestsAtOnce })
  const page = refused('get_fields', { ...FIELDS, cursor: values.next_cursor })
  await s.publish('institutional-positioning', [trade('2330', '2026-07-01', 8)])
  turn.end()
  expect(await page).toContain('served releases changed')
})

it('get_rows reads no more rows than fit into one answer', async () => {
  const columns = Object.keys(s.dataset('securities').columns)
  const [company] = s.dataset('listed-securities').example
  const many = Array.from({ length: 1_200 }, (_, index) => ({ ...company!, ticker: String(3_000 + index) }))
  await s.publish('listed-securities', many, { accept: ['row_count'] })
  const answer = await answered('get_rows', { dataset: 'securities', columns, filters: { status: 'listed' }, sort: 'ticker', limit: 1_000 })
  expect(answer.total).toBe(1_200)
  // The log line is written after the answer is sent.
  const read = (): number => logged().findLast(({ event, dataset }) => event === 'read' && dataset === 'securities')?.rows
  await expect.poll(read).toBeLessThan(1_000)
  expect(answer.returned).toBeLessThan(1_000)
  expect(read()).toBeGreaterThanOrEqual(answer.returned)
  expect(read()).toBeLessThanOrEqual(3 * answer.returned)
})

const logged = () => s.lines.map(line => JSON.parse(line))
