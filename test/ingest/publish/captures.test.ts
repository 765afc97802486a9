import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { EMPTY, t86Body } from '../../fixtures/ingest/bodies.ts'
import { type Publisher, publisher } from './publisher.ts'

let s: Publisher
beforeAll(async () => {
  s = await publisher()
})
afterAll(() => s.close())

it('every ingested file is appended to the capture journal of its feed', async () => {
  const journal = join(s.workspace.captures, 'twse-t86.ndjson')
  expect(existsSync(journal)).toBe(false)
  await s.ingest('twse-t86', [s.file('sunday.json', t86Body('2026-06-21', { '2330': [1, 0, 0] }))])
  await s.ingest('twse-t86', [s.file('day.json', t86Body('2026-06-22', { '2330': [1, 0, 0] }))])
  const captures = readFileSync(journal, 'utf8').trimEnd().split('\n')
  expect(captures.map(line => JSON.parse(line))).toMatchObject([
    { date: '2026-06-21', outcome: 'refused' },
    { date: '2026-06-22', outcome: 'published' },
  ])
})

it('the capture journal records that a source has no rows for a day, and the next workspace reads this record', async () => {
  const empty = s.file('empty.json', EMPTY)
  expect((await s.ingest('twse-t86', [empty], '2026-06-20')).results).toMatchObject([{ outcome: 'empty', date: '2026-06-20' }])
  expect([...s.workspace.journal.emptyDays('twse-t86')]).toEqual(['2026-06-20'])
  const next = await openWorkspace(s.dir)
  expect([...next.journal.emptyDays('twse-t86')]).toEqual(['2026-06-20'])
  next.close()
})
