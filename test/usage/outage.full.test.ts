import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openState } from '../../src/state/db.ts'
import { openLedger } from '../../src/usage/ledger.ts'
import { NOW, service } from '../support.ts'
import { holder } from './ledger.ts'

it('M6: if the spill file cannot be written either, the service reports at its stop how many uses are lost', async () => {
  const s = await service({ examples: false })
  const { accountId, keyId } = holder(s, 'pro', 'lost@example.test', NOW)
  const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
  const alerts: (readonly unknown[])[] = []
  const ledger = openLedger(db, (...alert) => alerts.push(alert))
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
  const use = { accountId, keyId, dataset: 'events', at: '2026-07-01T20:00:00.000+08:00', credits: 2, rows: 0 }
  mkdirSync(join(s.dir, 'state.sqlite.owed'))
  await Promise.all(Array.from({ length: 700 }, (_, index) => ledger.record({ ...use, requestId: `req_lost_${index}` })))
  expect([ledger.backlogSize(), ledger.unstoredUses()]).toEqual([700, 700])
  alerts.length = 0
  expect(ledger.close()).toBe(700)
  db.close()
  expect(alerts.filter(([, , lost]) => lost !== undefined)).toEqual([[expect.anything(), 700, 700]])
  await s.close()
})
