import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl } from '../../src/control/index.ts'
import { taipei } from '../../src/core/index.ts'
import { createCreditEntries } from '../../src/usage/index.ts'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import { dataFolder, SECRETS } from '../support.ts'

let dir: string
let remove: () => Promise<void>
let accountId: string
const USE = 'req_of_a_read'
const EMAIL = 'customer@example.test'

beforeAll(async () => {
  ;({ dir, remove } = await dataFolder())
  const control = openControl({ stateDb: join(dir, 'state.sqlite') }, SECRETS)
  const now = new Date()
  accountId = control.accounts.ensure(readEmail(EMAIL)!, now).id
  const { keyId } = control.keys.issue(accountId, 'test', now)
  await control.ledger.record({ requestId: USE, accountId, keyId, dataset: 'earnings', at: taipei(now), credits: 2, rows: 1 })
  control.close()
})
afterAll(() => remove())

const run = (...args: readonly string[]) => runTwmd(dir, args, SECRETS)

it('twmd credits grant and refund give credits once and report the remaining credits', async () => {
  const granted = await run('credits', 'grant', EMAIL, '500', '--reason', 'pilot')
  expect([granted.code, granted.stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^Granted 500 credits to ${accountId}\\. Remaining this month: 1498\\. Entry req_\\w+\\.\n$`)),
  ])
  const refunded = await run('credits', 'refund', USE, '--reason', 'outage', '--json')
  expect(JSON.parse(refunded.stdout)).toMatchObject({
    kind: 'refund',
    account_id: accountId,
    credited: 2,
    reason: 'outage',
    refunded_request_id: USE,
    credits_remaining: 1_500,
  })
  const again = await run('credits', 'refund', USE, '--reason', 'outage')
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already refunded')])
})

it('twmd credits refuses an unknown account, a bad number and a missing reason', async () => {
  for (const [args, code, message] of [
    [['grant', 'nobody@example.test', '5', '--reason', 'x'], 1, /No active account/],
    [['grant', 'acct_unknown', '5', '--reason', 'x'], 1, /No active account/],
    [['grant', EMAIL, '0', '--reason', 'x'], 2, /whole number from 1/],
    [['grant', EMAIL, '5'], 2, /--reason/],
    [['grant', EMAIL, '5', '--reason', '  '], 2, /1 to 500 characters/],
    [['refund', 'req_unknown', '--reason', 'x'], 1, /No charged read/],
  ] as const) {
    const ended = await run('credits', ...args)
    expect.soft([ended.code, ended.stderr], args.join(' ')).toEqual([code, expect.stringMatching(message)])
  }
})

it('twmd audit lists actions as a table, as JSON and as CSV, filtered and by page', async () => {
  const all = JSON.parse((await run('audit', '--json')).stdout) as readonly { readonly id: number; readonly action: string }[]
  expect(all.map(({ action }) => action)).toEqual(['credits refunded', 'credits granted'])
  expect(all[1]).toMatchObject({ actor: 'operator', account_id: accountId, facts: { credits: 500, reason: 'pilot' } })
  const table = await run('audit', '--account', EMAIL, '--action', 'credits granted')
  expect(table.stdout).toMatch(/^time +actor +action/)
  expect(table.stdout).toContain('credits granted')
  expect(table.stdout).not.toContain('credits refunded')
  const page = await run('audit', '--limit', '1', '--csv')
  expect(page.stdout.split('\r\n')).toEqual([
    'id,at,actor,action,account_id,target,request_id,facts',
    expect.stringMatching(new RegExp(`^${all[0]!.id},.*,operator,credits refunded,${accountId},`)),
    '',
  ])
  expect(page.stderr).toContain(`--before ${all[0]!.id}`)
  expect(JSON.parse((await run('audit', '--before', String(all[0]!.id), '--json')).stdout)).toHaveLength(1)
  expect((await run('audit', '--to', '2020-01-01')).stdout).toBe('There are no entries.\n')
  expect((await run('audit', '--action', 'eaten')).code).toBe(2)
})

it('twmd audit and twmd credits create no state file', async () => {
  const other = join(dir, 'other')
  for (const args of [['audit'], ['credits', 'grant', EMAIL, '1', '--reason', 'x']])
    expect((await runTwmd(other, args, SECRETS)).code, args[0]).toBe(2)
  expect(existsSync(join(other, 'state.sqlite'))).toBe(false)
})

it('twmd restore is recorded in the audit log of the restored file, with the file name of the backup', async () => {
  const backup = join(dir, 'state-20260701T120000Z.sqlite')
  expect((await run('backup', backup)).code).toBe(0)
  const before = JSON.parse((await run('audit', '--json')).stdout) as readonly unknown[]
  expect((await run('restore', backup, '--verify')).code).toBe(0)
  expect(JSON.parse((await run('audit', '--json')).stdout)).toEqual(before)
  expect((await run('restore', backup)).code).toBe(0)
  const [restored, ...others] = JSON.parse((await run('audit', '--json')).stdout) as readonly unknown[]
  expect(restored).toMatchObject({ actor: 'operator', action: 'state restored', account_id: null, target: 'state-20260701T120000Z.sqlite' })
  expect(others).toEqual(before)
  expect((await run('audit', '--action', 'state restored')).stdout).toContain('state-20260701T120000Z.sqlite')
})

it('a running process applies a credit grant of another process within a second', async () => {
  let clock = 0
  const control = openControl({ stateDb: join(dir, 'state.sqlite') }, SECRETS)
  const entries = createCreditEntries(control.db, control.db, () => clock)
  const period = taipei(new Date()).slice(0, 7)
  const { granted } = entries.ofPeriod(accountId, period)
  await run('credits', 'grant', accountId, '7', '--reason', 'more')
  clock += 1_000
  expect(entries.ofPeriod(accountId, period).granted).toBe(granted + 7)
  control.close()
})
