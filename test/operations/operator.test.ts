import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ingestFiles } from '../../ingest/index.ts'
import { partFiles } from '../../src/releases/index.ts'
import { twmd } from '../fixtures/cli/twmd.ts'
import { body, feeds, t86Body } from '../fixtures/ingest/bodies.ts'
import { SECRETS, service, type TestService } from '../support.ts'

const FEED = 'twse-t86'
const TRADES = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

const admin = { 'x-admin-token': SECRETS.ADMIN_TOKEN }
const look = async (path: string) => {
  const answer = await s.get(`/v2/admin/${path}`, undefined, admin)
  expect([path, answer.statusCode]).toEqual([path, 200])
  return answer.json()
}
const decide = (path: string, payload: object = {}) =>
  s.app.inject({ method: 'POST', url: `/v2/admin/quarantine/${path}`, headers: admin, payload })
const ingest = (file: string, accept: readonly string[] = []) =>
  ingestFiles(s.workspace, feeds.get(FEED)!, [file], { requestedDay: undefined, accept, progress: () => {} })
const nets = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [String(2330 + nth), [nth + 1, 7 * nth, -nth] as const]))
const actions = () =>
  s.control.db.prepare("SELECT actor, action, target, facts FROM audit_log WHERE action LIKE 'quarantine %' ORDER BY id").all()

/** A day is served; the next day's file repeats its body and is refused. @returns its id in the quarantine */
async function refused(): Promise<string> {
  await ingest(body(s, 'T86_20260629.json', t86Body('2026-06-29', nets)))
  const { results } = await ingest(body(s, 'T86_20260630.json', t86Body('2026-06-30', nets)))
  expect(results.map(({ outcome, said }) => [outcome, said])).toEqual([['refused', 'same_body']])
  const { kept, data } = await look('quarantine')
  expect([kept, data.length]).toEqual([1, 1])
  return data[0].id
}

describe('the quarantine', () => {
  it('is listed with the rules that were broken, each with what lets it pass', async () => {
    const id = await refused()
    const { data } = await look('quarantine')
    expect(data[0]).toMatchObject({ id, for: FEED, file: 'T86_20260630.json', has_copy: true, rules: ['same_body'] })
    const report = await look(`quarantine/${id}`)
    expect(report).toMatchObject({ faults: [{ rule: 'same_body', accept: 'same_body' }], settled: null, attempt: null })
    expect(report.faults[0].message).toMatch(/^The rows of TWSE 2026-06-30 equal those of TWSE 2026-06-29 one by one;/)
    expect(report.faults[0].message_zh).toMatch(/^TWSE 2026-06-30 的資料列與 TWSE 2026-06-29 逐列相同；/)
    expect(JSON.stringify(report)).not.toContain(s.dir)
  })

  it('has no Chinese of a file that a version refused which wrote none', async () => {
    const id = await refused()
    const [folder] = readdirSync(join(s.dir, 'quarantine', FEED))
    const path = join(s.dir, 'quarantine', FEED, folder!, 'report.json')
    const { faults, ...report } = JSON.parse(readFileSync(path, 'utf8'))
    const older = faults.map(({ message_zh: _, ...fault }: { readonly message_zh: string }) => fault)
    writeFileSync(path, JSON.stringify({ ...report, faults: older }))
    expect((await look(`quarantine/${id}`)).faults).toMatchObject([{ rule: 'same_body', message: older[0].message, message_zh: null }])
  })

  it('publishes a file with the rule let pass, in another process, once, and says so ever after', async () => {
    const id = await refused()
    const still = (await decide(`${id}/accept`)).json()
    expect(still).toMatchObject({ outcome: 'refused', faults: [{ rule: 'same_body' }], settled: null })
    expect((await look(`quarantine/${id}`)).attempt).toMatchObject({ outcome: 'refused' })
    const [answer, beside] = await Promise.all([
      decide(`${id}/accept`, { accept: ['same_body'], note: 'checked by hand' }),
      decide(`${id}/accept`, { accept: ['same_body'], note: 'checked by hand' }),
    ])
    expect(answer.json()).toMatchObject({ id, outcome: 'published', settled: { rules: ['same_body'], file: 'T86_20260630.json' } })
    expect(beside.json()).toEqual(answer.json())
    await s.releases.refresh()
    const key = s.keyOn('max')
    const read = (await s.get(`/v2/datasets/${TRADES}?symbol=2331&start_date=2026-06-30`, key)).json()
    expect(read.data).toMatchObject([{ ticker: '2331', trade_date: '2026-06-30', foreign_net_buy: 2 }])
    expect(s.releases.current(s.dataset(TRADES)).id).toBe(answer.json().releases[TRADES])
    expect((await decide(`${id}/accept`, { accept: ['same_body'] })).json()).toEqual(answer.json())
    expect(await look('quarantine')).toMatchObject({ kept: 0, data: [], settled: [{ id, action: 'accept', outcome: 'published' }] })
    expect((await decide(`${id}/discard`)).statusCode).toBe(409)
    expect(actions()).toEqual([
      { actor: 'admin', action: 'quarantine accept', target: id, facts: expect.stringContaining('"rules":[]') },
      { actor: 'admin', action: 'quarantine accept', target: id, facts: expect.stringContaining('checked by hand') },
    ])
  })

  it('finds the rows served where a crash came between publication and record', async () => {
    const id = await refused()
    const [folder] = readdirSync(join(s.workspace.quarantine, FEED))
    const copy = join(s.workspace.quarantine, FEED, folder!, 'T86_20260630.json')
    expect((await ingest(copy, ['same_body'])).results).toMatchObject([{ outcome: 'published' }])
    expect((await decide(`${id}/accept`, { accept: ['same_body'] })).json()).toMatchObject({ outcome: 'unchanged' })
    expect(existsSync(dirname(copy))).toBe(false)
  })

  it('lets a file go, once, and publishes it no more', async () => {
    const id = await refused()
    const discarded = await decide(`${id}/discard`, { note: 'the exchange sent it twice' })
    expect(discarded.json()).toMatchObject({ id, action: 'discard', outcome: 'discarded', releases: {} })
    expect((await decide(`${id}/discard`)).json()).toEqual(discarded.json())
    expect((await decide(`${id}/accept`, { accept: ['same_body'] })).statusCode).toBe(409)
    expect(readdirSync(join(s.workspace.quarantine, FEED))).toEqual([])
    expect(actions()).toMatchObject([{ action: 'quarantine discard', target: id }])
  })

  it('refuses rules that may not be let pass, days that are none, and ids that it does not know, before anything is done', async () => {
    const id = await refused()
    const wrong = await decide(`${id}/accept`, { accept: ['grain', 'same_body'] })
    expect([wrong.statusCode, wrong.json().error.error_message]).toEqual([
      422,
      expect.stringContaining('accept names grain; only row_count_drift'),
    ])
    expect((await decide(`${id}/accept`, { date: '2026-02-30' })).statusCode).toBe(422)
    for (const unknown of ['q_0000000000000000', '..%2f..%2fstate.sqlite', 'x'])
      expect([unknown, (await decide(`${unknown}/discard`)).statusCode]).toEqual([unknown, 404])
    expect(actions()).toEqual([])
    expect((await look('quarantine')).kept).toBe(1)
  })

  it('says of a file that cannot be published why, and keeps it', async () => {
    const id = await refused()
    const lock = join(s.dir, 'releases', TRADES, '.publishing')
    writeFileSync(lock, `${process.pid}\n`)
    const { outcome, said, settled } = (await decide(`${id}/accept`, { accept: ['same_body'] })).json()
    expect([outcome, settled]).toEqual(['failed', null])
    expect(said).toContain(String(process.pid))
    expect((await look('quarantine')).kept).toBe(1)
  })

  it('does the same by command, with the same ids', async () => {
    const id = await refused()
    const listed = JSON.parse((await twmd(s.dir, 'quarantine', 'list', '--json')).stdout)
    expect(listed).toMatchObject([{ id, for: FEED, faults: [{ rule: 'same_body' }] }])
    const refusal = await twmd(s.dir, 'quarantine', 'accept', id)
    expect([refusal.code, refusal.stderr]).toEqual([1, expect.stringMatching(/^refused {2}same_body: /)])
    expect((await twmd(s.dir, 'quarantine', 'discard', id)).stdout).toBe('T86_20260630.json: discarded\n')
    expect(await look('quarantine')).toMatchObject({ kept: 0, settled: [{ id, outcome: 'discarded' }] })
  })
})

it('tells every dataset’s releases: what is served, kept, pinned and withdrawn', async () => {
  await ingest(body(s, 'a.json', t86Body('2026-06-29', nets)))
  await ingest(body(s, 'b.json', t86Body('2026-06-30', { ...nets, 2330: [99, 0, 0] })))
  await s.releases.refresh()
  const [first, second] = (await look(`releases/${TRADES}`)).data.map(({ release }: { release: string }) => release).toReversed()
  expect((await twmd(s.dir, 'releases', 'pin', TRADES, first, '--note', 'audited')).code).toBe(0)
  expect((await twmd(s.dir, 'releases', 'serve', TRADES, first)).code).toBe(0)
  await s.releases.refresh()
  const history = await look(`releases/${TRADES}`)
  expect(history.data).toMatchObject([
    { release: second, served: false, standing: 'unused', damaged: false, changes: { rows_added: 20 } },
    { release: first, served: true, standing: 'served', pinned: true, pin_note: 'audited', rows: 20 },
  ])
  expect((await look(`releases/${TRADES}?limit=1`)).data.map(({ release }: { release: string }) => release)).toEqual([second])
  const { data } = await look('releases')
  expect(data.find(({ slug }: { slug: string }) => slug === TRADES)).toMatchObject({
    ...{ served: first, named: first, kept: 2, pinned: 1, withdrawn: 1, retired: 0, damaged: 0, rows: 20, status: 'verified' },
  })
  expect(data.find(({ slug }: { slug: string }) => slug === 'bond-yield-curve')).toMatchObject({
    served: null,
    kept: 0,
    status: 'building',
  })
  expect((await s.get('/v2/admin/releases/institutional-positionin', undefined, admin)).json().error.did_you_mean).toBe(TRADES)
})

it('names damaged files and what is served instead', async () => {
  await ingest(body(s, 'a.json', t86Body('2026-06-29', nets)))
  await s.releases.refresh()
  expect(await look('damage')).toMatchObject({ data_count: 0, data: [] })
  const former = s.releases.current(s.dataset(TRADES))
  await ingest(body(s, 'b.json', t86Body('2026-06-30', { ...nets, 2330: [99, 0, 0] })))
  await s.releases.refresh()
  const newest = s.releases.current(s.dataset(TRADES))
  const [part] = partFiles(newest.manifest).filter(({ sha256 }) => !partFiles(former.manifest).some(one => one.sha256 === sha256))
  writeFileSync(newest.pathOf(part!), 'no Parquet')
  await s.releases.reportReadFailure(newest)
  const { data } = await look('damage')
  expect(data).toMatchObject([{ slug: TRADES, fallback: former.id }])
  expect(data[0].findings).toMatchObject([{ file: join(TRADES, 'parts', `${part!.sha256}.parquet`) }])
  const shown = (await look('releases')).data.find(({ slug }: { slug: string }) => slug === TRADES)
  expect(shown).toMatchObject({ served: former.id, named: newest.id, status: 'degraded', damaged: 1 })
  expect(JSON.stringify(data)).not.toContain(s.dir)
})

it('shows what lies in the inbox, what is left there and why, and what was taken', async () => {
  const drop = (path: string): void => {
    mkdirSync(dirname(join(s.dir, 'inbox', path)), { recursive: true })
    writeFileSync(join(s.dir, 'inbox', path), t86Body('2026-06-30', nets))
  }
  drop(`feeds/${FEED}/T86_20260630.json`)
  expect((await twmd(s.dir, 'watch', '--once')).code).toBe(0)
  drop(`feeds/${FEED}/T86_20260701.json`)
  drop('daily-price/x.csv')
  const inbox = await look('inbox')
  expect(inbox).toMatchObject({
    waiting: [{ inbox: `feeds/${FEED}`, file: 'T86_20260701.json' }],
    waiting_count: 1,
    left: [
      {
        ...{ inbox: 'daily-price', file: 'x.csv' },
        reason: 'There is no dataset named daily-price; did you mean daily-prices? Rename the folder, and its files are taken.',
        reason_zh: '沒有名為 daily-price 的資料集；您是指 daily-prices 嗎？請更改資料夾名稱，其中的檔案即會收取。',
      },
    ],
    taken: [{ inbox: `feeds/${FEED}`, file: 'T86_20260630.json', outcome: 'published', releases: { [TRADES]: expect.any(String) } }],
    watching: false,
  })
})

it('lists feeds as the schedule knows them', async () => {
  const last_run = {
    at: '2026-07-01T18:05:00.000+08:00',
    outcome: 'late',
    said: 'The source still gives an earlier day.',
    said_zh: '來源提供的仍是較早日期的資料。',
  }
  mkdirSync(join(s.dir, 'fetch'))
  const state = { 'twse-income': { next_at: '2026-07-01T18:35:00.000+08:00', covers: null, tries: 2, last_run } }
  writeFileSync(join(s.dir, 'fetch', 'schedule.json'), JSON.stringify(state))
  const { data } = await look('feeds')
  const of = (name: string) => data.find(({ feed }: { feed: string }) => feed === name)
  expect(of('twse-income')).toMatchObject({
    next_at: '2026-07-01T18:35:00.000+08:00',
    tries: 2,
    last_run,
    due_zh: expect.stringMatching(/^每/),
  })
  expect(of(FEED)).toMatchObject({ datasets: [TRADES], last_run: null, next_at: null, needs_consent: ['www.twse.com.tw'] })
  const listed = JSON.parse((await twmd(s.dir, 'schedule', '--list', '--json')).stdout)
  expect(data.map(({ datasets: _, tries: __, ...line }: Record<string, unknown>) => line)).toEqual(listed)
})

it('counts what waits, without addresses, ids of customers or secrets in the words of the other side', async () => {
  expect(await look('queues')).toMatchObject({
    ledger: { owed: 0 },
    mail: { waiting: 0, oldest_at: null, last_error: null },
    payment_events: { waiting: 0, oldest_at: null },
  })
  const { outbox, paymentEvents } = s.control
  outbox.put({ to: 'ann@example.test', subject: 'Code', body: '123456' }, s.now())
  outbox.put({ to: 'bob@example.test', subject: 'Notice', body: 'x' }, s.now(), 'notice')
  const [mail] = outbox.due(s.now())
  outbox.tried(mail!, s.now())
  outbox.failed(mail!, '550 5.1.1 <ann@example.test>: no such mailbox')
  paymentEvents.store({ id: 'evt_1', type: 'invoice.paid', created: 1, livemode: false, payload: 'null' }, s.now())
  const [event] = paymentEvents.due(s.now())
  paymentEvents.failed(event!, 'No such customer: cus_123abc; key sk_test_abcdef', s.now())
  const queues = await look('queues')
  expect(queues.mail).toMatchObject({ waiting: 2, codes: 1, notices: 1, attempts: 1, last_error: '550 5.1.1 <…>: no such mailbox' })
  expect(queues.payment_events).toMatchObject({ waiting: 1, attempts: 1, last_error: 'No such customer: …; key …' })
  expect(queues.mail.oldest_at).toBe('2026-07-01T20:00:00.000+08:00')
})

it('lists the slowest reads without their parameters', async () => {
  await ingest(body(s, 'a.json', t86Body('2026-06-29', nets)))
  await s.releases.refresh()
  expect((await look('slow-reads')).data).toEqual([])
  const key = s.keyOn('pro')
  const read = await s.get(`/v2/datasets/${TRADES}?symbol=2337&columns=ticker`, key)
  expect(read.statusCode).toBe(200)
  // What is logged of a read is written once its answer has left.
  const { data } = await vi.waitFor(async () => {
    const slow = await look('slow-reads')
    expect(slow.data_count).toBe(1)
    return slow
  }, 20_000)
  expect(data).toMatchObject([{ product: TRADES, rows: 1, request_id: read.headers['x-request-id'], stages: { plan: expect.any(Number) } }])
  expect(data[0].ms).toBeCloseTo(
    Object.values<number>(data[0].stages).reduce((sum, ms) => sum + ms),
    1,
  )
  expect(JSON.stringify(data)).not.toContain('2337')
  expect(JSON.stringify(data)).not.toContain(key)
})

it.each(['releases', 'damage', 'quarantine', 'inbox', 'feeds', 'queues', 'slow-reads'])('shows %s to the operator alone', async path => {
  const headers = [
    {},
    { 'x-admin-token': 'x'.repeat(32) },
    { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` },
    { 'x-api-key': s.keyOn('max') },
  ]
  for (const sent of headers) expect((await s.get(`/v2/admin/${path}`, undefined, sent)).statusCode).toBe(401)
})
