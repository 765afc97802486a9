import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Column } from '../../catalog/index.ts'
import type { AuditAction } from '../../src/state/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { parsers } from '../formats/parsing.ts'
import { SECRETS, service, type TestService } from '../support.ts'
import { refused } from './portal.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
  // Earlier versions stored an empty string for entries without an account.
  const acts: readonly [string, AuditAction, string | null][] = [
    ['admin', 'plan granted', 'acct_a'],
    ['acct_a', 'key issued', 'acct_a'],
    ['admin', 'credits granted', 'acct_b'],
    ['operator', 'keys rotated', null],
    ['acct_b', 'key revoked', 'acct_b'],
    ['operator', 'quarantine discard', ''],
  ]
  for (const [index, [actor, action, accountId]] of acts.entries())
    s.control.audit.write(
      {
        actor,
        action,
        accountId,
        ...(index % 2 === 0 && { target: `t${index}`, requestId: `req_${index}` }),
        facts: { index, note: 'a, "b"' },
      },
      new Date(`2026-07-0${index + 1}T08:00:00+08:00`),
    )
})
afterAll(() => s.close())

const get = (query: string, headers: Record<string, string> = { 'x-admin-token': SECRETS.ADMIN_TOKEN }) =>
  s.app.inject({ url: `/v2/admin/audit?${query}`, headers })
const indexes = async (query: string): Promise<readonly number[]> =>
  (await get(query)).json().data.map(({ facts }: { readonly facts: { readonly index: number } }) => facts.index)

it('the audit log lists actor, action, time, account and object of each entry, newest first', async () => {
  const answer = (await get('limit=2')).json()
  expect(answer).toMatchObject({ row_count: 2, data_count: 2, as_of: '2026-07-01T20:00:00.000+08:00' })
  const facts = (index: number) => ({ index, note: 'a, "b"' })
  expect(answer.data).toEqual([
    {
      id: 6,
      at: '2026-07-06T08:00:00+08:00',
      actor: 'operator',
      action: 'quarantine discard',
      account_id: null,
      target: null,
      request_id: null,
      facts: facts(5),
    },
    {
      id: 5,
      at: '2026-07-05T08:00:00+08:00',
      actor: 'acct_b',
      action: 'key revoked',
      account_id: 'acct_b',
      target: 't4',
      request_id: 'req_4',
      facts: facts(4),
    },
  ])
})

it('the audit log filters by account, action, actor and time, and combines filters', async () => {
  for (const [query, expected] of [
    ['', [5, 4, 3, 2, 1, 0]],
    ['account=acct_a', [1, 0]],
    ['account=acct_unknown', []],
    ['action=key%20revoked', [4]],
    ['actor=admin', [2, 0]],
    ['actor=admin&account=acct_a', [0]],
    ['from=2026-07-03T08:00:00%2B08:00', [5, 4, 3, 2]],
    ['to=2026-07-03T08:00:00%2B08:00', [1, 0]],
    ['from=2026-07-02&to=2026-07-04', [2, 1]],
  ] as const)
    expect.soft(await indexes(query), query).toEqual(expected)
})

it('next_before and the Link header of an audit log page lead to the next page', async () => {
  const listed: number[] = []
  for (let url: string | undefined = '/v2/admin/audit?limit=2'; url !== undefined; ) {
    const answer: Awaited<ReturnType<typeof get>> = await s.app.inject({ url, headers: { 'x-admin-token': SECRETS.ADMIN_TOKEN } })
    const { data, next_before: next } = answer.json()
    listed.push(...data.map(({ id }: { readonly id: number }) => id))
    url = /<([^>]+)>/.exec(String(answer.headers['link']))?.[1]
    expect(url?.includes(`before=${next}`) ?? next === null).toBe(true)
  }
  expect(listed).toEqual([6, 5, 4, 3, 2, 1])
})

it('the audit log has the same entries in every format', async () => {
  const { data } = (await get('')).json()
  const text = { type: 'text', zh: '', doc: '', docZh: '。' } as const satisfies Column
  const columns = {
    ...({ id: { ...text, type: 'integer' }, at: { ...text, type: 'timestamp' }, actor: text, action: text } as const),
    account_id: text,
    target: text,
    request_id: text,
    facts: { ...text, type: 'json' } as const,
  }
  const { dir, session, close } = await openSession()
  for (const [format, parse] of Object.entries(parsers(session, dir))) {
    const answer = await get(`format=${format}`)
    expect(answer.headers['content-disposition'] ?? `audit-log.${format}`).toContain(`audit-log.${format}`)
    expect(await parse(answer.rawPayload, columns), format).toEqual(data)
  }
  await close()
})

it('the audit log requires the admin token and refuses unknown actions, parameters and times', async () => {
  expect(refused(await get('', {}))).toEqual([401, 'invalid_admin_token'])
  for (const query of ['action=eaten', 'who=admin', 'from=yesterday', 'limit=0', 'before=x'])
    expect.soft(refused(await get(query)), query).toEqual([422, 'invalid_parameter'])
})
