import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Portal, portal, refused } from '../../accounts/portal.ts'
import { SECRETS } from '../../support.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const PATHS = [
  ['/internal/db-diagnostics', 'x-diagnostics-secret', SECRETS.DIAGNOSTICS_SECRET],
  ['/internal/diagnostics-config', 'x-diagnostics-probe', SECRETS.DIAGNOSTICS_PROBE],
] as const

it.each(PATHS)('%s without a valid %s header answers exactly like an unknown path', async (path, header, secret) => {
  const other = PATHS.find(([, , value]) => value !== secret)![2]
  const nowhere = await p.send('GET', '/internal/nowhere')
  const without = (body: string): string => body.replace(/req_[0-9a-z]{26}/g, 'req')
  for (const headers of [
    {},
    { [header]: '' },
    { [header]: 'guess' },
    { [header]: secret.slice(0, -1) },
    { [header]: secret.toUpperCase() },
    { [header]: other },
    { authorization: `Bearer ${secret}` },
    { 'x-admin-token': secret },
    { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` },
    { 'x-api-key': p.keyOn('max') },
  ] as Record<string, string>[]) {
    const response = await p.send('GET', path, headers)
    expect(refused(response), Object.keys(headers)[0] ?? 'nothing').toEqual([404, 'unknown_path'])
    expect(without(response.body)).toBe(without(nowhere.body))
    expect(Object.keys(response.headers).toSorted()).toEqual(Object.keys(nowhere.headers).toSorted())
  }
})

it.each(PATHS)('%s with a valid %s header answers without secrets and with Cache-Control: no-store', async (path, header, secret) => {
  const response = await p.send('GET', path, { [header]: secret })
  expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
  for (const [name, value] of Object.entries(SECRETS)) expect(response.body.includes(value), name).toBe(false)
})

it('database diagnostics count accounts, active keys and ledger rows of the state file', async () => {
  p.keyOn('free', 'counted@example.test')
  const { state } = (await p.send('GET', PATHS[0][0], { [PATHS[0][1]]: PATHS[0][2] })).json()
  const [{ accounts }] = p.rows('SELECT count(*) AS accounts FROM account') as [{ accounts: number }]
  const [{ keys }] = p.rows("SELECT count(*) AS keys FROM api_key WHERE status = 'active'") as [{ keys: number }]
  expect(state).toMatchObject({ journal_mode: 'wal', quick_check: 'ok', accounts, active_keys: keys, ledger_rows: 0, credits_used: 0 })
  expect(state.size_bytes).toBeGreaterThan(4_096)
})
