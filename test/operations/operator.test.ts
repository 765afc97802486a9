import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { twmd } from '../fixtures/cli/in-process.ts'
import { t86Body } from '../fixtures/ingest/bodies.ts'
import { SECRETS, service, type TestService } from '../support.ts'
import { FEED, NETS, operatorOf, TRADES } from './operator.ts'

// Tests share the service; each ingests different days.
let s: TestService
let o: ReturnType<typeof operatorOf>
beforeAll(async () => {
  s = await service({ examples: false })
  o = operatorOf(s)
})
afterAll(() => s.close())

it('GET /v2/admin/quarantine lists a refused file with the broken rules and the rules that can be accepted', async () => {
  const { id, file, first, day } = await o.refused()
  expect(await o.listed(id)).toMatchObject({ id, for: FEED, file, has_copy: true, rules: ['same_body'] })
  const report = await o.read(`quarantine/${id}`)
  expect(report).toMatchObject({ faults: [{ rule: 'same_body', accept: 'same_body' }], settled: null, attempt: null })
  expect(report.faults[0].message).toMatch(new RegExp(`^The rows of TWSE ${day} are identical to those of TWSE ${first}\\.`))
  expect(report.faults[0].message_zh).toMatch(new RegExp(`^TWSE ${day} 的資料列與 TWSE ${first} 完全相同；`))
  expect(JSON.stringify(report)).not.toContain(s.dir)

  // A report of a version without Chinese messages.
  const folder = readdirSync(join(s.dir, 'quarantine', FEED)).find(name =>
    readdirSync(join(s.dir, 'quarantine', FEED, name)).includes(file),
  )!
  const path = join(s.dir, 'quarantine', FEED, folder, 'report.json')
  const { faults, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
  const older = faults.map(({ message_zh: _, ...fault }: { readonly message_zh: string }) => fault)
  writeFileSync(path, JSON.stringify({ ...rest, faults: older }))
  expect((await o.read(`quarantine/${id}`)).faults).toMatchObject([{ rule: 'same_body', message: older[0].message, message_zh: null }])
})

it('POST accept publishes a quarantined file once and records rules and note', async () => {
  const { id, file, first, day } = await o.refused()
  const answer = await o.decide(`${id}/accept`, { accept: ['same_body'], note: 'checked by hand' })
  expect(answer.json()).toMatchObject({ id, outcome: 'published', settled: { rules: ['same_body'], file } })
  await s.releases.refresh()
  const read = (await s.get(`/v2/datasets/${TRADES}?symbol=2331&start_date=${day}&end_date=${day}`, s.keyOn('max'))).json()
  expect(read.data).toMatchObject([{ ticker: '2331', trade_date: day, foreign_net_buy: Number(first.replaceAll('-', '')) }])
  expect(s.releases.current(s.dataset(TRADES)).id).toBe(answer.json().releases[TRADES])
  expect((await o.decide(`${id}/accept`, { accept: ['same_body'] })).json()).toEqual(answer.json())
  expect(await o.listed(id)).toBeUndefined()
  expect((await o.read('quarantine')).settled).toContainEqual(expect.objectContaining({ id, action: 'accept', outcome: 'published' }))
  expect((await o.decide(`${id}/discard`)).statusCode).toBe(409)
  expect(o.actions(id)).toEqual([
    { actor: 'admin', action: 'quarantine accept', account_id: null, target: id, facts: expect.stringContaining('checked by hand') },
  ])
})

it('POST discard deletes a quarantined file once and forbids accepting it', async () => {
  const { id, file } = await o.refused()
  const discarded = await o.decide(`${id}/discard`, { note: 'the exchange sent it twice' })
  expect(discarded.json()).toMatchObject({ id, action: 'discard', outcome: 'discarded', releases: {} })
  expect((await o.decide(`${id}/discard`)).json()).toEqual(discarded.json())
  expect((await o.decide(`${id}/accept`, { accept: ['same_body'] })).statusCode).toBe(409)
  expect(readdirSync(join(s.workspace.quarantine, FEED), { recursive: true }).filter(path => String(path).endsWith(file))).toEqual([])
  expect(o.actions(id)).toMatchObject([{ action: 'quarantine discard', target: id }])
})

it('POST accept and discard refuse unknown rules, days and ids and change nothing; twmd quarantine uses the same ids', async () => {
  const { id, file } = await o.refused()
  const wrong = await o.decide(`${id}/accept`, { accept: ['grain', 'same_body'] })
  expect([wrong.statusCode, wrong.json().error.error_message]).toEqual([
    422,
    expect.stringContaining('accept may not contain grain. It may contain row_count_drift'),
  ])
  expect((await o.decide(`${id}/accept`, { date: '2026-02-30' })).statusCode).toBe(422)
  for (const unknown of ['q_0000000000000000', '..%2f..%2fstate.sqlite', 'x'])
    expect([unknown, (await o.decide(`${unknown}/discard`)).statusCode]).toEqual([unknown, 404])
  expect(o.actions(id)).toEqual([])
  const listed = JSON.parse((await twmd(s.dir, 'quarantine', 'list', '--json')).stdout)
  expect(listed).toContainEqual(expect.objectContaining({ id, for: FEED, faults: [expect.objectContaining({ rule: 'same_body' })] }))
  const waived = await twmd(s.dir, 'quarantine', 'accept', id, '--accept', 'grain', 'same_body')
  expect([waived.code, waived.stderr]).toEqual([1, expect.stringContaining('accept may not contain grain. It may contain row_count_drift')])
  expect(await o.listed(id)).toMatchObject({ id })
  const refusal = await twmd(s.dir, 'quarantine', 'accept', id)
  expect([refusal.code, refusal.stderr]).toEqual([1, expect.stringMatching(/^refused {2}same_body: /)])
  expect((await twmd(s.dir, 'quarantine', 'discard', id)).stdout).toBe(`${file}: discarded\n`)
  expect(await o.listed(id)).toBeUndefined()
  expect((await o.read('quarantine')).settled).toContainEqual(expect.objectContaining({ id, outcome: 'discarded' }))
})

it('GET /v2/admin/feeds lists the feeds of the schedule with their last runs', async () => {
  const last_run = {
    at: '2026-07-01T18:05:00.000+08:00',
    outcome: 'late',
    said: 'The source still has the data of an earlier day.',
    said_zh: '來源提供的仍是較早日期的資料。',
  }
  mkdirSync(join(s.dir, 'fetch'))
  const state = { 'twse-income': { next_at: '2026-07-01T18:35:00.000+08:00', covers: null, tries: 2, last_run } }
  writeFileSync(join(s.dir, 'fetch', 'schedule.json'), JSON.stringify(state))
  const { data } = await o.read('feeds')
  const entryOf = (name: string) => data.find(({ feed }: { feed: string }) => feed === name)
  expect(entryOf('twse-income')).toMatchObject({
    next_at: '2026-07-01T18:35:00.000+08:00',
    tries: 2,
    last_run,
    due_zh: expect.stringMatching(/^每/),
  })
  expect(entryOf(FEED)).toMatchObject({ datasets: [TRADES], last_run: null, next_at: null, needs_consent: ['www.twse.com.tw'] })
  const listed = JSON.parse((await twmd(s.dir, 'schedule', '--list', '--json')).stdout)
  expect(data.map(({ datasets: _datasets, tries: _tries, at_risk: _risk, ...entry }: Record<string, unknown>) => entry)).toEqual(listed)
})

it('GET /v2/admin/queues counts waiting mails and events and redacts addresses, ids and secrets in errors', async () => {
  expect(await o.read('queues')).toMatchObject({
    ledger: { owed: 0 },
    mail: { waiting: 0, oldest_at: null, last_error: null },
    payment_events: { waiting: 0, oldest_at: null },
  })
  const { outbox, paymentEvents } = s.control
  outbox.put({ to: 'ann@example.test', subject: 'Code', body: '123456' }, s.now())
  outbox.put({ to: 'bob@example.test', subject: 'Notice', body: 'x' }, s.now(), 'notice')
  const [mail] = outbox.due(s.now())
  outbox.countAttempt(mail!, s.now())
  outbox.markFailed(mail!, '550 5.1.1 <ann@example.test>: no such mailbox')
  paymentEvents.store({ id: 'evt_1', type: 'invoice.paid', created: 1, livemode: false, payload: 'null' }, s.now())
  const [event] = paymentEvents.due(s.now())
  paymentEvents.markFailed(event!, 'No such customer: cus_123abc; key sk_test_abcdef', s.now())
  const queues = await o.read('queues')
  expect(queues.mail).toMatchObject({ waiting: 2, codes: 1, notices: 1, attempts: 1, last_error: '550 5.1.1 <…>: no such mailbox' })
  expect(queues.payment_events).toMatchObject({ waiting: 1, attempts: 1, last_error: 'No such customer: …; key …' })
  expect(queues.mail.oldest_at).toBe('2026-07-01T20:00:00.000+08:00')
})

it('GET /v2/admin/inbox lists waiting, skipped and published files of the inbox', async () => {
  const drop = (path: string): void => {
    mkdirSync(dirname(join(s.dir, 'inbox', path)), { recursive: true })
    writeFileSync(join(s.dir, 'inbox', path), t86Body('2026-06-30', NETS))
  }
  drop(`feeds/${FEED}/T86_20260630.json`)
  expect((await twmd(s.dir, 'watch', '--once')).code).toBe(0)
  drop(`feeds/${FEED}/T86_20260701.json`)
  drop('daily-price/x.csv')
  const inbox = await o.read('inbox')
  expect(inbox).toMatchObject({
    waiting: [{ inbox: `feeds/${FEED}`, file: 'T86_20260701.json' }],
    waiting_count: 1,
    left: [
      {
        inbox: 'daily-price',
        file: 'x.csv',
        reason: 'There is no dataset named daily-price; did you mean daily-prices? Rename the folder and its files are picked up.',
        reason_zh: '沒有名為 daily-price 的資料集；您是指 daily-prices 嗎？更改資料夾名稱後，即會處理其中的檔案。',
      },
    ],
    taken: [{ inbox: `feeds/${FEED}`, file: 'T86_20260630.json', outcome: 'published', releases: { [TRADES]: expect.any(String) } }],
    watching: false,
  })
})

it('the admin API answers 401 to every credential except the admin token', async () => {
  const headers = {
    none: {},
    'a wrong admin token': { 'x-admin-token': 'x'.repeat(32) },
    'the service token': { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` },
    'an API key': { 'x-api-key': s.keyOn('max') },
  }
  for (const path of ['releases', 'damage', 'quarantine', 'inbox', 'feeds', 'queues', 'slow-reads'])
    for (const [credential, sent] of Object.entries(headers))
      expect.soft((await s.get(`/v2/admin/${path}`, undefined, sent)).statusCode, `${path} with ${credential}`).toBe(401)
})
