import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openState } from '../../src/state/db.ts'
import { openLedger } from '../../src/usage/ledger.ts'
import { NOW, service, type TestService } from '../support.ts'
import { balanced, type Holder, holder } from './ledger.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

const USES = 600
const owedFile = (): string => join(s.dir, 'state.sqlite.owed')

/**
 * Opens a ledger on the state file.
 * @returns it and its alerts
 */
function opened() {
  const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
  const alerts: (readonly unknown[])[] = []
  const ledger = openLedger(db, (...alert) => alerts.push(alert))
  const close = (): void => {
    ledger.close()
    db.close()
  }
  return { db, ledger, alerts, close }
}

/** Stops a ledger that cannot write its queued uses to a full disk. */
async function stoppedOwing({ accountId, keyId }: Holder): Promise<void> {
  const { db, ledger, close } = opened()
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
  const use = { accountId, keyId, dataset: 'events', at: '2026-07-01T20:00:00.000+08:00', credits: 2, rows: 0 }
  await Promise.all(Array.from({ length: USES }, (_, nth) => ledger.record({ ...use, requestId: `req_${keyId}_${nth}` })))
  close()
}

it.each([
  ['credits', '"credits":2', '"credits":6'],
  ['id', '_5"', '_4"'],
  ['time', '"at":"2026-07', '"at":"2026-06'],
  ['end', '}\n', '\n'],
])('M6: a use with a damaged %s in the spill file is reported but not recorded; the file is set aside', async (what, from, replacement) => {
  const account = holder(s, 'pro', `damaged-${what}@example.test`, NOW)
  await stoppedOwing(account)
  const lines = readFileSync(owedFile(), 'utf8').split(/(?<=\n)/)
  const damaged = lines.map(line => (line.includes('_5"') ? line.replace(from, replacement) : line)).join('')
  expect(damaged).not.toBe(lines.join(''))
  writeFileSync(owedFile(), damaged)
  writeFileSync(`${owedFile()}.refused`, 'from an earlier start')
  const { ledger, alerts, close } = opened()
  ledger.bookSpilled()
  close()
  expect(alerts).toEqual([[expect.objectContaining({ message: expect.stringContaining('damaged') }), USES - 1, 1]])
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: USES - 1, credits: 2 * (USES - 1) })
  expect(existsSync(owedFile())).toBe(false)
  const aside = ['.refused', '.refused.2'].map(ending => `${owedFile()}${ending}`)
  expect(aside.map(path => readFileSync(path, 'utf8'))).toEqual(['from an earlier start', damaged])
  for (const path of aside) rmSync(path)
})
